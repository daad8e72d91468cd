package store_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/store"
)

// insertJob writes a job as a worker has left it.
func insertJob(t *testing.T, db *pgxpool.Pool, id int64, state string, attempt int, by ...string) {
	t.Helper()
	_, err := db.Exec(t.Context(), `INSERT INTO river_job (id, args, kind, max_attempts, queue, state, attempt, attempted_by,
		finalized_at, scheduled_at)
		VALUES ($1, '{}', 'delivery', 100, 'webhook_' || $1::bigint, $2::text::river_job_state, $3, $4, CASE WHEN $2 = 'discarded'
			THEN now() END, now() - interval '1 minute')`, id, state, attempt, by)
	if err != nil {
		t.Fatal(err)
	}
}

func jobsIn(t *testing.T, db *pgxpool.Pool, state string) []int64 {
	t.Helper()
	rows, err := db.Query(t.Context(), "SELECT id FROM river_job WHERE state = $1::text::river_job_state ORDER BY id", state)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// signs lets two workers give a sign and returns the first one's.
func signs(t *testing.T, s *store.Store) store.Sign {
	t.Helper()
	now := time.Now()
	if _, _, err := s.Beat(t.Context(), store.Worker{ID: "dead", StartedAt: now, SeenAt: now.Add(-time.Hour)}); err != nil {
		t.Fatal(err)
	}
	others, _, err := s.Beat(t.Context(), store.Worker{ID: "alive", StartedAt: now, SeenAt: now})
	if err != nil || len(others) != 1 || others[0].Worker != "dead" {
		t.Fatalf("the others are %v, %v", others, err)
	}
	return others[0]
}

// TestRescue: only the dead worker's jobs move, and the workers of their queues are notified.
func TestRescue(t *testing.T) {
	t.Parallel()
	s, _, db := open(t)
	last := signs(t, s)
	insertJob(t, db, 1, "running", 1, "dead")
	insertJob(t, db, 2, "running", 3, "alive", "dead", "dead")
	insertJob(t, db, 3, "running", 1, "alive")
	insertJob(t, db, 4, "running", 2, "dead", "alive") // that it had, and lost
	insertJob(t, db, 5, "running", 1, "unknown")
	insertJob(t, db, 6, "running", 100, "dead") // that River gives up
	insertJob(t, db, 7, "available", 0)
	insertJob(t, db, 8, "scheduled", 1, "dead")
	insertJob(t, db, 9, "retryable", 1, "dead")
	insertJob(t, db, 10, "discarded", 100, "dead")
	insertJob(t, db, 11, "running", 1, "dead")
	conn, err := db.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(t.Context(), `LISTEN "public.river_insert"`); err != nil {
		t.Fatal(err)
	}
	holder, err := db.Begin(t.Context()) // somebody writes the outcome of one
	if err != nil {
		t.Fatal(err)
	}
	if _, err := holder.Exec(t.Context(), "DELETE FROM river_job WHERE id = 11"); err != nil {
		t.Fatal(err)
	}
	if found, jobs, err := s.Rescue(t.Context(), last); !found || jobs != 2 || err != nil {
		t.Errorf("found %t, %d jobs, %v", found, jobs, err)
	}
	if err := holder.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := jobsIn(t, db, "available"); !slices.Equal(got, []int64{1, 2, 7}) {
		t.Errorf("%v wait", got)
	}
	if got := jobsIn(t, db, "running"); !slices.Equal(got, []int64{3, 4, 5, 6, 11}) {
		t.Errorf("%v run", got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var heard []string
	for range 2 {
		got, err := conn.Conn().WaitForNotification(ctx)
		if err != nil {
			t.Fatal(err)
		}
		heard = append(heard, got.Payload)
	}
	if slices.Sort(heard); !slices.Equal(heard, []string{`{"queue": "webhook_1"}`, `{"queue": "webhook_2"}`}) {
		t.Errorf("heard %v", heard)
	}
	if others, _, err := s.Beat(t.Context(), store.Worker{ID: "alive"}); err != nil || len(others) != 0 {
		t.Errorf("the dead one is still there: %v, %v", others, err)
	}
}

// TestRescueLeavesTheLiving: a worker that gave another sign keeps its jobs, and its row.
func TestRescueLeavesTheLiving(t *testing.T) {
	t.Parallel()
	s, _, db := open(t)
	last := signs(t, s)
	insertJob(t, db, 1, "running", 1, "dead")
	if _, _, err := s.Beat(t.Context(), store.Worker{ID: "dead", SeenAt: last.SeenAt.Add(time.Microsecond)}); err != nil {
		t.Fatal(err)
	}
	if found, jobs, err := s.Rescue(t.Context(), last); found || jobs != 0 || err != nil {
		t.Errorf("found %t, %d jobs, %v", found, jobs, err)
	}
	if others, _, err := s.Beat(t.Context(), store.Worker{ID: "alive"}); err != nil || len(others) != 1 || len(jobsIn(t, db, "running")) != 1 {
		t.Errorf("%v, %v", others, err)
	}
}

// TestRescueOnce: if many notice, one takes the jobs back.
func TestRescueOnce(t *testing.T) {
	t.Parallel()
	s, _, db := open(t)
	last := signs(t, s)
	for id := range int64(50) {
		insertJob(t, db, id+1, "running", 1, "dead")
	}
	var mu sync.Mutex
	finders, moved := 0, 0
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			found, jobs, err := s.Rescue(t.Context(), last)
			mu.Lock()
			defer mu.Unlock()
			if moved += jobs; found {
				finders++
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if finders != 1 || moved != 50 || len(jobsIn(t, db, "available")) != 50 {
		t.Errorf("%d found it, %d jobs moved", finders, moved)
	}
}

// TestRescueLooksUp: the few running jobs are found by index among the many that wait.
func TestRescueLooksUp(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	workers, err := store.Open(t.Context(), db.Config().ConnString(), reg, nil, store.ForWorkers...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(workers.Close)
	last := signs(t, s)
	_, err = db.Exec(t.Context(),
		`INSERT INTO river_job (args, kind, max_attempts, queue) SELECT '{}', 'delivery', 100, 'webhook_' || n % 50 FROM `+
			`generate_series(1, 20000) n`)
	if err != nil {
		t.Fatal(err)
	}
	for id := range int64(10) {
		insertJob(t, db, 100_001+id, "running", 1, "dead")
	}
	var plan []struct {
		Plan struct {
			Blocks int64 `json:"Shared Hit Blocks"`
		}
	}
	err = workers.Pool().QueryRow(t.Context(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+store.RescueStatement, last.Worker,
		last.SeenAt).Scan(&plan)
	if err != nil {
		t.Fatal(err)
	}
	if moved := len(jobsIn(t, db, "running")); moved != 0 || plan[0].Plan.Blocks > 400 {
		t.Errorf("%d blocks read for 10 jobs, %d left", plan[0].Plan.Blocks, moved)
	}
}
