package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/access"
	"terrier/internal/dbtest"
	"terrier/internal/inventory"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/test/trial"
)

// makeIndexes makes the search indexes of the types and returns what it says.
func makeIndexes(t *testing.T, db *pgxpool.Pool, reg *record.Registry) (said []string) {
	t.Helper()
	err := store.MakeSearchIndexes(t.Context(), db.Config().ConnString(), reg.Types(), func(format string, args ...any) {
		said = append(said, fmt.Sprintf(format, args...))
	})
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// TestSearchThroughReferences: a search looks into texts of records that a record refers to, and of those that refer to it, as far as
// the caller may see them. With and without the indexes, it finds the same.
func TestSearchThroughReferences(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t, trial.Types()...)
	_, err := db.Exec(t.Context(), `
		INSERT INTO trial_shelf (id, version, name, places, tags, custom_fields, created, last_updated)
			SELECT i, 1, CASE i WHEN 1 THEN 'Aisle' WHEN 2 THEN 'Basement' ELSE 'Shelf ' || i END, 1, '{}', '{}', now(), now()
			FROM generate_series(1, 500) i;
		INSERT INTO trial_item (id, version, shelf_id, name, asset_tag, friends, weight, tags, custom_fields, created, last_updated)
			SELECT i, 1, 1 + i % 500, 'item ' || i, CASE i WHEN 1 THEN 'TAG-ONE' WHEN 2 THEN 'aisle-tag' END, '{}', 0, '{}', '{}', now(), now()
			FROM generate_series(1, 2000) i;
		ANALYZE`)
	if err != nil {
		t.Fatal(err)
	}
	shelves, items := reg.Type("trial.shelf"), reg.Type("trial.item")
	basement, err := (&access.Policy{}).Scope(&access.Subject{UserID: 7, Grants: []access.Grant{
		{Types: []string{"trial.item"}, Actions: []string{"view"}},
		{Types: []string{"trial.shelf"}, Actions: []string{"view"}, Constraints: json.RawMessage(`{"name": "Basement"}`)},
	}}, items, "view")
	if err != nil {
		t.Fatal(err)
	}
	for _, indexes := range []bool{false, true} {
		if indexes {
			makeIndexes(t, db, reg)
		}
		for _, test := range []struct {
			of   *record.Type
			text string
			want []int64
		}{
			{items, "AISLE", []int64{2, 500, 1000, 1500, 2000}}, // the shelf, and one by its own tag
			{items, "basement", []int64{1, 501, 1001, 1501}},
			{shelves, "tag-one", []int64{2}},
			{shelves, "aisle", []int64{1, 3}},
			{shelves, "le", []int64{1, 3}}, // too short for the index
			{items, "nothing of the kind", nil},
		} {
			if got := found(t, s, test.of, access.Machine(), test.text); !slices.Equal(got, test.want) {
				t.Errorf("with indexes %v, %q finds %s %v, want %v", indexes, test.text, test.of.Plural, got, test.want)
			}
		}
		all := searchAll(t, s, "basement", items)[0]
		if len(all.Hits) != 4 || all.Hits[0].Of != shelves || all.Hits[0].Field.Info().Name != "name" || all.Hits[0].Text != "Basement" {
			t.Errorf("with indexes %v, the search of all types finds %v", indexes, all.Hits)
		}
		for text, want := range map[string][]int64{"aisle": {2}, "basement": {1, 501, 1001, 1501}, "as": {1, 501, 1001, 1501}, "ai": {2}} {
			if got := found(t, s, items, basement, text); !slices.Equal(got, want) {
				t.Errorf("with indexes %v, who sees only the shelf Basement finds %v with %q, want %v", indexes, got, text, want)
			}
		}
	}
}

// TestSearchStaysInOneField: a text is not found in the end of one field and the beginning of the next.
func TestSearchStaysInOneField(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	fillRegions(t, db, []string{"north", "first\nline"}, []string{"", "two\nlines"})
	for text, want := range map[string]int{"north\nslug": 0, "slug-1": 1, "first\nline": 1, "line\nslug": 0, "TWO\nLINES": 1, "2\ntwo": 0} {
		if got := found(t, s, reg.Type("dcim.region"), access.Machine(), text); len(got) != want {
			t.Errorf("%q finds %v, want %d", text, got, want)
		}
	}
}

// TestSearchByValue: hardware addresses, names of storage ports, networks and addresses are found in any way of writing them.
func TestSearchByValue(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t, trial.Types()...)
	makeIndexes(t, db, reg)
	_, err := db.Exec(t.Context(), `
		INSERT INTO trial_shelf (id, version, name, places, tags, custom_fields, created, last_updated)
		VALUES (1, 1, 'S', 1, '{}', '{}', now(), now());
		INSERT INTO trial_port (id, version, shelf_id, name, mac_address, wwn, prefix, address, vlans, hosts, width, private, tags,
			custom_fields, created, last_updated)
		VALUES (1, 1, 1, 'p1', '00:1b:44:11:3a:b7', '50:06:01:60:3C:E0:1A:2B', '2001:db8::/32', '192.0.2.7/24', '{}', '{}', 19, false,
			'{}', '{}', now(), now()),
		       (2, 1, 1, 'p2', NULL, NULL, NULL, NULL, '{}', '{}', 19, false, '{}', '{}', now(), now())`)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]int64{
		"00:1B:44:11:3A:B7": {1}, "001b.4411.3ab7": {1}, "00-1b-44-11-3a-b7": {1}, "001B44113AB7": {1}, "44:11": {1}, "001b44113ab8": nil,
		"50060160-3ce01a2b": {1}, "500601603CE01A2B": {1}, "60:3c:e0": {1},
		"2001:0DB8:0:0::/32": {1}, "2001:db8": {1}, "192.0.2.7": {1}, "192.0.2.7/24": {1}, "192.0.2.7/25": nil, "192.0.2.8": nil,
		"null": nil,
	} {
		if got := found(t, s, reg.Type("trial.port"), access.Machine(), text); !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]string{"001b.4411.3ab7": "p1: mac_address 00:1B:44:11:3A:B7", "192.0.2.7": "p1: address 192.0.2.7/24"} {
		if got := shown(searchAll(t, s, text, reg.Type("trial.port"))[0]); len(got) != 1 || got[0] != want {
			t.Errorf("the search of all types for %q finds %q, want %q", text, got, want)
		}
	}
}

// TestSearchProvesTheClaim: a search that takes too long has proved its claim before, so that the request is not served again.
func TestSearchProvesTheClaim(t *testing.T) {
	t.Parallel()
	_, reg, db := open(t)
	s, err := store.Open(t.Context(), db.Config().ConnString()+"&statement_timeout=2s", reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	claim := &store.Claim{}
	if err := db.QueryRow(t.Context(), "SELECT n FROM users_generation").Scan(&claim.Generation); err != nil {
		t.Fatal(err)
	}
	search := func(claim *store.Claim) error {
		_, err := s.List(store.WithClaim(t.Context(), claim), reg.Type("dcim.region"),
			store.Query{Scope: access.Machine(), Search: "north", Limit: 1})
		return err
	}
	if err := search(&store.Claim{Generation: claim.Generation}); err != nil { // prepares it, which waits for locks, too
		t.Fatal(err)
	}
	err = pgx.BeginFunc(t.Context(), db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), "LOCK TABLE dcim_region"); err != nil {
			return err
		}
		return search(claim)
	})
	if err == nil || !claim.Proven {
		t.Errorf("%v, and the claim is proven: %t", err, claim.Proven)
	}
}

// TestMakeSearchIndexes: indexes are made once, and made again if one is unfinished or its declaration has changed.
func TestMakeSearchIndexes(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	if said := makeIndexes(t, db, reg); len(said) > 0 {
		t.Errorf("the indexes are there, and it says %q", said)
	}
	for _, damage := range []string{
		"DROP INDEX dcim_site_search",
		"COMMENT ON INDEX dcim_site_search IS 'another declaration'",
		"UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'dcim_site_search'::regclass",
	} {
		if _, err := db.Exec(t.Context(), damage); err != nil {
			t.Fatal(err)
		}
		if scan, err := s.SearchesScan(t.Context()); err != nil || !scan {
			t.Errorf("after %s the server does not warn: %v", damage, err)
		}
		if said := makeIndexes(t, db, reg); len(said) != 1 || said[0] != "made 1 search indexes" {
			t.Errorf("after %s it says %q", damage, said)
		}
	}
}

// TestExtensionInAnotherSchema: an administrator may have put the extension where statements don't look for it.
func TestExtensionInAnotherSchema(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	exec(t, db, "DROP EXTENSION pg_trgm CASCADE")
	exec(t, db, `CREATE SCHEMA "Exten, sions"`)
	exec(t, db, `CREATE EXTENSION pg_trgm SCHEMA "Exten, sions"`)
	makeIndexes(t, db, reg)
	if scan, err := s.SearchesScan(t.Context()); err != nil || scan {
		t.Errorf("with all indexes: %v, %v", scan, err)
	}
	if said := makeIndexes(t, db, reg); len(said) > 0 {
		t.Errorf("the indexes are there, and it says %q", said)
	}
	fillRegions(t, db, []string{"north", "south"}, []string{"", ""})
	if got := found(t, s, reg.Type("dcim.region"), access.Machine(), "NORTH"); len(got) != 1 {
		t.Errorf("found %v", got)
	}
}

// TestSearchWithoutTheExtension: where the extension can't be made, migrating says what to do, and searches find the same.
func TestSearchWithoutTheExtension(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	fillRegions(t, db, []string{"north", "south"}, []string{"", ""})
	if scan, err := s.SearchesScan(t.Context()); err != nil || scan {
		t.Errorf("with all indexes: %v, %v", scan, err)
	}
	if _, err := db.Exec(t.Context(), "DROP EXTENSION pg_trgm CASCADE"); err != nil {
		t.Fatal(err)
	}
	if scan, err := s.SearchesScan(t.Context()); err != nil || !scan {
		t.Errorf("without the extension: %v, %v", scan, err)
	}
	if got := found(t, s, reg.Type("dcim.region"), access.Machine(), "NORTH"); len(got) != 1 {
		t.Errorf("found %v", got)
	}
	if err := s.TidySearchIndexes(t.Context()); err != nil {
		t.Error(err)
	}
	name := pgx.Identifier{"nobody_" + db.Config().ConnConfig.Database}.Sanitize()
	if _, err := db.Exec(t.Context(), "CREATE ROLE "+name+" LOGIN"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := db.Exec(context.WithoutCancel(t.Context()), "DROP ROLE "+name); err != nil {
			t.Error(err)
		}
	})
	config := db.Config().ConnConfig
	url := fmt.Sprintf("postgres://%s@%s:%d/%s?sslmode=disable", strings.Trim(name, `"`), config.Host, config.Port, config.Database)
	var said []string
	err := store.MakeSearchIndexes(t.Context(), url, reg.Types(), func(format string, args ...any) {
		said = append(said, fmt.Sprintf(format, args...))
	})
	if err != nil || len(said) != 1 || !strings.Contains(said[0], "CREATE EXTENSION pg_trgm") {
		t.Errorf("%v; it says %q", err, said)
	}
}

// TestTrigramsOfTheLocale: in a database whose locale is C, PostgreSQL makes trigrams of ASCII alone. The locale is read where every
// supported release of PostgreSQL has it.
func TestTrigramsOfTheLocale(t *testing.T) {
	t.Parallel()
	here := dbtest.EmptyPool(t)
	config := here.Config().ConnConfig
	name := config.Database + "_c"
	exec(t, here, "CREATE DATABASE "+name+" TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
	t.Cleanup(func() {
		if _, err := here.Exec(context.WithoutCancel(t.Context()), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	reg, err := record.NewRegistry(inventory.Types()...)
	if err != nil {
		t.Fatal(err)
	}
	for database, isASCII := range map[string]bool{config.Database: false, name: true} {
		url := fmt.Sprintf("postgres://%s@%s:%d/%s?sslmode=disable", config.User, config.Host, config.Port, database)
		s, err := store.Open(t.Context(), url, reg, nil)
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range map[string]bool{"abc": true, "äöü": !isASCII} {
			if got := s.CanUseIndex(reg.Type("dcim.site"), text); got != want {
				t.Errorf("%s: %q has a trigram: %t, want %t", database, text, got, want)
			}
		}
		s.Close()
	}
}

// TestSearchUsesTheIndex: PostgreSQL reads the index for a text with a trigram, whatever it may expect of the text, and the table for any
// other.
func TestSearchUsesTheIndex(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	names, descriptions := make([]string, 20_000), make([]string, 20_000)
	for i := range names {
		names[i], descriptions[i] = fmt.Sprint("Region ", i), "common"
	}
	fillRegions(t, db, names, descriptions)
	if _, err := db.Exec(t.Context(), "VACUUM ANALYZE dcim_region"); err != nil {
		t.Fatal(err)
	}
	const index, table = "Bitmap Index Scan on dcim_region_search", "Seq Scan on dcim_region"
	for text, want := range map[string]string{"common": index, "nothing": index, "Region 777": index, "zq": table, "co": table,
		"a-b c_d": table, "10.0.0.1": index, "-ab": table} {
		sql, args := s.HitsStatement(reg.Type("dcim.region"), store.Query{Scope: access.Machine(), Search: text})
		if plan := explained(t, db, "EXPLAIN "+sql, args...); !strings.Contains(plan, want) {
			t.Errorf("the plan for %q is\n%s", text, plan)
		}
	}
}

// TestTidySearchIndexes: what was written waits in a list of the index until the upkeep merges it.
func TestTidySearchIndexes(t *testing.T) {
	t.Parallel()
	s, _, db := open(t)
	waiting := func() (pages int64) { // merges them, too
		t.Helper()
		if err := db.QueryRow(t.Context(), "SELECT gin_clean_pending_list('dcim_region_search')").Scan(&pages); err != nil {
			t.Fatal(err)
		}
		return pages
	}
	fillRegions(t, db, []string{"north"}, []string{"first"})
	if waiting() == 0 {
		t.Error("nothing waits to be merged")
	}
	exec(t, db, "UPDATE dcim_region SET description = 'second'")
	if err := s.TidySearchIndexes(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := waiting(); n > 0 {
		t.Errorf("%d pages still wait to be merged", n)
	}
}
