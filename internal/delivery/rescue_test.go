package delivery_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"terrier/internal/delivery"
	"terrier/internal/store"
)

// beating is a worker that gives signs of life when the test says so, by its own clock.
type beating struct {
	*delivery.Worker
	id  string
	now time.Time
	log bytes.Buffer

	rescued int // as counted for metrics
}

func (x *beating) Rescued(deliveries int)               { x.rescued += deliveries }
func (*beating) Recovered(int)                          {}
func (*beating) Sent(time.Duration)                     {}
func (*beating) Attempted(int64, string, time.Duration) {}

func (b *bundle) beating(clock time.Time) *beating {
	x := &beating{now: clock}
	x.Worker = &delivery.Worker{Store: b.Store, Now: func() time.Time { return x.now }, Log: slog.New(slog.NewTextHandler(&x.log, nil)),
		Observer: x}
	x.id = x.Begin()
	return x
}

// begun gives all queued jobs to a worker.
func (b *bundle) begun(t *testing.T, worker string) {
	t.Helper()
	_, err := b.db.Exec(t.Context(), `UPDATE river_job SET state = 'running', attempt = attempt + 1, attempted_at = now(),
		attempted_by = array_append(attempted_by, $1)
		WHERE state = 'available'`, worker)
	if err != nil {
		t.Fatal(err)
	}
}

// TestSilentWorkerIsNoticed: a silent worker is noticed even by workers whose clocks are years apart, once they have
// heard nothing of it for long enough, and only if they could have.
func TestSilentWorkerIsNoticed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		failing int // the beat of the other worker that fails
		noticed time.Duration
	}{"silent": {-1, 20 * time.Second}, "we heard nothing either": {2, 35 * time.Second}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t)
			b.hook(t, nil)
			b.create(t, "dcim.site", site("Ams"), site("Ber"))
			silent, other := b.beating(time.Now().AddDate(3, 0, 0)), b.beating(time.Now().AddDate(-3, 0, 0))
			if err := silent.Beat(t.Context()); err != nil {
				t.Fatal(err)
			}
			b.begun(t, silent.id)
			gone, leave := context.WithCancel(t.Context())
			leave()
			for at := time.Duration(0); ; at += 5 * time.Second {
				ctx, failing := t.Context(), at == time.Duration(c.failing)*5*time.Second
				if failing {
					ctx = gone
				}
				if err := other.Beat(ctx); (err != nil) != failing {
					t.Fatalf("the beat after %v: %v", at, err)
				}
				waiting := b.number(t, "SELECT count(*) FROM river_job WHERE state = 'available'")
				if waiting != 0 && at < c.noticed || waiting != 2 && at >= c.noticed {
					t.Fatalf("after %v %d jobs wait", at, waiting)
				}
				if other.rescued != int(waiting) {
					t.Fatalf("after %v %d are counted as rescued", at, other.rescued)
				}
				if at == c.noticed {
					break
				}
				other.now = other.now.Add(5 * time.Second)
			}
			if log := other.log.String(); strings.Count(log, "level=WARN") != 1 || !strings.Contains(log, silent.id) ||
				!strings.Contains(log, "deliveries=2") {
				t.Errorf("the log says %q", log)
			}
			if n := b.number(t, "SELECT count(*) FROM extras_worker"); n != 1 {
				t.Errorf("%d workers", n)
			}
			b.work(t)
			b.next(t)
			b.next(t)
			b.eventually(t, "SELECT count(*) = 2 FROM extras_delivery WHERE state = 'successful' AND attempt_count = 1")
		})
	}
}

// TestRescuedJobsAreRivers compares a job that we take back with one that River's rescuer takes back. Two things
// differ on purpose: ours waits for no scheduler, and keeps its place in the queue.
func TestRescuedJobsAreRivers(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, nil)
	b.create(t, "dcim.site", site("Ams"))
	worker := b.beating(time.Now())
	if err := worker.Beat(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.begun(t, worker.id)
	b.exec(t, "CREATE TABLE begun AS SELECT * FROM river_job")
	signs, _, err := b.Store.Beat(t.Context(), store.Worker{ID: "other"})
	if err != nil || len(signs) != 1 {
		t.Fatal(signs, err)
	}
	if found, jobs, err := b.Store.Rescue(t.Context(), signs[0]); !found || jobs != 1 || err != nil {
		t.Fatal(found, jobs, err)
	}
	ours := b.onlyJob(t)
	client, err := river.NewClient(riverpgxv5.New(b.db), &river.Config{})
	if err != nil {
		t.Fatal(err)
	}
	id := b.number(t, "SELECT id FROM river_job")
	job, err := client.JobGet(t.Context(), id)
	if err != nil || len(job.Errors) != 1 || job.Errors[0].Attempt != 1 || job.Errors[0].Error == "" ||
		time.Since(job.Errors[0].At).Abs() > time.Minute {
		t.Errorf("River reads %+v, %v", job, err)
	}
	if b.number(t, "SELECT count(*) FROM river_job JOIN begun USING (id, scheduled_at)") != 1 {
		t.Errorf("it has lost its place: %v", ours)
	}
	b.exec(t, "DELETE FROM river_job; INSERT INTO river_job SELECT * FROM begun")
	_, err = riverpgxv5.New(b.db).GetExecutor().JobRescueMany(t.Context(),
		&riverdriver.JobRescueManyParams{ID: []int64{id}, Error: [][]byte{[]byte(`{}`)}, FinalizedAt: []*time.Time{nil},
			ScheduledAt: []time.Time{time.Now()}, State: []string{"retryable"}, StuckHorizon: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	rivers := b.onlyJob(t)
	for _, differ := range []string{"errors", "scheduled_at", "state"} {
		delete(ours, differ)
		delete(rivers, differ)
	}
	for column, value := range rivers {
		if ours[column] != value {
			t.Errorf("%s is %q, and River writes %q", column, ours[column], value)
		}
	}
}
