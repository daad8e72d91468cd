package web

import (
	"errors"
	"maps"
	"slices"

	"terrier/internal/fault"
)

// refusal is why one record of many was refused, or why several rows of a file were.
type refusal struct {
	Lines   string // in an import: "2, 3, 4 and 47 more"
	Rows    int    // how many rows of a file
	Record  Cell   // the first of them
	Field   string
	Message string
	Choices string // what the field can be, where that is a list
}

// refusals is a table of refusals, cut to a readable length.
type refusals struct {
	Lines bool // it is about the lines of a file
	Rows  []refusal
	More  int
}

const mostRefusals = 200

// refusals returns the table for messages by position, with the record that each is about.
func (p *TypePages) refusals(items []fault.Fields, about func(i int) refusal) refusals {
	var out refusals
	for i, fields := range items {
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			for _, message := range fields[name] {
				if len(out.Rows) == mostRefusals {
					out.More++
					continue
				}
				row := about(i)
				row.Field, row.Message = p.labelOf(name), message
				out.Rows = append(out.Rows, row)
			}
		}
	}
	return out
}

// unreachable returns the error with a message for each record that the caller sees but may not change: the ledger does not find it.
func unreachable(err error, message string) (e *fault.Error, known bool) {
	e, known = errors.AsType[*fault.Error](err)
	if !known {
		return nil, false
	}
	if e.Kind == fault.NotFound { // only one record was selected
		return &fault.Error{Kind: fault.Invalid, Items: []fault.Fields{{"id": {message}}}}, true
	}
	for _, item := range e.Items {
		if len(item["id"]) > 0 {
			item["id"] = []string{message}
		}
	}
	return e, true
}

func (p *TypePages) labelOf(name string) string {
	f := p.Type.Field(name)
	switch {
	case name == fault.General:
		return ""
	case f == nil:
		return name
	}
	return f.Info().Label
}

// inCommon removes the messages that all items have from them, and returns these messages. They are about what was typed, not about a
// single record.
func inCommon(items []fault.Fields) fault.Fields {
	common := fault.Fields{}
	if len(items) == 0 {
		return common
	}
	for name, messages := range items[0] {
		for _, message := range messages {
			if !slices.ContainsFunc(items, func(f fault.Fields) bool { return !slices.Contains(f[name], message) }) {
				common[name] = append(common[name], message)
			}
		}
	}
	for name, messages := range common {
		for _, fields := range items {
			fields[name] = slices.DeleteFunc(slices.Clone(fields[name]), func(m string) bool { return slices.Contains(messages, m) })
		}
	}
	return common
}
