package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
)

func (s *session) printf(format string, args ...any) error {
	_, err := fmt.Fprintf(s.out, format, args...)
	return err
}

// jsonFlag is a flag of every command that shows what was found.
type jsonFlag struct {
	JSON bool `help:"Print JSON, for programs."`
}

// printList prints what was found: as a table for people, whose first row is its head, or as JSON.
func (s *session) printList(flag jsonFlag, found any, rows [][]string) error {
	if !flag.JSON {
		return s.printTable(rows)
	}
	return s.printJSON(found)
}

func (s *session) printJSON(found any) error {
	encoder := json.NewEncoder(s.out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(found)
}

// printTable prints rows in aligned columns, whatever characters the cells contain.
func (s *session) printTable(rows [][]string) error {
	out := newScreen(s.out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = out.line(cell)
		}
		if _, err := fmt.Fprintln(w, strings.Join(cells, "\t")); err != nil {
			return err
		}
	}
	return w.Flush()
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func timeOrNever(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.UTC().Format(time.RFC3339)
}
