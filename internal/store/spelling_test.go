package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// spelling looks up a word in the names and texts of some types.
func spelling(t *testing.T, s *store.Store, scope access.Scope, word string, types ...*record.Type) store.Spelling {
	t.Helper()
	var in []store.SearchedType
	for _, typ := range types {
		in = append(in, store.SearchedType{Type: typ, Scope: scope})
	}
	found, err := s.Spellings(t.Context(), in, []string{word})
	if err != nil {
		t.Fatal(err)
	}
	return found[0]
}

// misspelled returns what a word becomes if a letter of it is wrong, missing or doubled, or two neighbors are swapped.
func misspelled(word string) (others []string) {
	r := []rune(word)
	for i := range r {
		before, after := string(r[:i]), string(r[i+1:])
		others = append(others, before+"y"+after, before+after, before+string(r[i])+string(r[i])+after)
		if i > 0 {
			others = append(others, string(r[:i-1])+string(r[i])+string(r[i-1])+after)
		}
	}
	return others
}

// TestSpellings: a name is found by each of its words with one letter wrong, missing or doubled, or two neighbors swapped, wherever
// that is in the word, in capitals or not. A word that some text has is right.
func TestSpellings(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	sites := reg.Type("dcim.site")
	const city, device = "Zürich Frankfurt", "fra1-sw01_a%"
	insertSite(t, db, city, "moved in May")
	insertSite(t, db, device, "")
	for name, in := range map[string]string{"frankfurt": city, "ZÜRICH": city, "fra1": device, "fra1-sw01": device, "sw01_a%": device} {
		for _, word := range misspelled(name) {
			got := spelling(t, s, access.Machine(), word, sites)
			if !got.Found && !slices.Contains(got.Names, in) {
				t.Errorf("%q: %+v, want %s, which has %s", word, got, in, name)
			}
		}
		if got := spelling(t, s, access.Machine(), name, sites); !got.Found {
			t.Errorf("%q is right, and it says %+v", name, got)
		}
	}
	for _, word := range []string{"moevd", "frnkfrt", "fra1xsw02", "%%%%", "____", "zzzzqqqq", "qwertyuiopasdfghjklzxcvbnm"} {
		if got := spelling(t, s, access.Machine(), word, sites); got.Found || got.Names != nil {
			t.Errorf("%q: %+v, want nothing", word, got)
		}
	}
	if got := spelling(t, s, access.Machine(), "moved", sites); !got.Found {
		t.Errorf("a word of a description is not found")
	}
}

// TestSpellingsKeepToTheScope: neither names nor words of records are returned that the caller may not see.
func TestSpellingsKeepToTheScope(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	insertSite(t, db, "Frankfurt", "secret")
	insertSite(t, db, "Frankfort", "seen")
	subject := &access.Subject{UserID: 7, Grants: []access.Grant{
		{Types: []string{"dcim.site"}, Actions: []string{"view"}, Constraints: json.RawMessage(`{"description": "seen"}`)}}}
	scope, err := (&access.Policy{}).Scope(subject, reg.Type("dcim.site"), access.View)
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]store.Spelling{"frankfrrt": {Names: []string{"Frankfort"}}, "frankfurt": {Names: []string{"Frankfort"}},
		"secret": {}, "seen": {Found: true}} {
		if got := spelling(t, s, scope, word, reg.Type("dcim.site")); got.Found != want.Found || !slices.Equal(got.Names, want.Names) {
			t.Errorf("%q: %+v, want %+v", word, got, want)
		}
	}
}

// TestSpellingsLeaveSlowTypesOut: a type that takes too long keeps no name of the others back.
func TestSpellingsLeaveSlowTypesOut(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	insertSite(t, db, "Frankfurt", "")
	other, err := db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Rollback(t.Context()) //nolint:errcheck // it is over
	if _, err := other.Exec(t.Context(), "LOCK TABLE dcim_region IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	defer cancel()
	found, err := s.Spellings(ctx, []store.SearchedType{{Type: reg.Type("dcim.region"), Scope: access.Machine()},
		{Type: reg.Type("dcim.site"), Scope: access.Machine()}}, []string{"frankfrt"})
	if err != nil || ctx.Err() != nil || !slices.Equal(found[0].Names, []string{"Frankfurt"}) {
		t.Errorf("found %+v: %v, %v", found, err, ctx.Err())
	}
}

// TestSpellingsUseTheIndex: words are looked up in the index. One that it can't find by its halves is not looked for in a large table.
func TestSpellingsUseTheIndex(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	names := make([]string, 20_000)
	for i := range names {
		names[i] = fmt.Sprint("Region ", i)
	}
	fillRegions(t, db, names, make([]string, len(names)))
	exec(t, db, "VACUUM ANALYZE dcim_region")
	plan := func(word string) string {
		t.Helper()
		sql, args := s.SpellingStatement(store.SearchedType{Type: reg.Type("dcim.region"), Scope: access.Machine()}, word)
		return explained(t, db, "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) "+sql, args...)
	}
	scan := regexp.MustCompile(`Seq Scan on dcim_region \S+ \(actual`)
	if got := plan("nothing"); scan.MatchString(got) || strings.Count(got, "Bitmap Index Scan on dcim_region_search") != 4 {
		t.Errorf("a word is looked up by\n%s", got)
	}
	if got := plan("rgei"); !scan.MatchString(got) {
		t.Errorf("a short word is looked up in a small table by\n%s", got)
	}
	exec(t, db, "UPDATE pg_class SET reltuples = 1000000 WHERE relname = 'dcim_region'")
	if got := plan("rgei"); scan.MatchString(got) {
		t.Errorf("a short word is looked up in a large table by\n%s", got)
	}
	if got := spelling(t, s, access.Machine(), "x-0/0/1", reg.Type("dcim.region")); !got.Found || got.Names != nil {
		t.Errorf("a word without a trigram may be in a large table, and it says %+v", got)
	}
}
