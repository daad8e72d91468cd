package store_test

import (
	"context"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"
)

// TestRecount corrects the count of a type after somebody wrote rows by SQL, also beside writers, whose records it
// counts exactly once.
func TestRecount(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	groups := reg.Type("users.group")
	exec := func(sql string) error {
		_, err := db.Exec(t.Context(), sql)
		return err
	}
	if err := exec("INSERT INTO users_group (version, name, description, created, last_updated) SELECT 1, 'Crew ' || i, '', now(), " +
		"now() FROM generate_series(1, 30) i"); err != nil {
		t.Fatal(err)
	}
	if count, off, err := s.Recount(t.Context(), groups); err != nil || count != 30 || off != -30 {
		t.Errorf("of 30 groups that nobody counted: %d, off by %d, %v", count, off, err)
	}
	if count, off, err := s.Recount(t.Context(), groups); err != nil || count != 30 || off != 0 {
		t.Errorf("the second time: %d, off by %d, %v", count, off, err)
	}
	var beside errgroup.Group
	beside.Go(func() error {
		for range 100 {
			if err := exec(`WITH made AS (INSERT INTO users_group (version, name, description, created, last_updated)
				VALUES (1, gen_random_uuid(), '', now(), now()))
				INSERT INTO record_count (type, n) VALUES ('users.group', 1)`); err != nil {
				return err
			}
		}
		return nil
	})
	beside.Go(func() error {
		for range 50 {
			if _, off, err := s.Recount(t.Context(), groups); err != nil || off != 0 {
				t.Errorf("beside a writer the count is off by %d, %v", off, err)
			}
			if err := s.FoldCounts(t.Context()); err != nil {
				return err
			}
		}
		return nil
	})
	if err := beside.Wait(); err != nil {
		t.Fatal(err)
	}
	if count, off, err := s.Recount(t.Context(), groups); err != nil || count != 130 || off != 0 {
		t.Errorf("in the end: %d, off by %d, %v", count, off, err)
	}
}

// TestRecountsTakeTurns: of two recounts at once the second sees what the first has corrected.
func TestRecountsTakeTurns(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	tx, err := db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	// Both want to correct, and wait.
	if _, err := tx.Exec(t.Context(), "INSERT INTO record_count (type, n) VALUES ('users.group', 5)"); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "LOCK TABLE record_count IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	var both errgroup.Group
	for range 2 {
		both.Go(func() error {
			_, _, err := s.Recount(t.Context(), reg.Type("users.group"))
			return err
		})
	}
	var waiting []string
	for len(waiting) < 2 {
		if err := db.QueryRow(t.Context(),
			"SELECT coalesce(array_agg(wait_event ORDER BY wait_event), '{}') FROM pg_stat_activity WHERE datname = current_database() AND "+
				"wait_event_type = 'Lock'").Scan(&waiting); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(waiting, []string{"advisory", "relation"}) {
		t.Errorf("they wait for %v", waiting)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := both.Wait(); err != nil {
		t.Fatal(err)
	}
	if _, off, err := s.Recount(t.Context(), reg.Type("users.group")); err != nil || off != 0 {
		t.Errorf("after two recounts the count is off by %d, %v", off, err)
	}
}
