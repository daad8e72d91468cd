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
