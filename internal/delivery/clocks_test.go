package delivery_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/riverqueue/river/riverdriver"

	"terrier/internal/delivery"
	"terrier/internal/ledger"
)

// The clocks of the machines may be far apart; what is due, and who lives, is asked of the
// database's alone.

// TestRiverRescuesByTheDatabasesClock: a job that was begun just now is not taken away by a
// leader whose clock goes ahead, and one that is stuck is found by one whose clock is behind.
func TestRiverRescuesByTheDatabasesClock(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, nil)
	b.create(t, "dcim.site", site("Ams"))
	b.begun(t, "somebody")
	id := b.number(t, "SELECT id FROM river_job")
	for _, c := range []struct {
		name, ago string
		clock     time.Duration // of the leader, against the database's
		stuck     bool
	}{
		{"just begun, and the leader is ahead", "1 second", time.Hour, false},
		{"stuck, and the leader is behind", "1 minute", -time.Hour, true},
	} {
		b.exec(t, "UPDATE river_job SET state = 'running', attempted_at = now() - interval '"+c.ago+"'")
		horizon := time.Now().Add(c.clock)
		jobs, err := delivery.Executor(b.db).JobGetStuck(t.Context(), &riverdriver.JobGetStuckParams{Max: 10, StuckHorizon: horizon})
		if err != nil || (len(jobs) == 1) != c.stuck {
			t.Errorf("%s: %d jobs are stuck (%v)", c.name, len(jobs), err)
		}
		_, err = delivery.Executor(b.db).JobRescueMany(t.Context(), &riverdriver.JobRescueManyParams{ID: []int64{id}, Error: [][]byte{[]byte(`{}`)}, FinalizedAt: []*time.Time{nil},
			ScheduledAt: []time.Time{time.Now()}, State: []string{"retryable"}, StuckHorizon: horizon})
		if rescued := b.number(t, "SELECT count(*) FROM river_job WHERE state = 'retryable'") == 1; err != nil || rescued != c.stuck {
			t.Errorf("%s: rescued is %v (%v)", c.name, rescued, err)
		}
	}
}

// TestAWorkerWhoseClockIsWrong is seen to live, and its retries are due when they should be.
func TestAWorkerWhoseClockIsWrong(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.status(http.StatusServiceUnavailable)
	b.hook(t, ledger.Input{"max_retries": "1"})
	b.worker.Now = func() time.Time { return time.Now().Add(-3 * time.Hour) }
	b.worker.FirstRetry = time.Hour
	b.work(t)
	b.create(t, "dcim.site", site("Ams"))
	b.eventually(t, "SELECT state = 'failed' AND retry_at > now() FROM extras_delivery")
	alive, err := b.Workers(t.Context(), b.root)
	if err != nil || len(alive) != 1 {
		t.Errorf("%d workers are alive (%v)", len(alive), err)
	}
}
