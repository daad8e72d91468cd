package health_test

import (
	"testing"
	"time"

	"terrier/internal/health"
)

// TestPublish: a first failure is published at once, everything else when it has lasted for a minute.
func TestPublish(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		known, state string
		lasts        time.Duration
		want         bool
	}{
		{health.Healthy, health.Failing, 0, true},
		{health.Healthy, health.Held, 0, true},
		{health.Held, health.Healthy, 59 * time.Second, false},
		{health.Held, health.Healthy, time.Minute, true},
		{health.Failing, health.Held, 59 * time.Second, false},
		{health.Failing, health.Held, time.Minute, true},
		{health.Failing, health.Failing, time.Hour, false},
		{health.Healthy, health.Healthy, time.Hour, false},
	} {
		if got := health.Publish(c.known, c.state, noon, noon.Add(c.lasts)); got != c.want {
			t.Errorf("known as %s, %s for %v: %t", c.known, c.state, c.lasts, got)
		}
	}
}

// TestFlappingMakesFewAlerts: a receiver that is up and down for 10 s each, for 5 minutes, makes two alerts: that it has
// failed, and that it is back.
func TestFlappingMakesFewAlerts(t *testing.T) {
	t.Parallel()
	for name, attempt := range map[string]health.Attempt{"held": away, "failing": failure} {
		known, alerts := health.Healthy, 0
		var h health.Health
		for at := range 10 * time.Minute / time.Second {
			now := noon.Add(at * time.Second)
			if at < 300 && at/10%2 == 0 {
				h = h.After(attempt, now)
			} else {
				h = h.After(good, now)
			}
			if health.Publish(known, h.State, h.Since, now) {
				known = h.State
				alerts++
			}
		}
		if alerts != 2 || known != health.Healthy {
			t.Errorf("%s: %d alerts, and in the end it is %s", name, alerts, known)
		}
	}
}
