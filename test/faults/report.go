package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
)

// The kinds of violation: the eight invariants, and the harness's own expectations.
const (
	oneRow     = "1 an acknowledged change has exactly one change row, a refused one none"
	oneEach    = "2 change × matching webhook: exactly one delivery"
	noInvented = "3 no request for a change that was rolled back"
	ends       = "4 every delivery ends, or waits for a webhook that is held"
	received   = "5 what is successful was received and answered 2XX; what failed has a reason"
	mapped     = "6 every receipt maps to a delivery, with its body and a valid signature"
	once       = "7 nothing arrives twice without a kill"
	gapless    = "8 versions are gapless and one after the other, postchange(n) = prechange(n+1)"
	answered   = "9 requests are answered as they should be"
	processes  = "10 processes end when they are asked to, and recover in time"
	whole      = "11 children are made, moved and deleted with their parent, all or none"
	givenOnce  = "12 no address is given out twice, and each that was given is there"
	inOrder    = "13 every reader of the feed gets every change once, positions are gapless, versions are in order"
)

// maxShown is how many violations of a kind are printed.
const maxShown = 20

// report collects violations.
type report struct {
	to io.Writer

	mu     sync.Mutex
	counts map[string]int
}

func newReport(to io.Writer) *report { return &report{to: to, counts: map[string]int{}} }

// violate records a violation, and prints the first ones of each kind.
func (r *report) violate(kind, format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[kind]++
	switch n := r.counts[kind]; {
	case n <= maxShown:
		r.line("VIOLATION of %s: %s", kind, fmt.Sprintf(format, args...))
	case n == maxShown+1:
		r.line("VIOLATION of %s: more of them are only counted", kind)
	}
}

// line prints a line for people. A failed write is no reason to stop.
func (r *report) line(format string, args ...any) { _, _ = fmt.Fprintf(r.to, format+"\n", args...) }

func (r *report) total() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, count := range r.counts {
		n += count
	}
	return n
}

// violated returns the kinds of the violations.
func (r *report) violated() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.counts))
}
