package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"terrier/internal/app"
	"terrier/test/apitest"
)

// TestRoutesAndHeaders: the bullets of clients.md that are about addresses and headers.
func TestRoutesAndHeaders(t *testing.T) {
	s := apitest.New(t)
	admin := adminOf(s)
	id := admin.create(t, sites, site("A"))
	call := func(method, path string, body any, header ...string) apitest.Answer {
		h := map[string]string{}
		for i := 0; i+1 < len(header); i += 2 {
			h[header[i]] = header[i+1]
		}
		return s.Do(t, apitest.Call{Method: method, Path: path, Token: s.Admin, Body: body, Header: h})
	}
	t.Run("GET without the slash redirects", func(t *testing.T) {
		for path, want := range map[string]string{"/api/dcim/sites": "/api/dcim/sites/", "/api/dcim/sites?name=A": "/api/dcim/sites/?name=A",
			fmt.Sprintf("/api/dcim/sites/%d", id): at(sites, id), "/api": "/api/"} {
			a := call("GET", path, nil)
			if to := a.Header.Get("Location"); a.Status != http.StatusMovedPermanently && a.Status != http.StatusTemporaryRedirect || to != want {
				t.Errorf("%s: %d to %q", path, a.Status, to)
			}
		}
		// A POST is never answered with a redirect that loses its body.
		call("POST", "/api/dcim/sites", site("B")).Want(t, http.StatusTemporaryRedirect)
	})
	t.Run("status", func(t *testing.T) {
		for _, path := range []string{"/api/status", "/api/status/"} {
			body := actor{s, ""}.get(t, path).Want(t, http.StatusOK).Object(t)
			if body["netbox-version"] != "3.5.0" || body["terrier-version"] != "test" {
				t.Errorf("%s: %v", path, body)
			}
		}
	})
	t.Run("the root tells the version to anybody", func(t *testing.T) {
		a := actor{s, ""}.get(t, "/api/").Want(t, http.StatusOK)
		if v := a.Header.Get("API-Version"); v != "3.5" {
			t.Errorf("API-Version is %q", v)
		}
		if body := a.Object(t); body["dcim"] != s.URL+"/api/dcim/" || body["status"] != s.URL+"/api/status/" {
			t.Errorf("%v", body)
		}
	})
	t.Run("the document at both addresses", func(t *testing.T) {
		for path, prefix := range map[string]string{"/api/schema/": "/api/dcim/", "/api/docs/?format=openapi": "/dcim/"} {
			doc := actor{s, ""}.get(t, path).Want(t, http.StatusOK).Object(t)
			for _, key := range []string{prefix + "sites/", prefix + "sites/{id}/"} {
				if doc["paths"].(obj)[key] == nil {
					t.Errorf("%s has no %s", path, key)
				}
			}
			for key := range doc["paths"].(obj) {
				if strings.HasPrefix(key, "/api/") != (prefix == "/api/dcim/") && key != "/api/" {
					t.Errorf("%s has %s", path, key)
				}
			}
		}
	})
	t.Run("indent", func(t *testing.T) {
		for accept, want := range map[string]bool{"application/json": false, "application/json; indent=4": true, "application/json;indent=4": true, "application/json; indent=x": false, "application/json; indent=-1": false} {
			raw := string(call("GET", at(sites, id), nil, "Accept", accept).Want(t, http.StatusOK).Raw)
			if got := strings.Contains(raw, "\n    \"id\""); got != want {
				t.Errorf("%s: %.40q", accept, raw)
			}
		}
	})
	t.Run("stray semicolons", func(t *testing.T) {
		call("GET", sites, nil, "Accept", "application/json;").Want(t, http.StatusOK)
		call("PATCH", at(sites, id), obj{"facility": "1"}, "Content-Type", "application/json;").Want(t, http.StatusOK)
		call("PATCH", at(sites, id), obj{"facility": "2"}, "Content-Type", "application/json; charset=utf-8").Want(t, http.StatusOK)
	})
	t.Run("the Host header is never used", func(t *testing.T) {
		a := call("GET", sites+"?limit=1", nil, "Host", "evil.test", "X-Forwarded-Host", "evil.test")
		if strings.Contains(string(a.Raw), "evil") {
			t.Errorf("%s", a.Raw)
		}
	})
	t.Run("Location, X-Request-ID, ETag", func(t *testing.T) {
		a := call("POST", sites, site("Located")).Want(t, http.StatusCreated)
		if a.Header.Get("Location") != a.Object(t)["url"] || a.Header.Get("ETag") != `"1"` {
			t.Errorf("Location %q, ETag %q", a.Header.Get("Location"), a.Header.Get("ETag"))
		}
		if b := call("POST", sites, []obj{site("Bulk")}).Want(t, http.StatusCreated); b.Header.Get("Location") != "" {
			t.Errorf("a bulk create has a Location")
		}
		change := admin.changes(t, "dcim.site", apitest.ID(a.Object(t)))[0]
		if change["request_id"] != a.Header.Get("X-Request-ID") {
			t.Errorf("X-Request-ID %q, the change row says %v", a.Header.Get("X-Request-ID"), change["request_id"])
		}
	})
	t.Run("If-Match", func(t *testing.T) {
		tag := call("GET", at(sites, id), nil).Header.Get("ETag")
		for _, row := range []struct {
			method, match string
			status        int
		}{
			{"PATCH", `"999"`, 412}, {"PUT", `"999"`, 412}, {"DELETE", `"999"`, 412}, {"PATCH", "nonsense", 412}, {"PATCH", `"-1"`, 412},
			{"PATCH", `"0"`, 412}, {"PATCH", tag, 200}, {"PATCH", tag, 412}, {"PATCH", "*", 200},
		} {
			body := site("A", "facility", row.method+row.match+tag)
			if row.match == tag && row.status == 412 {
				body["facility"] = "later"
			}
			call(row.method, at(sites, id), body, "If-Match", row.match).Want(t, row.status)
		}
	})
	for _, row := range []struct {
		name, method, path string
		body               any
		contentType        string
		status             int
		want               string // the detail, or a field with errors
	}{
		{"field errors", "POST", sites, obj{"status": "?"}, "", 400, "name slug status"},
		{"broken JSON", "POST", sites, "{", "", 400, "detail"},
		{"two values", "POST", sites, "{}{}", "", 400, "detail"},
		{"no object", "POST", sites, "1", "", 400, "non_field_errors"},
		{"unknown id", "GET", sites + "999/", nil, "", 404, notFound},
		{"no number", "GET", sites + "abc/", nil, "", 404, notFound},
		{"a number too large", "GET", sites + "99999999999999999999/", nil, "", 404, notFound},
		{"unknown type", "GET", "/api/dcim/nothing/", nil, "", 404, notFound},
		{"method of a detail", "POST", at(sites, id), obj{}, "", 405, `Method "POST" not allowed.`},
		{"method of a fixed type", "POST", changeLog, obj{}, "", 405, `Method "POST" not allowed.`},
		{"delete of a change", "DELETE", at(changeLog, 1), nil, "", 405, `Method "DELETE" not allowed.`},
		{"not JSON", "POST", sites, "name=x", "application/x-www-form-urlencoded", 415, `Unsupported media type "application/x-www-form-urlencoded" in request.`},
		{"text", "PATCH", at(sites, id), "x", "text/plain", 415, `Unsupported media type "text/plain" in request.`},
		{"too deep", "POST", sites, strings.Repeat("[", 100), "", 400, "detail"},
		{"too large", "POST", sites, `{"name":"` + strings.Repeat("x", 1<<20) + `"}`, "", 413, "The request body is larger than 1048576 bytes."},
	} {
		t.Run(row.name, func(t *testing.T) {
			var header []string
			if row.contentType != "" {
				header = []string{"Content-Type", row.contentType}
			}
			got := call(row.method, row.path, row.body, header...).Want(t, row.status).Object(t)
			if row.status != 400 {
				if got["detail"] != row.want {
					t.Errorf("detail %v, want %q", got["detail"], row.want)
				}
				return
			}
			for _, field := range strings.Fields(row.want) {
				if got[field] == nil {
					t.Errorf("no errors of %s in %v", field, got)
				}
			}
		})
	}
	t.Run("OPTIONS", func(t *testing.T) {
		body := call("OPTIONS", sites, nil).Want(t, http.StatusOK).Object(t)
		fields := body["actions"].(obj)["POST"].(obj)
		name, status := fields["name"].(obj), fields["status"].(obj)
		if body["name"] != "Site" || body["description"] == "" || fmt.Sprint(body["renders"], body["parses"]) != "[application/json] [application/json]" {
			t.Errorf("%v", body)
		}
		if name["type"] != "string" || name["required"] != true || name["read_only"] != false || name["label"] != "Name" || name["max_length"] != 100.0 {
			t.Errorf("name: %v", name)
		}
		if first := status["choices"].([]any)[0].(obj); status["type"] != "choice" || first["value"] != "planned" || first["display_name"] != "Planned" {
			t.Errorf("status: %v", status)
		}
		if fields["id"].(obj)["read_only"] != true {
			t.Errorf("id: %v", fields["id"])
		}
	})
}

// TestPagination: the size of a page, where it lies, and the way through all of them.
func TestPagination(t *testing.T) {
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
		{"?limit=x", 50, true, false}, {"?limit=-3", 50, true, false}, {"?limit=99999999999999999999", 50, true, false}, {"?limit=", 50, true, false},
		{"?offset=100", 23, false, true}, {"?offset=123", 0, false, true}, {"?offset=9999", 0, false, true}, {"?offset=9223372036854775807", 0, false, true},
		{"?offset=-1", 50, true, false}, {"?offset=x", 50, true, false}, {"?limit=10&offset=10", 10, true, true}, {"?limit=100&offset=50", 73, false, true},
	} {
		t.Run("page "+row.query, func(t *testing.T) {
			p := admin.page(t, sites+row.query)
			if p.Count != total || len(p.Results) != row.n || (p.Next != nil) != row.next || (p.Previous != nil) != row.previous {
				t.Errorf("count %d, %d rows, next %v, previous %v", p.Count, len(p.Results), p.Next != nil, p.Previous != nil)
			}
		})
	}
	for _, query := range []string{"?limit=10", "?limit=7&ordering=-name", "?limit=20&ordering=facility", "?limit=9&ordering=-facility,latitude", "?limit=8&ordering=latitude",
		"?limit=11&ordering=-latitude", "?limit=13&ordering=-latitude,facility", "?limit=10&ordering=-id", "?limit=10&ordering=created", "?limit=6&facility=1&facility=2&q=s1", "?limit=10&brief=true&fields=id", "?limit=10&ordering=tenant", "?limit=10&ordering=status,-region"} {
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
			// Clients fetch pages in parallel by offset: together they are the whole.
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
		// Each term multiplies the statement of the next page, so repeating one is a way to flood the server.
		once, often := admin.page(t, sites+"?limit=1&ordering=latitude"), admin.page(t, sites+"?limit=1&ordering=latitude"+strings.Repeat(",-latitude,latitude", 50))
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

// sizeless turns a query with a limit into the same without one.
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
	s := apitest.New(t)
	admin := adminOf(s)
	north := admin.create(t, regions, obj{"name": "North", "slug": "north"})
	fjord := admin.create(t, regions, obj{"name": "Fjord", "slug": "fjord", "parent": north})
	admin.create(t, regions, obj{"name": "South", "slug": "south"})
	for _, name := range []string{"red", "blue"} {
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
		{"tag=red", "A B"}, {"tag=red&tag=blue", "A"}, {"tag__n=red", "C"}, {"tag=nothing", ""},
		{"region=north", "A B"}, {"region=fjord", "B"}, {"region=south", ""}, {"region=null", "C"}, {"region__n=north", "C"},
		{fmt.Sprintf("region_id=%d", north), "A B"}, {fmt.Sprintf("region_id=%d&region_id=null", fjord), "B C"}, {fmt.Sprintf("region_id__n=%d", fjord), "A C"},
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
		{"name=100%", "", ""},         // broken escapes would otherwise vanish and with them the filter
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
			"?brief=true": "display id name slug url", "?brief=1": "display id name slug url", "?fields=id,name": "id name", "?fields=id&fields=slug": "id slug",
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
		if keys(region) != "display id name slug url" || region["url"] != s.URL+at(regions, north) || region["slug"] != "north" {
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
		if change["changed_object"].(obj)["url"] != s.URL+at(sites, a) || change["prechange_data"].(obj)["facility"] != "100%" || change["postchange_data"].(obj)["facility"] != "F" {
			t.Errorf("%v", change)
		}
		for query, want := range map[string]int64{
			"request_id=" + last.Header.Get("X-Request-ID"): 1, "action=update": 1, "action=delete": 0, "user=admin&action=update": 1, "user=nobody": 0,
			"user_name=admin&action=update": 1, "user_name__ic=DMI&action=update": 1, "changed_object_type=dcim.site&action=update": 1,
			fmt.Sprintf("changed_object_type=dcim.site&changed_object_id=%d", a): 2, "time__gt=2999-01-01": 0,
			"time__lt=2999-01-01T00:00:00Z&action=update": 1, fmt.Sprintf("user_id=%d&action=update", apitest.ID(change["user"].(obj))): 1,
		} {
			if n := admin.page(t, changeLog+"?"+query).Count; n != want {
				t.Errorf("%s: %d, want %d", query, n, want)
			}
		}
		admin.get(t, changeLog+"?request_id=x").Want(t, http.StatusBadRequest)
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

// TestReferences: how a reference may be written.
func TestReferences(t *testing.T) {
	s := apitest.New(t)
	admin := adminOf(s)
	tag := admin.create(t, tags, obj{"name": "t", "slug": "t"})
	east := admin.create(t, regions, obj{"name": "East", "slug": "east", "tags": []int64{tag}})
	admin.create(t, regions, obj{"name": "Twin", "slug": "twin", "parent": east})
	admin.create(t, regions, obj{"name": "Twin", "slug": "twin"})
	id := admin.create(t, sites, site("A"))
	for _, row := range []struct {
		name   string
		region any
		ok     bool
	}{
		{"id", east, true}, {"id as text", fmt.Sprint(east), true}, {"object with id", obj{"id": east}, true}, {"slug", obj{"slug": "east"}, true},
		{"two attributes", obj{"slug": "twin", "parent": nil}, true}, {"attribute that is a reference", obj{"slug": "twin", "parent": east}, true},
		{"as it was read", obj{"id": east, "url": "x", "display": "East", "name": "East", "slug": "east", "_depth": 0}, true},
		{"null", nil, true}, {"by tag", obj{"tags": tag}, false},
		{"unknown id", 999, false}, {"unknown slug", obj{"slug": "west"}, false}, {"attributes that disagree", obj{"id": east, "slug": "twin"}, false},
		{"several", obj{"slug": "twin"}, false}, {"empty object", obj{}, false}, {"unknown attribute", obj{"colour": "red"}, false},
		{"a lookup", obj{"slug__ic": "e"}, false}, {"text", "east", false}, {"list", []any{east}, false}, {"bool", true, false},
		{"empty list of values", obj{"slug": []any{}}, false}, {"object in an attribute", obj{"parent": obj{"slug": "east"}}, false},
		{"a zero byte", "\x00", false}, {"an escaped zero byte", `\u0000`, false}, {"a zero byte in an attribute", obj{"slug": "\x00"}, false},
		{"a text for a number", obj{"parent": "x"}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := admin.do(t, "PATCH", at(sites, id), obj{"region": row.region})
			if row.ok {
				a.Want(t, http.StatusOK)
			} else if errs := a.Want(t, http.StatusBadRequest).Object(t); errs["region"] == nil {
				t.Errorf("%v", errs)
			}
		})
	}
	t.Run("choices are written bare", func(t *testing.T) {
		admin.patch(t, sites, id, obj{"status": "planned"})
		for _, bad := range []any{obj{"value": "active", "label": "Active"}, "bogus", 1, []any{"active"}, nil, "", `\u0000`, "\x00"} {
			if errs := admin.do(t, "PATCH", at(sites, id), obj{"status": bad}).Want(t, http.StatusBadRequest).Object(t); errs["status"] == nil {
				t.Errorf("%v: %v", bad, errs)
			}
		}
	})
	t.Run("unknown fields are ignored", func(t *testing.T) {
		admin.patch(t, sites, id, obj{"no_such_field": 1, "prefix_count": 7, "id": 99, "url": "x", "display": "y"})
		admin.create(t, sites, site("B", "no_such_field", obj{"deep": []any{1}}))
	})
	t.Run("a backslash in JSON is no zero byte", func(t *testing.T) {
		got := admin.do(t, "POST", defs, obj{"name": "path", "content_types": []string{}})
		got.Want(t, http.StatusBadRequest) // no types
		admin.create(t, defs, obj{"name": "path", "content_types": []string{"tenancy.tenant"}, "default": `C:\u0000`})
	})
}

// TestBulk: all or none, and errors by position.
func TestBulk(t *testing.T) {
	s := apitest.New(t)
	admin := adminOf(s)
	made := admin.do(t, "POST", sites, []obj{site("A"), site("B"), site("C")}).Want(t, http.StatusCreated).List(t)
	if names(made, "name") != "A B C" {
		t.Fatalf("made %v", made)
	}
	a, b, c := apitest.ID(made[0]), apitest.ID(made[1]), apitest.ID(made[2])
	root := admin.create(t, regions, obj{"name": "R", "slug": "r"})
	leaf := admin.create(t, regions, obj{"name": "L", "slug": "l", "parent": root})
	for _, row := range []struct {
		name, method, path string
		body               any
		status             int
		bad                string // for each item its fields with errors, "-" for a good one
	}{
		{"post", "POST", sites, []obj{site("D"), site("A"), {"name": "E"}, site("D")}, 400, "- name,slug slug name,slug"},
		{"post, no objects", "POST", sites, []any{site("D"), 1}, 400, "- non_field_errors"},
		{"patch", "PATCH", sites, []obj{{"id": a, "facility": "x"}, {"id": b, "status": "?"}}, 400, "- status"},
		{"patch without id", "PATCH", sites, []obj{{"id": a, "facility": "x"}, {"facility": "y"}}, 400, "- id"},
		{"patch of an unknown id", "PATCH", sites, []obj{{"id": a, "facility": "x"}, {"id": 999}}, 400, "- id"},
		{"put", "PUT", sites, []obj{{"id": a, "name": "A", "slug": "a", "facility": "x"}, {"id": b, "name": "B"}}, 400, "- slug"},
		{"delete of an unknown id", "DELETE", sites, []obj{{"id": a}, {"id": 999}}, 400, "- id"},
		{"the same object twice, then an error", "PATCH", sites, []obj{{"id": a, "facility": "x"}, {"id": a, "comments": "x"}, {"id": b, "status": "?"}}, 400, "- - status"},
		{"a cycle behind one that stays", "PATCH", regions, []obj{{"id": leaf, "name": "L"}, {"id": root, "parent": leaf}}, 400, "- parent"},
		{"one object", "PATCH", sites, obj{"id": a}, 400, ""},
		{"delete without a list", "DELETE", sites, nil, 400, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			before := admin.page(t, changeLog).Count
			answer := admin.do(t, row.method, row.path, row.body).Want(t, row.status)
			if row.bad != "" {
				var got []string
				for _, errs := range answer.List(t) {
					if len(errs) == 0 {
						errs = obj{"-": nil}
					}
					got = append(got, strings.ReplaceAll(keys(errs), " ", ","))
				}
				if strings.Join(got, " ") != row.bad {
					t.Errorf("errors %s, want %s: %s", got, row.bad, answer.Raw)
				}
			}
			if n := admin.page(t, changeLog).Count; n != before {
				t.Errorf("%d change rows of a refused request", n-before)
			}
		})
	}
	t.Run("nothing of it happened", func(t *testing.T) {
		if got := admin.page(t, sites+"?facility=&comments="); names(got.Results, "name") != "A B C" {
			t.Errorf("%v", got.Results)
		}
	})
	t.Run("the same object twice is one change", func(t *testing.T) {
		got := admin.do(t, "PATCH", sites, []obj{{"id": a, "facility": "1"}, {"id": b, "facility": "b"}, {"id": a, "comments": "2"}}).Want(t, http.StatusOK).List(t)
		if names(got, "name") != "A B A" || got[0]["comments"] != "2" || got[2]["facility"] != "1" {
			t.Errorf("%v", got)
		}
		rows := admin.changes(t, "dcim.site", a)
		if len(rows) != 2 || rows[1]["postchange_data"].(obj)["facility"] != "1" || rows[1]["postchange_data"].(obj)["comments"] != "2" {
			t.Errorf("%d change rows: %v", len(rows), rows)
		}
	})
	t.Run("what stays as it is makes no change", func(t *testing.T) {
		before := admin.page(t, changeLog).Count
		admin.do(t, "PATCH", sites, []obj{{"id": a, "facility": "1"}, {"id": b}}).Want(t, http.StatusOK)
		if n := admin.page(t, changeLog).Count; n != before {
			t.Errorf("%d change rows", n-before)
		}
	})
	t.Run("nothing at all", func(t *testing.T) {
		admin.do(t, "POST", sites, []any{}).Want(t, http.StatusCreated)
		admin.do(t, "PATCH", sites, []any{}).Want(t, http.StatusOK)
		admin.do(t, "DELETE", sites, []any{}).Want(t, http.StatusNoContent)
	})
	t.Run("delete", func(t *testing.T) {
		if raw := admin.do(t, "DELETE", sites, []obj{{"id": a}, {"id": b}, {"id": a}}).Want(t, http.StatusNoContent).Raw; len(raw) != 0 {
			t.Errorf("%s", raw)
		}
		if got := admin.page(t, sites).IDs(); !slices.Equal(got, []int64{c}) {
			t.Errorf("left are %v", got)
		}
	})
}

// TestDependants: what a delete does to the records that refer to the deleted one.
func TestDependants(t *testing.T) {
	s := apitest.New(t)
	admin := adminOf(s)
	version := func(path string, id int64) string { return admin.get(t, at(path, id)).Want(t, 200).Header.Get("ETag") }
	t.Run("held", func(t *testing.T) {
		tenant := admin.create(t, tenants, obj{"name": "Acme", "slug": "acme"})
		id := admin.create(t, sites, site("Held", "tenant", tenant))
		detail := admin.do(t, "DELETE", at(tenants, tenant), nil).Want(t, http.StatusConflict).Object(t)["detail"].(string)
		if !strings.Contains(detail, "Held (dcim.site") {
			t.Errorf("%s", detail)
		}
		admin.do(t, "DELETE", tenants, []obj{{"id": tenant}}).Want(t, http.StatusConflict)
		if n := len(admin.changes(t, "tenancy.tenant", tenant)); n != 1 {
			t.Errorf("%d change rows", n)
		}
		admin.do(t, "DELETE", at(sites, id), nil).Want(t, http.StatusNoContent)
		admin.do(t, "DELETE", at(tenants, tenant), nil).Want(t, http.StatusNoContent)
	})
	t.Run("emptied", func(t *testing.T) {
		region, tag := admin.create(t, regions, obj{"name": "R", "slug": "r"}), admin.create(t, tags, obj{"name": "x", "slug": "x"})
		id := admin.create(t, sites, site("Emptied", "region", region, "tags", []int64{tag}))
		for i, path := range []string{at(regions, region), at(tags, tag)} {
			gone := admin.do(t, "DELETE", path, nil).Want(t, http.StatusNoContent)
			rows := admin.changes(t, "dcim.site", id)
			if last := rows[len(rows)-1]; len(rows) != i+2 || last["action"].(obj)["value"] != "update" || last["request_id"] != gone.Header.Get("X-Request-ID") {
				t.Errorf("after %s: %d change rows, the last %v", path, len(rows), last)
			}
			if got := version(sites, id); got != fmt.Sprintf("%q", fmt.Sprint(i+2)) {
				t.Errorf("version %s", got)
			}
		}
		if got := admin.get(t, at(sites, id)).Object(t); got["region"] != nil || len(got["tags"].([]any)) != 0 {
			t.Errorf("%v", got)
		}
		if rows := admin.changes(t, "dcim.region", region); len(rows) != 2 || rows[1]["postchange_data"] != nil || rows[1]["changed_object"] != nil {
			t.Errorf("%v", rows)
		}
	})
	t.Run("cascade", func(t *testing.T) {
		place := admin.create(t, sites, site("Gone"))
		floor := admin.create(t, places, obj{"name": "Floor", "slug": "floor", "site": place})
		room := admin.create(t, places, obj{"name": "Room", "slug": "room", "site": place, "parent": floor})
		gone := admin.do(t, "DELETE", at(sites, place), nil).Want(t, http.StatusNoContent)
		for key, id := range map[string]int64{"dcim.site": place, fmt.Sprintf("dcim.location&id__n=%d", 0): floor, "dcim.location": room} {
			rows := admin.changes(t, key, id)
			if last := rows[len(rows)-1]; len(rows) != 2 || last["action"].(obj)["value"] != "delete" || last["request_id"] != gone.Header.Get("X-Request-ID") || last["postchange_data"] != nil {
				t.Errorf("%s %d: %v", key, id, rows)
			}
		}
		if n := admin.page(t, places).Count; n != 0 {
			t.Errorf("%d locations left", n)
		}
	})
	t.Run("trees", func(t *testing.T) {
		top := admin.create(t, regions, obj{"name": "Top", "slug": "top"})
		mid := admin.create(t, regions, obj{"name": "Mid", "slug": "mid", "parent": top})
		low := admin.create(t, regions, obj{"name": "Low", "slug": "low", "parent": mid})
		inside := admin.create(t, sites, site("Deep", "region", low))
		for _, row := range [][2]int64{{top, top}, {top, mid}, {top, low}, {mid, low}} {
			errs := admin.do(t, "PATCH", at(regions, row[0]), obj{"parent": row[1]}).Want(t, http.StatusBadRequest).Object(t)
			if errs["parent"] == nil {
				t.Errorf("%v below %v: %v", row[0], row[1], errs)
			}
		}
		if got := admin.page(t, sites+"?region=top").IDs(); !slices.Equal(got, []int64{inside}) {
			t.Errorf("below top: %v", got)
		}
		admin.patch(t, regions, mid, obj{"parent": nil})
		if n, m := admin.page(t, sites+"?region=top").Count, admin.page(t, sites+"?region=mid").Count; n != 0 || m != 1 {
			t.Errorf("after the move: %d below top, %d below mid", n, m)
		}
		admin.do(t, "PATCH", regions, []obj{{"id": top, "parent": low}, {"id": mid, "parent": top}}).Want(t, http.StatusBadRequest)
		admin.do(t, "DELETE", at(regions, mid), nil).Want(t, http.StatusNoContent)
		if got := admin.get(t, at(sites, inside)).Object(t)["region"]; got != nil {
			t.Errorf("the site is still in %v", got)
		}
	})
	t.Run("a location stays with its site", func(t *testing.T) {
		one, two := admin.create(t, sites, site("One")), admin.create(t, sites, site("Two"))
		floor := admin.create(t, places, obj{"name": "Floor", "slug": "floor", "site": one})
		room := admin.create(t, places, obj{"name": "Room", "slug": "room", "site": one, "parent": floor})
		for _, body := range []obj{{"site": two}, {"parent": admin.create(t, places, obj{"name": "F2", "slug": "f2", "site": two})}} {
			if errs := admin.do(t, "PATCH", at(places, room), body).Want(t, http.StatusBadRequest).Object(t); errs["parent"] == nil {
				t.Errorf("%v: %v", body, errs)
			}
		}
		// The floor may move only if its rooms do not stay behind.
		admin.do(t, "PATCH", at(places, floor), obj{"site": two})
		f, r := admin.get(t, at(places, floor)).Object(t)["site"].(obj), admin.get(t, at(places, room)).Object(t)["site"].(obj)
		if f["id"] != r["id"] {
			t.Errorf("the floor is in %v, its room in %v", f["name"], r["name"])
		}
	})
}

// TestCustomFields: definitions, values and filters of each kind.
func TestCustomFields(t *testing.T) {
	s := apitest.New(t)
	admin := adminOf(s)
	define := func(name, kind string, more obj) {
		body := obj{"name": name, "type": kind, "content_types": []string{"dcim.site"}}
		for k, v := range more {
			body[k] = v
		}
		admin.create(t, defs, body)
	}
	define("note", "text", obj{"validation_regex": "[a-z]+"})
	define("floors", "integer", obj{"validation_minimum": 1, "validation_maximum": 99})
	define("area", "decimal", nil)
	define("owned", "boolean", nil)
	define("tier", "select", obj{"choices": []string{"gold", "silver"}, "default": "silver"})
	define("colours", "multiselect", obj{"choices": []string{"red", "green", "blue"}})
	define("opened", "date", nil)
	define("checked", "datetime", nil)
	define("home", "url", nil)
	define("extra", "json", nil)
	values := func(more ...any) obj { return obj{"custom_fields": site("", more...)}["custom_fields"].(obj) }
	with := func(name string, more ...any) obj {
		v := values(more...)
		delete(v, "name")
		delete(v, "slug")
		return site(name, "custom_fields", v)
	}
	admin.create(t, sites, with("A", "note", "abc", "floors", 3, "area", 1.5, "owned", true, "tier", "gold", "colours", []string{"red", "green"}, "opened", "2020-01-31",
		"checked", "2020-01-31T10:00:00Z", "home", "https://a.example", "extra", obj{"k": []any{1, nil}}))
	b := admin.create(t, sites, with("B", "note", "xyz", "floors", 10, "area", 20, "owned", false, "colours", []string{"blue"}, "opened", "2021-06-01", "checked", "2021-01-31T10:00:00Z"))
	admin.create(t, sites, site("C"))
	t.Run("every definition is shown, with its default", func(t *testing.T) {
		got := admin.page(t, sites+"?name=C").Results[0]["custom_fields"].(obj)
		if keys(got) != "area checked colours extra floors home note opened owned tier" || got["tier"] != "silver" || got["note"] != nil {
			t.Errorf("%v", got)
		}
	})
	for _, row := range []struct{ query, want string }{
		{"cf_note=abc", "A"}, {"cf_note=abc&cf_note=xyz", "A B"}, {"cf_note__n=abc", "B C"}, {"cf_note__ic=BC", "A"}, {"cf_note__isw=x", "B"}, {"cf_note__empty=true", "C"},
		{"cf_floors=3", "A"}, {"cf_floors__gt=3", "B"}, {"cf_floors__lte=10", "A B"}, {"cf_floors__n=3", "B C"}, {"cf_floors__empty=true", "C"},
		{"cf_area=1.5", "A"}, {"cf_area__gte=2", "B"}, {"cf_owned=true", "A"}, {"cf_owned=false", "B"}, {"cf_owned__n=true", "B C"},
		{"cf_tier=gold", "A"}, {"cf_tier=silver", "B C"}, {"cf_tier__n=gold", "B C"},
		{"cf_colours=red", "A"}, {"cf_colours=red&cf_colours=blue", "A B"}, {"cf_colours__n=red", "B C"},
		{"cf_opened=2020-01-31", "A"}, {"cf_opened__gte=2020-12-01", "B"}, {"cf_opened__lt=2020-12-01", "A"},
		{"cf_checked=2020-01-31T10:00:00Z", "A"}, {"cf_checked__gt=2020-12-01T00:00:00Z", "B"}, {"cf_home=https://a.example", "A"},
	} {
		t.Run(row.query, func(t *testing.T) {
			if got := names(admin.page(t, sites+"?"+row.query).Results, "name"); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
	for _, query := range []string{"cf_nothing=1", "cf_floors=x", "cf_floors__ic=1", "cf_owned=maybe", "cf_note__", "cf_", "cf_note__gte=a", "cf_checked=soon"} {
		t.Run("refused "+query, func(t *testing.T) { admin.get(t, sites+"?"+query).Want(t, http.StatusBadRequest) })
	}
	for _, row := range []struct {
		field string
		value any
		ok    bool
	}{
		{"note", "UPPER", false}, {"note", 5, false}, {"note", nil, true}, {"floors", 0, false}, {"floors", 100, false}, {"floors", "x", false}, {"floors", 1.5, false}, {"floors", 99, true},
		{"owned", "maybe", false}, {"owned", true, true}, {"tier", "bronze", false}, {"tier", "gold", true}, {"colours", []string{"pink"}, false}, {"colours", "red", false},
		{"colours", []string{}, true}, {"opened", "31.01.2020", false}, {"opened", "2020-02-30", false}, {"opened", "2020-01-31T00:00:00Z", false}, {"checked", "soon", false},
		{"home", "javascript:alert(1)", false}, {"unknown", 1, false}, {"note", "a\x00", false}, {"area", "1e999", false},
		{"extra", json.RawMessage("1e131071"), false}, // PostgreSQL would keep, and show, 131,072 digits
	} {
		t.Run(fmt.Sprintf("%s=%v", row.field, row.value), func(t *testing.T) {
			a := admin.do(t, "PATCH", at(sites, b), obj{"custom_fields": obj{row.field: row.value}})
			if row.ok {
				a.Want(t, http.StatusOK)
			} else if errs := a.Want(t, http.StatusBadRequest).Object(t); errs["custom_fields"] == nil {
				t.Errorf("%v", errs)
			}
		})
	}
	t.Run("a patch of one keeps the others", func(t *testing.T) {
		got := admin.patch(t, sites, b, obj{"custom_fields": obj{"note": "new"}})["custom_fields"].(obj)
		if got["note"] != "new" || got["floors"] != 99.0 {
			t.Errorf("%v", got)
		}
	})
	for _, bad := range []obj{{"type": "select"}, {"type": "text", "choices": []string{"x"}}, {"type": "integer", "default": "x"}, {"type": "text", "validation_regex": "("}, {"name": "Big"}, {"name": "two__parts"}, {"content_types": []string{"dcim.nothing"}}, {"type": "nothing"}} {
		t.Run(fmt.Sprintf("definition %v", bad), func(t *testing.T) {
			body := obj{"name": "bad", "content_types": []string{"dcim.site"}}
			for k, v := range bad {
				body[k] = v
			}
			admin.do(t, "POST", defs, body).Want(t, http.StatusBadRequest)
		})
	}
	t.Run("required", func(t *testing.T) {
		define("must", "text", obj{"required": true})
		for _, body := range []obj{site("D"), with("D", "must", nil)} {
			if errs := admin.do(t, "POST", sites, body).Want(t, http.StatusBadRequest).Object(t); errs["custom_fields"] == nil {
				t.Errorf("%v", errs)
			}
		}
		admin.create(t, sites, with("D", "must", "x"))
		admin.patch(t, sites, b, obj{"facility": "a record from before can still be changed"})
	})
}
