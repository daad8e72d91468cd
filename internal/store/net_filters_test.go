package store_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// TestRareAddressesAreIndexed: a page of the few records that a filter finds among many, and their count, read little more than those.
func TestRareAddressesAreIndexed(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	if _, err := db.Exec(t.Context(), `
		INSERT INTO ipam_ipaddress (version, address, assigned_object_type, assigned_object_id, status, dns_name, description, comments, tags,
			custom_fields, created, last_updated)
			SELECT 1, CASE WHEN i % 1000 = 0 THEN set_masklen('2001:db8::'::inet + i, 64) ELSE '10.0.0.0/24'::inet + i END,
				'dcim.interface', i, 'active', CASE WHEN i % 1000 < 20 THEN 'host' || i ELSE '' END, '', '', '{}', '{}', now(), now()
			FROM generate_series(1, 20000) i;
		UPDATE ipam_ipaddress SET address = set_masklen(address, 25) WHERE id % 1000 = 1;
		UPDATE ipam_ipaddress SET assigned_object_type = NULL, assigned_object_id = NULL WHERE id % 1000 = 2;
		UPDATE ipam_ipaddress SET assigned_object_type = 'ipam.fhrpgroup' WHERE id % 1000 = 3;
		INSERT INTO ipam_prefix (version, prefix, status, is_pool, mark_utilized, description, comments, tags, custom_fields, created,
			last_updated)
			SELECT 1, CASE WHEN i % 1000 = 0 THEN '2001:db8::'::cidr + i ELSE set_masklen('10.0.0.0'::cidr + i * 256, 24) END,
				'active', false, false, '', '', '{}', '{}', now(), now() FROM generate_series(1, 20000) i;
		ANALYZE`); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		typ, filter, value string
		rows               int64
	}{
		{"ipam.ipaddress", "family", "6", 20},
		{"ipam.ipaddress", "family__gte", "5", 20},
		{"ipam.ipaddress", "dns_name", "host2001", 1},
		{"ipam.ipaddress", "mask_length", "25", 20},
		{"ipam.ipaddress", "assigned", "false", 20},
		{"ipam.ipaddress", "assigned_to_interface", "false", 40},
		{"ipam.prefix", "family", "6", 20},
		{"ipam.ipaddress", "assigned", "true", 40},
		{"ipam.ipaddress", "assigned_to_interface", "true", 20},
	} {
		if c.value == "true" {
			exec(t, db, `UPDATE ipam_ipaddress SET assigned_object_type = NULL, assigned_object_id = NULL WHERE id % 1000 NOT IN (1, 3);
				ANALYZE`)
		}
		t.Run(c.typ+" "+c.filter+" "+c.value, func(t *testing.T) {
			test, _, err := reg.Type(c.typ).ParseFilter(c.filter, []string{c.value})
			if err != nil {
				t.Fatal(err)
			}
			q := store.Query{Scope: access.Machine(), Limit: 50, View: record.View{Only: []string{"id"}}, Where: []record.Predicate{test}}
			page, err := s.List(t.Context(), reg.Type(c.typ), q)
			if err != nil || page.Count != c.rows || int64(len(page.Rows)) != c.rows {
				t.Errorf("%d rows of %d, want %d (%v)", len(page.Rows), page.Count, c.rows, err)
			}
			for name, x := range store.ListStatements(s, reg.Type(c.typ), q) {
				if n, plan := rowsLeftOut(t, db, x.SQL, x.Args); n > 10*c.rows {
					t.Errorf("the %s reads %d rows besides:\n%s\n%s", name, n, x.SQL, plan)
				}
			}
		})
	}
}

var leftOut = regexp.MustCompile(`Rows Removed by .*: (\d+)`)

// rowsLeftOut runs a statement with a plan for any arguments, and returns how many rows it read without need.
func rowsLeftOut(t *testing.T, db *pgxpool.Pool, sql string, args []any) (n int64, plan string) {
	t.Helper()
	conn, err := pgx.ConnectConfig(t.Context(), db.Config().ConnConfig)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	if _, err := conn.Exec(t.Context(), "SET plan_cache_mode = force_generic_plan; PREPARE planned AS "+sql); err != nil {
		t.Fatal(fmt.Errorf("%s: %w", sql, err))
	}
	execute := "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) EXECUTE planned"
	for i := range args {
		execute += fmt.Sprintf("%s$%d", map[bool]string{true: " (", false: ", "}[i == 0], i+1)
	}
	if len(args) > 0 {
		execute += ")"
	}
	rows, err := conn.Query(t.Context(), execute, append([]any{pgx.QueryExecModeSimpleProtocol}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", sql, err))
	}
	plan = strings.Join(lines, "\n")
	for _, found := range leftOut.FindAllStringSubmatch(plan, -1) {
		one, err := strconv.ParseInt(found[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		n += one
	}
	return n, plan
}
