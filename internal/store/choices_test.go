package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

func insertSites(t *testing.T, db *pgxpool.Pool, n int) {
	t.Helper()
	// Without waiting for the log, VACUUM does not yet see that all rows are visible.
	if _, err := db.Exec(t.Context(), fmt.Sprintf(`SET synchronous_commit = on;
		INSERT INTO dcim_site (version, name, slug, status, facility, description, physical_address, shipping_address,
			comments, asns, tags, custom_fields, created, last_updated)
		SELECT 1, 'n' || i, 's' || i, CASE WHEN i %% 10 = 0 THEN 'planned' ELSE 'active' END, '', repeat('x', 100), '', '', '', '{}', '{}', '{}',
			now(), now() FROM generate_series(1, %d) i`, n)); err != nil {
		t.Fatal(err)
	}
}

// makeVisible vacuums a table until PostgreSQL knows that everybody sees all of its rows, as an index only scan needs it. A transaction of
// autovacuum elsewhere in the database keeps it from that for a while.
func makeVisible(t *testing.T, db *pgxpool.Pool, table string) {
	t.Helper()
	for range 1000 {
		if _, err := db.Exec(t.Context(), "VACUUM ANALYZE "+table); err != nil {
			t.Fatal(err)
		}
		var all bool
		visible := db.QueryRow(t.Context(), "SELECT relallvisible = relpages FROM pg_class WHERE oid = $1::regclass", table)
		if err := visible.Scan(&all); err != nil {
			t.Fatal(err)
		}
		if all {
			return
		}
	}
	t.Fatalf("somebody else keeps %s from being visible", table)
}

// TestChoicesAreIndexed: a list of one choice is counted in an index, and its page is read from it in the default order: with
// one plan, which does not know how rare the choice is.
func TestChoicesAreIndexed(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	insertSites(t, db, 20_000)
	sites := reg.Type("dcim.site")
	statements, err := store.ListStatement(s, sites, store.Query{Scope: access.Machine(), Limit: 50, View: record.View{Brief: true},
		Where: []record.Predicate{{Field: sites.Field("status"), Values: []any{"retired"}}}})
	if err != nil {
		t.Fatal(err)
	}
	makeVisible(t, db, "dcim_site")
	count, page, _ := strings.Cut(statements, ";")
	for statement, want := range map[string]string{count: "Index Only Scan using dcim_site_status",
		page: "Index Scan using dcim_site_status"} {
		if plan := genericPlan(t, db, statement, "{retired}"); !strings.Contains(plan, want) {
			t.Errorf("%s\n%s", statement, plan)
		}
	}
}

// genericPlan returns the plan that PostgreSQL makes without knowing the arguments.
func genericPlan(t *testing.T, db *pgxpool.Pool, statement string, args ...string) string {
	t.Helper()
	conn, err := pgx.ConnectConfig(t.Context(), db.Config().ConnConfig)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	if _, err := conn.Exec(t.Context(), "SET plan_cache_mode = force_generic_plan; PREPARE planned AS "+statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return explained(t, conn, "EXPLAIN EXECUTE planned ('"+strings.Join(args, "', '")+"')", pgx.QueryExecModeSimpleProtocol)
}

// querier is a connection or a pool.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// explained returns the answer to EXPLAIN.
func explained(t *testing.T, db querier, explain string, args ...any) string {
	t.Helper()
	rows, err := db.Query(t.Context(), explain, args...)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// TestUpdatesLeaveIndexesAlone: an update of a column without an index stays in the page of the row (HOT), so that no index is written.
func TestUpdatesLeaveIndexesAlone(t *testing.T) {
	t.Parallel()
	_, _, db := open(t)
	insertSites(t, db, 1000)
	tx, err := db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	if _, err := tx.Exec(t.Context(), "UPDATE dcim_site SET version = 2, last_updated = now(), longitude = 1 WHERE id % 20 = 0"); err != nil {
		t.Fatal(err)
	}
	var all, hot int
	if err := tx.QueryRow(t.Context(), `SELECT pg_stat_get_xact_tuples_updated(t), pg_stat_get_xact_tuples_hot_updated(t)
		FROM (SELECT 'dcim_site'::regclass::oid) x (t)`).Scan(&all, &hot); err != nil || all != 50 || hot != all {
		t.Errorf("%d of %d updates were HOT (%v)", hot, all, err)
	}
}
