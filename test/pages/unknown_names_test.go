package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// overwrite stores what no form could, as another version of the program may have done.
func overwrite(t *testing.T, s *apitest.Server, statement string, args ...any) {
	t.Helper()
	if tag, err := s.DB.Exec(t.Context(), statement, args...); err != nil || tag.RowsAffected() == 0 {
		t.Fatalf("%s: %v, %v", statement, tag, err)
	}
}

// TestFormsOfUnknownTypes: webhooks and permissions that name an unknown type or action are shown, saved and disabled
// in the pages; the name is marked, and can be kept or removed, never added.
func TestFormsOfUnknownTypes(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := login(t, s, "admin")
	hook := create(t, s, "/api/extras/webhooks/", obj{"name": "Chat", "content_types": []string{"dcim.site"}, "type_create": true,
		"payload_url": "https://r.example/"})
	permission := create(t, s, "/api/users/permissions/",
		obj{"name": "Read", "object_types": []string{"dcim.site"}, "actions": []string{"view"}})
	overwrite(t, s, `UPDATE extras_webhook SET content_types = '{dcim.site,dcim.gone}' WHERE id = $1`, hook)
	overwrite(t, s, `UPDATE users_permission SET object_types = '{dcim.gone}', actions = '{view,napalm_read}' WHERE id = $1`, permission)
	for _, c := range []struct {
		path, api string
		form      url.Values
		mark      []string // of the unknown names
		box       string
		field     string
		known     string
	}{
		{fmt.Sprintf("/extras/webhooks/%d/", hook), fmt.Sprintf("/api/extras/webhooks/%d/", hook),
			url.Values{"name": {"Chat"}, "content_types": {"dcim.site", "dcim.gone"}, "type_create": {"true"},
				"payload_url": {"https://r.example/"}, "http_method": {"POST"},
				"http_content_type": {"application/json"}, "ssl_verification": {"true"}, "max_retries": {"0"}, "concurrency": {"10"}},
			[]string{"dcim.gone (unknown type)"}, `name="content_types" value="dcim.gone" checked`, "content_types", "dcim.site"},
		{fmt.Sprintf("/users/permissions/%d/", permission), fmt.Sprintf("/api/users/permissions/%d/", permission),
			url.Values{"name": {"Read"}, "object_types": {"dcim.gone"}, "actions": {"view", "napalm_read"}},
			[]string{"dcim.gone (unknown type)", "napalm_read (unknown action)"}, `name="actions" value="napalm_read" checked`,
			"object_types", "dcim.site"},
	} {
		shows(t, admin.get(t, path.Dir(path.Clean(c.path))+"/").Want(t, http.StatusOK), c.mark...)
		shows(t, admin.get(t, c.path).Want(t, http.StatusOK), c.mark...)
		shows(t, admin.get(t, c.path+"edit/").Want(t, http.StatusOK), append(c.mark, c.box)...)
		admin.post(t, c.path+"edit/", c.form).Want(t, http.StatusSeeOther) // the box of enabled is not ticked
		read := func() obj {
			return s.Do(t, apitest.Call{Method: "GET", Path: c.api, Token: s.Admin}).Want(t, http.StatusOK).Object(t)
		}
		if got := read(); got["enabled"] != false || !strings.Contains(fmt.Sprint(got[c.field]), "dcim.gone") {
			t.Errorf("%s was saved as %v", c.path, got)
		}
		c.form[c.field] = []string{c.known}
		admin.post(t, c.path+"edit/", c.form).Want(t, http.StatusSeeOther)
		if got := fmt.Sprint(read()[c.field]); got != "["+c.known+"]" {
			t.Errorf("%s without the unknown name was saved as %s", c.path, got)
		}
		c.form[c.field] = []string{c.known, "dcim.gone"}
		shows(t, admin.post(t, c.path+"edit/", c.form).Want(t, http.StatusBadRequest), "Unknown type &#34;dcim.gone&#34;. Did you mean")
	}
	shows(t, admin.get(t, "/users/permissions/add/"), `type="checkbox" name="actions" value="grant"`,
		`type="checkbox" name="actions" value="change"`)
	shows(t, admin.get(t, "/users/permissions/?actions=napalm_read"), "Read")
}

// TestPagesOfUnknownTypes: everything around a type that is gone is shown: its changes and deliveries, and the trial,
// test and replay of a webhook that names it.
func TestPagesOfUnknownTypes(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := login(t, s, "admin")
	hook := create(t, s, "/api/extras/webhooks/", obj{"name": "Chat", "content_types": []string{"dcim.site"}, "type_create": true,
		"payload_url": "https://r.example/"})
	create(t, s, "/api/dcim/sites/", obj{"name": "Porto", "slug": "porto"})
	for _, table := range []string{"extras_objectchange", "extras_delivery"} {
		overwrite(t, s, "UPDATE "+table+" SET object_type = 'dcim.gone' WHERE object_type = 'dcim.site'")
	}
	overwrite(t, s, `UPDATE extras_webhook SET content_types = '{dcim.gone}' WHERE id = $1`, hook)
	row := func(path string) string {
		return fmt.Sprint(s.Do(t, apitest.Call{Method: "GET", Path: path, Token: s.Admin}).Page(t).Results[0]["id"])
	}
	change, delivery := row("/api/extras/object-changes/?changed_object_type=dcim.gone"), row("/api/extras/deliveries/")
	of := fmt.Sprintf("/extras/webhooks/%d/", hook)
	for _, path := range []string{"/", "/extras/object-changes/", "/extras/object-changes/" + change + "/",
		"/extras/object-changes/?changed_object_type=dcim.gone",
		"/extras/deliveries/", "/extras/deliveries/" + delivery + "/", of, of + "edit/", "/extras/object-changes/export/?format=csv"} {
		shows(t, admin.get(t, path).Want(t, http.StatusOK), "dcim.gone")
	}
	shows(t, admin.get(t, of+"replay/").Want(t, http.StatusOK), "dcim.gone (unknown type)")
	form := url.Values{"name": {"Chat"}, "content_types": {"dcim.gone"}, "type_create": {"true"},
		"payload_url": {"https://r.example/"}, "http_method": {"POST"},
		"http_content_type": {"application/json"}, "ssl_verification": {"true"}, "max_retries": {"0"}, "concurrency": {"10"}, "enabled": {"true"}}
	admin.post(t, of+"trial/", form).Want(t, http.StatusOK)
	admin.post(t, of+"preview/", form).Want(t, http.StatusOK)
	form.Set("sample", change)
	shows(t, admin.post(t, of+"preview/", form), "dcim.gone")
	admin.get(t, of+"test/").Want(t, http.StatusOK)
	shows(t, admin.post(t, of+"test/", url.Values{}).Want(t, http.StatusBadRequest), "knows none of the webhook&#39;s object types")
	overwrite(t, s, `UPDATE extras_webhook SET content_types = '{dcim.gone,dcim.site}' WHERE id = $1`, hook)
	admin.post(t, of+"test/", url.Values{}).Want(t, http.StatusSeeOther)
}

// TestTimeZonesAreOffered: the form of a site offers the names of time zones without JavaScript, keeps and marks a
// stored unknown one, and suggests the one that was meant.
func TestTimeZonesAreOffered(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := login(t, s, "admin")
	id := create(t, s, "/api/dcim/sites/", obj{"name": "Porto", "slug": "porto"})
	overwrite(t, s, `UPDATE dcim_site SET time_zone = 'Lisbon' WHERE id = $1`, id)
	of := fmt.Sprintf("/dcim/sites/%d/", id)
	shows(t, admin.get(t, of), "Lisbon (unknown time zone)")
	shows(t, admin.get(t, of+"edit/"), `value="Lisbon"`, `list="id_time_zone_list"`, `<datalist id="id_time_zone_list">`,
		`<option value="Europe/Lisbon">`)
	form := url.Values{"name": {"Porto"}, "slug": {"porto"}, "status": {"active"}, "time_zone": {"Lisbon"}, "description": {"North"}}
	admin.post(t, of+"edit/", form).Want(t, http.StatusSeeOther)
	form.Set("time_zone", "Europe/Lisbonn")
	shows(t, admin.post(t, of+"edit/", form).Want(t, http.StatusBadRequest), "Did you mean &#34;Europe/Lisbon&#34;?")
	form.Set("time_zone", "Europe/Lisbon")
	admin.post(t, of+"edit/", form).Want(t, http.StatusSeeOther)
	shows(t, admin.get(t, "/dcim/sites/import/"), "IANA")
}
