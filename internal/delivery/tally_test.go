package delivery_test

import (
	"testing"
	"time"

	"terrier/internal/ledger"
	"terrier/internal/store"
)

// attempted gives an outcome an attempt that began at a time.
func attempted(o store.Outcome, state string, at time.Time) store.Outcome {
	o.State, o.At = state, at
	o.Attempt = &store.Attempt{StartedAt: at, Milliseconds: 7, Method: "POST", Target: "http://receiver.test/", RequestHeaders: "{}",
		ResponseHeaders: "{}"}
	return o
}

// TestEachAttemptCountsOnce: also of a delivery that stays queued or is retried, also of an earlier round, and also if its outcome is
// written again because the commit was in doubt. What failed without a request counts once, too.
func TestEachAttemptCountsOnce(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, ledger.Input{"hold_on_failure": true})
	b.create(t, "dcim.site", site("A"), site("B"), site("C"), site("D"))
	all, at := b.outcomes(t), time.Now().UTC().Truncate(time.Microsecond)
	batch := []store.Outcome{attempted(all[0], store.Successful, at), attempted(all[1], store.Queued, at), attempted(all[2], store.Failed, at)}
	batch[2].RetryIn = time.Minute
	unsent := all[3]
	unsent.State, unsent.Reason = store.Failed, "The template failed."
	finish := func(outcomes ...store.Outcome) {
		t.Helper()
		for range 2 {
			if err := b.Store.Finish(t.Context(), outcomes); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := func(successful, failed, took int64) {
		t.Helper()
		if n := b.number(t, "SELECT sum(successful) * 10000 + sum(failed) * 100 + sum(milliseconds) FROM extras_tally"); n !=
			10_000*successful+100*failed+took {
			t.Errorf("successful, failed and milliseconds are %d, want %d, %d and %d", n, successful, failed, took)
		}
	}
	finish(batch...)
	want(1, 2, 21)
	finish(attempted(all[1], store.Failed, at.Add(time.Second))) // of the round before
	want(1, 3, 28)
	finish(unsent)
	want(1, 4, 28)
	finish(attempted(b.outcomes(t)[0], store.Successful, at.Add(2*time.Second)))
	want(2, 4, 35)
}
