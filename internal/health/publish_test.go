package health_test

import (
	"testing"
	"time"

	"terrier/internal/health"
)

// TestPublish: a first failure is published at once, a hold after as long as the setting says, everything else when it has lasted for a
// minute.
func TestPublish(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		known, state string
		lasts        time.Duration
		heldAfter    time.Duration
		want         bool
	}{
		{health.Healthy, health.Failing, 0, time.Minute, true},
		{health.Healthy, health.Held, 0, 0, true},
		{health.Healthy, health.Held, 59 * time.Second, time.Minute, false},
		{health.Healthy, health.Held, time.Minute, time.Minute, true},
		{health.Held, health.Healthy, 59 * time.Second, time.Minute, false},
		{health.Held, health.Healthy, time.Minute, time.Minute, true},
		{health.Failing, health.Held, 59 * time.Second, time.Minute, false},
		{health.Failing, health.Held, time.Minute, time.Minute, true},
		{health.Failing, health.Failing, time.Hour, time.Minute, false},
		{health.Healthy, health.Healthy, time.Hour, time.Minute, false},
	} {
		h := health.Health{State: c.state, Since: noon, AilingSince: noon}
		if got := h.Publish(c.known, c.heldAfter, noon.Add(c.lasts)); got != c.want {
			t.Errorf("known as %s, %s for %v: %t", c.known, c.state, c.lasts, got)
		}
	}
}

// TestFlappingMakesFewAlerts: a receiver that is up and down for 10 s each, for 5 minutes, makes two alerts: that it has
// failed, and that it is back. A hold is recorded at once or after a minute, although it never lasts that long.
func TestFlappingMakesFewAlerts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		attempt   health.Attempt
		heldAfter time.Duration
		first     time.Duration // the alert
	}{
		"failing":             {failure, time.Minute, 4 * time.Second},
		"held":                {away, time.Minute, 64 * time.Second},
		"held, at once":       {away, 0, 4 * time.Second},
		"held, after an hour": {away, time.Hour, 0},
	} {
		known := health.Healthy
		var h health.Health
		var alerts []time.Duration
		for at := time.Duration(0); at < 10*time.Minute; at += time.Second {
			now := noon.Add(at)
			if at < 5*time.Minute && at/(10*time.Second)%2 == 0 {
				h = h.After(c.attempt, now)
			} else {
				h = h.After(good, now)
			}
			if h.Publish(known, c.heldAfter, now) {
				known = h.State
				alerts = append(alerts, at)
			}
		}
		if c.first == 0 && len(alerts) > 0 || c.first > 0 && (len(alerts) != 2 || alerts[0] != c.first) || known != health.Healthy {
			t.Errorf("%s: alerts after %v, and in the end it is %s", name, alerts, known)
		}
	}
}

// TestAShortHoldIsNoAlert: the restart of a receiver, which takes 20 s, is not recorded, also if it is restarted again an hour later.
func TestAShortHoldIsNoAlert(t *testing.T) {
	t.Parallel()
	var h health.Health
	for at := time.Duration(0); at < 2*time.Hour; at += time.Second {
		now := noon.Add(at)
		if at%time.Hour < 20*time.Second {
			h = h.After(away, now)
		} else {
			h = h.After(good, now)
		}
		if h.Publish(health.Healthy, time.Minute, now) {
			t.Fatalf("recorded after %v", at)
		}
	}
}
