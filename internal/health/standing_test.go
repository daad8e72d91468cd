package health_test

import (
	"testing"

	"terrier/internal/health"
)

// TestStanding: what somebody has stopped is called so, however its receiver is doing.
func TestStanding(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		enabled, paused bool
		state, want     string
		sends           bool
	}{
		{false, true, health.Held, "disabled", false},
		{true, true, health.Held, "paused", false},
		{true, false, health.Held, "held", false},
		{true, false, health.Failing, "failing", true},
		{true, false, health.Healthy, "healthy", true},
		{true, false, "", "healthy", true},
	} {
		got := health.Standing(c.enabled, c.paused, c.state)
		if got != c.want || health.Sends(got) != c.sends {
			t.Errorf("%+v: it is %s, and sends: %t", c, got, health.Sends(got))
		}
	}
}
