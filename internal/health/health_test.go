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

// TestSinceAndReason: they are of the attempt that changed the state, not of later ones.
func TestSinceAndReason(t *testing.T) {
	t.Parallel()
	h := after(away, away, away, away, away)
	later := away
	later.Reason = "another"
	h = h.After(later, noon.Add(time.Hour))
	if !h.Since.Equal(noon) || h.Reason != away.Reason || h.Failures != 6 || h.Version != 7 {
		t.Errorf("%+v", h)
	}
	back := noon.Add(2 * time.Hour)
	if h = h.After(good, back); !h.Since.Equal(back) || h.Reason != "" || h.Failures != 0 || h.ProbeAt != nil {
		t.Errorf("%+v", h)
	}
}

// TestProbes: the steps double from 10 s to 5 min. Only a probe moves the next one, and a receiver may ask for longer.
func TestProbes(t *testing.T) {
	t.Parallel()
	h, now := after(away, away, away, away, away), noon
	probe := away
	probe.Probe = true
	for _, want := range []time.Duration{10, 20, 40, 80, 160, 300, 300} {
		if got := h.ProbeAt.Sub(now); got != want*time.Second {
			t.Errorf("next probe in %v, want %d s", got, want)
		}
		if other := h.After(away, now.Add(time.Second)); !other.ProbeAt.Equal(*h.ProbeAt) {
			t.Error("an attempt that was under way moved the probe")
		}
		now = *h.ProbeAt
		h = h.After(probe, now)
	}
	probe.Wait = time.Hour
	if h = h.After(probe, now); !h.ProbeAt.Equal(now.Add(time.Hour)) {
		t.Errorf("the receiver asked for an hour and is probed in %v", h.ProbeAt.Sub(now))
	}
	probe.Wait, probe.MayPass = time.Second, false
	if h = h.After(probe, now); !h.ProbeAt.Equal(now.Add(5 * time.Minute)) {
		t.Errorf("a refusal is probed again in %v", h.ProbeAt.Sub(now))
	}
}
