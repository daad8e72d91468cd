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

	"terrier/internal/app"
	"terrier/test/apitest"
)

// inList are custom fields of sites, with a value of each, what the list shows of it, and a filter as the form sends it.
var inList = []struct {
	kind          string
	value         any
	cell          string
	input, filter string
}{
	{"text", "Ada <b>", "Ada &lt;b&gt;", `name="cf_x_text__ic"`, "cf_x_text__ic=ada"},
	{"longtext", "one\ntwo", "one\ntwo", `name="cf_x_longtext__ic"`, "cf_x_longtext__ic=two"},
	{"integer", 7, ">7</td>", `name="cf_x_integer__gte"`, "cf_x_integer__gte=7&cf_x_integer__lte=8"},
	{"decimal", 1.5, ">1.5</td>", `name="cf_x_decimal__lte"`, "cf_x_decimal__lte=1.5"},
	{"boolean", false, ">No<", `<select class="form-select form-select-sm" name="cf_x_boolean"`, "cf_x_boolean=false"},
	{"date", "2026-01-31", "2026-01-31", `type="date" name="cf_x_date__gte"`, "cf_x_date__gte=2026-01-31"},
	{"datetime", "2026-01-31T10:00:00Z", `datetime="2026-01-31T10:00:00`, `data-utc name="cf_x_datetime__gte"`,
		"cf_x_datetime__gte=2026-01-31T10%3A00%3A00"},
	{"url", "https://a.example/?b=c&d", `<a href="https://a.example/?b=c&amp;d"`, `name="cf_x_url__ic"`, "cf_x_url__ic=a.example"},
	{"json", obj{"a": []int{1}}, "&#34;a&#34;", `name="cf_x_json__ic"`, "cf_x_json__ic=a"},
	{"select", "low", "low", `type="checkbox" name="cf_x_select" value="high"`, "cf_x_select=low&cf_x_select=high"},
	{"multiselect", []string{"low", "high"}, "low, high", `type="checkbox" name="cf_x_multiselect" value="low"`, "cf_x_multiselect=high"},
}

// TestCustomFieldsInLists: every kind of custom field can be a column with the right cell, is in the filter form, and finds the record
// by its filter, whose chip has the label of the field.
func TestCustomFieldsInLists(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	values, chosen := obj{}, url.Values{}
	for _, x := range inList {
		def := obj{"name": "x_" + x.kind, "label": "The " + x.kind, "type": x.kind, "content_types": []string{"dcim.site"}}
		if strings.HasSuffix(x.kind, "select") {
			def["choices"] = []string{"low", "high"}
		}
		create(t, s, "/api/extras/custom-fields/", def)
		values["x_"+x.kind] = x.value
		chosen.Add("columns", "cf_x_"+x.kind)
	}
	create(t, s, "/api/dcim/sites/", obj{"name": "Without", "slug": "without"})
	create(t, s, "/api/dcim/sites/", obj{"name": "With values", "slug": "with", "custom_fields": values})
	b.post(t, "/dcim/sites/columns/", chosen).Want(t, http.StatusSeeOther)
	list := b.get(t, "/dcim/sites/").Want(t, http.StatusOK)
	for _, x := range inList {
		shows(t, list, x.cell, x.input)
		sorts := strings.Contains(string(list.Raw), `href="/dcim/sites/?ordering=cf_x_`+x.kind+`">The `+x.kind)
		if want := x.kind != "json" && x.kind != "multiselect"; sorts != want {
			t.Errorf("%s: its head sorts: %v", x.kind, sorts)
		}
		found := b.get(t, "/dcim/sites/?"+x.filter).Want(t, http.StatusOK)
		shows(t, found, "With values")
		hides(t, found, ">Without</a>")
		if chip := chipsOf(found); len(chip) == 0 || !strings.HasPrefix(chip[0], "The "+x.kind+" ") {
			t.Errorf("%s: the chips are %q", x.kind, chip)
		}
	}
	if first := namesOf(b.get(t, "/dcim/sites/?ordering=-cf_x_integer")); !slices.Equal(first, []string{"With values", "Without"}) {
		t.Errorf("in descending order there are %v", first)
	}
	shows(t, b.get(t, "/dcim/sites/?ordering=cf_x_text").Want(t, http.StatusOK), `aria-sort="ascending"`, "ordering=-cf_x_text")
	b.get(t, "/dcim/sites/?ordering=cf_other").Want(t, http.StatusBadRequest)
}

// chipsOf returns the texts of the active filters of a list.
func chipsOf(a apitest.Answer) (texts []string) {
	for _, chip := range regexp.MustCompile(`(?s)<a class="chip"[^>]*>(.*?)<span aria-hidden`).FindAllStringSubmatch(string(a.Raw), -1) {
		text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(chip[1], "")
		texts = append(texts, html.UnescapeString(strings.TrimSpace(text)))
	}
	return texts
}

// namesOf returns the names of the records in a list.
func namesOf(a apitest.Answer) (names []string) {
	for _, row := range regexp.MustCompile(`<th scope="row"[^>]*><a href="[^"]*">([^<]*)`).FindAllStringSubmatch(string(a.Raw), -1) {
		names = append(names, row[1])
	}
	return names
}

// headsOf returns the columns of a list.
func headsOf(a apitest.Answer) (heads []string) {
	for _, head := range regexp.MustCompile(`<th scope="col"[^>]*>(?:<a [^>]*>)?([^<]+)`).FindAllStringSubmatch(string(a.Raw), -1) {
		heads = append(heads, strings.TrimSpace(head[1]))
	}
	return heads
}

// TestColumnsAreKeptInTheAccount: chosen columns are shown in another session of the same user, for this type only, and nobody else has
// them. The list keeps its filters. What is no column is not kept, and what is gone is not shown.
func TestColumnsAreKeptInTheAccount(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	s.User(t, "bob", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}})
	s.User(t, "eve", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}})
	owner := create(t, s, "/api/extras/custom-fields/", obj{"name": "owner", "content_types": []string{"dcim.site"}})
	create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1", "custom_fields": obj{"owner": "Ada"}})
	first := headsOf(login(t, s, "bob").get(t, "/dcim/sites/"))
	to := login(t, s, "bob").post(t, "/dcim/sites/columns/", url.Values{"query": {"status=active&ordering=name"},
		"columns": {"cf_owner", "slug", "nothing", strings.Repeat("x", 3000)}}).Want(t, http.StatusSeeOther).Header
	if got := to.Get("Location"); got != "/dcim/sites/?ordering=name&status=active" || to.Get("Set-Cookie") != "" {
		t.Errorf("it leads to %s, with the cookie %q", got, to.Get("Set-Cookie"))
	}
	bob := login(t, s, "bob")
	if got := headsOf(bob.get(t, "/dcim/sites/")); !slices.Equal(got, []string{"Name", "Slug", "Owner"}) {
		t.Errorf("another browser shows %q", got)
	}
	if got := headsOf(login(t, s, "eve").get(t, "/dcim/sites/")); !slices.Equal(got, first) {
		t.Errorf("somebody else sees %q, not %q", got, first)
	}
	if kept := preferencesOf(t, s, "bob"); kept != `{"columns": {"dcim.site": ["slug", "cf_owner"]}}` &&
		kept != `{"columns":{"dcim.site":["slug","cf_owner"]}}` {
		t.Errorf("kept is %s", kept)
	}
	s.Do(t, apitest.Call{Method: "DELETE", Path: fmt.Sprintf("/api/extras/custom-fields/%d/", owner), Token: s.Admin}).
		Want(t, http.StatusNoContent)
	if got := headsOf(bob.get(t, "/dcim/sites/")); !slices.Equal(got, []string{"Name", "Slug"}) {
		t.Errorf("without the custom field there are %q", got)
	}
	for _, form := range []url.Values{{"default": {"true"}, "columns": {"slug"}}, {}, {"columns": {"nothing"}}} {
		bob.post(t, "/dcim/sites/columns/", url.Values{"columns": {"slug"}}).Want(t, http.StatusSeeOther)
		bob.post(t, "/dcim/sites/columns/", form).Want(t, http.StatusSeeOther)
		if got := headsOf(bob.get(t, "/dcim/sites/")); !slices.Equal(got, first) {
			t.Errorf("after %v there are %q", form, got)
		}
	}
	to = bob.post(t, "/dcim/sites/columns/", url.Values{"query": {"//evil.example/"}}).Want(t, http.StatusSeeOther).Header
	if got := to.Get("Location"); !strings.HasPrefix(got, "/dcim/sites/?") {
		t.Errorf("a query leads to %s", got)
	}
	bob.post(t, "/dcim/sites/columns/", url.Values{"columns": {"slug"}}, "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site").
		Want(t, http.StatusForbidden)
}

// preferencesOf returns what is stored for a user.
func preferencesOf(t *testing.T, s *apitest.Server, user string) (data string) {
	t.Helper()
	err := s.DB.QueryRow(t.Context(), "SELECT data FROM users_preference p JOIN users_user u ON u.id = p.user_id WHERE u.username = $1", user).
		Scan(&data)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestColumnsOfAnonymousReaders: those without an account keep their columns in a cookie, which has only columns that a list can show.
func TestColumnsOfAnonymousReaders(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, func(c *app.Config) { c.ExemptViewPermissions = []string{"dcim.site"} })
	create(t, s, "/api/extras/custom-fields/", obj{"name": "owner", "content_types": []string{"dcim.site"}})
	create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	nobody := browser{s: s}
	a := nobody.post(t, "/dcim/sites/columns/", url.Values{"columns": {strings.Repeat("x", 3000), "slug", "cf_owner"}}).
		Want(t, http.StatusSeeOther)
	cookie := a.Header.Get("Set-Cookie")
	if !strings.HasPrefix(cookie, "terrier_columns=slug.cf_owner; Path=/dcim/sites/;") || !strings.Contains(cookie, "HttpOnly") ||
		!strings.Contains(cookie, "SameSite=Lax") {
		t.Errorf("the cookie is %s", cookie)
	}
	nobody.cookie, _, _ = strings.Cut(cookie, ";")
	if got := headsOf(nobody.get(t, "/dcim/sites/").Want(t, http.StatusOK)); !slices.Equal(got, []string{"Name", "Slug", "Owner"}) {
		t.Errorf("the list has %q", got)
	}
}

// TestChipsHaveNames: a filter by the id of a record has its name, and the id of a record that the reader may not see.
func TestChipsHaveNames(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	for i, name := range []string{"Lisbon <1>", "Porto", "Hidden"} {
		create(t, s, "/api/dcim/sites/", obj{"name": name, "slug": fmt.Sprint("s", i)})
	}
	tenant := create(t, s, "/api/tenancy/tenants/", obj{"name": "Umbrella", "slug": "umbrella"})
	s.User(t, "bob", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}, Constraints: []obj{{"id__lt": 3}}},
		apitest.Grant{Types: []string{"dcim.location"}, Actions: []string{"view"}})
	bob, admin := login(t, s, "bob"), login(t, s, "admin")
	for query, want := range map[string][2][]string{ // of admin and of bob
		"site_id=1":                            {{"Site is Lisbon <1>"}},
		"site_id=2&site_id=3":                  {{"Site is Porto or Hidden"}, {"Site is Porto or #3"}},
		"site_id__n=1":                         {{"Site is not Lisbon <1>"}},
		"site_id=99":                           {{"Site is #99"}},
		fmt.Sprint("tenant_id=", tenant):       {{"Tenant is Umbrella"}, {fmt.Sprint("Tenant is #", tenant)}},
		"tenant_id=null":                       {{"Tenant is null"}},
		"site=s1":                              {{"Site is s1"}},
		"region_id=5&site_id=1&status=planned": {{"Region is #5", "Site is Lisbon <1>", "Status is planned"}},
	} {
		if want[1] == nil {
			want[1] = want[0]
		}
		for i, b := range []browser{admin, bob} {
			a := b.get(t, "/dcim/locations/?"+query).Want(t, http.StatusOK)
			if got := chipsOf(a); !slices.Equal(got, want[i]) {
				t.Errorf("%s as number %d: %q, want %q", query, i, got, want[i])
			}
			hides(t, a, "<1>")
		}
	}
	hides(t, bob.get(t, "/dcim/locations/?site_id=3"), "Hidden")
}

// TestStatementsOfLists: columns, filters and orders of custom fields cost no statement more, and chips one for each type whose records
// they name.
func TestStatementsOfLists(t *testing.T) {
	t.Parallel()
	s, wire := countingServer(t)
	b := login(t, s, "admin")
	for _, name := range []string{"owner", "floor", "room"} {
		create(t, s, "/api/extras/custom-fields/", obj{"name": name, "content_types": []string{"dcim.site"}})
	}
	create(t, s, "/api/dcim/regions/", obj{"name": "Europe", "slug": "europe"})
	create(t, s, "/api/dcim/regions/", obj{"name": "Asia", "slug": "asia"})
	create(t, s, "/api/tenancy/tenants/", obj{"name": "Umbrella", "slug": "umbrella"})
	for i := range 40 {
		create(t, s, "/api/dcim/sites/", obj{"name": fmt.Sprint("Site ", i), "slug": fmt.Sprint("s", i), "region": 1,
			"custom_fields": obj{"owner": fmt.Sprint("o", i)}})
	}
	b.post(t, "/dcim/sites/columns/", url.Values{"columns": {"region", "cf_owner", "cf_floor", "cf_room"}}).Want(t, http.StatusSeeOther)
	// The session and the account; the preferences and the custom fields, in one round trip; the page and its count, in two.
	for path, want := range map[string][2]int64{
		"/dcim/sites/":         {2 + 2 + 2, 2 + 1 + 2},
		"/dcim/sites/?limit=1": {2 + 2 + 2, 2 + 1 + 2},
		"/dcim/sites/?ordering=-cf_owner&cf_owner__ic=o":       {2 + 2 + 2, 2 + 1 + 2},
		"/dcim/sites/?region_id=1&region_id=2&parent_region=1": {0, 0}, // unknown
		"/dcim/sites/?region_id=1&region_id=2":                 {2 + 2 + 2 + 1, 2 + 1 + 2 + 1},
		"/dcim/sites/?region_id=1&region_id__n=2&tenant_id=1":  {2 + 2 + 2 + 2, 2 + 1 + 2 + 2},
		// It is proven in one round trip that there are such a region and such a tenant.
		"/dcim/sites/?region=europe&tenant=umbrella&status=active": {2 + 2 + 2 + 2, 2 + 1 + 2 + 1},
	} {
		if want[0] == 0 {
			b.get(t, path).Want(t, http.StatusBadRequest)
			continue
		}
		if statements, trips := needs(t, b, path, wire); statements != want[0] || trips != want[1] {
			t.Errorf("%s: %d statements in %d round trips, want %v", path, statements, trips, want)
		}
	}
}

// TestHostileCustomFieldsInLists: the label, the choices and the values of a custom field are texts, wherever a list shows them.
func TestHostileCustomFieldsInLists(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	const payload = `"><img src=x onerror=alert(1)>`
	columns := url.Values{}
	for name, def := range map[string]obj{
		"word":   {"type": "text"},
		"pick":   {"type": "select", "choices": []string{payload, "b"}},
		"many":   {"type": "multiselect", "choices": []string{payload, "b"}},
		"object": {"type": "json"},
		"link":   {"type": "url"},
	} {
		def["name"], def["label"], def["content_types"] = name, payload+name, []string{"dcim.site"}
		create(t, s, "/api/extras/custom-fields/", def)
		columns.Add("columns", "cf_"+name)
	}
	create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1", "custom_fields": obj{"word": payload, "pick": payload,
		"many": []string{payload}, "object": obj{payload: payload}, "link": "http://a.example/" + url.PathEscape(payload)}})
	// A definition that became one of addresses when there were values.
	script := `UPDATE dcim_site SET custom_fields = custom_fields || '{"link": "javascript:alert(1)"}'`
	if _, err := s.DB.Exec(t.Context(), script); err != nil {
		t.Fatal(err)
	}
	b.post(t, "/dcim/sites/columns/", columns).Want(t, http.StatusSeeOther)
	escaped := html.EscapeString(payload)
	for _, query := range []string{"", "?ordering=cf_word", "?cf_word=" + url.QueryEscape(payload) + "&cf_pick=" + url.QueryEscape(payload)} {
		a := b.get(t, "/dcim/sites/"+query).Want(t, http.StatusOK)
		hides(t, a, "<img src=x", `href="javascript:`)
		if n := strings.Count(string(a.Raw), escaped); n < 10 {
			t.Errorf("%s shows the text %d times", query, n)
		}
	}
}
