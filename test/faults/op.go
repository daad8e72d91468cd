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
	mark         string // in the description of everything it writes, or in the name of a webhook
	what         string
	began, ended time.Time
	outcome      outcome
	status       int
	request      string // X-Request-ID, if there was an answer
	want         []want
}

// want is a change row that an op leaves if it is carried out.
type want struct {
	action, kind string
	id           int64  // 0 for a creation that was not acknowledged, and for records that depend on another one
	name         string // for records without an id here
	version      int64  // 0 if others write too and no answer has the version
}
