package transfer

import (
	"strings"

	"terrier/internal/record"
)

// choiceOf returns the value of the choice that people call so: Planned is planned. Any other text stays as it is: it is a value, or is
// refused later. So does a label that two choices have.
func choiceOf(choices record.Choices, text string) string {
	found := ""
	for _, o := range choices {
		switch {
		case o.Value == text:
			return text
		case !strings.EqualFold(o.Label, strings.TrimSpace(text)) && !strings.EqualFold(o.Value, strings.TrimSpace(text)):
		case found != "" && found != o.Value:
			return text
		default:
			found = o.Value
		}
	}
	if found == "" {
		return text
	}
	return found
}

// choicesOf does the same for a value from JSON or YAML, and for each text in a list.
func choicesOf(choices record.Choices, value any) any {
	if len(choices) == 0 {
		return value
	}
	switch x := value.(type) {
	case string:
		return choiceOf(choices, x)
	case []any:
		out := make([]any, len(x))
		for i, item := range x {
			out[i] = choicesOf(choices, item)
		}
		return out
	}
	return value
}
