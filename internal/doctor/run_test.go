package doctor

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestTimeLimit: a check that does not end fails after some seconds, and nobody waits for it any longer.
func TestTimeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		forever := make(chan struct{})
		e := &examination{}
		began := time.Now()
		f := e.within(t.Context(), Check{run: func(*examination, context.Context) (Finding, error) {
			<-forever
			return ok("")
		}})
		if took := time.Since(began); f.Status != Fail || f.Seen != tooLong || took > timeLimit+time.Second {
			t.Errorf("%+v after %s", f, took)
		}
		close(forever)
	})
}

func TestCount(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{"1 day": count(1, "day"), "2 days": count(2, "day"), "0 old keys": count(0, "old key"),
		"3 deliveries": count(3, "delivery"), "2 processes": count(2, "process")} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
