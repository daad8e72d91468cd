// Package health decides how a webhook is doing from what became of its attempts: when it is failing, when its queue is
// held, and when a held queue is probed. It is pure: store keeps what is decided here, in the transaction of the
// outcomes that decide it.
package health

import "time"

// The states of a webhook.
const (
	Healthy = "healthy"
	Failing = "failing" // the last attempts failed
	Held    = "held"    // the last attempts failed for a reason that may pass, and its deliveries wait until one succeeds
)

// limit is how many attempts in a row must fail before a webhook counts as failing or is held.
const limit = 5

// FirstStep is how long after the begin of a hold the receiver is probed: the restart of a small program takes no longer.
const FirstStep = time.Second

// The times between probes of a held webhook after FirstStep. A receiver that refuses a probe is there: the next one comes after
// answeredStep. One that asks for longer than the last is probed within mostWait.
var steps = []time.Duration{2 * time.Second, 5 * time.Second, answeredStep, 20 * time.Second, 40 * time.Second, 80 * time.Second,
	160 * time.Second, lastStep}

const (
	answeredStep = 10 * time.Second
	lastStep     = 5 * time.Minute
	mostWait     = time.Hour
)

// nextStep returns the step after another one.
func nextStep(step time.Duration) time.Duration {
	for _, next := range steps {
		if next > step {
			return next
		}
	}
	return lastStep
}

// firstWait is how long a delivery waits that the receiver has not taken five times. The waits double.
const firstWait = 10 * time.Second

// Wait returns how long a delivery is put off that failed after so many attempts, each for a reason that may pass, while its
// webhook is not held. The first few go back to their place at once, and show whether the receiver is away. After that it is
// the delivery that the receiver can't take, and it must not block the others.
func Wait(attempts int64) time.Duration {
	if attempts < limit {
		return 0
	}
	return min(firstWait<<min(attempts-limit, 10), lastStep)
}

// Health is what is known about a webhook. The zero value is one of which nothing bad is known.
type Health struct {
	State       string
	Since       time.Time // when it came into this state
	AilingSince time.Time // when it last ceased to be healthy, or before: being healthy for less than a minute does not count
	Reason      string    // why the last attempt failed; "" while it is healthy
	Failures    int64     // attempts in a row that failed
	Outages     int64     // attempts in a row that failed for a reason that may pass
	AttemptedAt time.Time
	Version     int64 // of the webhook when it was held, or was probed after an edit

	ProbeAt *time.Time    // when a held webhook is probed next
	Step    time.Duration // how long that is after the attempt before
}

// Attempt is what became of one attempt.
type Attempt struct {
	At        time.Time
	Succeeded bool
	MayPass   bool // it failed for a reason that may pass: no connection, a timeout, 429 or 5XX
	Unsent    bool // it failed before it reached the receiver, and says nothing about it
	Holds     bool // the webhook is held when such failures repeat
	Probe     bool
	Reason    string
	Wait      time.Duration // what the receiver asked for, 0 for nothing
	Version   int64         // of the webhook
}

// After returns the health after one more attempt.
func (h Health) After(a Attempt, now time.Time) Health {
	was := h
	h.AttemptedAt = a.At
	if a.Succeeded {
		h.Failures, h.Outages = 0, 0
		return h.enter(Healthy, "", now)
	}
	h.Failures++
	if was.State == Failing || was.State == Held {
		h.Reason = a.Reason
	}
	switch {
	case a.MayPass:
		h.Outages++
	case !a.Unsent:
		h.Outages = 0
	}
	switch {
	case was.State == Held:
		return h.probed(a, now)
	case a.Holds && h.Outages >= limit:
		h = h.enter(Held, a.Reason, now)
		h.Version, h.Step = a.Version, FirstStep
		return h.probeIn(max(FirstStep, a.Wait), now)
	case h.Failures >= limit:
		return h.enter(Failing, a.Reason, now)
	}
	if was.State == "" {
		return h.enter(Healthy, "", now)
	}
	return h
}

// probed returns the health of a held webhook after a failure. Only a probe moves the next one: it comes later, unless the
// receiver has answered and so is there.
func (h Health) probed(a Attempt, now time.Time) Health {
	if !a.Probe {
		return h
	}
	switch {
	case a.MayPass:
		h.Step = nextStep(h.Step)
	case !a.Unsent:
		h.Step = answeredStep
	}
	return h.probeIn(max(h.Step, a.Wait), now)
}

// enter returns the health in a state. Only a change of the state has a time.
func (h Health) enter(state, reason string, now time.Time) Health {
	if h.State != state {
		if state != Healthy && h.State != Failing && h.State != Held && (h.AilingSince.IsZero() || now.Sub(h.Since) >= settled) {
			h.AilingSince = now
		}
		h.State, h.Since, h.Reason = state, now, reason
	}
	if state != Held {
		h.ProbeAt, h.Step, h.Version = nil, 0, 0
	}
	return h
}

func (h Health) probeIn(wait time.Duration, now time.Time) Health {
	at := now.Add(min(wait, mostWait))
	h.ProbeAt = &at
	return h
}
