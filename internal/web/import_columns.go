package web

import (
	"slices"

	"terrier/internal/record"
	"terrier/internal/transfer"
)

// fileColumn is a column of a file whose headings are unknown, with the columns that it can be mapped to.
type fileColumn struct {
	Name    string
	Samples []string
	Options []Option
}

// readHeadings finds out what the columns of the file mean. It forgets what was said about columns that the file does not have.
func (s *sentFile) readHeadings(t *record.Type, defs []*record.Custom) {
	if s.guess() != transfer.CSV {
		s.columns = nil
		return
	}
	s.headings = transfer.Headings(t, defs, s.text, s.columns)
	said := transfer.Mapping{}
	for _, h := range s.headings {
		if column, ok := s.columns[h.Name]; ok {
			said[h.Name] = column
		}
	}
	s.columns = said
}

// unclear reports whether the file has columns that nobody has mapped yet.
func (s *sentFile) unclear() bool {
	return slices.ContainsFunc(s.headings, func(h transfer.Heading) bool { return !h.Known })
}

// mapped returns the columns of the file if the page asks about them.
func (s *sentFile) mapped(columns []transfer.Column) (out []fileColumn) {
	if len(s.columns) == 0 && !s.unclear() {
		return nil
	}
	for _, h := range s.headings {
		options := []Option{{Value: transfer.Skip, Label: "Skip this column"}}
		offered := h.Column == transfer.Skip
		for _, c := range columns {
			options = append(options, Option{Value: c.Name, Label: c.Label + " (" + c.Name + ")", Selected: c.Name == h.Column})
			offered = offered || c.Name == h.Column
		}
		if !offered {
			options = append(options, Option{Value: h.Column, Label: h.Column, Selected: true})
		}
		out = append(out, fileColumn{h.Name, h.Samples, options})
	}
	return out
}

// keep shows an uploaded file as text, so that it comes back with the next form. With htmx the browser still has it.
func (s *sentFile) keep() {
	s.pasted, s.format = string(s.text), transfer.CSV
}
