package hookpages

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"terrier/internal/fault"
)

// hookProblem is why a webhook can't be sent: the field, what is wrong with it, and for a template the lines around the wrong one.
type hookProblem struct {
	Field, Text string
	Lines       []codeLine
}

type codeLine struct {
	Number int
	Text   string
	Wrong  bool
}

// hookProblems returns the messages of a refusal, by field.
func (h webhookPages) hookProblems(e *fault.Error, typed url.Values) []hookProblem {
	if len(e.Fields) == 0 {
		return []hookProblem{{Text: e.Detail}}
	}
	var out []hookProblem
	for _, name := range slices.Sorted(maps.Keys(e.Fields)) {
		label := ""
		if f := h.Type.Field(name); f != nil {
			label = f.Info().Label
		}
		for _, text := range e.Fields[name] {
			out = append(out, hookProblem{label, text, wrongLines(name, text, typed)})
		}
	}
	return out
}

// rendered returns why a template that could be parsed can't be rendered. The message begins with the name of its field.
func rendered(message string, typed url.Values) hookProblem {
	name, text, _ := strings.Cut(message, ": ")
	return hookProblem{Text: message, Lines: wrongLines(name, text, typed)}
}

// around is how many lines are shown before and after a wrong one.
const around = 3

var atLine = regexp.MustCompile(`^[Ll]ine ([0-9]{1,6}):`)

// wrongLines returns the lines of a template around the one that a message is about.
func wrongLines(field, message string, typed url.Values) []codeLine {
	if field != "body_template" && field != "additional_headers" {
		return nil
	}
	lines := strings.Split(typedText(typed, field), "\n")
	wrong := 0
	if m := atLine.FindStringSubmatch(message); m != nil {
		wrong, _ = strconv.Atoi(m[1]) // the pattern matches only digits
	} else if field == "additional_headers" {
		wrong = 1 + slices.IndexFunc(lines, func(line string) bool {
			name, _, _ := strings.Cut(line, ":")
			name = strings.TrimSpace(name)
			return name != "" && len(message) > len(name) && strings.EqualFold(message[:len(name)], name) &&
				strings.ContainsAny(message[len(name):len(name)+1], ": ")
		})
	}
	if wrong < 1 || wrong > len(lines) {
		return nil
	}
	var out []codeLine
	for n := max(1, wrong-around); n <= min(len(lines), wrong+around); n++ {
		out = append(out, codeLine{n, lines[n-1], n == wrong})
	}
	return out
}
