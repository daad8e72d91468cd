package delivery_test

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"terrier/internal/delivery"
	"terrier/internal/ledger"
	"terrier/internal/store"
)

// TestJobsAreRivers compares the job that the store writes with the one that River's own insert writes, so that a
// change in a new version of River is noticed.
func TestJobsAreRivers(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	hook := b.hook(t, nil)
	b.create(t, "dcim.site", site("Ams"))
	ours := b.onlyJob(t)
	var args delivery.Args
	if err := b.db.QueryRow(t.Context(), "SELECT id, round FROM extras_delivery").Scan(&args.Delivery, &args.Round); err != nil {
		t.Fatal(err)
	}
	client, err := river.NewClient(riverpgxv5.New(b.db), &river.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.db.Exec(t.Context(), "DELETE FROM river_job"); err != nil {
		t.Fatal(err)
	}
	_, err = client.Insert(t.Context(), args, &river.InsertOpts{Queue: store.QueueOf(hook.ID()), MaxAttempts: store.JobTries})
	if err != nil {
		t.Fatal(err)
	}
	rivers := b.onlyJob(t)
	for _, differ := range []string{"id", "created_at", "scheduled_at"} {
		delete(ours, differ)
		delete(rivers, differ)
	}
	for _, column := range slices.Sorted(maps.Keys(rivers)) {
		if ours[column] != rivers[column] {
			t.Errorf("%s is %q, and River writes %q", column, ours[column], rivers[column])
		}
	}
}

// TestInsertWakesWorkers: the notification is the one that River's workers listen for.
func TestInsertWakesWorkers(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	hook := b.hook(t, nil)
	conn, err := b.db.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(t.Context(), `LISTEN "public.river_insert"`); err != nil {
		t.Fatal(err)
	}
	b.create(t, "dcim.site", site("Ams"), site("Ber"))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	got, err := conn.Conn().WaitForNotification(ctx)
	if err != nil || got.Payload != `{"queue": "`+store.QueueOf(hook.ID())+`"}` {
		t.Errorf("got %+v, %v", got, err)
	}
}

func (b *bundle) onlyJob(t *testing.T) map[string]string {
	t.Helper()
	rows, err := b.db.Query(t.Context(), "SELECT key, coalesce(value::text, 'null') FROM river_job j, jsonb_each(to_jsonb(j))")
	if err != nil {
		t.Fatal(err)
	}
	job := map[string]string{}
	var key, value string
	if _, err := pgx.ForEachRow(rows, []any{&key, &value}, func() error { job[key] = value; return nil }); err != nil {
		t.Fatal(err)
	}
	return job
}

// TestAnOlderRoundSendsNothing: a job that was queued before the delivery was queued again
// finds a later round and leaves it alone.
func TestAnOlderRoundSendsNothing(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, nil)
	b.create(t, "dcim.site", site("Ams"))
	b.exec(t, "UPDATE river_job SET id = nextval('river_job_id_seq')") // the job is lost, and found when there is another
	if n, _, err := b.Store.Recover(t.Context(), 0, 100, time.Now().Add(time.Minute)); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	if got := b.number(t, "SELECT count(*) FROM river_job"); got != 2 {
		t.Fatalf("%d jobs", got)
	}
	b.work(t)
	b.next(t)
	b.state(t, store.Successful)
	b.eventually(t, "SELECT count(*) = 0 FROM river_job")
	select {
	case r := <-b.received:
		t.Errorf("sent twice: %v", r.header)
	default:
	}
}

// TestLostJobIsRecovered: a delivery whose job is gone gets another, once it is old enough
// to be sure.
func TestLostJobIsRecovered(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, nil)
	b.create(t, "dcim.site", site("Ams"), site("Ber"))
	b.exec(t, "DELETE FROM river_job WHERE id = (SELECT min(id) FROM river_job)")
	for _, c := range []struct {
		before time.Time
		want   int
	}{{time.Now().Add(-time.Minute), 0}, {time.Now().Add(time.Minute), 1}, {time.Now().Add(time.Minute), 0}} {
		found, next, err := b.Store.Recover(t.Context(), 0, 100, c.before)
		if err != nil || found != c.want || next != 0 {
			t.Errorf("found %d, next %d, %v; want %d", found, next, err, c.want)
		}
	}
	b.work(t)
	b.next(t)
	b.next(t)
	b.eventually(t, "SELECT count(*) = 2 FROM extras_delivery WHERE state = 'successful'")
}

// TestRecoverGoesOn: it looks through the awaited deliveries a part at a time.
func TestRecoverGoesOn(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, nil)
	b.create(t, "dcim.site", site("A"), site("B"), site("C"), site("D"), site("E"))
	b.exec(t, "DELETE FROM river_job")
	var after int64
	total, calls := 0, 0
	for {
		found, next, err := b.Store.Recover(t.Context(), after, 2, time.Now().Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		total, calls, after = total+found, calls+1, next
		if next == 0 {
			break
		}
	}
	if total != 5 || calls != 3 {
		t.Errorf("found %d in %d calls", total, calls)
	}
}

// TestAutomaticRetry: a failed delivery says when it is tried again, is, and ends.
func TestAutomaticRetry(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.status(503)
	b.hook(t, ledger.Input{"max_retries": "2"})
	b.work(t)
	b.create(t, "dcim.site", site("Ams"))
	first := b.next(t)
	b.eventually(t, "SELECT state = 'failed' AND retry_at > now() - interval '1 minute' AND reason LIKE '%503%' FROM extras_delivery")
	second := b.next(t)
	third := b.next(t)
	for _, again := range []received{second, third} {
		if again.body != first.body || again.header.Get("X-Hook-Delivery") != first.header.Get("X-Hook-Delivery") {
			t.Errorf("sent again as %v\n%s", again.header, again.body)
		}
	}
	b.eventually(t, "SELECT state = 'failed' AND retry_at IS NULL AND attempt_count = 3 FROM extras_delivery")
}

// TestOutcomesThatCanNotBeKept: a reason that PostgreSQL can't store, or that is endless, must not delay any outcome.
func TestOutcomesThatCanNotBeKept(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	for name, template := range map[string]string{"nul": `{{ data['\x00'].x }}`, "endless": `{{ data['x'*90000].y }}`, "good": ""} {
		b.hook(t, ledger.Input{"name": name, "body_template": template})
	}
	b.work(t)
	b.create(t, "dcim.site", site("Ams"))
	b.next(t)
	b.eventually(t,
		"SELECT count(*) = 2 FROM extras_delivery WHERE state = 'failed' AND length(reason) BETWEEN 5 AND 501 AND reason NOT LIKE "+
			"'%could not be written%'")
	b.eventually(t, "SELECT count(*) = 1 FROM extras_delivery WHERE state = 'successful'")
}

// TestRefusedOutcomes: if the database refuses one outcome of a batch, the others are written and that delivery
// fails.
func TestRefusedOutcomes(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, nil)
	b.exec(t, `ALTER TABLE extras_attempt ADD CONSTRAINT no_teapot CHECK (status_code IS DISTINCT FROM 418)`)
	b.status(http.StatusTeapot)
	b.work(t)
	b.create(t, "dcim.site", site("Ams"), site("Ber"))
	b.eventually(t, "SELECT count(*) = 2 FROM extras_delivery WHERE state = 'failed' AND reason LIKE '%could not be written down%'")
	b.status(http.StatusOK)
	b.create(t, "dcim.site", site("Cph"))
	b.eventually(t, "SELECT count(*) = 1 FROM extras_delivery WHERE state = 'successful'")
}

// TestGivenUpJobsEnd: a delivery whose job River has discarded is not started again forever.
func TestGivenUpJobsEnd(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, nil)
	b.create(t, "dcim.site", site("Ams"))
	b.exec(t, "UPDATE river_job SET state = 'discarded', finalized_at = now()")
	if found, _, err := b.Store.Recover(t.Context(), 0, 100, time.Now().Add(time.Minute)); err != nil || found != 0 {
		t.Fatal(found, err)
	}
	b.state(t, store.Failed)
}
