package main

import "time"

// outcome is what a client knows after a request.
type outcome int

const (
	unknown      outcome = iota // no answer, or a 5XX: it may have happened or not
	acknowledged                // 2XX
	refused                     // 4XX
)

func (o outcome) String() string { return [...]string{"unknown", "acknowledged", "refused"}[o] }

// op is one request of a client: what it asked for, and the answer.
type op struct {
	client       string
	mark         string // the description of everything it writes, or the name of a webhook
	what         string
	began, ended time.Time
	outcome      outcome
	status       int
	request      string // X-Request-ID, where there was an answer
	want         []want
}

// want is a change row that an op leaves if it happens.
type want struct {
	action, kind string
	id           int64  // 0 for a creation that was not acknowledged, and for what depends on another record
	name         string // of what has no id here
	version      int64  // 0 where others write too and no answer told it
}
