package delivery_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	"terrier/internal/delivery"
	"terrier/internal/ledger"
)

// The clocks of the machines may be far apart; what is due, and who lives, is asked of the
// database's alone.

// TestRiverOnAMachineWhoseClockIsWrong: jobs are neither taken away from those who work on them nor
// kept waiting.
func TestRiverOnAMachineWhoseClockIsWrong(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, nil)
	b.create(t, "dcim.site", site("Ams"))
	b.begun(t, "somebody")
	id := b.number(t, "SELECT id FROM river_job")
	for _, wrong := range []time.Duration{-time.Hour, 0, time.Hour} {
		now := func() time.Time { return time.Now().Add(wrong) }
		river := delivery.Executor(b.db, now)
		soon := func(what string) {
			t.Helper()
			if n := b.number(t, "SELECT abs(extract(epoch FROM scheduled_at - now()))::bigint FROM river_job"); n > 30 {
				t.Errorf("%v: a job that %s is due in %d s", wrong, what, n)
			}
		}
		for ago, stuck := range map[string]bool{"1 second": false, "1 minute": true} {
			b.exec(t, "UPDATE river_job SET state = 'running', attempted_at = now() - interval '"+ago+"'")
			horizon := now().Add(-40 * time.Second)
			jobs, err := river.JobGetStuck(t.Context(), &riverdriver.JobGetStuckParams{Max: 10, StuckHorizon: horizon})
			if err != nil || (len(jobs) == 1) != stuck || stuck && (now().Sub(*jobs[0].AttemptedAt)-time.Minute).Abs() > 20*time.Second {
				t.Errorf("%v: of one begun %s ago, %d are stuck (%v)", wrong, ago, len(jobs), err)
			}
			_, err = river.JobRescueMany(t.Context(), &riverdriver.JobRescueManyParams{ID: []int64{id}, Error: [][]byte{[]byte(`{}`)}, FinalizedAt: []*time.Time{nil},
				ScheduledAt: []time.Time{now()}, State: []string{"retryable"}, StuckHorizon: horizon})
			if rescued := b.number(t, "SELECT count(*) FROM river_job WHERE state = 'retryable'") == 1; err != nil || rescued != stuck {
				t.Errorf("%v: of one begun %s ago, rescued is %v (%v)", wrong, ago, rescued, err)
			}
		}
		soon("was rescued")
		b.exec(t, "UPDATE river_job SET state = 'running'")
		if _, err := river.JobSetStateIfRunningMany(t.Context(), &riverdriver.JobSetStateIfRunningManyParams{ID: []int64{id}, Attempt: []*int{nil}, ErrData: [][]byte{nil},
			FinalizedAt: []*time.Time{nil}, MetadataDoMerge: []bool{false}, MetadataUpdates: [][]byte{nil}, ScheduledAt: []*time.Time{new(now())}, State: []rivertype.JobState{"scheduled"}}); err != nil {
			t.Error(err)
		}
		soon("was put off")
		for wait, due := range map[string]bool{"-1 second": true, "1 minute": false} {
			b.exec(t, "UPDATE river_job SET state = 'scheduled', scheduled_at = now() + interval '"+wait+"'")
			tx, err := river.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			found, err := tx.JobSchedule(t.Context(), &riverdriver.JobScheduleParams{Max: 10, Now: new(now().Add(5 * time.Second))})
			if err != nil || (len(found) == 1) != due || due && found[0].Job.ScheduledAt.After(now()) {
				t.Errorf("%v: of one that is due in %s, %d are handed out (%v)", wrong, wait, len(found), err)
			}
			if err := tx.Commit(t.Context()); err != nil {
				t.Error(err)
			}
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
