package api_test

import (
	"net/http"
	"strings"
	"testing"

	"terrier/internal/store"
	"terrier/test/apitest"
)

// TestCapped: count=capped stops counting after 10,000 records and says so. The parameter and the count are in the links to other pages.
func TestCapped(t *testing.T) {
	t.Parallel()
	const tags, found = "/api/extras/tags/", store.CountCap + 100
	s := apitest.New(t)
	admin := adminOf(s)
	if _, err := s.DB.Exec(t.Context(), `INSERT INTO extras_tag (version, name, slug, color, description, created, last_updated)
		SELECT 1, 'n' || i, 's' || i, '', CASE WHEN i > $1 THEN 'few' ELSE 'many' END, now(), now() FROM generate_series(1, $1 + 3) i`,
		found); err != nil {
		t.Fatal(err)
	}
	get := func(t *testing.T, path string, count int64, header string) apitest.Page {
		t.Helper()
		a := admin.get(t, path).Want(t, http.StatusOK)
		if got := a.Page(t).Count; got != count || a.Header.Get("X-Count") != header {
			t.Errorf("%s: count %d, X-Count %q, want %d and %q", path, got, a.Header.Get("X-Count"), count, header)
		}
		return a.Page(t)
	}
	get(t, tags+"?description=many", found, "")
	get(t, tags+"?description=many&count=exact", found, "")
	get(t, tags+"?description=few&count=capped", 3, "")
	first := get(t, tags+"?description=many&count=capped", store.CountCap+1, "capped")
	if strings.Count(*first.Next, "count=capped") != 1 {
		t.Error(*first.Next)
	}
	second := get(t, local(t, s, first.Next), store.CountCap+1, "capped")
	third := get(t, local(t, s, second.Next), store.CountCap+1, "capped")
	get(t, local(t, s, third.Previous), store.CountCap+1, "capped")
	get(t, strings.Replace(local(t, s, first.Next), "count=capped", "count=exact", 1), found, "")

	path, count, _ := strings.Cut(local(t, s, get(t, tags+"?description=few&limit=1", 3, "").Next), ".")
	rest := strings.TrimPrefix(count, "3")
	get(t, path+rest, 3, "") // a cursor without a count
	get(t, path+".2"+rest, 2, "")
	for _, forged := range []string{".", ".-3", ".3x", ".c", ".3.3"} {
		if errs := admin.get(t, path+forged+rest).Want(t, http.StatusBadRequest).Object(t); errs["cursor"] == nil {
			t.Errorf("%s: %v", forged, errs)
		}
	}
}
