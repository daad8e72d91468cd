package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// many makes a query of n different values of one filter.
func many(key string, n int) string {
	params := url.Values{}
	for i := range n {
		params.Add(key, fmt.Sprint("x", i))
	}
	return "?" + params.Encode()
}

// TestSearchedTextsAreBounded: a filter that searches texts accepts 50 of them, however they are passed; one that
// compares for equality accepts as many as fit into an address.
func TestSearchedTextsAreBounded(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	admin.create(t, defs, obj{"name": "note", "type": "text", "content_types": []string{"dcim.site"}})
	for _, field := range []string{"name", "slug", "description", "cf_note"} {
		for _, lookup := range []string{"ic", "nic", "isw", "nisw", "iew", "niew", "ie", "nie"} {
			key := field + "__" + lookup
			admin.get(t, sites+many(key, 50)).Want(t, http.StatusOK)
			errs := admin.get(t, sites+many(key, 51)).Want(t, http.StatusBadRequest).Object(t)
			if fmt.Sprint(errs[key]) != "[Search for at most 50 texts at once; 51 were given.]" {
				t.Errorf("%s: %v", key, errs)
			}
		}
		admin.get(t, sites+many(field, 600)).Want(t, http.StatusOK)
		admin.get(t, sites+many(field+"__n", 600)).Want(t, http.StatusOK)
	}
	var named []obj // a filter by a slug that no record has is refused
	for i := range 500 {
		named = append(named, obj{"name": fmt.Sprint("x", i), "slug": fmt.Sprint("x", i)})
	}
	for _, list := range []string{regions, "/api/extras/tags/"} {
		admin.do(t, "POST", list, named).Want(t, http.StatusCreated)
	}
	for key, value := range map[string]string{"id": "1", "region": "x", "region_id": "1", "tag": "x", "status": "active"} {
		query := url.Values{key: nil}
		for i := range 500 {
			if value == "active" {
				query.Add(key, value)
			} else {
				query.Add(key, fmt.Sprint(value, i))
			}
		}
		admin.get(t, sites+"?"+query.Encode()).Want(t, http.StatusOK)
	}
	t.Run("the same text twice counts once", func(t *testing.T) {
		admin.get(t, sites+many("name__ic", 50)+"&"+many("name__ic", 50)[1:]).Want(t, http.StatusOK)
	})
	t.Run("in the filter of an action", func(t *testing.T) {
		texts := func(n int) obj {
			list := make([]string, n)
			for i := range list {
				list[i] = fmt.Sprint("x", i)
			}
			return obj{"filter": obj{"reason__ic": list}}
		}
		admin.do(t, "POST", deliveries+"retry/", texts(50)).Want(t, http.StatusOK)
		admin.do(t, "POST", deliveries+"retry/", texts(51)).Want(t, http.StatusBadRequest)
	})
}

// TestAlternativesAreBounded: the constraints of a permission list at most 100 alternatives. Longer ones that are stored already
// apply, and block nothing until they are written.
func TestAlternativesAreBounded(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	admin.create(t, sites, site("S104"))
	id, user := newActor(t, s, "user")
	alternatives := func(n int) []obj {
		list := make([]obj, n)
		for i := range list {
			list[i] = obj{"name": fmt.Sprint("S", i)}
		}
		return list
	}
	permission := obj{"name": "many", "object_types": []string{"dcim.site"}, "actions": []string{"view"}, "users": []int64{id},
		"constraints": alternatives(101)}
	errs := admin.do(t, "POST", grants, permission).Want(t, http.StatusBadRequest).Object(t)
	if !strings.Contains(fmt.Sprint(errs["constraints"]), "at most 100 alternatives") {
		t.Errorf("%v", errs)
	}
	permission["constraints"] = alternatives(100)
	many := admin.create(t, grants, permission)
	if _, err := s.DB.Exec(t.Context(),
		"UPDATE users_permission SET constraints = (SELECT jsonb_agg(jsonb_build_object('name', 'S' || n)) FROM "+
			"generate_series(0, 119) n)"); err != nil {
		t.Fatal(err)
	}
	if got := user.page(t, sites); got.Count != 1 {
		t.Errorf("a stored permission of 120 alternatives shows %d sites", got.Count)
	}
	admin.patch(t, grants, many, obj{"description": "still", "object_types": []string{"dcim.site", "dcim.region"}})
	stored := admin.get(t, at(grants, many)).Object(t)
	admin.patch(t, grants, many, obj{"description": "written back", "constraints": stored["constraints"]})
	admin.do(t, "PATCH", at(grants, many), obj{"constraints": alternatives(119)}).Want(t, http.StatusBadRequest)
	admin.patch(t, grants, many, obj{"constraints": alternatives(99)})
}

// TestNextDoesNotGrow: filters that a client repeats in addition to next are not repeated in the following next.
func TestNextDoesNotGrow(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	for i := range 4 {
		admin.create(t, sites, site(fmt.Sprint("S", i)))
	}
	const filters = "name__ic=s&status=active&limit=1"
	first := admin.page(t, sites+"?"+filters)
	second := admin.page(t, strings.TrimPrefix(*first.Next, s.URL)+"&"+filters)
	next, err := url.Parse(*second.Next)
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range next.Query() {
		if len(values) != 1 {
			t.Errorf("%s: %v", name, values)
		}
	}
	if got := names(second.Results, "name"); got != "S1" {
		t.Errorf("the second page is %s", got)
	}
}

// TestLongAddresses: 8 kB work, more than 16 kB are refused, on every kind of page.
func TestLongAddresses(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	ids := func(path string, atLeast int) string {
		b := []byte(path + "?id=1")
		for i := 1000; len(b) < atLeast; i++ {
			b = fmt.Appendf(b, "&id=%d", i)
		}
		return string(b)
	}
	for _, length := range []int{8 << 10, 16<<10 - 300} {
		admin.get(t, ids(sites, length)).Want(t, http.StatusOK)
	}
	for _, path := range []string{sites, at(sites, 1), "/api/", "/dcim/sites/", "/healthz"} {
		if long := admin.get(t, ids(path, 16<<10+1)); long.Status != http.StatusRequestURITooLong ||
			!strings.Contains(string(long.Raw), "longer than 16384 bytes") {
			t.Errorf("%s: %d %s", path, long.Status, long.Raw)
		}
	}
}

// TestNextFitsAnAddress: the link to the next page can always be followed. Filters that leave no room for it are
// refused, measured as they are written in the link; a cursor that does not fit is left out.
func TestNextFitsAnAddress(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	for _, name := range []string{"A", "B", "C"} {
		in := site(name)
		in["comments"] = name + strings.Repeat("x", 20<<10)
		admin.create(t, sites, in)
	}
	follow := func(path string) string {
		var found []string
		for {
			page := admin.page(t, path)
			found = append(found, names(page.Results, "name"))
			if page.Next == nil {
				return strings.Join(found, " ")
			}
			path = strings.TrimPrefix(*page.Next, s.URL)
		}
	}
	slugs := func(atLeast int) string {
		b := []byte(sites + "?limit=1")
		for i := 0; len(b) < atLeast; i++ {
			b = fmt.Appendf(b, "&slug__n=%d", 10_000+i)
		}
		return string(b)
	}
	for name, path := range map[string]string{"by a long text": sites + "?limit=1&ordering=comments",
		"with long filters": slugs(16<<10 - 300)} {
		if got := follow(path); got != "A B C" {
			t.Errorf("%s: found %s", name, got)
		}
	}
	for name, path := range map[string]string{"long": slugs(16<<10 - 100),
		"long as it is written in the link": sites + "?slug__n=" + strings.Repeat("/", 6<<10)} {
		if a := admin.get(t, path); a.Status != http.StatusRequestURITooLong || !strings.Contains(string(a.Raw), "no room for the link") {
			t.Errorf("%s: %d %s", name, a.Status, a.Raw)
		}
	}
}
