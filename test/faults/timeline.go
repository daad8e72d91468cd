package main

import (
	"sync"
	"time"
)

// fault is something that the nemesis did.
type fault struct {
	Kind    string    `json:"kind"`
	Target  string    `json:"target"`
	Began   time.Time `json:"began"`
	Ended   time.Time `json:"ended"`
	Note    string    `json:"note,omitempty"`
	excuses bool      // requests to the API may go unanswered meanwhile
}

// sample is the state at one moment.
type sample struct {
	At       time.Time `json:"at"`
	Changes  int       `json:"changes"`  // acknowledged so far
	Receipts int       `json:"receipts"` // so far
	Backlog  int       `json:"backlog"`  // deliveries that are not finished; -1 if it is not known
}

// timeline is what happened when.
type timeline struct {
	began time.Time

	mu      sync.Mutex
	made    []*fault
	samples []sample
	acked   int       // changes acknowledged so far
	lastAck time.Time // of a write
}

func newTimeline() *timeline { return &timeline{began: time.Now()} }

// since returns the seconds from the start to a moment.
func (t *timeline) since(at time.Time) float64 { return at.Sub(t.began).Seconds() }

func (t *timeline) begin(kind string, excuses bool) *fault {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := &fault{Kind: kind, Began: time.Now(), excuses: excuses}
	t.made = append(t.made, f)
	return f
}

// restart makes a fault begin now, after what it had to prepare.
func (t *timeline) restart(f *fault) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f.Began = time.Now()
}

func (t *timeline) finish(f *fault, target, note string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f.Ended, f.Target, f.Note = time.Now(), target, note
}

// grace is how long after a fault a request may still fail because of it.
const grace = 5 * time.Second

// excused reports whether a fault explains that a request got no good answer.
func (t *timeline) excused(from, to time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range t.made {
		if f.excuses && f.Began.Before(to) && (f.Ended.IsZero() || f.Ended.Add(grace).After(from)) {
			return true
		}
	}
	return false
}

// acknowledge counts changes that were acknowledged.
func (t *timeline) acknowledge(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.acked += n
	t.lastAck = time.Now()
}

func (t *timeline) acknowledged() (int, time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.acked, t.lastAck
}

func (t *timeline) sample(s sample) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.samples = append(t.samples, s)
}

// count returns the number of faults of some kinds, or of all kinds if none is named.
func (t *timeline) count(kinds ...string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := 0
	for _, f := range t.made {
		if len(kinds) == 0 {
			n++
		}
		for _, kind := range kinds {
			if f.Kind == kind {
				n++
			}
		}
	}
	return n
}
