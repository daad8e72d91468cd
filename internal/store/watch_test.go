package store_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"terrier/internal/store"
)

// TestPartitionsAhead: a table has partitions as far as they go without a gap. One without any has none, and is named.
func TestPartitionsAhead(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	now := time.Now()
	ahead := func() map[string]time.Duration {
		t.Helper()
		ahead, err := a.PartitionsAhead(t.Context(), now)
		if err != nil || len(ahead) < 4 {
			t.Fatalf("%v, %v", ahead, err)
		}
		return ahead
	}
	if none, err := a.PartitionsAhead(t.Context(), time.Date(-6000, 1, 1, 0, 0, 0, 0, time.UTC)); err == nil || none != nil {
		t.Errorf("a time that PostgreSQL does not know: %v, %v", none, err)
	}
	for table, left := range ahead() {
		if left < 4*week || left > 5*week {
			t.Errorf("%s has partitions for %s", table, left)
		}
	}
	exec := func(sql string) {
		t.Helper()
		if _, err := a.Pool().Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	monday := now.UTC().Truncate(week)
	exec("DROP TABLE extras_attempt_" + monday.Add(2*week).Format("20060102"))
	if left := ahead()["extras_attempt"]; left != monday.Add(2*week).Sub(now) {
		t.Errorf("before a gap there is %s left", left)
	}
	if table, err := a.PartitionsLow(t.Context(), now); err != nil || table != "" {
		t.Errorf("%q is low, %v", table, err)
	}
	for at := monday; at.Before(now.Add(5 * week)); at = at.Add(week) {
		exec("DROP TABLE IF EXISTS extras_conditionerror_" + at.Format("20060102"))
	}
	if left, known := ahead()["extras_conditionerror"]; left != 0 || !known {
		t.Errorf("without partitions there is %s left, %v", left, known)
	}
	if table, err := a.PartitionsLow(t.Context(), now); err != nil || table != "extras_conditionerror" {
		t.Errorf("%q is low, %v", table, err)
	}
}

// TestUpkeepElsewhere: a task that another process is doing is left to it, which is not a success.
func TestUpkeepElsewhere(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	now := time.Now()
	tasks := map[string]func() error{
		"partitions":     func() error { return a.MakePartitions(t.Context(), now) },
		"counts":         func() error { return a.FoldCounts(t.Context()) },
		"tally":          func() error { return a.FoldTally(t.Context(), now, now) },
		"change_tally":   func() error { return a.TallyChanges(t.Context()) },
		"sweep":          func() error { return a.Sweep(t.Context(), now) },
		"search_indexes": func() error { return a.TidySearchIndexes(t.Context()) },
		"retention": func() error {
			_, err := a.Retain(t.Context(), store.Retention{Changes: 30}, now)
			return err
		},
	}
	for name, task := range tasks {
		if err := task(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	other, err := a.Pool().Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Release()
	for _, lock := range store.UpkeepLocks {
		if _, err := other.Exec(t.Context(), "SELECT pg_advisory_lock($1)", lock); err != nil {
			t.Fatal(err)
		}
	}
	for name, task := range tasks {
		if err := task(); !errors.Is(err, store.ErrElsewhere) {
			t.Errorf("%s beside another process: %v", name, err)
		}
	}
	if _, err := other.Exec(t.Context(), "SELECT pg_advisory_unlock_all()"); err != nil {
		t.Fatal(err)
	}
}

// TestWatch: monitoring reads the queues, jobs, webhooks and records of an installation, also of an empty one.
func TestWatch(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	w := a.Watch()
	waiting, err := w.Waiting(t.Context())
	if err != nil || len(waiting) != 0 {
		t.Errorf("nothing is queued, but %v, %v", waiting, err)
	}
	jobs, err := w.Jobs(t.Context())
	if err != nil || len(jobs) != 8 {
		t.Errorf("jobs: %v, %v", jobs, err)
	}
	at := time.Now().Add(-time.Hour)
	a.sites(t, at, "a", "b")
	waiting, err = w.Waiting(t.Context())
	if err != nil || len(waiting) != 1 || waiting[0].Queued != 2 || waiting[0].Retrying != 0 ||
		waiting[0].OldestAt.Sub(at).Abs() > time.Second {
		t.Errorf("two are queued: %v, %v", waiting, err)
	}
	hooks, err := w.Webhooks(t.Context())
	if err != nil || len(hooks) != 2 || hooks[0].ID != waiting[0].Webhook || !hooks[0].Enabled || hooks[0].Paused {
		t.Errorf("webhooks: %v, %v", hooks, err)
	}
	if jobs, err = w.Jobs(t.Context()); err != nil || jobs[0] != (store.Number{Of: "available", N: 2}) {
		t.Errorf("jobs: %v, %v", jobs, err)
	}
	if clock, err := w.Clock(t.Context()); err != nil || time.Since(clock).Abs() > time.Minute {
		t.Errorf("clock: %v, %v", clock, err)
	}
	counts, err := w.Records(t.Context())
	byType := map[string]int64{}
	for _, c := range counts {
		byType[c.Of] = c.N
	}
	if err != nil || byType["dcim.site"] != 2 || byType["extras.webhook"] != 2 {
		t.Errorf("records: %v, %v", counts, err)
	}
}

// TestWatchMillion: with a million deliveries queued for 50 webhooks, what a scrape reads of them takes less than the two
// seconds that it has.
func TestWatchMillion(t *testing.T) {
	t.Parallel()
	if os.Getenv("TERRIER_LONG") == "" {
		t.Skip("takes a minute: make long-metrics")
	}
	a := newArchive(t)
	a.exec(t, `WITH made AS (
			INSERT INTO extras_delivery (id, changed_at, change_id, webhook_id, version, event, object_type, object_id, request_id, state, round,
				tries, attempt_count, job_id, queued_at, reason)
			SELECT n, now(), n, n % 50, 1, 'created', 'dcim.site', 1, gen_random_uuid(), 'queued', 1, 0, 0, n, now(), ''
			FROM generate_series(1, 1000000) n RETURNING id, webhook_id)
		INSERT INTO river_job (id, args, kind, max_attempts, queue, state)
		SELECT id, jsonb_build_object('delivery', id, 'round', 1), 'delivery', 100, 'webhook_' || webhook_id, 'available' FROM made`)
	w := a.Watch()
	for _, state := range []string{"just written", "vacuumed"} {
		began := time.Now()
		waiting, err := w.Waiting(t.Context())
		counted := time.Since(began)
		if err != nil || len(waiting) != 50 || waiting[0].Queued != 20_000 {
			t.Fatalf("%v, %v", waiting, err)
		}
		began = time.Now()
		jobs, err := w.Jobs(t.Context())
		if err != nil || jobs[0].N != 1_000_000 {
			t.Fatalf("%v, %v", jobs, err)
		}
		t.Logf("%s: deliveries %s, jobs %s", state, counted, time.Since(began))
		if counted > 2*time.Second || time.Since(began) > 2*time.Second {
			t.Error("that is too slow")
		}
		a.exec(t, "VACUUM ANALYZE extras_delivery")
		a.exec(t, "VACUUM ANALYZE river_job")
	}
}
