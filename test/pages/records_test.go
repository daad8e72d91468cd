package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"terrier/test/apitest"
	"terrier/test/trial"
)

// TestRecordPages walks one record through its life as a person does.
func TestRecordPages(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	region := create(t, s, "/api/dcim/regions/", obj{"name": "Europe", "slug": "europe"})
	shows(t, b.get(t, "/dcim/sites/").Want(t, http.StatusOK), "There are no Sites yet", "/dcim/sites/add/")

	refused := b.post(t, "/dcim/sites/add/", url.Values{"name": {""}, "slug": {"not a slug"}, "region": {"Atlantis"}}).
		Want(t, http.StatusBadRequest)
	shows(t, refused, "This field may not be blank.", `value="not a slug"`, `value="Atlantis"`)

	made := b.post(t, "/dcim/sites/add/", url.Values{"name": {"Lisbon 1"}, "slug": {"lis1"}, "status": {"planned"},
		"region": {fmt.Sprintf("Europe #%d", region)}}).Want(t, http.StatusSeeOther)
	path := made.Header.Get("Location")
	shows(t, b.get(t, path).Want(t, http.StatusOK), "Lisbon 1", "Planned", "Europe", path+"edit/", path+"delete/", "Created")
	shows(t, b.get(t, "/dcim/sites/?q=lis").Want(t, http.StatusOK), "Lisbon 1", "1–1 of 1", "Anything contains lis")
	shows(t, b.get(t, "/dcim/sites/?name__ic=lis&limit=25").Want(t, http.StatusOK), `href="/dcim/sites/export/?format=csv&amp;name__ic=lis"`)
	shows(t, b.get(t, "/dcim/sites/?name__ic=porto").Want(t, http.StatusOK), "Nothing matches")
	shows(t, b.get(t, "/dcim/sites/?nam=x").Want(t, http.StatusBadRequest), "Did you mean &#34;name&#34;?")

	form := b.get(t, path+"edit/").Want(t, http.StatusOK)
	shows(t, form, `value="Lisbon 1"`, `name="version" value="1"`)
	b.post(t, path+"edit/", url.Values{"name": {"Lisbon 2"}, "slug": {"lis1"}, "status": {"active"}, "region": {"Europe"},
		"version": {"1"}}).Want(t, http.StatusSeeOther)
	stale := b.post(t, path+"edit/", url.Values{"name": {"Lisbon 3"}, "slug": {"lis1"}, "status": {"active"},
		"version": {"1"}}).Want(t, http.StatusPreconditionFailed)
	shows(t, stale, "Somebody else changed it meanwhile", `value="Lisbon 3"`)
	shows(t, b.get(t, path+"changelog/").Want(t, http.StatusOK), "<del>Lisbon 1</del>", "<ins>Lisbon 2</ins>", "<del>planned</del>",
		"<ins>active</ins>")

	shows(t, b.get(t, fmt.Sprintf("/dcim/regions/%d/", region)).Want(t, http.StatusOK), fmt.Sprintf("/dcim/sites/?region_id=%d", region))
	shows(t, b.get(t, fmt.Sprintf("/dcim/regions/%d/delete/", region)).Want(t, http.StatusOK), "Lisbon 2",
		">1 site</a>", "loses its reference")
	shows(t, b.get(t, path+"delete/").Want(t, http.StatusOK), "Nothing else depends on it")
	b.post(t, path+"delete/", url.Values{"version": {"2"}}).Want(t, http.StatusSeeOther)
	shows(t, b.get(t, path).Want(t, http.StatusNotFound), "Nothing is here")
}

// TestEveryTypeHasPages: list, form and export of each type there is.
func TestEveryTypeHasPages(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	b := login(t, s, "admin")
	for _, typ := range s.App.Registry.Types() {
		path := typ.Path()[len("/api"):]
		b.get(t, path).Want(t, http.StatusOK)
		b.get(t, path+"choices/?typed=x").Want(t, http.StatusOK)
		if !typ.ReadOnly {
			b.get(t, path+"add/").Want(t, http.StatusOK)
		}
	}
	for _, path := range []string{"/", "/search/?q=adm"} {
		b.get(t, path).Want(t, http.StatusOK)
	}
}

// TestPagesGreetPrograms: a program that asks neither for HTML nor for JSON, and is not logged in, gets a sentence about where to go.
func TestPagesGreetPrograms(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	nobody := browser{s: s}
	for _, path := range []string{"/", "/dcim/sites/"} {
		a := nobody.get(t, path, "Accept", "*/*").Want(t, http.StatusForbidden)
		if kind := a.Header.Get("Content-Type"); kind != "text/plain; charset=utf-8" {
			t.Errorf("%s: %s", path, kind)
		}
		shows(t, a, "/login/ in a browser", "/api/ with a token")
		shows(t, nobody.get(t, path, "Accept", "application/json").Want(t, http.StatusForbidden), `"detail"`)
		shows(t, nobody.get(t, path, "Accept", "*/*", "Authorization", "Token 0123456789012345678901234567890123456789").
			Want(t, http.StatusForbidden), "Invalid token")
	}
}

// TestLogin: a login leads to the requested page, and nowhere else.
func TestLogin(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	nobody := browser{s: s}
	asked := nobody.get(t, "/dcim/sites/?status=active").Want(t, http.StatusSeeOther)
	to := asked.Header.Get("Location")
	if to != "/login/?next=%2Fdcim%2Fsites%2F%3Fstatus%3Dactive" {
		t.Errorf("led to %s", to)
	}
	shows(t, nobody.get(t, to).Want(t, http.StatusOK), `value="/dcim/sites/?status=active"`)
	for next, want := range map[string]string{
		"/dcim/sites/?status=active": "/dcim/sites/?status=active", "": "/", "https://evil.test/": "/", "//evil.test/": "/",
		"/\\evil.test": "/", "/\n/evil.test": "/", "javascript:alert(1)": "/",
	} {
		a := nobody.post(t, "/login/", url.Values{"username": {"admin"}, "password": {apitest.Password}, "next": {next}}).
			Want(t, http.StatusSeeOther)
		if got := a.Header.Get("Location"); got != want {
			t.Errorf("next %q leads to %s", next, got)
		}
	}
	wrong := nobody.post(t, "/login/", url.Values{"username": {"admin"}, "password": {"wrong"}}).Want(t, http.StatusForbidden)
	shows(t, wrong, "Invalid username/password", `value="admin"`)
	hides(t, wrong, "wrong")
	b := login(t, s, "admin")
	b.get(t, "/login/").Want(t, http.StatusSeeOther)
	b.post(t, "/logout/", url.Values{}).Want(t, http.StatusSeeOther)
	b.get(t, "/").Want(t, http.StatusSeeOther)
}
