package store_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/access"
	"terrier/internal/dbtest"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/test/storetest"
)

// TestSearchLooksAtTheNewest: a search of deliveries reads the newest that pass the filters, so that it costs the
// same however many are kept; a filter by time leads it further back.
func TestSearchLooksAtTheNewest(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	deliveries := reg.Type(store.DeliveryType)
	newest := deliveries.SearchNewest
	now := time.Now().UTC().Truncate(time.Millisecond)
	milliseconds, shift, _ := record.TimedIDs(now)
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := db.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`INSERT INTO extras_objectchange (id, changed_at, user_name, request_id, action, object_type, object_id, object_repr, version, data)
		SELECT i, $1::timestamptz + i * interval '1 us', '', gen_random_uuid(), 'create', 'dcim.site', i,
			CASE WHEN i IN (1, 2, $2::bigint / 2) THEN 'Needle ' ELSE 'Hay ' END || i, 1, '' FROM generate_series(1, $2 + 2) i`, now, newest)
	exec(`INSERT INTO extras_delivery (id, changed_at, change_id, webhook_id, version, event, object_type, object_id, request_id,
			state, round, tries, attempt_count, job_id, queued_at, reason)
		SELECT $1 + c.id, c.changed_at, c.id, 7, 1, 'created', c.object_type, c.object_id, c.request_id, 'successful', 1, 1, 1, c.id,
			c.changed_at, '' FROM extras_objectchange c`, milliseconds<<shift)
	find := func(where ...record.Predicate) store.Page {
		t.Helper()
		page, err := s.List(t.Context(), deliveries, store.Query{Scope: access.Machine(), Where: where, Search: "needle", Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		return page
	}
	if page := find(); page.Count != 1 || len(page.Rows) != 1 || page.Rows[0].Int("object_id") != int64(newest/2) {
		t.Errorf("found %d, %v", page.Count, page.Rows)
	}
	before := record.Predicate{Field: deliveries.Field("time"), Lookup: record.Less,
		Values: []any{now.Add(time.Duration(newest/4) * time.Microsecond)}}
	if page := find(before); page.Count != 2 || len(page.Rows) != 2 {
		t.Errorf("before the last ones: found %d, %v", page.Count, page.Rows)
	}
}

// searchPieces are what texts and searches are made of: letters that fold in their own ways, wildcards of LIKE, and characters that
// are no letters.
var searchPieces = strings.Split("a b c A B C 1 22 ab abc ABCD é É ß ẞ ss i I ı İ ö Ö ж Ж 日 本 語 😀 "+
	"% _ \\ \\\\ \t \x01 \x1f ' \" . - / e\u0301 ﬁ ǅ Σ ς"+
	" \u200d \u00a0", " ")

func randomText(r *rand.Rand, most int) string {
	var b strings.Builder
	for range r.IntN(most + 1) {
		switch piece := r.IntN(len(searchPieces) + 3); {
		case piece < len(searchPieces):
			b.WriteString(searchPieces[piece])
		case piece == len(searchPieces):
			b.WriteString("\n")
		default:
			b.WriteString(" ")
		}
	}
	return b.String()
}

// fillRegions makes regions with these descriptions. A search looks into names, slugs and descriptions.
func fillRegions(t *testing.T, db *pgxpool.Pool, names, descriptions []string) {
	t.Helper()
	_, err := db.Exec(t.Context(), `INSERT INTO dcim_region (version, name, slug, description, tags, custom_fields, created, last_updated)
		SELECT 1, name, 'slug-' || i, description, '{}', '{}', now(), now()
		FROM unnest($1::text[], $2::text[]) WITH ORDINALITY x (name, description, i)`, names, descriptions)
	if err != nil {
		t.Fatal(err)
	}
}

// found reads all pages of a search and returns the ids in ascending order.
func found(t *testing.T, s *store.Store, typ *record.Type, scope access.Scope, text string) (ids []int64) {
	t.Helper()
	q := store.Query{Scope: scope, Search: text, Limit: 700}
	for {
		page, err := s.List(t.Context(), typ, q)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		for _, v := range page.Rows {
			ids = append(ids, v.ID())
		}
		if page.Next == "" {
			if page.Count != int64(len(ids)) {
				t.Fatalf("%q: found %d, and the count is %d", text, len(ids), page.Count)
			}
			slices.Sort(ids)
			return ids
		}
		q.Cursor = page.Next
	}
}

// TestSearchEqualsScan compares searches with one that looks for the text, and for each of its words, in each text of each record.
// The index is used for those that it can be used for.
func TestSearchEqualsScan(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	regions := reg.Type("dcim.region")
	r := rand.New(rand.NewPCG(1, 2))
	var names, descriptions []string
	for i := range 2000 {
		names, descriptions = append(names, fmt.Sprint(i, randomText(r, 8))), append(descriptions, randomText(r, 12))
	}
	fillRegions(t, db, names, descriptions)
	hits, indexed := 0, 0
	for i := range 1000 {
		text := randomText(r, 4)
		if i%2 == 0 { // something that is there
			from := []rune(descriptions[r.IntN(len(descriptions))])
			at := r.IntN(len(from) + 1)
			text = string(from[at:min(len(from), at+1+r.IntN(6))])
		}
		if text == "" {
			continue
		}
		rows, err := db.Query(t.Context(), `SELECT id FROM dcim_region
			WHERE strpos(lower(name COLLATE natural_order), lower($1 COLLATE natural_order)) > 0
			OR strpos(lower(slug COLLATE natural_order), lower($1 COLLATE natural_order)) > 0
			OR strpos(lower(description COLLATE natural_order), lower($1 COLLATE natural_order)) > 0
			OR cardinality($2::text[]) > 0 AND NOT EXISTS (SELECT FROM unnest($2::text[]) w (word)
				WHERE strpos(lower(name COLLATE natural_order), lower(word COLLATE natural_order)) = 0
				AND strpos(lower(slug COLLATE natural_order), lower(word COLLATE natural_order)) = 0
				AND strpos(lower(description COLLATE natural_order), lower(word COLLATE natural_order)) = 0) ORDER BY id`,
			text, regions.SearchWords(text))
		if err != nil {
			t.Fatal(err)
		}
		want, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil {
			t.Fatal(err)
		}
		if got := found(t, s, regions, access.Machine(), text); !slices.Equal(got, want) {
			t.Fatalf("%q finds %d regions, want %d\ngot  %v\nwant %v", text, len(got), len(want), got, want)
		}
		hits += len(want)
		if s.CanUseIndex(regions, text) {
			indexed++
		}
	}
	if hits < 1000 || indexed < 100 {
		t.Errorf("the words test little: %d hits, %d words with a trigram", hits, indexed)
	}
}

// TestSearchOfMany: a word in more records than are looked up by their ids finds them all, page by page and in order.
func TestSearchOfMany(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	const many, rare = 11_000, 300
	var names, descriptions []string
	for i := range many + 500 {
		names = append(names, fmt.Sprint("region ", i))
		switch {
		case i%(many/rare) == 0 && i < many:
			descriptions = append(descriptions, "common and rare")
		case i < many:
			descriptions = append(descriptions, "common")
		default:
			descriptions = append(descriptions, "")
		}
	}
	fillRegions(t, db, names, descriptions)
	regions := reg.Type("dcim.region")
	if got := len(found(t, s, regions, access.Machine(), "Common")); got != many {
		t.Errorf("found %d, want %d", got, many)
	}
	if got := len(found(t, s, regions, access.Machine(), "rare")); got < rare || got > rare+10 {
		t.Errorf("found %d, want about %d", got, rare)
	}
	page, err := s.List(t.Context(), regions, store.Query{Scope: access.Machine(), Search: "common", Limit: 3, Order: []string{"-name"}})
	if err != nil || page.Count != many || page.Rows[0].Text("name") != fmt.Sprint("region ", many-1) {
		t.Errorf("%v, %d, %v", err, page.Count, page.Rows)
	}
	narrow := record.Predicate{Field: regions.Field("name"), Lookup: record.Starts, Values: []any{"region 11"}}
	page, err = s.List(t.Context(), regions, store.Query{Scope: access.Machine(), Search: "common", Limit: 3,
		Where: []record.Predicate{narrow}})
	if err != nil || page.Count != 111 {
		t.Errorf("%v: with a filter the count is %d, want 111", err, page.Count)
	}
}

// TestSearchOfManyAtTheEnd: a word that only the last records of a list have is found in any order, from anywhere, without reading the
// list up to them.
func TestSearchOfManyAtTheEnd(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	const other, many, limit = 15_000, 11_000, 40
	var names, descriptions []string
	for i := range other + many {
		word := "north"
		if i >= other {
			word = "zenith"
		}
		names, descriptions = append(names, fmt.Sprint(word, " ", i)), append(descriptions, fmt.Sprint("near ", i%100))
	}
	fillRegions(t, db, names, descriptions)
	exec(t, db, "VACUUM ANALYZE dcim_region")
	regions := reg.Type("dcim.region")
	read := func(q store.Query) store.Page {
		t.Helper()
		q.Scope, q.Search, q.Limit, q.Count = access.Machine(), "ZENITH", limit, store.CountCapped
		page, err := s.List(t.Context(), regions, q)
		if err != nil || !page.Capped {
			t.Fatalf("%v: %v, capped: %t", q.Order, err, page.Capped)
		}
		return page
	}
	for order, by := range map[string]string{"": "name", "-name": "name DESC", "id": "id", "-id": "id DESC", "slug": "slug",
		"-description": "description DESC, id DESC"} {
		rows, err := db.Query(t.Context(), "SELECT id FROM dcim_region WHERE name LIKE 'zenith%' ORDER BY "+by)
		if err != nil {
			t.Fatal(err)
		}
		all, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil {
			t.Fatal(err)
		}
		q := store.Query{}
		if order != "" {
			q.Order = []string{order}
		}
		for _, q.Offset = range []int{0, 5000, many - limit - limit/2} {
			page := read(q)
			same(t, order, page.Rows, all[q.Offset:q.Offset+limit])
			next := read(store.Query{Order: q.Order, Cursor: page.Next})
			same(t, order, next.Rows, all[q.Offset+limit:min(many, q.Offset+2*limit)])
			same(t, order, read(store.Query{Order: q.Order, Cursor: next.Prev}).Rows, all[q.Offset:q.Offset+limit])
		}
	}
}

// same compares the ids of records.
func same(t *testing.T, what string, rows []record.Values, want []int64) {
	t.Helper()
	got := make([]int64, len(rows))
	for i, v := range rows {
		got[i] = v.ID()
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q: got %v, want %v", what, got, want)
	}
}

// TestSearchIsLookedUpOnce: the pages of many hits that follow the first don't look the search up again, whether the list is counted or
// not.
func TestSearchIsLookedUpOnce(t *testing.T) {
	t.Parallel()
	counter := &dbtest.Counter{}
	s, reg, db := storetest.Open(t, counter)
	names, descriptions := make([]string, 11_000), make([]string, 11_000)
	for i := range names {
		names[i], descriptions[i] = fmt.Sprint("region ", i), "common"
	}
	fillRegions(t, db, names, descriptions)
	for mode, first := range map[store.CountMode]int64{store.CountExact: 3, store.CountCapped: 2, store.CountNone: 2} {
		q := store.Query{Scope: access.Machine(), Search: "common", Limit: 10, Count: mode}
		for _, want := range []int64{first, 1, 1} {
			var page store.Page
			var err error
			if n := counter.During(func() { page, err = s.List(t.Context(), reg.Type("dcim.region"), q) }); err != nil || n != want {
				t.Fatalf("count mode %d: %d statements, want %d (%v)", mode, n, want, err)
			}
			q.Cursor = page.Next
		}
	}
}

// TestSearchWalksNotFar: a page of many hits reads only so much of the list in its order.
func TestSearchWalksNotFar(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	names, descriptions := make([]string, 30_000), make([]string, 30_000)
	for i := range names {
		names[i] = fmt.Sprint("region ", i)
		if i >= 15_000 {
			descriptions[i] = "common"
		}
	}
	fillRegions(t, db, names, descriptions)
	exec(t, db, "VACUUM ANALYZE dcim_region")
	sql, args := s.PageOfMany(reg.Type("dcim.region"), store.Query{Scope: access.Machine(), Search: "common", Limit: 50})
	plan := explained(t, db, "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) "+sql, args...)
	for _, removed := range regexp.MustCompile(`Rows Removed by Filter: (\d+)`).FindAllStringSubmatch(plan, -1) {
		if n, err := strconv.Atoi(removed[1]); err != nil || n > 11_000 {
			t.Errorf("%d records are read and do not match:\n%s", n, plan)
		}
	}
}
