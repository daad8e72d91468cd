package pages_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// hidden returns the hidden inputs of the form on a page: what a browser sends again.
func hidden(a apitest.Answer) url.Values {
	form := url.Values{}
	for _, m := range regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`).FindAllStringSubmatch(string(a.Raw), -1) {
		if m[1] != "next" { // of the theme
			form.Add(m[1], html.UnescapeString(m[2]))
		}
	}
	return form
}

// note returns the message that the next page would show.
func note(t *testing.T, b browser, a apitest.Answer) string {
	t.Helper()
	to := a.Header.Get("Location")
	if to == "" { // htmx is led there
		to = a.Header.Get("Hx-Redirect")
	}
	for _, c := range (&http.Response{Header: a.Header}).Cookies() {
		if c.Name == "terrier_note" {
			page := b.get(t, to, "Cookie", b.cookie+"; terrier_note="+c.Value).Want(t, http.StatusOK)
			m := regexp.MustCompile(`<div class="alert alert-success" role="status">([^<]*)</div>`).FindSubmatch(page.Raw)
			if m != nil {
				return html.UnescapeString(string(m[1]))
			}
		}
	}
	t.Fatalf("%s %s left no note", a.Call.Method, a.Call.Path)
	return ""
}

func with(form url.Values, pairs ...string) url.Values {
	out := url.Values{}
	for key, values := range form {
		out[key] = slices.Clone(values)
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		out.Add(pairs[i], pairs[i+1])
	}
	return out
}

// many makes records by the API and returns their ids.
func many(t *testing.T, s *apitest.Server, path string, n int, one func(i int) obj) []int64 {
	t.Helper()
	var ids []int64
	for start := 0; start < n; start += 1000 {
		var list []obj
		for i := start; i < min(n, start+1000); i++ {
			list = append(list, one(i))
		}
		for _, made := range s.Do(t, apitest.Call{Method: "POST", Path: path, Token: s.Admin, Body: list}).Want(t, http.StatusCreated).List(t) {
			ids = append(ids, apitest.ID(made))
		}
	}
	return ids
}

func list(t *testing.T, s *apitest.Server, path string) apitest.Page {
	t.Helper()
	return s.Do(t, apitest.Call{Method: "GET", Path: path, Token: s.Admin}).Page(t)
}

func site(i int) obj {
	return obj{"name": fmt.Sprintf("Site %04d", i), "slug": fmt.Sprintf("site-%04d", i)}
}

func ticked(ids ...int64) url.Values {
	form := url.Values{}
	for _, id := range ids {
		form.Add("id", fmt.Sprint(id))
	}
	return form
}

// tagsOf are the tags of each site, by name.
func tagsOf(t *testing.T, s *apitest.Server) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, r := range list(t, s, "/api/dcim/sites/?limit=1000").Results {
		var names []string
		for _, tag := range r["tags"].([]any) {
			names = append(names, tag.(obj)["name"].(string))
		}
		slices.Sort(names)
		out[r["name"].(string)] = strings.Join(names, " ")
	}
	return out
}

func TestBulkEdit(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	create(t, s, "/api/extras/custom-fields/", obj{"name": "power", "type": "integer", "content_types": []string{"dcim.site"}})
	region := create(t, s, "/api/dcim/regions/", obj{"name": "Europe", "slug": "europe"})
	tags := many(t, s, "/api/extras/tags/", 3, func(i int) obj {
		name := []string{"core", "edge", "lab"}[i]
		return obj{"name": name, "slug": name}
	})
	ids := many(t, s, "/api/dcim/sites/", 3, func(i int) obj {
		o := site(i)
		o["tags"] = tags[:i]
		o["custom_fields"] = obj{"power": i}
		return o
	})
	const edit = "/dcim/sites/edit/"

	if got := note(t, b, b.post(t, edit, url.Values{"query": {"status=active"}})); !strings.HasPrefix(got, "Nothing is selected.") {
		t.Error(got)
	}
	if got := note(t, b, b.post(t, edit, ticked(999))); got != "What you selected no longer exists." {
		t.Error(got)
	}
	b.post(t, edit, url.Values{"id": {"x"}}).Want(t, http.StatusBadRequest)
	shows(t, b.post(t, edit, url.Values{"all": {"true"}, "query": {"sttaus=x"}}).Want(t, http.StatusBadRequest), "Did you mean")

	form := b.post(t, edit, ticked(ids...)).Want(t, http.StatusOK)
	shows(t, form, "Edit 3 sites", "Site 0000", "Site 0002", `value="status"`, `name="to.cf_power"`, `name="how.tags"`)
	hides(t, form, `name="to.name"`, `name="to.slug"`, " required")
	again := hidden(form)

	t.Run("nothing ticked", func(t *testing.T) {
		shows(t, b.post(t, edit, with(again, "to.status", "retired")).Want(t, http.StatusBadRequest), "Select the fields to change.")
	})
	t.Run("fields", func(t *testing.T) {
		done := b.post(t, edit, with(again, "change", "status", "to.status", "retired", "change", "region", "to.region",
			fmt.Sprintf("Europe #%d", region),
			"change", "cf_power", "to.cf_power", "1", "to.description", "not ticked"))
		if got := note(t, b, done); got != "Updated 3 sites." {
			t.Error(got)
		}
		page := list(t, s, fmt.Sprintf("/api/dcim/sites/?status=retired&region_id=%d&cf_power=1&description=", region))
		if page.Count != 3 {
			t.Errorf("%d of 3", page.Count)
		}
	})
	t.Run("already so", func(t *testing.T) {
		if got := note(t, b, b.post(t, edit, with(again, "change", "status", "to.status",
			"retired"))); got != "Nothing was changed: these values were already set." {
			t.Error(got)
		}
	})
	t.Run("tags", func(t *testing.T) {
		for _, step := range []struct {
			how, tag, note string
			want           map[string]string
		}{
			{"add", "lab", "Updated 3 sites.", map[string]string{"Site 0000": "lab", "Site 0001": "core lab", "Site 0002": "core edge lab"}},
			{"remove", "core", "Updated 2 sites. The other 1 site already had these values.",
				map[string]string{"Site 0000": "lab", "Site 0001": "lab", "Site 0002": "edge lab"}},
			{"remove", fmt.Sprintf("lab #%d", tags[2]), "Updated 3 sites.",
				map[string]string{"Site 0000": "", "Site 0001": "", "Site 0002": "edge"}},
			{"set", "core", "Updated 3 sites.", map[string]string{"Site 0000": "core", "Site 0001": "core", "Site 0002": "core"}},
		} {
			if got := note(t, b, b.post(t, edit, with(again, "change", "tags", "how.tags", step.how, "to.tags", step.tag, "to.tags",
				""))); got != step.note {
				t.Errorf("%s %s: %s", step.how, step.tag, got)
			}
			if got := tagsOf(t, s); fmt.Sprint(got) != fmt.Sprint(step.want) {
				t.Errorf("%s %s: %v", step.how, step.tag, got)
			}
		}
		refused := b.post(t, edit, with(again, "change", "tags", "how.tags", "add", "to.tags", "croe")).Want(t, http.StatusBadRequest)
		shows(t, refused, "There is no tag &#34;croe&#34; that you may see.", `value="croe"`, `value="tags" checked`)
		shows(t, b.post(t, edit, with(again, "change", "tags", "how.tags", "add")).Want(t, http.StatusBadRequest), "Name at least one.")
	})
	t.Run("refused for all is shown at the field", func(t *testing.T) {
		refused := b.post(t, edit, with(again, "change", "latitude", "to.latitude", "91", "change", "cf_power", "to.cf_power",
			"much")).Want(t, http.StatusBadRequest)
		shows(t, refused, `id="id_latitude_errors"`, `id="id_cf_power_errors"`, `value="91"`)
		hides(t, refused, "What is wrong")
	})
	t.Run("one of them is deleted meanwhile", func(t *testing.T) {
		s.Do(t, apitest.Call{Method: "DELETE", Path: fmt.Sprintf("/api/dcim/sites/%d/", ids[2]), Token: s.Admin}).Want(t, http.StatusNoContent)
		refused := b.post(t, edit, with(again, "change", "status", "to.status", "active")).Want(t, http.StatusPreconditionFailed)
		shows(t, refused, "now it is 2 sites", "Edit 2 sites", `value="status" checked`)
		if got := note(t, b, b.post(t, edit, with(hidden(refused), "change", "status", "to.status", "active"))); got != "Updated 2 sites." {
			t.Error(got)
		}
	})
}

// TestBulkRefusedByRecord: errors of single records are shown under their names, and nothing is changed.
func TestBulkRefusedByRecord(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	ids := many(t, s, "/api/dcim/regions/", 3, func(i int) obj {
		return obj{"name": fmt.Sprintf("Region %d", i), "slug": fmt.Sprintf("region-%d", i)}
	})
	form := hidden(b.post(t, "/dcim/regions/edit/", ticked(ids...)).Want(t, http.StatusOK))
	refused := b.post(t, "/dcim/regions/edit/", with(form, "change", "parent", "to.parent",
		fmt.Sprintf("Region 1 #%d", ids[1]))).Want(t, http.StatusBadRequest)
	shows(t, refused, "What is wrong", fmt.Sprintf(`<th scope="row"><a href="/dcim/regions/%d/">Region 1</a></th><td>Parent</td>`, ids[1]))
	hides(t, refused, fmt.Sprintf(`<th scope="row"><a href="/dcim/regions/%d/">`, ids[0]))
	if n := list(t, s, fmt.Sprintf("/api/dcim/regions/?parent_id=%d", ids[1])).Count; n != 0 {
		t.Errorf("%d were changed", n)
	}
}

// TestAllThatMatch: all records that match are changed, also those on other pages, and no others.
func TestAllThatMatch(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	many(t, s, "/api/dcim/sites/", 1205, func(i int) obj {
		o := site(i)
		if i < 1200 {
			o["status"] = "planned"
		}
		return o
	})
	all := url.Values{"all": {"true"}, "query": {"status=planned"}, "id": {"1"}}
	form := b.post(t, "/dcim/sites/edit/", all).Want(t, http.StatusOK)
	shows(t, form, "Edit 1200 sites", "and 1190 more", "/dcim/sites/?status=planned")
	hides(t, form, `type="hidden" name="id"`)
	again := hidden(form)

	create(t, s, "/api/dcim/sites/", obj{"name": "Late", "slug": "late", "status": "planned"})
	refused := b.post(t, "/dcim/sites/edit/", with(again, "change", "facility", "to.facility", "F")).Want(t, http.StatusPreconditionFailed)
	shows(t, refused, "now it is 1201 sites", `value="F"`)
	if n := list(t, s, "/api/dcim/sites/?facility=F").Count; n != 0 {
		t.Errorf("%d were changed", n)
	}
	if got := note(t, b, b.post(t, "/dcim/sites/edit/",
		with(hidden(refused), "change", "facility", "to.facility", "F"))); got != "Updated 1201 sites." {
		t.Error(got)
	}
	if n := list(t, s, "/api/dcim/sites/?facility=F&status=planned").Count; n != 1201 {
		t.Errorf("%d of 1201", n)
	}

	asked := b.post(t, "/dcim/sites/delete/", all).Want(t, http.StatusOK)
	shows(t, asked, "Delete 1201 sites?", "and 1151 more", "Nothing else depends on them")
	done := b.post(t, "/dcim/sites/delete/", hidden(asked))
	if got := done.Header.Get("Location"); got != "/dcim/sites/?status=planned" {
		t.Error(got)
	}
	if got := note(t, b, done); got != "Deleted 1201 sites." {
		t.Error(got)
	}
	if n := list(t, s, "/api/dcim/sites/").Count; n != 5 {
		t.Errorf("%d are left", n)
	}
}

// TestManyThatMatch: a list of more than 10,000 records says so, and so many can't be selected at once.
func TestManyThatMatch(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	if _, err := s.DB.Exec(t.Context(), `INSERT INTO extras_tag (version, name, slug, color, description, created, last_updated)
		SELECT 1, 'n' || i, 's' || i, '', CASE WHEN i > 10000 THEN 'late' ELSE '' END, now(), now()
		FROM generate_series(1, 10001) i`); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string][]string{
		"name__isw=n":         {"1–50 of more than 10,000<", "> All that match<"},
		"description__n=late": {"1–50 of 10000<", "> All 10000 that match<"},
	} {
		shows(t, b.get(t, "/extras/tags/?"+query).Want(t, http.StatusOK), want...)
	}
	refused := b.post(t, "/extras/tags/edit/", url.Values{"all": {"true"}, "query": {"name__isw=n"}}).Want(t, http.StatusRequestEntityTooLarge)
	shows(t, refused, "More than 10000 tags match")
	form := b.post(t, "/extras/tags/edit/", url.Values{"all": {"true"}, "query": {"description__n=late"}}).Want(t, http.StatusOK)
	shows(t, form, "Edit 10000 tags")
}

func TestBulkDelete(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	const del = "/dcim/sites/delete/"
	tenant := create(t, s, "/api/tenancy/tenants/", obj{"name": "Acme", "slug": "acme"})
	ids := many(t, s, "/api/dcim/sites/", 3, func(i int) obj {
		o := site(i)
		if i == 2 {
			o["tenant"] = tenant
		}
		return o
	})
	create(t, s, "/api/dcim/locations/", obj{"name": "Room", "slug": "room", "site": ids[0]})
	asked := b.post(t, del, ticked(ids[:2]...)).Want(t, http.StatusOK)
	shows(t, asked, "Delete 2 sites?", "Site 0000", "Site 0001", "What else changes", "Room", "deleted too")
	hides(t, asked, "Site 0002")
	if n := list(t, s, "/api/dcim/sites/").Count; n != 3 {
		t.Fatalf("asking deleted: %d are left", n)
	}
	held := b.post(t, "/tenancy/tenants/delete/", ticked(tenant)).Want(t, http.StatusOK)
	shows(t, held, "What prevents it", "1 site</a>", "prevents it", ">Site 0002</a>", "Back to the list")
	hides(t, held, "btn-danger")
	b.post(t, "/tenancy/tenants/delete/", with(hidden(b.post(t, "/tenancy/tenants/edit/", ticked(tenant))))).Want(t, http.StatusConflict)

	shows(t, b.post(t, del, with(ticked(ids[:2]...), "apply", "true")).Want(t, http.StatusPreconditionFailed), "Check it before you continue")
	if got := note(t, b, b.post(t, del, hidden(asked))); got != "Deleted 2 sites." {
		t.Error(got)
	}
	if n := list(t, s, "/api/dcim/locations/").Count; n != 0 {
		t.Errorf("%d locations are left", n)
	}
}

// TestBulkWithinPermissions: records that a person sees but may not change or delete stay as they are.
func TestBulkWithinPermissions(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	ids := many(t, s, "/api/dcim/sites/", 4, func(i int) obj {
		o := site(i)
		o["status"] = []string{"active", "planned", "retired", "active"}[i]
		return o
	})
	s.User(t, "alice",
		apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}, Constraints: []obj{{"status": "active"}, {"status": "planned"}}},
		apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"change", "delete"}, Constraints: obj{"status": "planned"}})
	b := login(t, s, "alice")
	all := url.Values{"all": {"true"}}
	form := b.post(t, "/dcim/sites/edit/", all).Want(t, http.StatusOK)
	shows(t, form, "Edit 3 sites")
	hides(t, form, "Site 0002")
	refused := b.post(t, "/dcim/sites/edit/", with(hidden(form), "change", "facility", "to.facility", "F")).Want(t, http.StatusBadRequest)
	shows(t, refused, "You may not change it", fmt.Sprintf("/dcim/sites/%d/", ids[0]))
	held := b.post(t, "/dcim/sites/delete/", all).Want(t, http.StatusOK)
	shows(t, held, "You may not delete it", "Some of them")
	hides(t, held, "btn-danger")
	b.post(t, "/dcim/sites/delete/", with(hidden(form))).Want(t, http.StatusBadRequest)
	shows(t, b.post(t, "/dcim/sites/delete/", ticked(ids[0])).Want(t, http.StatusOK), "You may not delete it")
	if got := note(t, b, b.post(t, "/dcim/sites/delete/", ticked(ids[2]))); got != "What you selected no longer exists." {
		t.Error(got)
	}
	if n := list(t, s, "/api/dcim/sites/?facility=F").Count; n != 0 {
		t.Errorf("%d were changed", n)
	}
	one := hidden(b.post(t, "/dcim/sites/edit/", ticked(ids[1])))
	b.post(t, "/dcim/sites/edit/", with(one, "change", "status", "to.status", "active")).Want(t, http.StatusForbidden) // out of reach
	if got := note(t, b, b.post(t, "/dcim/sites/edit/", with(one, "change", "facility", "to.facility", "F"))); got != "Updated 1 site." {
		t.Error(got)
	}
	if got := note(t, b, b.post(t, "/dcim/sites/delete/",
		hidden(b.post(t, "/dcim/sites/delete/", ticked(ids[1]))))); got != "Deleted 1 site." {
		t.Error(got)
	}
	s.User(t, "bob", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}})
	reader := login(t, s, "bob")
	reader.post(t, "/dcim/sites/edit/", all).Want(t, http.StatusForbidden)
	reader.post(t, "/dcim/sites/delete/", all).Want(t, http.StatusForbidden)
	if n := list(t, s, "/api/dcim/sites/").Count; n != 3 {
		t.Errorf("%d are left", n)
	}
}

// TestBulkFormsOfAllTypes: no form offers a secret, an owner, or a field whose meaning depends on the record.
func TestBulkFormsOfAllTypes(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	form := b.post(t, "/users/users/edit/", url.Values{"all": {"true"}}).Want(t, http.StatusOK)
	shows(t, form, `name="to.is_active"`, `name="how.groups"`)
	hides(t, form, `to.password`, `to.username`, "to.is_superuser")
	form = b.post(t, "/users/tokens/edit/", url.Values{"all": {"true"}}).Want(t, http.StatusOK)
	shows(t, form, `name="to.expires"`)
	hides(t, form, "to.key", "to.user")
	create(t, s, "/api/extras/webhooks/", obj{"name": "w", "content_types": []string{"dcim.site"}, "type_create": true,
		"payload_url": "http://localhost:9000/",
		"secret":      "s3cret-canary", "additional_headers": "X-Key: header-canary"})
	form = b.post(t, "/extras/webhooks/edit/", url.Values{"all": {"true"}}).Want(t, http.StatusOK)
	shows(t, form, `name="to.enabled"`)
	hides(t, form, "to.secret", "to.additional_headers", "canary")
	create(t, s, "/api/extras/custom-fields/", obj{"name": "power", "type": "integer", "default": 1, "content_types": []string{"dcim.site"}})
	form = b.post(t, "/extras/custom-fields/edit/", url.Values{"all": {"true"}}).Want(t, http.StatusOK)
	shows(t, form, `name="to.required"`)
	hides(t, form, "to.default")
}
