package apitest

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// Login opens a session and returns its cookie, as a browser sends it.
func (s *Server) Login(tb testing.TB, username string) string {
	tb.Helper()
	a := s.Do(tb, Call{Method: http.MethodPost, Path: "/login/",
		Body: map[string]any{"username": username, "password": Password}}).Want(tb, http.StatusNoContent)
	for _, c := range (&http.Response{Header: a.Header}).Cookies() {
		if strings.HasSuffix(c.Name, "terrier_session") {
			return c.Name + "=" + c.Value
		}
	}
	tb.Fatal("no session cookie")
	return ""
}

var (
	elementPattern   = regexp.MustCompile(`<(/?)(form|input|textarea|select|option)\b((?:[^>"]|"[^"]*")*)>`)
	attributePattern = regexp.MustCompile(`([a-z_:-]+)(?:="([^"]*)")?`)
	momentPattern    = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d(?:\.\d{1,3})?)?$`)
	colorPattern     = regexp.MustCompile(`^#[0-9a-f]{6}$`)
)

// Form returns what a browser sends of the form about a record on a page if nobody touches it. Browsers read line
// ends as one character and send them as two, drop the first one of a text area, remove those in a single line, and
// blank values that a widget can't show.
func (a Answer) Form(tb testing.TB) url.Values {
	tb.Helper()
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(a.Raw))
	var sent url.Values
	var choice *selection
	for _, at := range elementPattern.FindAllStringSubmatchIndex(text, -1) {
		end, name, attributes := text[at[2]:at[3]] != "", text[at[4]:at[5]], attributesOf(text[at[6]:at[7]])
		switch {
		case name == "form" && !end:
			sent = url.Values{}
		case name == "form" && sent.Has("version"):
			return sent
		case name == "input" && sent != nil:
			if value, given := inputValue(attributes); given {
				sent.Add(attributes["name"], asSent(value))
			}
		case name == "textarea" && !end && sent != nil:
			content, _, _ := strings.Cut(text[at[1]:], "</textarea>")
			sent.Add(attributes["name"], asSent(html.UnescapeString(strings.TrimPrefix(content, "\n"))))
		case name == "select" && !end:
			choice = &selection{name: attributes["name"]}
		case name == "option" && !end && choice != nil:
			choice.option(attributes)
		case name == "select" && sent != nil:
			if choice.found {
				sent.Add(choice.name, asSent(choice.value))
			}
			choice = nil
		}
	}
	tb.Fatalf("%s %s shows no form about a record", a.Call.Method, a.Call.Path)
	return nil
}

// selection is a choice of one: the first option, or the last that is marked.
type selection struct {
	name, value string
	found       bool
}

func (s *selection) option(attributes map[string]string) {
	if _, marked := attributes["selected"]; marked || !s.found {
		s.value, s.found = attributes["value"], true
	}
}

func attributesOf(text string) map[string]string {
	out := map[string]string{}
	for _, m := range attributePattern.FindAllStringSubmatch(text, -1) {
		out[m[1]] = html.UnescapeString(m[2])
	}
	return out
}

func inputValue(attributes map[string]string) (value string, given bool) {
	value = attributes["value"]
	switch attributes["type"] {
	case "hidden":
	case "checkbox":
		_, given = attributes["checked"]
		return value, given
	case "color":
		if value = strings.ToLower(value); !colorPattern.MatchString(value) {
			value = "#000000"
		}
	case "datetime-local":
		m := momentPattern.FindStringSubmatch(value)
		if m == nil {
			return "", true
		}
		if value = m[1]; m[2] != ":00" { // the shortest form of the time
			value += m[2]
		}
	default:
		value = strings.ReplaceAll(value, "\n", "")
	}
	return value, attributes["name"] != ""
}

func asSent(value string) string { return strings.ReplaceAll(value, "\n", "\r\n") }
