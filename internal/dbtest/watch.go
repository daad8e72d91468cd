package dbtest

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Counter is a tracer of connections that counts their statements, including BEGIN, COMMIT and ROLLBACK.
type Counter struct{ n atomic.Int64 }

// During returns how many statements are sent while fn runs.
func (c *Counter) During(fn func()) int64 {
	before := c.n.Load()
	fn()
	return c.n.Load() - before
}

// TraceQueryStart counts a statement that is sent alone.
func (c *Counter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.n.Add(1)
	return ctx
}

// TraceQueryEnd does nothing.
func (c *Counter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart does nothing.
func (c *Counter) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

// TraceBatchQuery counts a statement of a batch.
func (c *Counter) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) { c.n.Add(1) }

// TraceBatchEnd does nothing.
func (c *Counter) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// Contents returns a digest of every table of a database.
func Contents(t testing.TB, db *pgxpool.Pool) map[string]string {
	t.Helper()
	rows, err := db.Query(t.Context(), `SELECT relname::text FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, table := range tables {
		var digest string
		sql := fmt.Sprintf("SELECT count(*) || ' ' || coalesce(md5(string_agg(x::text, ',' ORDER BY x::text)), '') FROM %s x", quote(table))
		if err := db.QueryRow(t.Context(), sql).Scan(&digest); err != nil {
			t.Fatal(err)
		}
		found[table] = digest
	}
	return found
}

// Untouched runs fn and fails the test if fn changed the database.
func Untouched(t testing.TB, db *pgxpool.Pool, fn func()) {
	t.Helper()
	before := Contents(t, db)
	fn()
	after := Contents(t, db)
	for table, digest := range before {
		if digest != after[table] {
			t.Errorf("%s has changed", table)
		}
	}
}

// AwaitWaiters returns when n sessions of the database wait for locks.
func AwaitWaiters(t testing.TB, db *pgxpool.Pool, n int) {
	t.Helper()
	for waiting := 0; waiting < n; runtime.Gosched() {
		err := db.QueryRow(t.Context(),
			"SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()").Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
	}
}
