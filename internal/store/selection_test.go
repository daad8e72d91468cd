package store_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/test/trial"
)

// TestViewsReadWhatTheyShow: what a view leaves out is not read, if reading it is costly.
func TestViewsReadWhatTheyShow(t *testing.T) {
	s, reg, _ := open(t)
	costly := map[string]string{"comments": `t."comments"`, "custom fields": "extras_customfield", "tags": "extras_tag",
		"region": `"dcim_region"`, "tenant": `"tenancy_tenant"`}
	statement := func(key string, q store.Query) string {
		q.Scope, q.Limit = access.Machine(), 50
		sql, err := store.ListStatement(s, reg.Type(key), q)
		if err != nil {
			t.Fatal(err)
		}
		return sql
	}
	for _, row := range []struct {
		view  record.View
		order []string
		reads string // of what costs, the rest is left out
	}{
		{view: record.View{}, reads: "comments, custom fields, tags, region, tenant"},
		{view: record.View{Brief: true}},
		{view: record.View{Only: []string{"id"}}},
		{view: record.View{Only: []string{"name", "tenant"}}, reads: "tenant"},
		{view: record.View{Only: []string{"comments"}}, reads: "comments"},
		{view: record.View{Omit: []string{"comments", "custom_fields"}}, reads: "tags, region, tenant"},
		{view: record.View{Brief: true}, order: []string{"region"}, reads: "region"}, // for the cursor
	} {
		sql := statement("dcim.site", store.Query{View: row.view, Order: row.order})
		for name, part := range costly {
			if got, want := strings.Contains(sql, part), strings.Contains(row.reads, name); got != want {
				t.Errorf("%+v: %s is read: %v, want %v\n%s", row.view, name, got, want, sql)
			}
		}
	}
	if sql := statement("dcim.region", store.Query{View: record.View{Brief: true}}); strings.Contains(sql,
		"SELECT count(*) FROM \"dcim_site\"") {
		t.Errorf("a count that is not shown is read: %s", sql)
	}
	if sql := statement(store.ChangeType, store.Query{View: record.View{Omit: []string{"prechange_data"}}}); strings.Contains(sql,
		`"prechange"`) || !strings.Contains(sql, `"postchange"`) {
		t.Errorf("of the states one is shown: %s", sql)
	}
}

// TestAggregatesAreReadWhereShown: a count or a sum is read where a view shows it, also of a type that shows one in its
// brief form, and the whole page is one statement.
func TestAggregatesAreReadWhereShown(t *testing.T) {
	s, reg, _ := open(t, trial.Types()...)
	reads := func(view record.View) (n int) {
		t.Helper()
		sql, err := store.ListStatement(s, reg.Type("trial.shelf"), store.Query{Scope: access.Machine(), Limit: 50, View: view})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(sql, `FROM "trial_item" n`) + strings.Count(sql, `FROM "trial_sticker" n`)
	}
	for _, c := range []struct {
		view record.View
		want int
	}{
		{record.View{}, 4},
		{record.View{Brief: true}, 1},
		{record.View{Only: []string{"name"}}, 0},
		{record.View{Only: []string{"name", "total_weight"}}, 1},
		{record.View{Omit: []string{"item_count", "total_length"}}, 2},
	} {
		if got := reads(c.view); got != c.want {
			t.Errorf("%+v reads %d of 4 aggregates, want %d", c.view, got, c.want)
		}
	}
}

// TestViewsShareStatements: views that differ in short columns, in their order or in what they name twice are one
// statement.
func TestViewsShareStatements(t *testing.T) {
	s, reg, _ := open(t)
	short := []string{"id", "name", "slug", "status", "facility", "description", "latitude", "created", "unknown"}
	seen := map[string]bool{}
	for n := range 1 << len(short) {
		view := record.View{Only: []string{"tenant", "tenant"}}
		for i, name := range short {
			if n>>i&1 == 1 {
				view.Only = append([]string{name}, view.Only...)
			}
		}
		sql, err := store.ListStatement(s, reg.Type("dcim.site"), store.Query{Scope: access.Machine(), Limit: 50, View: view})
		if err != nil {
			t.Fatal(err)
		}
		seen[sql] = true
	}
	if len(seen) != 1 {
		t.Errorf("%d views are %d statements", 1<<len(short), len(seen))
	}
}

// TestCostlyColumnsAreComputedWhenSent: if a page is sorted again after its references were joined, custom fields are
// computed row by row as they are sent, so that a page that ends early has not read the rest.
func TestCostlyColumnsAreComputedWhenSent(t *testing.T) {
	s, reg, _ := open(t)
	// Regions and groups are left out: the steps of their depths need the joins that are switched off here.
	sql, err := store.ListStatement(s, reg.Type("dcim.site"), store.Query{Scope: access.Machine(), Limit: 1000,
		View: record.View{Only: []string{"name", "tenant", "tags", "custom_fields", "device_count"}}})
	if err != nil {
		t.Fatal(err)
	}
	_, page, _ := strings.Cut(sql, ";") // behind the count
	conn, err := store.ListPool(s).Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	// As with many tenants: hash joins keep no order.
	for _, way := range []string{"nestloop", "mergejoin"} {
		if _, err := conn.Exec(t.Context(), "SET enable_"+way+" = off"); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := conn.Query(t.Context(), "EXPLAIN (VERBOSE, COSTS OFF) "+page)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	sort := slices.IndexFunc(lines, func(line string) bool { return strings.TrimLeft(line, " ->") == "Sort" })
	if sort < 0 || !strings.Contains(strings.Join(lines[:sort], ""), "SubPlan") {
		t.Fatalf("the joined page is not sorted, or nothing is computed after it: the test shows nothing\n%s", strings.Join(lines, "\n"))
	}
	if output := lines[sort+1]; strings.Contains(output, "SubPlan") || !strings.Contains(output, "Output: ") {
		t.Errorf("costly columns go through the sort:\n%s", output)
	}
}
