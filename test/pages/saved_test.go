package pages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestSavedFilters: people save the filters of a list under a name, find them beside Filter, apply them and remove them, with and without
// a permission, and nobody sees what others keep to themselves.
func TestSavedFilters(t *testing.T) {
	t.Parallel()
	s, wire := countingServer(t)
	for _, name := range []string{"Lisbon", "Porto"} {
		create(t, s, "/api/dcim/sites/", obj{"name": name, "slug": strings.ToLower(name)})
	}
	sees := apitest.Grant{Types: []string{"dcim.site", "dcim.region"}, Actions: []string{"view"}}
	s.User(t, "bob", sees)
	s.User(t, "carol", sees)
	bob, carol, admin := login(t, s, "bob"), login(t, s, "carol"), login(t, s, "admin")
	const list, saved = "/dcim/sites/", "/dcim/sites/saved/"
	const hostile = `<script>alert(1)</script> & "Lisbon"`
	const shown, slug = "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &#34;Lisbon&#34;", "script-alert-1-script-lisbon"

	a := bob.get(t, list+"?name=Lisbon").Want(t, http.StatusOK)
	shows(t, a, `<div class="drop-box" id="saved-filters" hx-get="/dcim/sites/saved/?name=Lisbon"`,
		`<a href="/dcim/sites/saved/?name=Lisbon">`)
	menu := bob.get(t, saved+"?name=Lisbon").Want(t, http.StatusOK)
	shows(t, menu, "<!doctype html>", "There are no saved filters for Sites yet.", `name="query" value="name=Lisbon"`, "Save this filter")
	hides(t, menu, "Share with everybody")
	shows(t, bob.get(t, saved), "To save a filter, apply it to the list first.")
	part := bob.get(t, saved+"?name=Lisbon", "Hx-Request", "true", "Hx-Target", "saved-filters").Want(t, http.StatusOK)
	shows(t, part, "Save this filter")
	hides(t, part, "<!doctype html>")

	made := bob.post(t, saved, url.Values{"query": {"name=Lisbon&limit=25&ordering=-name"}, "name": {hostile}})
	if to := made.Header.Get("Location"); made.Status != http.StatusSeeOther || to != list+"?filter="+slug {
		t.Fatalf("%d to %s: %s", made.Status, to, made.Raw)
	}
	kept := s.Do(t, apitest.Call{Method: "GET", Path: "/api/extras/saved-filters/", Token: s.Admin}).Page(t).Results[0]
	if got := kept["parameters"].(obj); len(got) != 1 || got["name"] == nil || kept["shared"] != false || kept["user"] == nil {
		t.Errorf("it is kept as %v", kept)
	}
	a = bob.get(t, list+"?filter="+slug+"&status=active").Want(t, http.StatusOK)
	shows(t, a, `<a class="chip" href="/dcim/sites/?status=active" title="Remove this filter">Saved filter: `+shown, ">Lisbon</a>",
		`<input type="hidden" name="filter" value="`+slug+`">`, "/dcim/sites/export/?filter="+slug)
	hides(t, a, ">Porto</a>", "<script>alert")
	menu = bob.get(t, saved+"?filter="+slug)
	shows(t, menu, `<a href="/dcim/sites/?filter=`+slug+`" aria-current="true">`+shown+`</a> <span class="nothing">private</span>`)
	hides(t, bob.get(t, "/dcim/regions/saved/"), slug) // it is for other lists

	hides(t, carol.get(t, saved), slug)
	carol.get(t, list+"?filter="+slug).Want(t, http.StatusBadRequest)
	// With the filters of a saved one and others a new one has all of them.
	bob.post(t, saved, url.Values{"query": {"filter=" + slug + "&status=active"}, "name": {"Both"}}).Want(t, http.StatusSeeOther)
	shows(t, bob.get(t, "/extras/saved-filters/?q=both"), "Both")
	shows(t, bob.get(t, list+"?filter=both"), ">Lisbon</a>")
	for text, form := range map[string]url.Values{
		"name: ":                           {"query": {"name=Lisbon"}, "name": {" "}},
		"almost this name":                 {"query": {"name=Lisbon"}, "name": {"both!"}},
		"You do not have permission":       {"query": {"name=Lisbon"}, "name": {"For all"}, "shared": {"true"}},
		"has no filters that could be":     {"query": {"limit=5"}, "name": {"Nothing"}},
		"nosuch: Unknown filter":           {"query": {"nosuch=Lisbon"}, "name": {"Typo"}},
		"filter: There is no saved filter": {"query": {"filter=nosuch"}, "name": {"Gone"}},
	} {
		a := carol.post(t, saved, form)
		if shows(t, a, text); a.Status/100 != 4 {
			t.Errorf("%v: %d", form, a.Status)
		}
	}

	menu = admin.get(t, saved+"?name=Porto")
	shows(t, menu, "Share with everybody")
	hides(t, menu, slug) // it is not theirs
	admin.post(t, saved, url.Values{"query": {"name=Porto"}, "name": {"東京"}, "shared": {"true"}}).Want(t, http.StatusSeeOther)
	shows(t, carol.get(t, saved), ">東京</a>", `href="/dcim/sites/?filter=filter-`)

	// People without a permission are offered no owner and no sharing, and can save what they are offered.
	form := bob.get(t, "/extras/saved-filters/1/edit/").Want(t, http.StatusOK)
	hides(t, form, `name="shared"`, `name="user"`)
	fields := form.Form(t)
	fields.Set("description", "One site")
	bob.post(t, "/extras/saved-filters/1/edit/", fields).Want(t, http.StatusSeeOther)
	shows(t, admin.get(t, "/extras/saved-filters/1/edit/"), `name="shared"`, `name="user"`)

	for path, want := range map[string]int64{list: 2 + 4, list + "?filter=both": 2 + 5, saved: 2 + 1, saved + "?filter=both": 2 + 1} {
		if n, _ := needs(t, bob, path, wire); n != want {
			t.Errorf("%s takes %d statements, want %d", path, n, want)
		}
	}
}
