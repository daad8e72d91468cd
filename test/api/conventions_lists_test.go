package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"terrier/internal/app"
	"terrier/test/apitest"
)

// TestPagination: the size of a page, its position, and the way through all pages.
func TestPagination(t *testing.T) {
	t.Parallel()
	const total = 123
	s := apitest.New(t)
	admin := adminOf(s)
	bodies := make([]obj, total)
	for i := range bodies {
		// Many share a facility and half have no latitude, so that the order has ties and nulls.
		bodies[i] = site(fmt.Sprintf("s%d", total-i), "facility", fmt.Sprint(i%3))
		if i%2 == 0 {
			bodies[i]["latitude"] = i % 7
		}
	}
	admin.do(t, "POST", sites, bodies).Want(t, http.StatusCreated)
	for _, row := range []struct {
		query          string
		n              int
		next, previous bool
	}{
		{"", 50, true, false}, {"?limit=10", 10, true, false}, {"?limit=0", total, false, false}, {"?limit=5000", total, false, false},
		{"?limit=x", 50, true, false}, {"?limit=-3", 50, true, false}, {"?limit=99999999999999999999", 50, true, false},
		{"?limit=", 50, true, false},
		{"?offset=100", 23, false, true}, {"?offset=123", 0, false, true}, {"?offset=9999", 0, false, true},
		{"?offset=9223372036854775807", 0, false, true},
		{"?offset=-1", 50, true, false}, {"?offset=x", 50, true, false}, {"?limit=10&offset=10", 10, true, true},
		{"?limit=100&offset=50", 73, false, true},
	} {
		t.Run("page "+row.query, func(t *testing.T) {
			p := admin.page(t, sites+row.query)
			if p.Count != total || len(p.Results) != row.n || (p.Next != nil) != row.next || (p.Previous != nil) != row.previous {
				t.Errorf("count %d, %d rows, next %v, previous %v", p.Count, len(p.Results), p.Next != nil, p.Previous != nil)
			}
		})
	}
	for _, query := range []string{"?limit=10", "?limit=7&ordering=-name", "?limit=20&ordering=facility",
		"?limit=9&ordering=-facility,latitude", "?limit=8&ordering=latitude",
		"?limit=11&ordering=-latitude", "?limit=13&ordering=-latitude,facility", "?limit=10&ordering=-id", "?limit=10&ordering=created",
		"?limit=6&facility=1&facility=2&q=s1", "?limit=10&brief=true&fields=id", "?limit=10&ordering=tenant",
		"?limit=10&ordering=status,-region", "?limit=10&status=active"} {
		t.Run("walk "+query, func(t *testing.T) {
			whole := admin.page(t, sites+sizeless(query)).IDs()
			var forward []int64
			var pages [][]int64
			p := admin.page(t, sites+query)
			for {
				forward, pages = append(forward, p.IDs()...), append(pages, p.IDs())
				if p.Count != int64(len(whole)) {
					t.Fatalf("count %d, want %d", p.Count, len(whole))
				}
				if p.Next == nil {
					break
				}
				keepsFilters(t, *p.Next, query)
				p = admin.page(t, local(t, s, p.Next))
			}
			if !slices.Equal(forward, whole) {
				t.Fatalf("forward:\n%v\nwhole:\n%v", forward, whole)
			}
			for i := len(pages) - 1; i > 0; i-- {
				if p.Previous == nil {
					t.Fatalf("no way back from page %d", i)
				}
				keepsFilters(t, *p.Previous, query)
				p = admin.page(t, local(t, s, p.Previous))
				if !slices.Equal(p.IDs(), pages[i-1]) {
					t.Fatalf("back on page %d: %v, forward it was %v", i-1, p.IDs(), pages[i-1])
				}
			}
			if p.Previous != nil {
				t.Errorf("the first page has a previous one: %s", *p.Previous)
			}
			// Clients fetch pages in parallel by offset: together they are complete.
			var byOffset []int64
			for offset := 0; offset < len(whole); offset += len(pages[0]) {
				byOffset = append(byOffset, admin.page(t, fmt.Sprintf("%s%s&offset=%d", sites, query, offset)).IDs()...)
			}
			if !slices.Equal(byOffset, whole) {
				t.Errorf("by offset:\n%v\nwhole:\n%v", byOffset, whole)
			}
		})
	}
	t.Run("a field counts once in an ordering", func(t *testing.T) {
		// Each term multiplies the cost of the statement for the next page, so a repeated term could flood the server.
		once, often := admin.page(t, sites+"?limit=1&ordering=latitude"),
			admin.page(t, sites+"?limit=1&ordering=latitude"+strings.Repeat(",-latitude,latitude", 50))
		for _, p := range []apitest.Page{once, often} {
			link, err := url.Parse(*p.Next)
			if err != nil {
				t.Fatal(err)
			}
			if got, first := link.Query().Get("cursor"), strings.Split(*once.Next, "cursor=")[1]; !strings.HasPrefix(first, got) {
				t.Errorf("the cursor is %s", got)
			}
		}
	})
	t.Run("a stranger's cursor", func(t *testing.T) {
		next := local(t, s, admin.page(t, sites+"?limit=10").Next)
		if errs := admin.get(t, next+"&ordering=latitude").Want(t, http.StatusBadRequest).Object(t); errs["cursor"] == nil {
			t.Errorf("%v", errs)
		}
	})
}

// sizeless removes the limit from a query.
func sizeless(query string) string {
	_, rest, _ := strings.Cut(query, "&")
	return "?limit=0&" + rest
}

func keepsFilters(t *testing.T, link, query string) {
	t.Helper()
	got, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	want, err := url.ParseQuery(strings.TrimPrefix(query, "?"))
	if err != nil {
		t.Fatal(err)
	}
	for key, values := range want {
		if !slices.Equal(got.Query()[key], values) {
			t.Errorf("%s lost %s=%v", link, key, values)
		}
	}
}

// TestViewsAndFilters: what a list shows, and which records.
func TestViewsAndFilters(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	north := admin.create(t, regions, obj{"name": "North", "slug": "north"})
	fjord := admin.create(t, regions, obj{"name": "Fjord", "slug": "fjord", "parent": north})
	admin.create(t, regions, obj{"name": "South", "slug": "south"})
	for _, name := range []string{"red", "blue", "green"} {
		admin.create(t, tags, obj{"name": name, "slug": name})
	}
	tagged := func(slugs ...string) []obj {
		var out []obj
		for _, slug := range slugs {
			out = append(out, obj{"slug": slug})
		}
		return out
	}
	a := admin.create(t, sites, site("A", "region", north, "tags", tagged("red", "blue"), "facility", "100%"))
	admin.create(t, sites, site("B", "region", fjord, "tags", tagged("red"), "status", "planned", "facility", "a;b"))
	admin.create(t, sites, site("C", "tags", tagged("blue"), "description", "needle"))
	for _, row := range []struct{ query, want string }{
		{"", "A B C"},
		{"name=A", "A"}, {"name=A&name=C", "A C"}, {"name=A&status=planned", ""},
		{"tag=red", "A B"}, {"tag=red&tag=blue", "A"}, {"tag__n=red", "C"}, {"tag__n=red&tag__n=blue", ""},
		{"tag__n=red&tag__n=green", "C"}, {"tag=green", ""},
		{"region=north", "A B"}, {"region=fjord", "B"}, {"region=south", ""}, {"region=null", "C"}, {"region__n=north", "C"},
		{fmt.Sprintf("region_id=%d", north), "A B"}, {fmt.Sprintf("region_id=%d&region_id=null", fjord), "B C"},
		{fmt.Sprintf("region_id__n=%d", fjord), "A C"},
		{fmt.Sprintf("id=%d", a), "A"}, {fmt.Sprintf("id__gt=%d", a), "B C"},
		{"q=needle", "C"}, {"q=NEEDLE", "C"}, {"q=%25", "A"}, {"q=_", ""}, {"q=", "A B C"},
		{"status=planned&status=active", "A B C"}, {"status__n=active", "B"},
		{"facility=100%25", "A"}, {"facility=a%3Bb", "B"}, {"facility__empty=true", "C"},
		{"ordering=-name", "C B A"}, {"ordering=status,-name", "C A B"}, {"ordering=region,name", "B A C"},
		{"format=json", "A B C"}, {"exclude=config_context", "A B C"},
	} {
		t.Run("filter "+row.query, func(t *testing.T) {
			p := admin.page(t, sites+"?"+row.query)
			if got := names(p.Results, "name"); got != row.want || p.Count != int64(len(p.Results)) {
				t.Errorf("%q (%d), want %q", got, p.Count, row.want)
			}
		})
	}
	for _, row := range []struct{ query, field, message string }{
		{"nam=A", "nam", `Unknown filter. Did you mean "name"?`},
		{"tags=red", "tags", `Unknown filter. Did you mean "tag"?`},
		{"name__icontains=A", "name__icontains", ""},
		{"name__=A", "name__", ""},
		{"cf_none=1", "cf_none", ""},
		{"limits=5", "limits", `Unknown filter. Did you mean "limit"?`},
		{"status=bogus", "status", ""},
		{"id=x", "id", ""},
		{"latitude__gte=high", "latitude__gte", ""},
		{"created__lt=yesterday", "created__lt", ""},
		{"ordering=nothing", "ordering", ""},
		{"ordering=tags", "ordering", ""},
		{"cursor=x", "cursor", ""},
		{"count=estimated", "count", `Use "exact", which is the default, or "capped", which stops at 10001.`},
		{"count=", "count", ""},
		{"count=exact&count=capped", "count", ""},
		{"name=100%", "", ""},         // else the broken escape would drop the filter
		{"name=a;facility=b", "", ""}, // as would these
		{"name=%00", "name", ""},
		{"%00=1", "\x00", ""},
		{"status=%00", "status", ""},
	} {
		t.Run("refused "+row.query, func(t *testing.T) {
			errs := admin.get(t, sites+"?"+row.query).Want(t, http.StatusBadRequest).Object(t)
			if row.field == "" {
				return
			}
			messages, _ := errs[row.field].([]any)
			if len(messages) != 1 || row.message != "" && messages[0] != row.message {
				t.Errorf("%v", errs)
			}
		})
	}
	t.Run("views", func(t *testing.T) {
		for query, want := range map[string]string{
			"?brief=true": "display id name slug url", "?brief=1": "display id name slug url", "?fields=id,name": "id name",
			"?fields=id&fields=slug":  "id slug",
			"?fields=id,name&omit=id": "name",
		} {
			for _, row := range []obj{admin.page(t, sites+query).Results[0], admin.get(t, at(sites, a)+query).Object(t)} {
				if got := keys(row); got != want {
					t.Errorf("%s shows %s", query, got)
				}
			}
		}
		full, less := admin.get(t, at(sites, a)).Object(t), admin.get(t, at(sites, a)+"?omit=comments,tags").Object(t)
		if len(less) != len(full)-2 || less["tags"] != nil {
			t.Errorf("omit leaves %s", keys(less))
		}
	})
	t.Run("nested objects and choices", func(t *testing.T) {
		got := admin.get(t, at(sites, a)).Object(t)
		region := got["region"].(obj)
		if keys(region) != "_depth display id name slug url" || region["url"] != s.URL+at(regions, north) || region["slug"] != "north" {
			t.Errorf("region: %v", region)
		}
		if fmt.Sprint(got["status"]) != "map[label:Active value:active]" {
			t.Errorf("status: %v", got["status"])
		}
	})
	t.Run("STRICT_FILTERS=false", func(t *testing.T) {
		loose := adminOf(apitest.New(t, func(c *app.Config) { c.StrictFilters = false }))
		loose.create(t, sites, site("A"))
		for query, want := range map[string]int64{"?nam=B": 1, "?nam=B&name=B": 0, "?cf_none=1": 1} {
			if n := loose.page(t, sites+query).Count; n != want {
				t.Errorf("%s: %d", query, n)
			}
		}
		loose.get(t, sites+"?id=x").Want(t, http.StatusBadRequest)
	})
	t.Run("object changes", func(t *testing.T) {
		last := admin.do(t, "PATCH", at(sites, a), obj{"facility": "F"}).Want(t, http.StatusOK)
		change := admin.changes(t, "dcim.site", a)[1]
		if change["changed_object"].(obj)["url"] != s.URL+at(sites, a) || change["prechange_data"].(obj)["facility"] != "100%" ||
			change["postchange_data"].(obj)["facility"] != "F" {
			t.Errorf("%v", change)
		}
		for query, want := range map[string]int64{
			"request_id=" + last.Header.Get("X-Request-ID"): 1, "action=update": 1, "action=delete": 0, "user=admin&action=update": 1,
			"user_name=admin&action=update": 1, "user_name__ic=DMI&action=update": 1, "changed_object_type=dcim.site&action=update": 1,
			fmt.Sprintf("changed_object_type=dcim.site&changed_object_id=%d", a): 2, "time__gt=2999-01-01": 0,
			"time__lt=2999-01-01T00:00:00Z&action=update": 1, fmt.Sprintf("user_id=%d&action=update", apitest.ID(change["user"].(obj))): 1,
		} {
			if n := admin.page(t, changeLog+"?"+query).Count; n != want {
				t.Errorf("%s: %d, want %d", query, n, want)
			}
		}
		admin.get(t, changeLog+"?request_id=x").Want(t, http.StatusBadRequest)
		admin.get(t, changeLog+"?user=nobody").Want(t, http.StatusBadRequest)
	})
}

func keys(o obj) string {
	var out []string
	for key := range o {
		out = append(out, key)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}
