package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/access"
	"terrier/internal/audit"
	"terrier/internal/record"
	"terrier/internal/store"
)

// insertFailed writes failed deliveries whose retries are due, each with its own job 1, 2, …
func insertFailed(t *testing.T, db *pgxpool.Pool, n int) {
	t.Helper()
	_, err := db.Exec(t.Context(), `INSERT INTO extras_webhook (id, version, content_types, name, type_create, type_update, type_delete,
		payload_url, enabled, http_method, http_content_type,
			additional_headers_sealed, body_template, secret_sealed, previous_secret_sealed, ssl_verification, standard_headers, max_retries,
				concurrency, created, last_updated)
		VALUES (7, 1, '{dcim.site}', 'hook', TRUE, TRUE, TRUE, 'http://receiver.test/', TRUE, 'POST', 'application/json', '', '', '', '',
			TRUE, FALSE, 3, 10, now(), now())`)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	milliseconds, shift, _ := record.TimedIDs(now)
	for i := range n {
		_, err := db.Exec(t.Context(), `INSERT INTO extras_delivery (id, changed_at, change_id, webhook_id, version, event, object_type,
			object_id, request_id,
				state, round, tries, attempt_count, job_id, queued_at, reason, finished_at, retry_at)
			VALUES ($1, $2, $3, 7, 1, 'created', 'dcim.site', 1, gen_random_uuid(), 'failed', 2, 1, 1, nextval('river_job_id_seq'), $2, 'x',
				$2, $2)`,
			milliseconds<<shift|int64(i), now, i)
		if err != nil {
			t.Fatal(err)
		}
	}
}

func requeueAll(t *testing.T, s *store.Store, dry bool) (matching, queued int64) {
	t.Helper()
	retried := audit.Event{At: time.Now(), Name: audit.DeliveryRetried, RequestID: "00000000-0000-4000-8000-000000000000"}
	matching, queued, err := s.Requeue(t.Context(), store.RequeueQuery{Query: store.Query{Scope: access.Machine(), Limit: 100},
		Webhooks: access.Machine(), DryRun: dry, Event: retried}, time.Now())
	if err != nil {
		t.Error(err)
	}
	return matching, queued
}

// standing is the delivery of job 1, and all jobs.
func standing(t *testing.T, db *pgxpool.Pool) (is string) {
	t.Helper()
	err := db.QueryRow(t.Context(), `SELECT state || ' ' || round || ' ' || (retry_at IS NOT NULL) || ' ' || job_id || coalesce(
			(SELECT string_agg(', ' || j.id || ' ' || j.state || ' ' || coalesce(j.args->>'round', '-'), '' ORDER BY j.id)
				FROM river_job j), '') FROM extras_delivery`).Scan(&is)
	if err != nil {
		t.Fatal(err)
	}
	return is
}

// TestRequeueReplacesTheJob: the job of an automatic retry is replaced by the new one; a running job and its delivery
// are left alone.
func TestRequeueReplacesTheJob(t *testing.T) {
	t.Parallel()
	const moved = "queued 3 false 2, 2 available 3"
	for state, want := range map[string]string{
		"": moved, "available": moved, "scheduled": moved, "retryable": moved, "pending": moved, "discarded": moved,
		"running": "failed 2 true 1, 1 running -",
	} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			s, _, db := open(t)
			insertFailed(t, db, 1)
			if state != "" {
				insertJob(t, db, 1, state, 1)
			}
			before := standing(t, db)
			if matching, queued := requeueAll(t, s, true); matching != 1 || queued != 0 || standing(t, db) != before {
				t.Errorf("a dry run: %d match, %d queued, and it is %s", matching, queued, standing(t, db))
			}
			matching, queued := requeueAll(t, s, false)
			if got := standing(t, db); got != want || matching != 1 || queued == 1 != (want == moved) {
				t.Errorf("%d match, %d queued: it is %s, want %s", matching, queued, got, want)
			}
		})
	}
}

// TestRequeueWaitsForWhoTakesTheJob: a worker takes the job of an automatic retry while somebody asks for a manual
// one. Whoever is first, only one of them sends.
func TestRequeueWaitsForWhoTakesTheJob(t *testing.T) {
	t.Parallel()
	for _, taken := range []bool{true, false} {
		t.Run(fmt.Sprint(taken), func(t *testing.T) {
			t.Parallel()
			s, _, db := open(t)
			insertFailed(t, db, 1)
			insertJob(t, db, 1, "available", 0)
			worker, err := db.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := worker.Exec(t.Context(), "UPDATE river_job SET state = 'running'"); err != nil {
				t.Fatal(err)
			}
			done := make(chan int64, 1)
			go func() {
				_, queued := requeueAll(t, s, false)
				done <- queued
			}()
			for waiting := false; !waiting; {
				err := db.QueryRow(t.Context(),
					"SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&waiting)
				if err != nil || len(done) > 0 {
					t.Fatalf("it did not wait: %v", err)
				}
			}
			end, want := worker.Commit, "failed 2 true 1, 1 running -"
			if !taken {
				end, want = worker.Rollback, "queued 3 false 2, 2 available 3"
			}
			if err := end(t.Context()); err != nil {
				t.Fatal(err)
			}
			if queued := <-done; queued == 1 == taken || standing(t, db) != want {
				t.Errorf("%d queued, and it is %s, want %s", queued, standing(t, db), want)
			}
		})
	}
}

// TestRequeueMany: those that are being sent are left out of a bulk, the others are not.
func TestRequeueMany(t *testing.T) {
	t.Parallel()
	s, _, db := open(t)
	insertFailed(t, db, 40)
	for id := range int64(30) {
		state := "scheduled"
		if id%3 == 0 {
			state = "running"
		}
		insertJob(t, db, id+1, state, 1)
	}
	if matching, queued := requeueAll(t, s, false); matching != 40 || queued != 30 {
		t.Errorf("%d match, %d queued", matching, queued)
	}
	var wrong, jobs int
	err := db.QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE (d.state, j.state::text) NOT IN (('queued', 'available'), ('failed',
		'running')) OR j.id IS NULL), (SELECT count(*) FROM river_job)
		FROM extras_delivery d LEFT JOIN river_job j ON j.id = d.job_id`).Scan(&wrong, &jobs)
	if err != nil || wrong != 0 || jobs != 40 {
		t.Errorf("%d are wrong, with %d jobs: %v", wrong, jobs, err)
	}
}
