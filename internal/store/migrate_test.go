package store_test

import (
	"context"
	"strings"
	"testing"

	"terrier/internal/dbtest"
	"terrier/internal/store"
)

func TestPendingAndMigrate(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	pool := dbtest.EmptyPool(t)
	url := pool.Config().ConnString()

	before, err := store.Pending(ctx, pool)
	if err != nil {
		t.Fatal(err)
	}
	if before == 0 {
		t.Fatal("an empty database has no pending migrations")
	}
	var tables int
	if err := pool.QueryRow(ctx, `SELECT count(*) FROM pg_tables WHERE schemaname = 'public'`).Scan(&tables); err != nil {
		t.Fatal(err)
	}
	if tables != 0 {
		t.Errorf("Pending left %d tables behind", tables)
	}

	// Two processes at once: both succeed and each migration is applied once.
	errs := make(chan error, 2)
	applied := make(chan string, 1000)
	logf := func(format string, _ ...any) { applied <- format }
	for range cap(errs) {
		go func() { errs <- store.Migrate(context.WithoutCancel(ctx), url, logf) }()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	if got, want := len(applied), before+1; got != want {
		t.Errorf("%d log lines, want one for each of the %d migrations and one for nothing to do", got, before)
	}

	after, err := store.Pending(ctx, pool)
	if err != nil {
		t.Fatal(err)
	}
	if after != 0 {
		t.Errorf("%d migrations pending after migrating", after)
	}
	if _, err := pool.Exec(ctx, `DELETE FROM goose_db_version WHERE version_id = 1`); err != nil {
		t.Fatal(err)
	}
	if one, err := store.Pending(ctx, pool); err != nil || one != 1 {
		t.Errorf("Pending with one migration missing: %d, %v", one, err)
	}
}

func TestMigrateErrorsHideThePassword(t *testing.T) {
	t.Parallel()
	err := store.Migrate(t.Context(), "postgres://u:canary@127.0.0.1:1/x?connect_timeout=1", t.Logf)
	if err == nil {
		t.Fatal("no error")
	}
	if msg := err.Error(); strings.Contains(msg, "canary") {
		t.Errorf("the error tells the password: %s", msg)
	}
}

// Whatever is named after a renamed type has the new name: its table with partitions, indexes, constraints and sequence, its count, and
// the permissions that name it. Down restores the old names.
func TestConditionErrorsAreRenamed(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	pool := dbtest.Pool(t)
	const names = `SELECT relname::text FROM pg_class UNION ALL SELECT conname::text FROM pg_constraint
		UNION ALL SELECT type FROM record_count UNION ALL SELECT unnest(object_types) FROM users_permission`
	count := func(name string) (n int) {
		t.Helper()
		err := pool.QueryRow(ctx, `SELECT count(*) FROM (`+names+`) AS n(name) WHERE name LIKE '%'||$1||'%'`, name).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	_, err := pool.Exec(ctx, `INSERT INTO record_count VALUES ('extras.conditionerror', 3);
		INSERT INTO users_permission (version, name, description, enabled, object_types, groups, users, actions, created, last_updated)
		VALUES (1, 'p', '', true, '{extras.webhook,extras.conditionerror,dcim.site}', '{}', '{}', '{view}', now(), now())`)
	if err != nil {
		t.Fatal(err)
	}
	// The table, its key, index and sequence, and of at least four weeks each partition with its key and index; keys are named twice.
	all := count("conditionerror")
	if want := 4 + 1 + 4*4 + 2; all < want {
		t.Errorf("%d names, want %d or more", all, want)
	}
	for _, step := range []struct {
		number       int64
		old, renamed int
	}{{14, all, 0}, {15, 0, all}} {
		if err := store.MigrateTo(ctx, pool, step.number); err != nil {
			t.Fatal(err)
		}
		if old, renamed := count("webhookmiss"), count("conditionerror"); old != step.old || renamed != step.renamed {
			t.Errorf("after migration %d: %d old names and %d new ones, want %d and %d", step.number, old, renamed, step.old, step.renamed)
		}
	}
}
