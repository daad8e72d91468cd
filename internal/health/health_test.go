package health_test

import (
	"testing"
	"time"

	"terrier/internal/health"
)

var noon = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

var (
	good    = health.Attempt{Succeeded: true}
	away    = health.Attempt{MayPass: true, Holds: true, Reason: "The receiver answered 503 Service Unavailable.", Version: 7}
	bad     = health.Attempt{Holds: true, Reason: "The receiver answered 404 Not Found."}
	failure = health.Attempt{MayPass: true, Reason: "no answer"}
	unsent  = health.Attempt{Unsent: true, Holds: true, Reason: "the template failed"}
)

// after returns the health after attempts at noon.
func after(attempts ...health.Attempt) (h health.Health) {
	for _, a := range attempts {
		h = h.After(a, noon)
	}
	return h
}

func TestStates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		attempts []health.Attempt
		want     string
	}{
		"one success":                        {[]health.Attempt{good}, health.Healthy},
		"four failures":                      {[]health.Attempt{failure, failure, failure, failure}, health.Healthy},
		"five failures":                      {[]health.Attempt{failure, failure, failure, failure, failure}, health.Failing},
		"a success between":                  {[]health.Attempt{failure, failure, good, failure, failure, failure}, health.Healthy},
		"five of a receiver that is away":    {[]health.Attempt{away, away, away, away, away}, health.Held},
		"four of a receiver that is away":    {[]health.Attempt{away, away, away, away}, health.Healthy},
		"refusals hold nothing":              {[]health.Attempt{bad, bad, bad, bad, bad, bad}, health.Failing},
		"a refusal shows that it is there":   {[]health.Attempt{away, away, away, away, bad, away}, health.Failing},
		"what was not sent shows nothing":    {[]health.Attempt{away, away, away, away, unsent, away}, health.Held},
		"then it goes away":                  {[]health.Attempt{bad, away, away, away, away, away}, health.Held},
		"a success ends the hold":            {[]health.Attempt{away, away, away, away, away, good}, health.Healthy},
		"a refusal does not end it":          {[]health.Attempt{away, away, away, away, away, bad}, health.Held},
		"one failure after a success":        {[]health.Attempt{away, away, away, away, away, good, away}, health.Healthy},
		"a failing one recovers":             {[]health.Attempt{bad, bad, bad, bad, bad, good}, health.Healthy},
		"a failing one stays so for a while": {[]health.Attempt{bad, bad, bad, bad, bad, failure}, health.Failing},
	} {
		if got := after(c.attempts...); got.State != c.want {
			t.Errorf("%s: %s, want %s", name, got.State, c.want)
		}
	}
}

// TestSinceAndReason: the time is that of the attempt that changed the state, the reason that of the newest one.
func TestSinceAndReason(t *testing.T) {
	t.Parallel()
	h := after(away, away, away, away, away)
	later := away
	later.Reason = "another"
	h = h.After(later, noon.Add(time.Hour))
	if !h.Since.Equal(noon) || h.Reason != later.Reason || h.Failures != 6 || h.Version != 7 {
		t.Errorf("%+v", h)
	}
	back := noon.Add(2 * time.Hour)
	if h = h.After(good, back); !h.Since.Equal(back) || h.Reason != "" || h.Failures != 0 || h.ProbeAt != nil {
		t.Errorf("%+v", h)
	}
}

// TestProbes: the steps grow from 1 s to 5 min. Only a probe moves the next one, and a receiver may ask for longer.
func TestProbes(t *testing.T) {
	t.Parallel()
	h, now := after(away, away, away, away, away), noon
	probe := away
	probe.Probe = true
	for _, want := range []time.Duration{1, 2, 5, 10, 20, 40, 80, 160, 300, 300} {
		if got := h.ProbeAt.Sub(now); got != want*time.Second {
			t.Errorf("next probe in %v, want %d s", got, want)
		}
		if other := h.After(away, now.Add(time.Second)); !other.ProbeAt.Equal(*h.ProbeAt) {
			t.Error("an attempt that was under way moved the probe")
		}
		now = *h.ProbeAt
		h = h.After(probe, now)
	}
	for _, asked := range []time.Duration{30 * time.Minute, 24 * time.Hour} {
		probe.Wait = asked
		if h = h.After(probe, now); !h.ProbeAt.Equal(now.Add(min(asked, time.Hour))) {
			t.Errorf("the receiver asked for %v and is probed in %v", asked, h.ProbeAt.Sub(now))
		}
	}
	h.Step = 40 * time.Second
	for name, c := range map[string]struct {
		attempt health.Attempt
		want    time.Duration
	}{
		"a refusal: it is there":            {bad, 10 * time.Second},
		"not sent: nothing is known by now": {unsent, 40 * time.Second},
	} {
		c.attempt.Probe = true
		if after := h.After(c.attempt, now); !after.ProbeAt.Equal(now.Add(c.want)) || after.Step != c.want || after.State != health.Held {
			t.Errorf("%s: probed again in %v", name, after.ProbeAt.Sub(now))
		}
	}
}

// TestWaits: the first five attempts of a delivery follow one another, then it waits, longer each time.
func TestWaits(t *testing.T) {
	t.Parallel()
	for attempts, want := range map[int64]time.Duration{0: 0, 4: 0, 5: 10, 6: 20, 9: 160, 10: 300, 99: 300, 1 << 40: 300} {
		if got := health.Wait(attempts); got != want*time.Second {
			t.Errorf("after %d attempts it waits %v", attempts, got)
		}
	}
}
