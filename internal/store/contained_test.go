package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// TestFiltersByPartsEqualScans: filters by a part of a text find the same records with the index of the search and without it, on
// every page, and as many as are counted.
func TestFiltersByPartsEqualScans(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	regions := reg.Type("dcim.region")
	r := rand.New(rand.NewPCG(3, 4))
	var names, descriptions []string
	for i := range 2000 {
		names, descriptions = append(names, fmt.Sprint(i, randomText(r, 8))), append(descriptions, randomText(r, 12))
	}
	fillRegions(t, db, names, descriptions)
	part := func(of []string) string {
		from := []rune(of[r.IntN(len(of))])
		at := r.IntN(len(from) + 1)
		return string(from[at:min(len(from), at+3+r.IntN(3))])
	}
	var tests [][]record.Predicate
	for range 120 {
		lookup := []record.Lookup{record.Contains, record.Contains, record.NotContains, record.Starts, record.Ends}[r.IntN(5)]
		field, of := "name", names
		if r.IntN(2) == 0 {
			field, of = "description", descriptions
		}
		p := record.Predicate{Field: regions.Field(field), Lookup: lookup}
		for range 1 + r.IntN(3) {
			p.Values = append(p.Values, part(of))
		}
		other := record.Predicate{Field: regions.Field("description"), Lookup: record.Contains, Values: []any{part(descriptions)}}
		tests = append(tests, []record.Predicate{p, other})
	}
	list := func(where []record.Predicate) (ids []int64) {
		t.Helper()
		q := store.Query{Scope: access.Machine(), Where: where, Limit: 100}
		for {
			page, err := s.List(t.Context(), regions, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range page.Rows {
				ids = append(ids, v.ID())
			}
			if page.Next == "" {
				if page.Count != int64(len(ids)) {
					t.Fatalf("%v: %d records, and the count is %d", where, len(ids), page.Count)
				}
				return ids
			}
			q.Cursor = page.Next
		}
	}
	found, indexed := make([][]int64, len(tests)), 0
	hits := 0
	for i, where := range tests {
		found[i] = list(where)
		hits += len(found[i])
		if _, ok := store.LookUp(t.Context(), s, regions, store.Query{Scope: access.Machine(), Where: where, Limit: 100}); ok {
			indexed++
		}
	}
	exec(t, db, "DROP INDEX dcim_region_search")
	for i, where := range tests {
		if without := list(where); !slices.Equal(found[i], without) {
			t.Errorf("%v %q: %d with the index, %d without", where[0].Lookup, where[0].Values, len(found[i]), len(without))
		}
	}
	if hits < 40 || indexed < 20 {
		t.Errorf("the filters test little: %d hits, %d with a trigram", hits, indexed)
	}
}

// TestFiltersByPartsUseTheIndex: the records with one of many parts of a text are found through the index of the search. A part that most
// records have, or of fewer than three letters, is looked for in the order of the list.
func TestFiltersByPartsUseTheIndex(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	regions := reg.Type("dcim.region")
	var names, descriptions []string
	for i := range 30_000 {
		names, descriptions = append(names, fmt.Sprint("region ", i)), append(descriptions, fmt.Sprintf("word%05d common", i))
	}
	fillRegions(t, db, names, descriptions)
	exec(t, db, "VACUUM ANALYZE dcim_region")
	query := func(values ...any) store.Query {
		return store.Query{Scope: access.Machine(), Limit: 50, Where: []record.Predicate{
			{Field: regions.Field("description"), Lookup: record.Contains, Values: values}}}
	}
	var fifty []any
	for i := range 50 {
		fifty = append(fifty, fmt.Sprintf("RD%05d", i*7))
	}
	for _, values := range [][]any{{"word00777"}, fifty} {
		q := query(values...)
		sql, _ := store.ContainedStatement(s, regions, q, values)
		if plan := genericPlan(t, db, sql, "{x}", "{x}"); !strings.Contains(plan, " dcim_region_search ") ||
			strings.Contains(plan, "Seq Scan on dcim_region") {
			t.Errorf("%d values are not looked up in the index:\n%s\n%s", len(values), sql, plan)
		}
		page, err := s.List(t.Context(), regions, q)
		if err != nil || page.Count != int64(len(values)) || len(page.Rows) != len(values) {
			t.Errorf("%v: found %d of %d, want %d", err, len(page.Rows), page.Count, len(values))
		}
		if ids, ok := store.LookUp(t.Context(), s, regions, q); !ok || len(ids) != len(values) {
			t.Errorf("a list looks %d up, want %d", len(ids), len(values))
		}
	}
	page, err := s.List(t.Context(), regions, query("common"))
	if err != nil || page.Count != 30_000 || len(page.Rows) != 50 {
		t.Errorf("%v: found %d of %d", err, len(page.Rows), page.Count)
	}
	if store.UsesIndexFor(s, regions, query("wo").Where) {
		t.Error("two letters are looked up in the index")
	}
}

// TestFiltersByPartsOfLongTexts: where the index leads to long texts, which PostgreSQL reads to compare, a filter by a part of a short one
// soon stops to use it.
func TestFiltersByPartsOfLongTexts(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	regions := reg.Type("dcim.region")
	var names, descriptions []string
	for i := range 120 {
		names, descriptions = append(names, fmt.Sprint("Long ", i)), append(descriptions, strings.Repeat("- ", 500_000))
	}
	fillRegions(t, db, names, descriptions)
	exec(t, db, "VACUUM ANALYZE dcim_region")
	q := store.Query{Scope: access.Machine(), Limit: 2, Count: store.CountNone, View: record.View{Brief: true}, Where: []record.Predicate{
		{Field: regions.Field("name"), Lookup: record.Contains, Values: []any{"long"}}}}
	sql, args := store.ContainedStatement(s, regions, q, q.Where[0].Values)
	began := time.Now()
	if _, err := db.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
	lookup := time.Since(began)
	began = time.Now()
	page, err := s.List(t.Context(), regions, q)
	list := time.Since(began)
	if err != nil || len(page.Rows) != 2 {
		t.Fatalf("%v: %d records", err, len(page.Rows))
	}
	if store.LooksUp(s, regions) {
		t.Error("the next list tries the index again")
	}
	if list > time.Second/2 && list > lookup/2 {
		t.Errorf("the list takes %v, and the index alone %v", list, lookup)
	}
}
