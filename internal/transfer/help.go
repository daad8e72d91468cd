package transfer

import (
	"strings"

	"terrier/internal/record"
)

// help tells how a field is written, after what its declaration says about it.
func help(f record.Field, info record.Info) string {
	var how string
	switch f := f.(type) {
	case record.Bool:
		how = "true or false."
	case record.Choice:
		values := make([]string, len(f.Of))
		for i, o := range f.Of {
			values[i] = o.Value
		}
		how = "One of " + strings.Join(values, ", ") + "."
	case record.Time:
		how = "Such as 2026-01-31T12:00:00Z."
	case record.Ref:
		how = "The " + lookupWord(f.Target()) + " of the " + f.Target().Title() + orID(f.Target())
	case record.Refs:
		how = manyHelp(f.Target())
	case record.Tags:
		how = manyHelp(f.Target())
	case record.Actions:
		how = "Some of " + strings.Join(f.Of.Words, ", ") + ", separated by commas."
	case record.List, record.ObjectTypes:
		how = "Separated by commas."
	case record.JSON:
		how = "Written as JSON."
	}
	said := info.Help
	if said != "" && !strings.HasSuffix(said, ".") {
		said += "."
	}
	return strings.TrimSpace(said + " " + how)
}

func orID(target *record.Type) string {
	if lookup(target) == nil {
		return "."
	}
	return ", or # and its id: #3."
}

func manyHelp(target *record.Type) string {
	return "The " + lookupWord(target) + " of each " + target.Title() + ", separated by commas."
}

func lookupWord(t *record.Type) string {
	if lookup(t) == nil {
		return "id"
	}
	return t.LookupField()
}

func customHelp(def *record.Custom) string {
	switch customShape(def) {
	case list:
		return "Separated by commas."
	case structure:
		return "Written as JSON."
	}
	return ""
}
