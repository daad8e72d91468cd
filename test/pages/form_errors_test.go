package pages_test

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"terrier/test/apitest"
)

var summaryLink = regexp.MustCompile(`<li><a href="#id_([a-z_]+)">`)

// faulty returns the fields that the summary of a refused form leads to.
func faulty(refused apitest.Answer) string {
	var names []string
	for _, m := range summaryLink.FindAllStringSubmatch(string(refused.Raw), -1) {
		names = append(names, m[1])
	}
	return strings.Join(names, " ")
}

// TestAllErrorsOfAForm: a refused form lists all errors at once, in the order of its fields, and leads to each. They include what can't be
// parsed, custom fields, and rules between fields.
func TestAllErrorsOfAForm(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	for name, kind := range map[string]string{"data": "json", "manual": "url", "owner": "text"} {
		create(t, s, "/api/extras/custom-fields/",
			obj{"name": name, "type": kind, "required": kind == "text", "content_types": []string{"dcim.site"}})
	}
	create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1", "custom_fields": obj{"owner": "us"}})
	for _, test := range []struct {
		path, typed string
		want        string
	}{
		{"/dcim/sites/add/", "name=Lisbon+1&slug=a+b&status=active&region=Nowhere&latitude=91&cf_data={&cf_manual=x",
			"name slug region cf_data cf_manual cf_owner latitude"},
		{"/dcim/sites/1/edit/", "name=&slug=lis1&status=active&cf_data={&cf_owner=", "name cf_data cf_owner"},
		{"/extras/webhooks/add/", "name=&content_types=dcim.site&payload_url=ftp://x/&conditions={&http_method=POST&" +
			"http_content_type=a/b&concurrency=0", "name type_create payload_url conditions concurrency"},
	} {
		form, err := url.ParseQuery(test.typed)
		if err != nil {
			t.Fatal(err)
		}
		refused := b.post(t, test.path, form).Want(t, http.StatusBadRequest)
		got, want := strings.Fields(faulty(refused)), strings.Fields(test.want)
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("%s leads to %v, want %v", test.path, got, want)
		}
		if n := strings.Count(string(refused.Raw), " autofocus"); n != 1 {
			t.Errorf("%s: %d fields want the focus", test.path, n)
		}
	}
	if n := number(t, s, "SELECT count(*) FROM dcim_site WHERE name = 'Lisbon 1'"); n != 1 {
		t.Errorf("there are %d sites", n)
	}
}

// TestRulesBesideInvalidFields: a rule between fields is reported beside the errors of other fields, but not if it looked at an invalid
// one.
func TestRulesBesideInvalidFields(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	for _, test := range []struct {
		body obj
		want []string
	}{
		{obj{"content_types": []string{"dcim.site"}, "payload_url": "http://192.0.2.1/"}, []string{"name", "type_create"}},
		{obj{"name": "n", "content_types": []string{"dcim.site"}, "payload_url": "ftp://x/", "type_create": "maybe"},
			[]string{"payload_url", "type_create"}},
		{obj{"name": "n", "content_types": []string{"dcim.site"}, "type_create": "maybe"}, []string{"payload_url", "type_create"}},
	} {
		errs := s.Do(t, apitest.Call{Method: "POST", Path: "/api/extras/webhooks/", Token: s.Admin, Body: test.body}).
			Want(t, http.StatusBadRequest).Object(t)
		if got := slices.Sorted(maps.Keys(errs)); !slices.Equal(got, test.want) {
			t.Errorf("%v: errors in %v, want %v", test.body, got, test.want)
		}
		for field, messages := range errs {
			if len(messages.([]any)) != 1 {
				t.Errorf("%v: %s has %v", test.body, field, messages)
			}
		}
	}
}

// TestSlugOfAForm: a form without a slug makes one from the name. The API demands one.
func TestSlugOfAForm(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	for i, test := range []struct{ name, slug, want string }{
		{"Zürich 1", "", "zurich-1"},
		{"Zürich 2", " ", "zurich-2"},
		{"Zürich 3", "own", "own"},
	} {
		b.post(t, "/dcim/sites/add/", url.Values{"name": {test.name}, "slug": {test.slug}, "status": {"active"}}).Want(t, http.StatusSeeOther)
		path := "/dcim/sites/" + string(rune('1'+i)) + "/"
		if got := api(t, s, path)["slug"]; got != test.want {
			t.Errorf("%s gets the slug %v, want %s", test.name, got, test.want)
		}
	}
	for _, test := range []struct{ path, name string }{{"/dcim/sites/add/", "東京"}, {"/dcim/sites/1/edit/", "Zürich 4"}} {
		refused := b.post(t, test.path, url.Values{"name": {test.name}, "slug": {""}, "status": {"active"}}).Want(t, http.StatusBadRequest)
		if got := faulty(refused); got != "slug" {
			t.Errorf("%s leads to %q", test.path, got)
		}
	}
	s.Do(t, apitest.Call{Method: "POST", Path: "/api/dcim/sites/", Token: s.Admin, Body: obj{"name": "Zürich 5"}}).
		Want(t, http.StatusBadRequest)
	hides(t, b.get(t, "/dcim/sites/1/edit/"), "data-slug-of")
	shows(t, b.get(t, "/dcim/sites/add/"), `data-slug-of="id_name"`)
	shows(t, b.get(t, "/dcim/device-types/add/"), `data-slug-of="id_model"`)
}

// TestAdvancedFields: what few people need is folded, unless it has a value or an error.
func TestAdvancedFields(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	const folded = `<details class="card"><summary class="card-header">Advanced`
	const open = `<details class="card" open><summary class="card-header">Advanced`
	create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 2", "slug": "lis2", "latitude": 0})
	create(t, s, "/api/extras/webhooks/", obj{"name": "Plain", "content_types": []string{"dcim.site"}, "type_create": true,
		"payload_url": "http://192.0.2.1/"})
	create(t, s, "/api/extras/webhooks/", obj{"name": "Unchecked", "content_types": []string{"dcim.site"}, "type_create": true,
		"payload_url": "http://192.0.2.1/", "ssl_verification": false})
	for path, want := range map[string]string{
		"/dcim/sites/add/":             folded,
		"/dcim/sites/add/?latitude=1":  open,
		"/dcim/sites/1/edit/":          folded,
		"/dcim/sites/2/edit/":          open,
		"/extras/webhooks/add/":        folded,
		"/extras/webhooks/1/edit/":     folded,
		"/extras/webhooks/2/edit/":     open,
		"/extras/custom-fields/add/":   folded,
		"/dcim/racks/add/":             folded,
		"/dcim/interfaces/add/":        folded,
		"/dcim/device-types/add/":      folded,
		"/dcim/devices/add/?airflow=x": folded, // no such choice
	} {
		shows(t, b.get(t, path).Want(t, http.StatusOK), want)
	}
	wrong := url.Values{"name": {"Lisbon 3"}, "slug": {"lis3"}, "status": {"active"}, "latitude": {"91"}}
	shows(t, b.post(t, "/dcim/sites/add/", wrong).Want(t, http.StatusBadRequest), open)
	wrong = url.Values{"name": {"Lisbon 3"}, "slug": {"a b"}, "status": {"active"}}
	shows(t, b.post(t, "/dcim/sites/add/", wrong).Want(t, http.StatusBadRequest), folded)
}
