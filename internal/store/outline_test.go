package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/fill"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/test/storetest"
)

// plantRegions makes n regions, most of them below an earlier one, and a site in each. It returns the parents of the regions.
func plantRegions(t *testing.T, s *store.Store, reg *record.Registry, n int) map[int64]int64 {
	t.Helper()
	parents := map[int64]int64{}
	all := fill.New(s, 1)
	err := all.Fill(t.Context(), reg.Type("dcim.region"), n, fill.Recipe{
		"name": func(r fill.Row) any {
			return fmt.Sprintf("%d %d%s", r.Draw(0, 100), r.ID, []string{"", "", "", "x"}[r.Draw(1, 4)])
		},
		"slug": func(r fill.Row) any { return fmt.Sprint("r", r.ID) },
		"parent": func(r fill.Row) any {
			if r.I == 0 || r.Draw(0, 8) == 0 {
				return nil
			}
			parents[r.ID] = r.ID - 1 - int64(r.Draw(1, r.I))
			return fmt.Sprint(parents[r.ID])
		},
	})
	if err == nil {
		err = all.Fill(t.Context(), reg.Type("dcim.site"), n, fill.Recipe{"region": func(r fill.Row) any { return fmt.Sprint(1 + r.I) }})
	}
	if err != nil {
		t.Fatal(err)
	}
	return parents
}

// seesNoX returns the scope of somebody who may see all sites, and the regions without an x in their names.
func seesNoX(t *testing.T, of *record.Type) access.Scope {
	t.Helper()
	scope, err := (&access.Policy{}).Scope(&access.Subject{UserID: 7, Grants: []access.Grant{
		{Types: []string{"dcim.site"}, Actions: []string{"view"}},
		{Types: []string{"dcim.region"}, Actions: []string{"view"}, Constraints: json.RawMessage(`{"name__niew": "x"}`)},
	}}, of, access.View)
	if err != nil {
		t.Fatal(err)
	}
	return scope
}

// planted returns the outline of a list that is in the type's own order: the depth and the id of each record, where only listed ones make
// up the tree. deepest is the largest depth.
func planted(list []record.Values, parents map[int64]int64) (outline []string, deepest int) {
	listed := map[int64]bool{}
	for _, r := range list {
		listed[r.ID()] = true
	}
	var plant func(below int64, depth int)
	plant = func(below int64, depth int) {
		for _, r := range list {
			if parent := parents[r.ID()]; parent == below || below == 0 && !listed[parent] {
				outline, deepest = append(outline, fmt.Sprint(depth, " ", r.ID())), max(deepest, depth)
				plant(r.ID(), depth+1)
			}
		}
	}
	plant(0, 0)
	return outline, deepest
}

// outlineOf returns the depths and ids of a page.
func outlineOf(page store.Page) (outline []string) {
	for i, depth := range page.Depths {
		outline = append(outline, fmt.Sprint(depth, " ", page.Rows[i].ID()))
	}
	return outline
}

// TestTreesAreListedAsTrees: each record is followed by those below it, whatever page they are on, and what the caller may not see
// changes nothing: what is below a hidden record begins at the left.
func TestTreesAreListedAsTrees(t *testing.T) {
	t.Parallel()
	s, reg, _ := open(t)
	regions := reg.Type("dcim.region")
	parents := plantRegions(t, s, reg, 300)
	for who, scope := range map[string]access.Scope{"everybody": access.Machine(), "nobody with an x": seesNoX(t, regions)} {
		flat, err := s.List(t.Context(), regions, store.Query{Scope: scope, Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		want, _ := planted(flat.Rows, parents)
		if hidden := 300 - len(flat.Rows); (hidden == 0) != (who == "everybody") {
			t.Fatalf("%s: %d regions are hidden", who, hidden)
		}
		for _, limit := range []int{7, 300, 1000} {
			var got []string
			for offset := 0; ; offset += limit {
				page, err := s.List(t.Context(), regions, store.Query{Scope: scope, Tree: true, Limit: limit, Offset: offset,
					Count: store.CountCapped, View: record.View{Only: []string{"id", "name"}}})
				if err != nil {
					t.Fatal(err)
				}
				if page.Count != int64(len(flat.Rows)) || page.Offset != offset || len(page.Depths) != len(page.Rows) {
					t.Fatalf("%s: a page at %d of %d, with %d depths for %d rows", who, page.Offset, page.Count, len(page.Depths), len(page.Rows))
				}
				got = append(got, outlineOf(page)...)
				if !page.More {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, by %d:\n got %v\nwant %v", who, limit, got, want)
			}
		}
	}
}

// TestFilteredTrees: only what a filter or a search finds makes up the tree. What is below something else begins at the left.
func TestFilteredTrees(t *testing.T) {
	t.Parallel()
	s, reg, _ := open(t)
	regions := reg.Type("dcim.region")
	parents := plantRegions(t, s, reg, 100)
	isBelow := record.Predicate{Field: regions.Field("parent"), Lookup: record.Not, Values: []any{nil}}
	for search, where := range map[string][]record.Predicate{"": {isBelow}, "r": {isBelow}, "x": nil} {
		q := store.Query{Scope: access.Machine(), Where: where, Search: search, Limit: 100}
		flat, err := s.List(t.Context(), regions, q)
		if err != nil {
			t.Fatal(err)
		}
		want, deepest := planted(flat.Rows, parents)
		if len(want) == 100 || deepest == 0 {
			t.Fatalf("q=%s finds %d regions, the deepest at %d", search, len(want), deepest)
		}
		q.Tree = true
		tree, err := s.List(t.Context(), regions, q)
		if got := outlineOf(tree); err != nil || !slices.Equal(got, want) {
			t.Errorf("q=%s (%v):\n got %v\nwant %v", search, err, got, want)
		}
	}
}

// TestLargeTreesAreFlat: a list of more than MostOutlined records is in the type's own order, and goes on with a cursor.
func TestLargeTreesAreFlat(t *testing.T) {
	t.Parallel()
	s, reg, _ := open(t)
	regions := reg.Type("dcim.region")
	plantRegions(t, s, reg, store.MostOutlined+1)
	q := store.Query{Scope: access.Machine(), Tree: true, Limit: 50, Count: store.CountCapped}
	page, err := s.List(t.Context(), regions, q)
	if err != nil || page.Depths != nil || len(page.Rows) != 50 || page.Next == "" {
		t.Errorf("%d rows, depths %v, next %q (%v)", len(page.Rows), page.Depths, page.Next, err)
	}
	id := record.Predicate{Lookup: record.Less, Values: []any{int64(store.MostOutlined + 1)}}
	q.Where = []record.Predicate{id}
	if page, err = s.List(t.Context(), regions, q); err != nil || len(page.Depths) != 50 || page.Count != store.MostOutlined {
		t.Errorf("one fewer: %d depths of %d rows (%v)", len(page.Depths), page.Count, err)
	}
}

// TestFlatListsOfTrees: a list in another order is flat, and so is one that can't be read as a whole in the time for its count.
func TestFlatListsOfTrees(t *testing.T) {
	t.Parallel()
	s, reg, _ := open(t)
	regions := reg.Type("dcim.region")
	plantRegions(t, s, reg, 50)
	for name, q := range map[string]store.Query{
		"in another order": {Order: []string{"-name"}},
		"slow to read":     {Count: store.CountCapped, CountTime: time.Nanosecond},
	} {
		q.Scope, q.Tree, q.Limit = access.Machine(), true, 20
		page, err := s.List(t.Context(), regions, q)
		if err != nil || len(page.Rows) != 20 || page.Depths != nil || page.Next == "" || page.Counted != (q.CountTime == 0) {
			t.Errorf("%s: %d rows, depths %v, next %q, counted %v (%v)", name, len(page.Rows), page.Depths, page.Next, page.Counted, err)
		}
	}
}

// slowTrees lets the statement that reads a whole tree take longer than it may, and notes whether anything is counted.
type slowTrees struct{ counted atomic.Bool }

func (s *slowTrees) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

func (s *slowTrees) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (s *slowTrees) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	for _, q := range data.Batch.QueuedQueries {
		if strings.HasPrefix(q.SQL, "WITH few") {
			<-ctx.Done()
		} else if strings.HasPrefix(q.SQL, "SELECT count(*)") {
			s.counted.Store(true)
		}
	}
	return ctx
}

func (s *slowTrees) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

func (s *slowTrees) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// TestSlowTreesAreNotCounted: a list that was too slow to be read as a tree has used up the time for its count.
func TestSlowTreesAreNotCounted(t *testing.T) {
	t.Parallel()
	slow := &slowTrees{}
	s, reg, _ := storetest.Open(t, slow)
	plantRegions(t, s, reg, 50)
	isBelow := record.Predicate{Field: reg.Type("dcim.region").Field("parent"), Lookup: record.Not, Values: []any{nil}}
	q := store.Query{Scope: access.Machine(), Where: []record.Predicate{isBelow}, Tree: true, Limit: 20, Count: store.CountCapped,
		CountTime: time.Second}
	page, err := s.List(t.Context(), reg.Type("dcim.region"), q)
	if err != nil || len(page.Rows) != 20 || page.Depths != nil || page.Counted || slow.counted.Load() {
		t.Errorf("%d rows, depths %v, %d counted: %v, %v (%v)", len(page.Rows), page.Depths, page.Count, page.Counted, slow.counted.Load(), err)
	}
	slow.counted.Store(false)
	q.Tree = false
	if page, err = s.List(t.Context(), reg.Type("dcim.region"), q); err != nil || !page.Counted || !slow.counted.Load() {
		t.Errorf("a flat list is counted: %v, %v (%v)", page.Counted, slow.counted.Load(), err)
	}
}

// TestNothingBefore: a page that ends before the first record, because those there were deleted, leads nowhere.
func TestNothingBefore(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	regions := reg.Type("dcim.region")
	if err := fill.New(s, 1).Fill(t.Context(), regions, 2, fill.Recipe{"parent": func(fill.Row) any { return nil }}); err != nil {
		t.Fatal(err)
	}
	second, err := s.List(t.Context(), regions, store.Query{Scope: access.Machine(), Limit: 1, Offset: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(t.Context(), "DELETE FROM dcim_region WHERE id <> $1", second.Rows[0].ID()); err != nil {
		t.Fatal(err)
	}
	page, err := s.List(t.Context(), regions, store.Query{Scope: access.Machine(), Limit: 1, Cursor: second.Prev})
	if err != nil || len(page.Rows) != 0 || page.More {
		t.Errorf("%d rows, and more: %v (%v)", len(page.Rows), page.More, err)
	}
}

// TestCountsIncludeWhatIsBelow: the number of sites of a region is that of the list of sites in it, as far as the caller may see the
// regions between.
func TestCountsIncludeWhatIsBelow(t *testing.T) {
	t.Parallel()
	s, reg, _ := open(t)
	regions, sites := reg.Type("dcim.region"), reg.Type("dcim.site")
	plantRegions(t, s, reg, 100)
	for who, caller := range map[string]func(*record.Type) access.Scope{
		"everybody":        func(*record.Type) access.Scope { return access.Machine() },
		"nobody with an x": func(of *record.Type) access.Scope { return seesNoX(t, of) },
	} {
		page, err := s.List(t.Context(), regions, store.Query{Scope: caller(regions), Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		most := int64(0)
		for _, r := range page.Rows {
			in := record.Predicate{Field: sites.Field("region"), Subtree: true, Values: []any{r.ID()}}
			list, err := s.List(t.Context(), sites, store.Query{Scope: caller(sites), Where: []record.Predicate{in}, Limit: 1})
			if err != nil || list.Count != r.Int("site_count") {
				t.Errorf("%s: region %d counts %d sites of %d (%v)", who, r.ID(), r.Int("site_count"), list.Count, err)
			}
			most = max(most, list.Count)
		}
		if most < 3 {
			t.Errorf("%s: no region has others with sites below it", who)
		}
	}
}

// TestTreesAreWalkedByIndex: each step up or down a tree finds its records by an index, in a tree of some thousand records too, of which
// PostgreSQL would rather read all.
func TestTreesAreWalkedByIndex(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	regions := reg.Type("dcim.region")
	plantRegions(t, s, reg, 1000)
	if _, err := db.Exec(t.Context(), "ANALYZE dcim_region"); err != nil {
		t.Fatal(err)
	}
	statements, err := store.ListStatement(s, regions, store.Query{Scope: access.Machine(), Limit: 10, Count: store.CountNone})
	if err != nil {
		t.Fatal(err)
	}
	_, page, _ := strings.Cut(statements, ";")
	plan := genericPlan(t, db, page)
	for _, reads := range []string{"Index Cond: (id = above.parent_id)", "Index Cond: (parent_id = down.id)"} {
		if !strings.Contains(plan, reads) {
			t.Errorf("nothing is read by %s:\n%s", reads, plan)
		}
	}
}
