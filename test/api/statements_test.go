package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"terrier/internal/fill"
	"terrier/internal/store"
	"terrier/test/apitest"
)

// TestListsMakeAConstantNumberOfStatements checks for every type that a list makes as many statements for one record as for many, whatever
// it shows of them: references, counts, computed fields, or little.
func TestListsMakeAConstantNumberOfStatements(t *testing.T) {
	t.Parallel()
	s, wire := counted(t)
	s.CheckOnce = true
	db, err := store.Open(t.Context(), s.DB.Config().ConnString(), s.App.Registry, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	const many = 60
	g := fill.New(db, 7)
	for _, typ := range fill.Ordered(s.App.Registry.Types()) {
		if err := g.Fill(t.Context(), typ, many, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Fleet(t.Context(), 1000/fill.PortsEach); err != nil {
		t.Fatal(err)
	}
	// statements returns the least number of some requests, because now and then the server works on its own.
	statements := func(address string) int64 {
		least := int64(1 << 62)
		for range 3 { // the first prepares the statements
			wire.Statements.Store(0)
			if a := s.Do(t, apitest.Call{Method: http.MethodGet, Path: address, Token: s.Admin}); a.Status != http.StatusOK {
				t.Fatalf("%s: %d %s", address, a.Status, a.Raw)
			}
			least = min(least, wire.Statements.Load())
		}
		return least
	}
	for _, typ := range s.App.Registry.Types() {
		most := many
		if typ.Key() == "dcim.interface" {
			most = 1000
		}
		for _, view := range []string{"", "&brief=true", "&fields=id", "&ordering=-id", "&q=e"} {
			one := statements(fmt.Sprintf("%s?limit=1%s", typ.Path(), view))
			all := statements(fmt.Sprintf("%s?limit=%d%s", typ.Path(), most, view))
			if one != all {
				t.Errorf("%s%s: %d statements for one record and %d for %d", typ.Path(), view, one, all, most)
			}
			if one < 2 || one > 6 { // the caller's token, the page
				t.Errorf("%s%s: %d statements", typ.Path(), view, one)
			}
		}
	}
}
