package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// insertSite creates a site with a name and a description.
func insertSite(t *testing.T, db *pgxpool.Pool, name, description string) {
	t.Helper()
	exec(t, db, `INSERT INTO dcim_site (version, name, slug, status, facility, description, physical_address, shipping_address, comments, asns,
			tags, custom_fields, created, last_updated)
		VALUES (1, $1, md5($1), 'active', '', $2, '', '', '', '{}', '{}', '{}', now(), now())`, name, description)
}

func exec(t *testing.T, db *pgxpool.Pool, sql string, args ...any) {
	t.Helper()
	if _, err := db.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

// searchAll searches types for everything in them.
func searchAll(t *testing.T, s *store.Store, text string, types ...*record.Type) []store.Findings {
	t.Helper()
	in := make([]store.SearchedType, len(types))
	for i, typ := range types {
		in[i] = store.SearchedType{Type: typ, Scope: access.Machine()}
	}
	found, err := s.SearchAll(t.Context(), in, text)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// shown returns the names of the records that were found, with what matched.
func shown(found store.Findings) (lines []string) {
	for _, h := range found.Hits {
		lines = append(lines, fmt.Sprintf("%s: %s %s", h.Record.Display(), h.Field.Info().Name, h.Text))
	}
	return lines
}

// TestSearchAllRanks: exact matches come first, then names, then other texts. Among these a text that begins with what was searched for
// comes before one that has it as a word, and that before any other. What is alike is in the order of the list.
func TestSearchAllRanks(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	sites := reg.Type("dcim.site")
	for _, site := range [][2]string{{"a", "Seaport 7"}, {"b", "The old Port of Porto"}, {"c", "Portal"}, {"Airport 10", ""},
		{"Airport 2", ""}, {"New port, east", ""}, {"portmanteau", "port"}, {"PORT", "x"}, {"d", "pOrT"}, {"none", "50% of P_rt"}} {
		insertSite(t, db, site[0], site[1])
	}
	found := searchAll(t, s, "port", sites)[0]
	want := []string{"PORT: name PORT", "d: description pOrT", "portmanteau: description port", "New port, east: name New port, east",
		"Airport 2: name Airport 2", "Airport 10: name Airport 10", "c: description Portal", "b: description The old Port of Porto",
		"a: description Seaport 7"}
	if !slices.Equal(shown(found), want) || found.More || found.TooSlow {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(shown(found), "\n"), strings.Join(want, "\n"))
	}
	if rank := found.Hits[0].Rank; rank != store.NameExact {
		t.Errorf("the rank of the first is %d", rank)
	}
	for text, want := range map[string]string{"p_RT": "none: description 50% of P_rt", "50%": "none: description 50% of P_rt",
		`\`: "", "(port": "", "50% of P_rt": "none: description 50% of P_rt"} {
		if got := strings.Join(shown(searchAll(t, s, text, sites)[0]), "\n"); got != want {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
}

// TestSearchAllOfManyHits: ten are returned, and the best of them also if there are far more than are compared. In a large table they are
// found without the index.
func TestSearchAllOfManyHits(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	exec(t, db, `INSERT INTO dcim_site (version, name, slug, status, facility, description, physical_address, shipping_address, comments, asns,
			tags, custom_fields, created, last_updated)
		SELECT 1, 'An old ' || CASE WHEN i % 5 = 0 THEN i || ' harbour' ELSE i || '' END, i,
			'active', '', '', '', '', '', '{}', '{}', '{}', now(), now() FROM generate_series(1, 6000) i`)
	insertSite(t, db, "Harbour 12", "")
	insertSite(t, db, "harbour", "")
	insertSite(t, db, "Rare", "quokka")
	for _, rows := range []int{6000, 1_000_000} {
		exec(t, db, "UPDATE pg_class SET reltuples = $1 WHERE relname = 'dcim_site'", rows)
		found := searchAll(t, s, "HARBOUR", reg.Type("dcim.site"))[0]
		if len(found.Hits) != store.HitsEach || !found.More {
			t.Fatalf("found %d, more: %t", len(found.Hits), found.More)
		}
		want := []string{"harbour: name harbour", "Harbour 12: name Harbour 12", "An old 5 harbour: name An old 5 harbour"}
		if got := shown(found)[:len(want)]; !slices.Equal(got, want) {
			t.Errorf("as if there were %d rows, found %q, want %q", rows, got, want)
		}
		if got := shown(searchAll(t, s, "quokka", reg.Type("dcim.site"))[0]); !slices.Equal(got, []string{"Rare: description quokka"}) {
			t.Errorf("as if there were %d rows, the rare word finds %q", rows, got)
		}
	}
}

// TestSearchAllOfLogs: of logs only the newest records are searched, and it says so.
func TestSearchAllOfLogs(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	exec(t, db, `INSERT INTO extras_objectchange (id, changed_at, user_name, request_id, action, object_type, object_id, object_repr, version,
			data)
		SELECT i, now() + i * interval '1 us', '', gen_random_uuid(), 'create', 'dcim.site', i,
			CASE WHEN i IN (1, 2) THEN 'Needle ' ELSE 'Hay ' END || i, 1, '' FROM generate_series(1, $1::bigint + 1) i`, store.NewestSearched)
	found := searchAll(t, s, "needle", reg.Type(store.ChangeType), reg.Type("dcim.site"))
	if len(found[0].Hits) != 1 || found[0].Hits[0].Record.ID() != 2 || found[0].Newest != store.NewestSearched || found[1].Newest != 0 {
		t.Errorf("found %+v", found)
	}
}

// TestSearchAllCutsLongTexts: of a long text it returns what surrounds the match, in whole characters.
func TestSearchAllCutsLongTexts(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	insertSite(t, db, "a", strings.Repeat("ä", 500)+"Needle"+strings.Repeat("ö", 500))
	text := searchAll(t, s, "needle", reg.Type("dcim.site"))[0].Hits[0].Text
	if want := "…" + strings.Repeat("ä", 49) + "Needle" + strings.Repeat("ö", 101) + "…"; text != want {
		t.Errorf("the text is %q, want %q", text, want)
	}
}

// TestSearchAllPreparesOnce: texts of different lengths are searched with the same statements, and so are texts of as many words.
func TestSearchAllPreparesOnce(t *testing.T) {
	t.Parallel()
	s, reg, _ := open(t)
	prepared := func() (n int) {
		t.Helper()
		if err := store.ListPool(s).QueryRow(t.Context(), "SELECT count(*) FROM pg_prepared_statements").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	prepared() // this statement, too
	types := slices.DeleteFunc(slices.Clone(reg.Types()), func(t *record.Type) bool { return len(t.SearchFields()) == 0 })
	for _, texts := range [][2]string{{"lisbon", "lisbon-north"}, {"lisbon north", "longer texts"}} {
		searchAll(t, s, texts[0], types...)
		before := prepared()
		searchAll(t, s, texts[1], types...)
		if after := prepared(); after != before || before < len(types) {
			t.Errorf("%d statements are prepared after %q, %d after %q", before, texts[0], after, texts[1])
		}
	}
}

// TestSearchAllKeepsToTheScope: it finds no records outside the scope, also where it looks for names besides the first hits, and no text
// that the caller may not see.
func TestSearchAllKeepsToTheScope(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	for i := range 1200 {
		insertSite(t, db, fmt.Sprintf("%04d needle", i), "seen")
	}
	insertSite(t, db, "needle", "secret")
	insertSite(t, db, "Needle 1", "seen")
	request := "4c2b9c0e-3c6f-4a53-9a4e-0f4a1d9a7e11"
	insertDelivery(t, db, "Needle change", request)
	policy := &access.Policy{}
	subject := &access.Subject{UserID: 7, Grants: []access.Grant{
		{Types: []string{"dcim.site"}, Actions: []string{"view"}, Constraints: json.RawMessage(`{"description": "seen"}`)},
		{Types: []string{store.DeliveryType}, Actions: []string{"view"}}}}
	search := func(text string) [2]store.Findings {
		t.Helper()
		var in []store.SearchedType
		for _, key := range []string{"dcim.site", store.DeliveryType} {
			scope, err := policy.Scope(subject, reg.Type(key), access.View)
			if err != nil {
				t.Fatal(err)
			}
			in = append(in, store.SearchedType{Type: reg.Type(key), Scope: scope})
		}
		found, err := s.SearchAll(t.Context(), in, text)
		if err != nil {
			t.Fatal(err)
		}
		return [2]store.Findings(found)
	}
	found := search("needle")
	if first := shown(found[0])[0]; first != "Needle 1: name Needle 1" {
		t.Errorf("the first is %q", first)
	}
	if len(found[1].Hits) > 0 {
		t.Errorf("found a delivery by the name of a record whose change the caller may not see")
	}
	if found = search(request); len(found[1].Hits) != 1 {
		t.Errorf("found %d deliveries of the request", len(found[1].Hits))
	}
	subject.Grants = subject.Grants[:1]
	subject.Grants = append(subject.Grants, access.Grant{Types: []string{store.DeliveryType}, Actions: []string{"view"},
		Constraints: json.RawMessage(`{"state": "failed"}`)})
	if found = search(request); len(found[1].Hits) != 0 {
		t.Errorf("found %d deliveries outside the scope", len(found[1].Hits))
	}
}

// insertDelivery creates a change and its delivery, and returns the delivery's id.
func insertDelivery(t *testing.T, db *pgxpool.Pool, name, request string) (id int64) {
	t.Helper()
	now := time.Now().UTC().Truncate(time.Millisecond)
	milliseconds, shift, _ := record.TimedIDs(now)
	id = milliseconds<<shift + 1
	exec(t, db, `INSERT INTO extras_objectchange (id, changed_at, user_name, request_id, action, object_type, object_id, object_repr, version,
			data) VALUES (1, $1, '', $2::uuid, 'create', 'dcim.site', 1, $3, 1, '')`, now, request, name)
	exec(t, db, `INSERT INTO extras_delivery (id, changed_at, change_id, webhook_id, version, event, object_type, object_id, request_id,
			state, round, tries, attempt_count, job_id, queued_at, reason)
		SELECT $1, c.changed_at, c.id, 7, 1, 'created', c.object_type, c.object_id, c.request_id, 'successful', 1, 1, 1, c.id,
			c.changed_at, '' FROM extras_objectchange c`, id)
	return id
}

// TestSearchAllFindsIDs: the id of a delivery finds it, and the id of a request its changes and deliveries.
func TestSearchAllFindsIDs(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	request := "4c2b9c0e-3c6f-4a53-9a4e-0f4a1d9a7e11"
	deliveries, changes := reg.Type(store.DeliveryType), reg.Type(store.ChangeType)
	id := insertDelivery(t, db, "Lisbon", request)
	found := searchAll(t, s, deliveries.FormatID(id), deliveries, changes)
	if len(found[0].Hits) != 1 || found[0].Hits[0].Record.ID() != id || found[0].By != "id" || found[0].Hits[0].Field != nil {
		t.Errorf("the id of a delivery finds %+v", found[0])
	}
	if len(found[1].Hits) != 0 {
		t.Errorf("the id of a delivery finds a change")
	}
	for _, f := range searchAll(t, s, strings.ToUpper(request), deliveries, changes) {
		if len(f.Hits) != 1 || f.By != "request_id" || f.Hits[0].Field.Info().Name != "request_id" {
			t.Errorf("the id of a request finds %+v", f)
		}
	}
}

// TestSearchAllReportsSlowTypes: types that wait for a lock are stopped and reported. The others answer, whether the connection has
// prepared their statements or not.
func TestSearchAllReportsSlowTypes(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	types := []*record.Type{reg.Type("dcim.region"), reg.Type("dcim.site"), reg.Type("tenancy.tenant"),
		reg.Type("dcim.location"), reg.Type("extras.tag")}
	insertSite(t, db, "Lisbon", "")
	locked := []string{"dcim_region", "tenancy_tenant"}
	for _, prepared := range []bool{false, true} {
		if prepared {
			searchAll(t, s, "lisbon", types...)
		}
		other, err := db.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range locked {
			if _, err := other.Exec(t.Context(), "LOCK TABLE "+table+" IN ACCESS EXCLUSIVE MODE"); err != nil {
				t.Fatal(err)
			}
		}
		in := make([]store.SearchedType, len(types))
		for i, typ := range types {
			in[i] = store.SearchedType{Type: typ, Scope: access.Machine()}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
		found, err := s.SearchAll(ctx, in, "lisbon")
		if err != nil || ctx.Err() != nil {
			t.Fatal(err, ctx.Err())
		}
		cancel()
		for _, f := range found {
			if slow := slices.Contains(locked, f.Type.Table()); f.TooSlow != slow || len(f.Hits) > 0 != (f.Type.Name == "site") {
				t.Errorf("prepared: %t, %s: slow: %t, %d hits", prepared, f.Type.Key(), f.TooSlow, len(f.Hits))
			}
		}
		if err := other.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var limit string
	if err := store.ListPool(s).QueryRow(t.Context(), "SHOW statement_timeout").Scan(&limit); err != nil || limit != "10s" {
		t.Errorf("the connection is left with statement_timeout = %s (%v)", limit, err)
	}
}
