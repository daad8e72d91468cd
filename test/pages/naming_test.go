package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"terrier/test/apitest"
)

// TestTypedReferences: a text means the record with that name, or the one with the id at its end and the name before
// that. If it matches two records, or the id belongs to a record with another name, nothing is stored.
func TestTypedReferences(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	hall := create(t, s, "/api/dcim/sites/", obj{"name": "Hall", "slug": "hall"})
	numbered := create(t, s, "/api/dcim/sites/", obj{"name": fmt.Sprintf("Hall #%d", hall), "slug": "numbered"})
	other := create(t, s, "/api/dcim/sites/", obj{"name": fmt.Sprintf("Annex #%d", hall), "slug": "annex"})
	bare := create(t, s, "/api/dcim/sites/", obj{"name": fmt.Sprintf("#%d", other), "slug": "bare"})
	made := 0
	for _, c := range []struct {
		about, text string
		want        int64 // 0 where it is refused
		says        string
	}{
		{"a name", "Hall", hall, ""},
		{"an id", fmt.Sprintf("#%d", hall), hall, ""},
		{"the id of a record whose name ends in another id", fmt.Sprintf("#%d", numbered), numbered, ""},
		{"a name that ends in an id, and its own id", fmt.Sprintf("Hall #%d #%d", hall, numbered), numbered, ""},
		{"a name that ends in the id of a record with another name", fmt.Sprintf("Annex #%d", hall), other, ""},
		{"space around it", fmt.Sprintf("  Annex #%d ", hall), other, ""},
		{"a name that is also another's name and id", fmt.Sprintf("Hall #%d", hall), 0,
			fmt.Sprintf("Write the id alone: #%d or #%d.", hall, numbered)},
		{"an id that is also another's name", fmt.Sprintf("#%d", other), 0,
			fmt.Sprintf("Write the name and the id: Annex #%d #%d or #%d #%d.", hall, other, other, bare)},
		{"as that says, of the one", fmt.Sprintf("Annex #%d #%d", hall, other), other, ""},
		{"as that says, of the other", fmt.Sprintf("#%d #%d", other, bare), bare, ""},
		{"the name of one and the id of another", fmt.Sprintf("Hall #%d", other), 0, "the name and the id must belong to the same one"},
		{"an id that nobody has", "Hall #999999", 0, "There is no site"},
		{"a number that is no id", "Hall #99999999999999999999", 0, "There is no site"},
		{"a name that nobody has", "Atlantis", 0, "There is no site"},
	} {
		made++
		slug := fmt.Sprintf("room-%d", made)
		form := url.Values{"name": {slug}, "slug": {slug}, "status": {"active"}, "site": {c.text}}
		if c.want == 0 {
			shows(t, b.post(t, "/dcim/locations/add/", form).Want(t, http.StatusBadRequest), c.says)
			continue
		}
		at := b.post(t, "/dcim/locations/add/", form)
		if at.Status != http.StatusSeeOther {
			t.Errorf("%s: %q is refused", c.about, c.text)
			continue
		}
		got := s.Do(t, apitest.Call{Method: "GET", Path: "/api" + at.Header.Get("Location"), Token: s.Admin}).Want(t, http.StatusOK).Object(t)
		if site := apitest.ID(got["site"].(obj)); site != c.want {
			t.Errorf("%s: %q stores site %d, want %d", c.about, c.text, site, c.want)
		}
	}
}

// TestTypedReferencesEverywhere: sets of references, bulk edits, samples of webhooks and imports
// read a text as forms do.
func TestTypedReferencesEverywhere(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	lab := create(t, s, "/api/extras/tags/", obj{"name": "lab", "slug": "lab"})
	numbered := create(t, s, "/api/extras/tags/", obj{"name": fmt.Sprintf("lab #%d", lab), "slug": "lab-numbered"})
	edge := create(t, s, "/api/extras/tags/", obj{"name": fmt.Sprintf("edge #%d", lab), "slug": "edge"})
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1", "tags": []int64{lab, numbered, edge}})
	path := fmt.Sprintf("/dcim/sites/%d/", site)
	tags := func() string { return tagsOf(t, s)["Lisbon 1"] }
	both, own := fmt.Sprintf("lab #%d", lab), fmt.Sprintf("edge #%d", lab)

	t.Run("a set", func(t *testing.T) {
		form := url.Values{"name": {"Lisbon 1"}, "slug": {"lis1"}, "status": {"active"}, "tags": {both}}
		shows(t, b.post(t, path+"edit/", form).Want(t, http.StatusBadRequest), "Write the id alone")
		form["tags"] = []string{own}
		b.post(t, path+"edit/", form).Want(t, http.StatusSeeOther)
		if got := tags(); got != own {
			t.Errorf("%q stores the tags %q", own, got)
		}
	})
	t.Run("a bulk edit", func(t *testing.T) {
		s.Do(t, apitest.Call{Method: "PATCH", Path: "/api" + path, Token: s.Admin, Body: obj{"tags": []int64{lab, edge}}}).Want(t, http.StatusOK)
		chosen := hidden(b.post(t, "/dcim/sites/edit/", url.Values{"id": {fmt.Sprint(site)}}).Want(t, http.StatusOK))
		for _, how := range []string{"add", "remove", "set"} {
			shows(t, b.post(t, "/dcim/sites/edit/", with(chosen, "apply", "true", "change", "tags", "how.tags", how, "to.tags",
				both)).Want(t, http.StatusBadRequest), "Write the id alone")
		}
		b.post(t, "/dcim/sites/edit/", with(chosen, "apply", "true", "change", "tags", "how.tags", "remove", "to.tags", own)).
			Want(t, http.StatusSeeOther)
		if got := tags(); got != "lab" {
			t.Errorf("the tags without %q are %q", own, got)
		}
	})
	t.Run("a sample", func(t *testing.T) {
		create(t, s, "/api/dcim/sites/", obj{"name": fmt.Sprintf("Lisbon 1 #%d", site), "slug": "lis1-numbered"})
		form := hookForm("name", "new", "sample_type", "dcim.site", "sample_record", fmt.Sprintf("Lisbon 1 #%d", site))
		shows(t, b.post(t, hooks+"preview/", form, live("webhook-preview")...).Want(t, http.StatusOK), "Write the id alone")
	})
	t.Run("an import", func(t *testing.T) {
		one := create(t, s, "/api/users/groups/", obj{"name": "ops"})
		create(t, s, "/api/users/groups/", obj{"name": fmt.Sprintf("ops#%d", one)})
		dev := create(t, s, "/api/users/groups/", obj{"name": fmt.Sprintf("dev#%d", one)})
		rows := func(group string) url.Values {
			return url.Values{"format": {"csv"}, "mode": {"import"},
				"text": {"username,password,groups\nbob,correct horse battery staple,\"" + group + "\"\n"}}
		}
		shows(t, b.post(t, "/users/users/import/", rows(fmt.Sprintf("ops#%d", one))).Want(t, http.StatusBadRequest), "Write the id alone")
		b.post(t, "/users/users/import/", rows(fmt.Sprintf("dev#%d", one))).Want(t, http.StatusSeeOther)
		found := s.Do(t, apitest.Call{Method: "GET", Path: fmt.Sprintf("/api/users/users/?username=bob&group_id=%d", dev),
			Token: s.Admin}).Page(t)
		if found.Count != 1 {
			t.Errorf("dev#%d is not found by its name", one)
		}
	})
}

// TestReferenceWithoutName: a form names a record that has no field for its name by what it is called and its id, and takes that again.
func TestReferenceWithoutName(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Hall", "slug": "hall"})
	maker := create(t, s, "/api/dcim/manufacturers/", obj{"name": "Acme", "slug": "acme"})
	kind := create(t, s, "/api/dcim/device-types/", obj{"manufacturer": maker, "model": "Router", "slug": "router"})
	role := create(t, s, "/api/dcim/device-roles/", obj{"name": "Edge", "slug": "edge"})
	device := create(t, s, "/api/dcim/devices/", obj{"name": "edge-1", "device_type": kind, "device_role": role, "site": site})
	bay := create(t, s, "/api/dcim/module-bays/", obj{"device": device, "name": "Bay 1"})
	card := create(t, s, "/api/dcim/module-types/", obj{"manufacturer": maker, "model": "Line card"})
	module := create(t, s, "/api/dcim/modules/", obj{"device": device, "module_bay": bay, "module_type": card})
	port := create(t, s, "/api/dcim/console-ports/", obj{"device": device, "module": module, "name": "con0"})

	called := fmt.Sprintf("Bay 1: Line card (%d)", module)
	path := fmt.Sprintf("/dcim/console-ports/%d/edit/", port)
	shows(t, b.get(t, path).Want(t, http.StatusOK), fmt.Sprintf(`value="%s #%d"`, called, module))
	b.post(t, path, url.Values{"device": {"edge-1"}, "module": {fmt.Sprintf("%s #%d", called, module)}, "name": {"con1"}, "version": {"1"}}).
		Want(t, http.StatusSeeOther)
	if n := number(t, s, "SELECT module_id FROM dcim_consoleport WHERE name = 'con1'"); n != module {
		t.Errorf("its module is %d, want %d", n, module)
	}
	shows(t, b.get(t, "/dcim/modules/").Want(t, http.StatusOK), called)
}
