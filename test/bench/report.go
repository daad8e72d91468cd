package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"
)

// report is the outcome of a run.
type report struct {
	Started     time.Time
	Rows        int
	User        string
	Concurrency int
	LoadSeconds float64
	Cases       []row
	Wire        []wireCount
}

// row is one line of the table.
type row struct {
	Case    string
	What    string
	Terrier float64 // a rate or a time, by Unit
	Bare    float64 // 0 where there is none
	Unit    string
	Value   float64 // what is held against the target: the ratio, or the time
	Min     float64
	Max     float64
	Target  float64 // 0 where there is none
	AtMost  bool    // the target is an upper limit
}

// meets tells whether the target is reached; slack 1 means in full.
func (r row) meets(slack float64) bool {
	switch {
	case r.Target == 0:
		return true
	case r.AtMost:
		return r.Value <= r.Target/slack
	}
	return r.Value >= r.Target*slack
}

func (r row) verdict() string {
	switch {
	case r.Target == 0:
		return ""
	case r.meets(1):
		return "reached"
	}
	return "MISSED"
}

func (r row) target() string {
	switch {
	case r.Target == 0:
		return "-"
	case r.AtMost && r.Bare == 0:
		return fmt.Sprintf("≤ %.2g %s", r.Target, r.Unit)
	case r.AtMost:
		return fmt.Sprintf("≤ %.2g", r.Target)
	}
	return fmt.Sprintf("≥ %.2g", r.Target)
}

func (r row) figure(v float64) string {
	if v == 0 {
		return "-"
	}
	if r.Unit == "/s" {
		return fmt.Sprintf("%.0f%s", v, r.Unit)
	}
	return fmt.Sprintf("%.3g %s", v, r.Unit)
}

func (b *bench) add(r row) {
	b.report.Cases = append(b.report.Cases, r)
	b.note("%s: %.3g (%.3g–%.3g) %s", r.Case, r.Value, r.Min, r.Max, r.verdict())
}

func (r *report) missed(slack float64) []string {
	var names []string
	for _, c := range r.Cases {
		if !c.meets(slack) {
			names = append(names, c.Case)
		}
	}
	return names
}

func (r *report) print(out io.Writer) error {
	var text bytes.Buffer
	say := func(to io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(to, format, args...) } // a buffer takes everything
	say(&text, "\n%d sites, %d connections, asked by a %s\n\n", r.Rows, r.Concurrency, r.User)
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	say(w, "case\tterrier\tbare\tratio\tspread\ttarget\tverdict\n")
	for _, c := range r.Cases {
		ratio := fmt.Sprintf("%.2g", c.Value)
		if c.Bare == 0 {
			ratio = "-"
		}
		say(w, "%s\t%s\t%s\t%s\t%.2g–%.2g\t%s\t%s\n", c.What, c.figure(c.Terrier), c.figure(c.Bare), ratio, c.Min, c.Max, c.target(), c.verdict())
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, c := range r.Wire {
		say(&text, "%s: %d statements in %d round trips\n", c.What, c.Statements, c.Trips)
	}
	_, err := out.Write(text.Bytes())
	return err
}

func (r *report) write(file string) error {
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(raw, '\n'), 0o644)
}
