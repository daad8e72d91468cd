// Package figures owns the results of a benchmark run: its rows, their verdicts, the table, the picture and the comparison with a stored
// result. It measures nothing and uses no database.
package figures

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Result is the outcome of a run.
type Result struct {
	Started    time.Time
	Commit     string
	Machine    Machine
	Sizes      Sizes
	Rows       []Row
	Statements []Statements
}

// Machine is the machine that the figures come from.
type Machine struct {
	Processor  string
	Cores      int
	MemoryGiB  int
	Go         string
	PostgreSQL string
}

func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores, %d GiB, Go %s, PostgreSQL %s", m.Processor, m.Cores, m.MemoryGiB, m.Go, m.PostgreSQL)
}

// Sizes are the amounts that were measured with.
type Sizes struct {
	Records     int    // sites in the register
	Queued      int    // deliveries queued for one receiver
	Deliveries  int    // delivery rows kept
	Rounds      int    // repeats of each comparison
	Connections int    // that send requests at once
	User        string // the kind of user that calls Terrier
}

// Row is one line of the table.
type Row struct {
	Case    string // the key by which results are compared
	What    string
	Unit    string // of both sides' figures
	Terrier Side
	Bare    Side    // its figure is 0 if there is no other side
	Against string  // what the bare column shows, if it is not the bare program
	Value   float64 // the value that is judged: usually the ratio of the two
	Low     float64 // of the rounds
	High    float64
	Goal    Goal
	// Absolute means that Terrier's own figure is judged, not the ratio.
	Absolute bool    `json:",omitempty"`
	Points   []Point `json:",omitempty"`
	Again    bool    `json:",omitempty"` // measured a second time, because the first missed clearly
}

// Side is the figures of one of the two sides.
type Side struct {
	Figure     float64
	Go         float64      `json:",omitempty"` // processor time of the Go processes, in µs per operation
	PostgreSQL float64      `json:",omitempty"` // and of PostgreSQL
	FromDue    *Percentiles `json:",omitempty"` // ms from when the work was due
	FromCommit *Percentiles `json:",omitempty"` // ms from when the writer had its answer
}

// Point is a cost at a size.
type Point struct {
	Size   int
	Figure float64
}

// Statements is what one request costs the database, authentication included. The bare figures are 0 if there is no bare side.
type Statements struct {
	What           string
	Statements     int64
	Trips          int64
	BareStatements int64
	BareTrips      int64
}

// Goal is what a value is compared with. The zero Goal demands nothing.
type Goal struct {
	Value  float64
	AtMost bool
	// Gate is the value from which a miss is clear. It is far from the goal: a shared machine is noisy, and a gate that fails by
	// chance costs more than it finds.
	Gate float64
}

// AtLeast returns the goal of a value or more.
func AtLeast(value float64) Goal { return Goal{Value: value, Gate: value * 0.75} }

// AtMost returns the goal of a value or less.
func AtMost(value float64) Goal { return Goal{Value: value, AtMost: true, Gate: value * 3.5} }

func (g Goal) String() string {
	switch {
	case g.Value == 0:
		return "-"
	case g.AtMost:
		return fmt.Sprintf("≤ %.3g", g.Value)
	}
	return fmt.Sprintf("≥ %.3g", g.Value)
}

// Reached reports whether the goal is met.
func (r Row) Reached() bool { return r.within(r.Goal.Value) }

// Clear reports whether the goal is clearly missed. An absolute figure says nothing about Terrier if the other side was as slow, on the
// same machine and in the same rounds.
func (r Row) Clear() bool {
	slowMachine := r.Absolute && r.Goal.AtMost && r.Value <= sameSlowness*r.Bare.Figure
	return !r.within(r.Goal.Gate) && !slowMachine
}

// sameSlowness is how many times slower than the other side Terrier may be for the machine to be the reason.
const sameSlowness = 3.5

func (r Row) within(limit float64) bool {
	switch {
	case r.Goal.Value == 0:
		return true
	case r.Goal.AtMost:
		return r.Value <= limit
	}
	return r.Value >= limit
}

// Verdict returns the verdict in one word.
func (r Row) Verdict() string {
	switch {
	case r.Goal.Value == 0:
		return ""
	case r.Reached():
		return "reached"
	case r.Clear():
		return "MISSED CLEARLY"
	}
	return "missed"
}

// Missed returns the names of the cases that are clearly missed.
func (r *Result) Missed() []string {
	var names []string
	for _, row := range r.Rows {
		if row.Clear() {
			names = append(names, row.Case)
		}
	}
	return names
}

// Write writes a result to a file, as JSON.
func (r *Result) Write(file string) error {
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(raw, '\n'), 0o644)
}

// Read returns a stored result, or nil if there is none.
func Read(file string) (*Result, error) {
	raw, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var r Result
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, fmt.Errorf("read the kept result %s: %w", file, err)
	}
	return &r, nil
}
