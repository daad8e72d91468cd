package webhook

import (
	"errors"
	"fmt"
	"net/textproto"
	"slices"
	"strings"
	"unicode"

	"terrier/internal/fault"
	"terrier/internal/jinja"
)

// maxHeaders bounds the work: every line is its own template.
const maxHeaders = 30

// header is one line of additional_headers. Lines are split before anything is rendered, and names are fixed, so that
// no value of a record can add a header.
type header struct {
	name  string
	value *jinja.Template
}

// parseHeaders reads the lines and records what is wrong with each.
func parseHeaders(text string, faults fault.Fields) []header {
	var headers []header
	seen := map[string]int{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		h, err := parseHeader(line)
		if err == nil && seen[h.name] > 0 {
			err = fmt.Errorf("%s is on line %d already", h.name, seen[h.name])
		}
		if err != nil {
			faults.Add("additional_headers", "Line %d: %s.", i+1, err)
			continue
		}
		seen[h.name] = i + 1
		headers = append(headers, h)
	}
	if len(headers) > maxHeaders {
		faults.Add("additional_headers", "There may be %d headers at most, not %d.", maxHeaders, len(headers))
	}
	return headers
}

// parseHeader never repeats a value in an error: it may be a credential.
func parseHeader(line string) (header, error) {
	name, value, ok := strings.Cut(line, ":")
	if !ok {
		return header{}, errors.New("there is no colon; write Name: Value (a template must begin and end on its line)")
	}
	name = strings.TrimSpace(name)
	if name == "" || strings.ContainsFunc(name, notToken) {
		return header{}, fmt.Errorf("%s is not a header name; use templates in the value only", show(name))
	}
	name = textproto.CanonicalMIMEHeaderKey(name)
	if err := reserved(name); err != nil {
		return header{}, err
	}
	if strings.ContainsFunc(value, unicode.IsControl) {
		return header{}, fmt.Errorf("%s holds a control character, such as a tab; use spaces", name)
	}
	t, err := jinja.Parse(strings.TrimSpace(value))
	if err != nil {
		if e, ok := errors.AsType[*jinja.Error](err); ok {
			err = errors.New(e.Message) // it has only one line
		}
		return header{}, fmt.Errorf("%s: %w", name, err)
	}
	return header{name, t}, nil
}

// notToken reports whether RFC 9110 forbids a character in a name.
func notToken(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
}

// owned headers frame the message or belong to one connection. A webhook that could set
// them could make one request look like two.
var owned = []string{"Connection", "Content-Length", "Expect", "Host", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "Te",
	"Trailer", "Transfer-Encoding", "Upgrade"}

func reserved(name string) error {
	switch {
	case name == "Content-Type":
		return errors.New("Content-Type has a field of its own, the HTTP content type")
	case slices.Contains(owned, name), strings.HasPrefix(name, "X-Hook-"), strings.HasPrefix(name, "Webhook-"):
		return fmt.Errorf("%s is set by Terrier and can't be given here", name)
	}
	return nil
}

// render makes the value of a header.
func (h header) render(values jinja.Value) (string, error) {
	s, err := h.value.Render(values)
	if err != nil {
		return "", fmt.Errorf("additional_headers: %s: %w", h.name, err)
	}
	if strings.ContainsFunc(s, unicode.IsControl) { // before it is trimmed: a line break is never overlooked
		return "", fmt.Errorf("additional_headers: %s would hold a control character, such as a line break", h.name)
	}
	return strings.TrimSpace(s), nil
}
