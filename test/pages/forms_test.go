package pages_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"terrier/test/apitest"
)

// api reads a record as the superuser sees it.
func api(t *testing.T, s *apitest.Server, path string) obj {
	t.Helper()
	return s.Do(t, apitest.Call{Method: "GET", Path: "/api" + path, Token: s.Admin}).Want(t, http.StatusOK).Object(t)
}

// patch changes a record by the API.
func patch(t *testing.T, s *apitest.Server, path string, body obj) {
	t.Helper()
	s.Do(t, apitest.Call{Method: "PATCH", Path: "/api" + path, Token: s.Admin, Body: body}).Want(t, http.StatusOK)
}

// edited returns the form of a record as a browser sends it, with some widgets changed.
func edited(t *testing.T, b browser, path string, pairs ...string) url.Values {
	t.Helper()
	return set(b.get(t, path+"edit/").Want(t, http.StatusOK).Form(t), pairs...)
}

// set changes widgets of a form.
func set(form url.Values, pairs ...string) url.Values {
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return form
}

// names are the names of what a field refers to.
func names(record obj, field string) string {
	out := ""
	if one, ok := record[field].(obj); ok {
		return one["name"].(string)
	}
	many, _ := record[field].([]any)
	for _, item := range many {
		out += item.(obj)["name"].(string) + " "
	}
	return out
}

// TestHiddenReferences: a reference to a record that the caller may not see is shown as hidden, stays if it is not
// touched, and blocks nothing. Its name is not in the page.
func TestHiddenReferences(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	region := create(t, s, "/api/dcim/regions/", obj{"name": "Covert region", "slug": "covert"})
	var tags []int64
	for _, name := range []string{"covert-tag", "open", "open-too"} {
		tags = append(tags, create(t, s, "/api/extras/tags/", obj{"name": name, "slug": name}))
	}
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1", "region": region, "tags": tags[:2]})
	path := fmt.Sprintf("/dcim/sites/%d/", site)
	s.User(t, "editor", apitest.Grant{Types: []string{"dcim.site", "dcim.location"}, Actions: []string{"view", "add", "change"}},
		apitest.Grant{Types: []string{"extras.tag"}, Actions: []string{"view"}, Constraints: obj{"slug__startswith": "open"}})
	s.User(t, "blind", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view", "change"}},
		apitest.Grant{Types: []string{"dcim.location"}, Actions: []string{"view", "change"}})
	b, blind := login(t, s, "editor"), login(t, s, "blind")
	want := func(t *testing.T, description, region, tags string) {
		t.Helper()
		got := api(t, s, path)
		if got["description"] != description || names(got, "region") != region || names(got, "tags") != tags {
			t.Errorf("the record is %q, %q, %q", got["description"], names(got, "region"), names(got, "tags"))
		}
	}

	t.Run("kept", func(t *testing.T) {
		form := b.get(t, path+"edit/").Want(t, http.StatusOK)
		hides(t, form, "Covert", "covert")
		shows(t, form, "Hidden: you may not see it. Leave it blank to keep it", "1 hidden: you may not see it, and it stays.", "> open<")
		b.post(t, path+"edit/", edited(t, b, path, "description", "first")).Want(t, http.StatusSeeOther)
		want(t, "first", "Covert region", "covert-tag open ")
		hides(t, blind.get(t, path+"edit/").Want(t, http.StatusOK), "Covert", "covert", "> open<")
		blind.post(t, path+"edit/", edited(t, blind, path, "description", "second")).Want(t, http.StatusSeeOther)
		want(t, "second", "Covert region", "covert-tag open ")
	})
	t.Run("beside others", func(t *testing.T) {
		form := edited(t, b, path, "tags", "open-too")
		form.Del("tags__kept") // the box of open
		b.post(t, path+"edit/", form).Want(t, http.StatusSeeOther)
		want(t, "second", "Covert region", "covert-tag open-too ")
	})
	t.Run("in a form that is shown again", func(t *testing.T) {
		refused := b.post(t, path+"edit/", edited(t, b, path, "slug", "not a slug", "tags", "open", "description", "third")).
			Want(t, http.StatusBadRequest)
		hides(t, refused, "Covert", "covert")
		shows(t, refused, "1 hidden", "> open<", "> open-too<")
		b.post(t, path+"edit/", set(refused.Form(t), "slug", "lis1")).Want(t, http.StatusSeeOther)
		want(t, "third", "Covert region", "covert-tag open open-too ")
	})
	t.Run("what a form does not say", func(t *testing.T) {
		b.post(t, path+"edit/", url.Values{"name": {"Lisbon 1"}, "slug": {"lis1"}, "status": {"active"},
			"description": {"fourth"}}).Want(t, http.StatusSeeOther)
		want(t, "fourth", "Covert region", "covert-tag ")
	})
	t.Run("a name that may not be seen", func(t *testing.T) {
		shows(t, b.post(t, path+"edit/", edited(t, b, path, "tags", "covert-tag")).Want(t, http.StatusBadRequest), "that you may see")
		shows(t, b.post(t, path+"edit/", edited(t, b, path, "region", "Covert region")).Want(t, http.StatusBadRequest), "that you may see")
	})
	t.Run("in a bulk edit", func(t *testing.T) {
		chosen := hidden(b.post(t, "/dcim/sites/edit/", url.Values{"id": {fmt.Sprint(site)}}).Want(t, http.StatusOK))
		for how, left := range map[string]string{"set": "covert-tag open ", "add": "covert-tag open ", "remove": "covert-tag "} {
			patch(t, s, path, obj{"tags": tags[:1]})
			b.post(t, "/dcim/sites/edit/", with(chosen, "apply", "true", "change", "tags", "how.tags", how, "to.tags", "open")).
				Want(t, http.StatusSeeOther)
			want(t, "fourth", "Covert region", left)
		}
		shows(t, b.post(t, "/dcim/sites/edit/", with(chosen, "apply", "true", "change", "tags", "how.tags", "remove", "to.tags",
			"covert-tag")).Want(t, http.StatusBadRequest), "that you may see")
	})
	t.Run("removed", func(t *testing.T) {
		patch(t, s, path, obj{"tags": tags[:1]})
		b.post(t, path+"edit/", edited(t, b, path, "region__clear", "true")).Want(t, http.StatusSeeOther)
		want(t, "fourth", "", "covert-tag ")
	})
	t.Run("required", func(t *testing.T) {
		location := create(t, s, "/api/dcim/locations/", obj{"name": "Room", "slug": "room", "site": site})
		s.User(t, "mover", apitest.Grant{Types: []string{"dcim.location"}, Actions: []string{"view", "add", "change"}})
		mover, room := login(t, s, "mover"), fmt.Sprintf("/dcim/locations/%d/", location)
		hides(t, mover.get(t, room+"edit/").Want(t, http.StatusOK), "Lisbon", "site__clear")
		mover.post(t, room+"edit/", edited(t, mover, room, "description", "moved")).Want(t, http.StatusSeeOther)
		if got := api(t, s, room); got["description"] != "moved" || names(got, "site") != "Lisbon 1" {
			t.Errorf("the location is %v", got)
		}
	})
	t.Run("in a form for another", func(t *testing.T) {
		made := b.post(t, "/dcim/sites/add/", url.Values{"name": {"Porto 1"}, "slug": {"opo1"}, "status": {"active"}, "tags": {"open"},
			"again": {"true"}}).Want(t, http.StatusSeeOther)
		if to := made.Header.Get("Location"); to != "/dcim/sites/add/" {
			t.Errorf("led to %s", to)
		}
		hides(t, b.get(t, "/dcim/sites/add/").Want(t, http.StatusOK), "Covert", "covert", "Hidden")
	})
}

// TestTouchedFields: a form writes only fields that somebody touched, even if others have values that widgets can't
// show, and what is shown of those can be changed.
func TestTouchedFields(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	for name, kind := range map[string]string{"data": "json", "seen": "datetime", "size": "select"} {
		body := obj{"name": name, "type": kind, "content_types": []string{"dcim.site"}}
		if kind == "select" {
			body["choices"] = []string{"small", "large"}
		}
		create(t, s, "/api/extras/custom-fields/", body)
	}
	custom := obj{"data": []any{"1", []any{2.0}}, "seen": "2030-01-31T01:02:03.456789Z", "size": "small"}
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1", "comments": "a\r\nb", "custom_fields": custom})
	path := fmt.Sprintf("/dcim/sites/%d/", site)

	form := b.get(t, path+"edit/").Want(t, http.StatusOK)
	shows(t, form, `value="2030-01-31T01:02:03"`, "[\n  &#34;1&#34;,\n  [\n    2\n  ]\n]")
	b.post(t, path+"edit/", set(form.Form(t), "description", "touched")).Want(t, http.StatusSeeOther)
	got := api(t, s, path)
	if got["description"] != "touched" || got["comments"] != "a\r\nb" || got["custom_fields"].(obj)["seen"] != custom["seen"] ||
		fmt.Sprint(got["custom_fields"].(obj)["data"]) != fmt.Sprint(custom["data"]) {
		t.Errorf("the record is %v", got)
	}
	changes := s.Do(t,
		apitest.Call{Method: "GET", Path: fmt.Sprintf("/api/extras/object-changes/?changed_object_type=dcim.site&changed_object_id=%d",
			site), Token: s.Admin}).Page(t)
	if changes.Count != 2 {
		t.Errorf("%d changes, want that it was made and one more", changes.Count)
	}
	b.post(t, path+"edit/", edited(t, b, path, "cf_seen", "2031-01-31T01:02", "cf_data", `"text"`, "cf_size", "large")).
		Want(t, http.StatusSeeOther)
	if got := api(t, s, path)["custom_fields"].(obj); got["seen"] != "2031-01-31T01:02:00.000000Z" || got["data"] != "text" ||
		got["size"] != "large" {
		t.Errorf("the custom fields are %v", got)
	}
}

// TestFormOfAChangedRecord: the answer to a save that comes too late shows the current record with the person's own
// changes; saving again writes only those.
func TestFormOfAChangedRecord(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1", "facility": "old"})
	path := fmt.Sprintf("/dcim/sites/%d/", site)
	form := edited(t, b, path, "description", "mine")
	patch(t, s, path, obj{"facility": "theirs"})
	stale := b.post(t, path+"edit/", form).Want(t, http.StatusPreconditionFailed)
	shows(t, stale, "Somebody else changed it meanwhile", `value="mine"`, `value="theirs"`, "<ins>theirs</ins>")
	hides(t, stale, "form.keep.") // nobody else changed the description
	b.post(t, path+"edit/", stale.Form(t)).Want(t, http.StatusSeeOther)
	if got := api(t, s, path); got["facility"] != "theirs" || got["description"] != "mine" {
		t.Errorf("facility is %v and description %v", got["facility"], got["description"])
	}
}

// TestMerge: of the fields that two people changed, each is saved as the second one chooses; the others have what the first one saved. The
// page names who that was, if the second one may see it, and shows no secret.
func TestMerge(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	s.User(t, "blind", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view", "change"}})
	create(t, s, "/api/extras/custom-fields/", obj{"name": "owner", "type": "text", "content_types": []string{"dcim.site"}})
	region := create(t, s, "/api/dcim/regions/", obj{"name": "Iberia", "slug": "iberia"})
	for i, user := range []string{"admin", "blind"} {
		b := login(t, s, user)
		site := create(t, s, "/api/dcim/sites/", obj{"name": fmt.Sprint("Lisbon ", i), "slug": fmt.Sprint("lis", i)})
		path := fmt.Sprintf("/dcim/sites/%d/", site)
		form := edited(t, b, path, "description", "mine", "facility", "mine", "physical_address", "mine", "cf_owner", "mine", "status", "planned")
		patch(t, s, path, obj{"description": "theirs", "facility": "theirs", "status": "retired", "region": region, "time_zone": "Europe/Lisbon",
			"custom_fields": obj{"owner": "theirs"}})
		stale := b.post(t, path+"edit/", form).Want(t, http.StatusPreconditionFailed)
		shows(t, stale, "<ins>theirs</ins>", "<ins>Retired</ins>", `>Planned</td>`,
			`name="form.keep.description"`, `name="form.keep.cf_owner"`)
		hides(t, stale, "form.keep.physical_address", "form.keep.region", "form.keep.time_zone")
		if user == "admin" {
			shows(t, stale, "by <strong>admin</strong>", "<ins>Iberia")
		} else {
			hides(t, stale, "by <strong>admin</strong>", "Iberia")
		}
		merged := set(stale.Form(t), "form.keep.description", "theirs", "form.keep.cf_owner", "theirs", "slug", "no slug")
		refused := b.post(t, path+"edit/", merged).Want(t, http.StatusBadRequest)
		b.post(t, path+"edit/", set(refused.Form(t), "slug", fmt.Sprint("lis", i))).Want(t, http.StatusSeeOther)
		got := api(t, s, path)
		for field, want := range map[string]any{
			"description": "theirs", "facility": "mine", "physical_address": "mine", "time_zone": "Europe/Lisbon"} {
			if got[field] != want {
				t.Errorf("%s: %s is %v, want %v", user, field, got[field], want)
			}
		}
		if got["custom_fields"].(obj)["owner"] != "theirs" || got["status"].(obj)["value"] != "planned" || names(got, "region") != "Iberia" {
			t.Errorf("%s: the record is %v", user, got)
		}
	}
}

// TestMergeOfWhatBelongsTogether: the type and the id of a reference, and numbers and their unit, are one choice. Whoever is chosen, the
// record has the pair that one person saw.
func TestMergeOfWhatBelongsTogether(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	other := create(t, s, "/api/dcim/sites/", obj{"name": "Porto", "slug": "porto"})
	create(t, s, "/api/dcim/regions/", obj{"name": "Iberia", "slug": "iberia"})
	region := create(t, s, "/api/dcim/regions/", obj{"name": "Algarve", "slug": "algarve"})
	const scope, weight = "form.keep.scope_type,scope_id", "form.keep.weight,max_weight,weight_unit"
	for i, keep := range []string{"mine", "theirs"} {
		group := fmt.Sprintf("/ipam/vlan-groups/%d/", create(t, s, "/api/ipam/vlan-groups/",
			obj{"name": keep, "slug": keep, "scope_type": "dcim.site", "scope_id": site}))
		form := edited(t, b, group, "scope_id", fmt.Sprint(other))
		patch(t, s, group, obj{"scope_type": "dcim.region", "scope_id": region})
		stale := b.post(t, group+"edit/", form).Want(t, http.StatusPreconditionFailed)
		shows(t, stale, ">Scope</a>", "<ins>Region Algarve</ins>", ">Site Porto</td>", `name="`+scope+`"`)
		b.post(t, group+"edit/", set(stale.Form(t), scope, keep)).Want(t, http.StatusSeeOther)
		got := api(t, s, group)
		if want := []string{"Porto", "Algarve"}[i]; names(got, "scope") != want {
			t.Errorf("%s: the scope is %v, want %s", keep, got["scope"], want)
		}

		rack := fmt.Sprintf("/dcim/racks/%d/", create(t, s, "/api/dcim/racks/",
			obj{"name": keep, "site": site, "weight": 500, "weight_unit": "kg"}))
		form = edited(t, b, rack, "weight", "510")
		patch(t, s, rack, obj{"weight": 1100, "weight_unit": "lb"})
		stale = b.post(t, rack+"edit/", form).Want(t, http.StatusPreconditionFailed)
		shows(t, stale, "<ins>1100, —, Pounds</ins>", ">510, —, Kilograms</td>")
		b.post(t, rack+"edit/", set(stale.Form(t), weight, keep)).Want(t, http.StatusSeeOther)
		got = api(t, s, rack)
		if want := []string{"510 kg", "1100 lb"}[i]; fmt.Sprint(got["weight"], " ", got["weight_unit"].(obj)["value"]) != want {
			t.Errorf("%s: the weight is %v %v, want %s", keep, got["weight"], got["weight_unit"], want)
		}
	}
}

// TestMergeOfASecret: a secret that two people changed is not shown.
func TestMergeOfASecret(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	path := fmt.Sprintf("/extras/webhooks/%d/", create(t, s, "/api/extras/webhooks/", obj{
		"name": "Ours", "content_types": []string{"dcim.site"}, "type_create": true, "payload_url": "http://192.0.2.1/"}))
	form := edited(t, b, path, "additional_headers", "Authorization: mine", "secret", "mine-too")
	patch(t, s, path, obj{"additional_headers": "Authorization: theirs", "secret": "theirs-too"})
	stale := b.post(t, path+"edit/", form).Want(t, http.StatusPreconditionFailed)
	shows(t, stale, "<ins>hidden</ins>", `name="form.keep.additional_headers"`)
	hides(t, stale, "mine-too", "theirs-too")
}

// TestRefusedFormOfAChangedRecord: a refused form does not overwrite somebody else's change when it is sent again. It shows their value
// first, or keeps the version it was made from.
func TestRefusedFormOfAChangedRecord(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	create(t, s, "/api/extras/custom-fields/", obj{"name": "data", "type": "json", "content_types": []string{"dcim.site"}})
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	token := create(t, s, "/api/users/tokens/", obj{"expires": "2041-01-02T03:04:05Z"})
	for _, row := range []struct{ name, path, page, field, wrong, right string }{
		{"of a site", fmt.Sprintf("/dcim/sites/%d/", site), "", "cf_data", "{", "{}"},
		{"of an own token", fmt.Sprintf("/users/tokens/%d/", token), fmt.Sprintf("/user/tokens/%d/", token), "expires", "", "2040-01-02T03:04"},
	} {
		t.Run(row.name, func(t *testing.T) {
			page := cmp.Or(row.page, row.path)
			form := edited(t, b, page, "description", "mine", row.field, row.wrong)
			patch(t, s, row.path, obj{"description": "theirs in " + row.name})
			stale := b.post(t, page+"edit/", form)
			if row.page == "" {
				shows(t, stale.Want(t, http.StatusPreconditionFailed), "<ins>theirs in "+row.name, "form.keep.description")
				stale = b.post(t, page+"edit/", stale.Form(t)).Want(t, http.StatusBadRequest)
				b.post(t, page+"edit/", set(stale.Form(t), row.field, row.right)).Want(t, http.StatusSeeOther)
				return
			}
			stale = b.post(t, page+"edit/", set(stale.Want(t, http.StatusBadRequest).Form(t), row.field, row.right)).
				Want(t, http.StatusPreconditionFailed)
			if got := api(t, s, row.path)["description"]; got != "theirs in "+row.name {
				t.Errorf("the description is %v", got)
			}
			b.post(t, page+"edit/", stale.Form(t)).Want(t, http.StatusSeeOther)
			if got := api(t, s, row.path)["description"]; got != "mine" {
				t.Errorf("the description is %v", got)
			}
		})
	}
}

// TestFormOfARenamedReference: an untouched reference stays the same record, whichever record has its name now.
func TestFormOfARenamedReference(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	old := create(t, s, "/api/dcim/regions/", obj{"name": "Europe", "slug": "europe"})
	tag := create(t, s, "/api/extras/tags/", obj{"name": "core", "slug": "core"})
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1", "region": old, "tags": []int64{tag}})
	create(t, s, "/api/extras/tags/", obj{"name": "edge", "slug": "edge"})
	path := fmt.Sprintf("/dcim/sites/%d/", site)
	form := edited(t, b, path, "description", "touched", "tags", "edge")
	patch(t, s, fmt.Sprintf("/dcim/regions/%d/", old), obj{"name": "Iberia"})
	create(t, s, "/api/dcim/regions/", obj{"name": "Europe", "slug": "europe-2"})
	patch(t, s, fmt.Sprintf("/extras/tags/%d/", tag), obj{"name": "backbone"})
	create(t, s, "/api/extras/tags/", obj{"name": "core", "slug": "core-2"})
	b.post(t, path+"edit/", form).Want(t, http.StatusSeeOther)
	if got := api(t, s, path); names(got, "region") != "Iberia" || names(got, "tags") != "backbone edge " {
		t.Errorf("the region is %s, the tags are %s", names(got, "region"), names(got, "tags"))
	}
}

// TestUntouchedTokenForm: an untouched form of one's own token changes nothing, not even the fractions of a second of
// the expiry.
func TestUntouchedTokenForm(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	for _, expires := range []any{time.Now().Add(time.Hour).UTC().Format("2006-01-02T15:04:05") + ".123456Z", nil} {
		id := create(t, s, "/api/users/tokens/", obj{"expires": expires, "description": "mine", "allowed_ips": []string{"10.0.0.0/8", "::1/128"}})
		path, own := fmt.Sprintf("/users/tokens/%d/", id), fmt.Sprintf("/user/tokens/%d/", id)
		b.post(t, own+"edit/", edited(t, b, own)).Want(t, http.StatusSeeOther)
		etag := s.Do(t, apitest.Call{Method: "GET", Path: "/api" + path, Token: s.Admin}).Header.Get("ETag")
		if etag != `"1"` {
			t.Errorf("expires %v: the token is at version %s", expires, etag)
		}
		b.post(t, own+"edit/", edited(t, b, own, "description", "touched")).Want(t, http.StatusSeeOther)
		if got := api(t, s, path); got["expires"] != expires || got["description"] != "touched" {
			t.Errorf("expires %v is %v, the description %v", expires, got["expires"], got["description"])
		}
		b.post(t, own+"edit/", edited(t, b, own, "lifetime", "moment", "expires", "2040-01-02T03:04")).Want(t, http.StatusSeeOther)
		if got := api(t, s, path)["expires"]; got != "2040-01-02T03:04:00.000000Z" {
			t.Errorf("it expires at %v", got)
		}
	}
}
