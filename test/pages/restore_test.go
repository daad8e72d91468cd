package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"terrier/test/apitest"
)

// restoring is a site with several versions.
type restoring struct {
	*apitest.Server
	path    string // of its page
	api     string
	changes []int64 // the newest first
}

func newRestoring(t *testing.T) *restoring {
	t.Helper()
	s := apitest.New(t)
	r := &restoring{Server: s}
	for _, name := range []string{"first", "second"} {
		create(t, s, "/api/extras/tags/", obj{"name": name, "slug": name})
	}
	create(t, s, "/api/extras/custom-fields/", obj{"name": "owner", "content_types": []string{"dcim.site"}, "type": "text"})
	region := create(t, s, "/api/dcim/regions/", obj{"name": "Iberia", "slug": "iberia"})
	id := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1", "status": "planned", "region": region,
		"tags": []obj{{"name": "first"}}, "latitude": 38.7, "asns": []int64{}})
	r.path, r.api = fmt.Sprintf("/dcim/sites/%d/", id), fmt.Sprintf("/api/dcim/sites/%d/", id)
	create(t, s, "/api/extras/custom-fields/", obj{"name": "later", "content_types": []string{"dcim.site"}, "type": "text"})
	s.Do(t, apitest.Call{Method: "PATCH", Path: r.api, Token: s.Admin, Body: obj{"name": "Lisbon 2", "status": "active", "region": nil,
		"tags": []obj{{"name": "second"}}, "latitude": nil, "custom_fields": obj{"owner": "Ana", "later": "Rui"}}}).Want(t, http.StatusOK)
	rows, err := s.DB.Query(t.Context(), "SELECT id FROM extras_objectchange WHERE object_type = 'dcim.site' ORDER BY id DESC")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var change int64
		if err := rows.Scan(&change); err != nil {
			t.Fatal(err)
		}
		r.changes = append(r.changes, change)
	}
	return r
}

func (r *restoring) to(change int64) string {
	return fmt.Sprintf("%srestore/?change=%d", r.path, change)
}

// TestRestoreVersion: a version is previewed, and restored as an ordinary change: references, tags, numbers and custom fields are as they
// were, and what was empty is empty again. A custom field that was not defined then stays.
func TestRestoreVersion(t *testing.T) {
	t.Parallel()
	r := newRestoring(t)
	b := login(t, r.Server, "admin")
	log := b.get(t, r.path+"changelog/").Want(t, http.StatusOK)
	shows(t, log, r.to(r.changes[1])+`">Restore this version`)
	hides(t, log, r.to(r.changes[0]))
	shows(t, b.get(t, fmt.Sprintf("/extras/object-changes/%d/", r.changes[1])).Want(t, http.StatusOK), r.to(r.changes[1]))

	shows(t, b.get(t, r.to(r.changes[1])).Want(t, http.StatusOK), "<del>Lisbon 2</del>", "<ins>Lisbon 1</ins>", "<del>active</del>",
		"Restore</button>")
	shows(t, b.get(t, r.to(r.changes[0])).Want(t, http.StatusOK), "has these values already")
	b.post(t, r.path+"restore/", url.Values{"change": {fmt.Sprint(r.changes[1])}}).Want(t, http.StatusSeeOther)
	got := r.Do(t, apitest.Call{Method: "GET", Path: r.api, Token: r.Admin}).Want(t, http.StatusOK).Object(t)
	tag, region := got["tags"].([]any), got["region"].(obj)
	if got["name"] != "Lisbon 1" || got["status"].(obj)["value"] != "planned" || region["name"] != "Iberia" || len(tag) != 1 ||
		tag[0].(obj)["name"] != "first" || fmt.Sprint(got["latitude"]) != "38.7" ||
		fmt.Sprint(got["custom_fields"]) != "map[later:Rui owner:<nil>]" {
		t.Errorf("it was restored to %v", got)
	}
	if n := lastChange(t, r.Server); n == fmt.Sprint(r.changes[0]) {
		t.Errorf("the last change is %s", n)
	}
	b.post(t, r.path+"restore/", url.Values{"change": {fmt.Sprint(r.changes[1])}}).Want(t, http.StatusSeeOther) // nothing differs
}

// TestRestoreWithoutSecrets: a version that differs only in what is not restored differs in nothing.
func TestRestoreWithoutSecrets(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	id := create(t, s, "/api/users/users/", obj{"username": "ana", "password": "correct horse battery staple"})
	s.Do(t, apitest.Call{Method: "PATCH", Path: fmt.Sprintf("/api/users/users/%d/", id), Token: s.Admin,
		Body: obj{"password": "another horse battery staple"}}).Want(t, http.StatusOK)
	first := number(t, s, fmt.Sprintf("SELECT min(id) FROM extras_objectchange WHERE object_type = 'users.user' AND object_id = %d", id))
	shows(t, login(t, s, "admin").get(t, fmt.Sprintf("/users/users/%d/restore/?change=%d", id, first)).Want(t, http.StatusOK),
		"has these values already")
}

// TestRestoreShowsWhatItWrites: a custom field that was not defined then is no difference.
func TestRestoreShowsWhatItWrites(t *testing.T) {
	t.Parallel()
	r := newRestoring(t)
	page := login(t, r.Server, "admin").get(t, r.to(r.changes[1])).Want(t, http.StatusOK)
	shows(t, page, `<span class="removed">-   &#34;owner&#34;: &#34;Ana&#34;`)
	hides(t, page, `<span class="removed">-   &#34;later&#34;`)
}

// TestRestoreHiddenReferences: members of a set that the caller may not see stay, and so does a reference to such a record.
func TestRestoreHiddenReferences(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	rir := create(t, s, "/api/ipam/rirs/", obj{"name": "RIPE", "slug": "ripe"})
	hidden := create(t, s, "/api/ipam/asns/", obj{"asn": 65001, "rir": rir})
	open := create(t, s, "/api/ipam/asns/", obj{"asn": 65002, "rir": rir})
	region := create(t, s, "/api/dcim/regions/", obj{"name": "Covert", "slug": "covert"})
	path := fmt.Sprintf("/dcim/sites/%d/", create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1", "asns": []int64{open}}))
	first := lastChange(t, s)
	patch(t, s, path, obj{"name": "Lisbon 2", "asns": []int64{hidden}, "region": region})
	s.User(t, "editor", apitest.Grant{Types: []string{"dcim.site", "extras.objectchange"}, Actions: []string{"view", "change"}},
		apitest.Grant{Types: []string{"ipam.asn"}, Actions: []string{"view"}, Constraints: obj{"asn": 65002}})
	b := login(t, s, "editor")
	shows(t, b.get(t, path+"restore/?change="+first).Want(t, http.StatusOK), "<ins>Lisbon 1</ins>",
		"Region stays, because you may not see what it refers to now.")
	b.post(t, path+"restore/", url.Values{"change": {first}}).Want(t, http.StatusSeeOther)
	if got := api(t, s, path); got["name"] != "Lisbon 1" || names(got, "region") != "Covert" || len(got["asns"].([]any)) != 2 {
		t.Errorf("it was restored to %v", got)
	}
}

// TestRestoreRenamedTags: a tag that was renamed since is neither removed nor mistaken for another one, and all else is restored.
func TestRestoreRenamedTags(t *testing.T) {
	t.Parallel()
	r := newRestoring(t)
	patch(t, r.Server, "/extras/tags/1/", obj{"name": "renamed"})
	create(t, r.Server, "/api/extras/tags/", obj{"name": "first", "slug": "another"})
	b := login(t, r.Server, "admin")
	shows(t, b.get(t, r.to(r.changes[1])).Want(t, http.StatusOK), "Tags that were edited or deleted since are not added: first.",
		"<ins>Lisbon 1</ins>", "Restore</button>")
	b.post(t, r.path+"restore/", url.Values{"change": {fmt.Sprint(r.changes[1])}}).Want(t, http.StatusSeeOther)
	if got := api(t, r.Server, r.path); got["name"] != "Lisbon 1" || len(got["tags"].([]any)) != 0 {
		t.Errorf("it was restored to %v", got)
	}
}

// TestRestoreRefused: what can't be restored says why, a change in between is not overwritten, and a change of another record, or of one
// that the caller may not see, is no version.
func TestRestoreRefused(t *testing.T) {
	t.Parallel()
	r := newRestoring(t)
	b := login(t, r.Server, "admin")
	form := url.Values{"change": {fmt.Sprint(r.changes[1])}}
	stale := url.Values{"change": form["change"], "version": {"1"}}
	shows(t, b.post(t, r.path+"restore/", stale).Want(t, http.StatusPreconditionFailed),
		"Nothing was restored: somebody else changed this site",
		"<ins>Lisbon 1</ins>", `name="version" value="2"`, "Restore</button>")

	r.Do(t, apitest.Call{Method: "DELETE", Path: "/api/dcim/regions/1/", Token: r.Admin}).Want(t, http.StatusNoContent)
	for _, refused := range []apitest.Answer{b.get(t, r.to(r.changes[1])), b.post(t, r.path+"restore/", form)} {
		shows(t, refused.Want(t, http.StatusBadRequest), "can't be restored", "region")
		hides(t, refused, "Restore</button>")
	}
	other := create(t, r.Server, "/api/dcim/sites/", obj{"name": "Porto", "slug": "porto"})
	b.get(t, fmt.Sprintf("/dcim/sites/%d/restore/?change=%d", other, r.changes[1])).Want(t, http.StatusNotFound)
	shows(t, b.get(t, r.path+"restore/").Want(t, http.StatusBadRequest), "Choose a version in the change log.")

	r.User(t, "blind", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view", "change"}})
	login(t, r.Server, "blind").get(t, r.to(r.changes[1])).Want(t, http.StatusForbidden)
	r.User(t, "partly", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view", "change"}}, apitest.Grant{
		Types: []string{"extras.objectchange"}, Actions: []string{"view"}, Constraints: obj{"action": "create"}})
	partly := login(t, r.Server, "partly")
	shows(t, partly.get(t, r.path+"changelog/").Want(t, http.StatusOK), r.to(r.changes[1])+`">Restore this version`)
	r.User(t, "reader", apitest.Grant{Types: []string{"dcim.site", "extras.objectchange"}, Actions: []string{"view"}})
	reader := login(t, r.Server, "reader")
	hides(t, reader.get(t, r.path+"changelog/").Want(t, http.StatusOK), "Restore this version")
	hides(t, reader.get(t, fmt.Sprintf("/extras/object-changes/%d/", r.changes[1])).Want(t, http.StatusOK), "Restore this version")
	reader.get(t, r.to(r.changes[1])).Want(t, http.StatusForbidden)
	reader.post(t, r.path+"restore/", form).Want(t, http.StatusForbidden)
}
