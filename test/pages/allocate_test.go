package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestFirstFree: one press on the page of a prefix, a range or an ASN range takes what is free first, and the page then leads to it. A
// viewer is offered nothing.
func TestFirstFree(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	prefix := create(t, s, "/api/ipam/prefixes/", obj{"prefix": "10.0.0.0/22", "status": "container"})
	single := create(t, s, "/api/ipam/prefixes/", obj{"prefix": "10.9.0.1/32"})
	run := create(t, s, "/api/ipam/ip-ranges/", obj{"start_address": "10.1.0.10/24", "end_address": "10.1.0.11/24"})
	rir := create(t, s, "/api/ipam/rirs/", obj{"name": "Ours", "slug": "ours"})
	asns := create(t, s, "/api/ipam/asn-ranges/", obj{"name": "Ours", "slug": "ours", "rir": rir, "start": 65001, "end": 65009})
	s.User(t, "looks", apitest.Grant{Types: []string{"ipam.prefix", "ipam.ipaddress", "ipam.iprange", "ipam.asnrange", "ipam.asn"},
		Actions: []string{"view"}})
	admin, looks := login(t, s, "admin"), login(t, s, "looks")
	for _, c := range []struct {
		on, action, button string
		form               url.Values
		taken              string
	}{
		{fmt.Sprintf("/ipam/prefixes/%d/", prefix), "available-ips/", "First free address", url.Values{}, "10.0.0.1/22"},
		{fmt.Sprintf("/ipam/prefixes/%d/", prefix), "available-prefixes/", "First free prefix",
			url.Values{"prefix_length": {"24"}}, "10.0.0.0/24"},
		{fmt.Sprintf("/ipam/prefixes/%d/", prefix), "available-prefixes/", "First free prefix",
			url.Values{"prefix_length": {"26"}}, "10.0.1.0/26"},
		{fmt.Sprintf("/ipam/ip-ranges/%d/", run), "available-ips/", "First free address", url.Values{}, "10.1.0.10/24"},
		{fmt.Sprintf("/ipam/asn-ranges/%d/", asns), "available-asns/", "First free AS number", url.Values{}, "AS65001"},
	} {
		shows(t, admin.get(t, c.on), c.button+"</button>", `action="`+c.on+c.action+`"`)
		hides(t, looks.get(t, c.on).Want(t, http.StatusOK), "First free", "Take free")
		looks.post(t, c.on+c.action, c.form).Want(t, http.StatusForbidden)
		c.form.Set("form.first", "true")
		a := admin.post(t, c.on+c.action, c.form).Want(t, http.StatusSeeOther)
		if to := a.Header.Get("Location"); to != c.on {
			t.Errorf("it leads to %s, not back to %s", to, c.on)
		}
		note := ""
		for _, cookie := range (&http.Response{Header: a.Header}).Cookies() {
			if cookie.Name == "terrier_note" {
				note = cookie.Value
			}
		}
		shows(t, admin.get(t, c.on, "Cookie", admin.cookie+"; terrier_note="+note),
			c.button+`: <a class="alert-link" href="/ipam/`, ">"+c.taken+"</a>")
	}
	hides(t, admin.get(t, fmt.Sprintf("/ipam/prefixes/%d/", single)), "First free prefix")
	shows(t, admin.get(t, fmt.Sprintf("/ipam/prefixes/%d/", prefix)), `name="prefix_length" value="24"`)
	// What is full says so, beside a form that keeps what was typed.
	at := fmt.Sprintf("/ipam/ip-ranges/%d/available-ips/", run)
	admin.post(t, at, url.Values{"form.first": {"true"}}).Want(t, http.StatusSeeOther)
	shows(t, admin.post(t, at, url.Values{"form.first": {"true"}}).Want(t, http.StatusConflict), "does not have enough free addresses",
		`<option value="active" selected>`)
}

// TestAllocationForms: the form of an action that adds records has the fields of the record, except those that the action sets.
func TestAllocationForms(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	group := create(t, s, "/api/ipam/vlan-groups/", obj{"name": "Campus", "slug": "campus", "min_vid": 7, "max_vid": 8})
	create(t, s, "/api/extras/custom-fields/", obj{"name": "owner", "content_types": []string{"ipam.vlan"}})
	at := fmt.Sprintf("/ipam/vlan-groups/%d/available-vlans/", group)
	form := b.get(t, at).Want(t, http.StatusOK)
	shows(t, form, `id="id_name"`, `id="id_status"`, `id="id_tags"`, `id="id_cf_owner"`)
	hides(t, form, `id="id_vid"`, `id="id_group"`)
	refused := b.post(t, at, url.Values{"name": {""}, "status": {"reserved"}}).Want(t, http.StatusBadRequest)
	shows(t, refused, `class="field wrong"`, "This field is required.", `<option value="reserved" selected>`)
	a := b.post(t, at, url.Values{"name": {"Guests"}, "status": {"reserved"}, "cf_owner": {"me"}}).Want(t, http.StatusSeeOther)
	to := a.Header.Get("Location")
	if !strings.HasPrefix(to, "/ipam/vlans/") {
		t.Errorf("it leads to %s", to)
	}
	shows(t, b.get(t, to), "VLAN 7 Guests (Campus)", ">Reserved</span>", "Campus", "<td>me</td>")
	shows(t, b.post(t, at, url.Values{"name": {"Guests"}, "status": {"active"}}).Want(t, http.StatusBadRequest), "Guests")
	prefix := create(t, s, "/api/ipam/prefixes/", obj{"prefix": "10.0.0.0/24"})
	at = fmt.Sprintf("/ipam/prefixes/%d/available-prefixes/", prefix)
	shows(t, b.get(t, at), `name="prefix_length" id="id_prefix_length" value="26"`, `id="id_vlan"`, `id="id_is_pool"`)
	a = b.post(t, at, url.Values{"prefix_length": {"28"}, "status": {"active"}, "is_pool": {"true"}}).Want(t, http.StatusSeeOther)
	shows(t, b.get(t, a.Header.Get("Location")), "10.0.0.0/28", `class="yes"`)
	shows(t, b.post(t, at, url.Values{"prefix_length": {"129"}, "status": {"active"}}).Want(t, http.StatusBadRequest), `value="129"`)
}
