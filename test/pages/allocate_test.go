package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestAllocationSaysWhatItCreates: the button on the page of a prefix, a range, a VLAN group or an ASN range leads to a form whose own
// button names what it creates. Nothing is written before the caller has seen the names. A viewer is offered nothing.
func TestAllocationSaysWhatItCreates(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	prefix := create(t, s, "/api/ipam/prefixes/", obj{"prefix": "10.0.0.0/22", "status": "container"})
	run := create(t, s, "/api/ipam/ip-ranges/", obj{"start_address": "10.1.0.10/24", "end_address": "10.1.0.11/24"})
	group := create(t, s, "/api/ipam/vlan-groups/", obj{"name": "Floor", "slug": "floor", "min_vid": 7, "max_vid": 9})
	rir := create(t, s, "/api/ipam/rirs/", obj{"name": "Ours", "slug": "ours"})
	asns := create(t, s, "/api/ipam/asn-ranges/", obj{"name": "Ours", "slug": "ours", "rir": rir, "start": 65001, "end": 65009})
	s.User(t, "looks", apitest.Grant{Types: []string{"ipam.prefix", "ipam.ipaddress", "ipam.iprange", "ipam.asnrange", "ipam.asn",
		"ipam.vlan", "ipam.vlangroup"}, Actions: []string{"view"}})
	admin, looks := login(t, s, "admin"), login(t, s, "looks")
	for _, c := range []struct {
		on, action, button, adds string
		form                     url.Values
		first, second, third     string // what the form offers at once, what is created then, and the two after that
	}{
		{fmt.Sprintf("/ipam/prefixes/%d/", prefix), "available-ips/", "Allocate addresses", "ip-addresses", url.Values{"status": {"active"}},
			"Create 10.0.0.1/22", "Create 10.0.0.1/22", "Create 2 IP addresses: 10.0.0.2/22 …"},
		{fmt.Sprintf("/ipam/prefixes/%d/", prefix), "available-prefixes/", "Allocate prefixes", "prefixes",
			url.Values{"prefix_length": {"26"}, "status": {"active"}},
			"Create 10.0.0.0/24", "Create 10.0.0.0/26", "Create 2 prefixes: 10.0.0.64/26 …"},
		{fmt.Sprintf("/ipam/ip-ranges/%d/", run), "available-ips/", "Allocate addresses", "ip-addresses", url.Values{"status": {"active"}},
			"Create 10.1.0.10/24", "Create 10.1.0.10/24", "does not have enough free addresses: 2 requested, 1 available"},
		{fmt.Sprintf("/ipam/vlan-groups/%d/", group), "available-vlans/", "Allocate VLAN numbers", "vlans",
			url.Values{"name": {"Guests"}, "status": {"active"}}, "Preview", "Create VLAN 7 Guests (Floor)", "must make a unique set"},
		{fmt.Sprintf("/ipam/asn-ranges/%d/", asns), "available-asns/", "Allocate AS numbers", "asns", url.Values{},
			"Create AS65001", "Create AS65001", "Create 2 ASNs: AS65002 …"},
	} {
		at := c.on + c.action
		count := func() int64 {
			return s.Do(t, apitest.Call{Method: "GET", Path: "/api/ipam/" + c.adds + "/", Token: s.Admin}).Page(t).Count
		}
		before := count()
		shows(t, admin.get(t, c.on), `href="`+at+`">`+c.button+"</a>")
		hides(t, looks.get(t, c.on).Want(t, http.StatusOK), "Allocate")
		looks.post(t, at, c.form).Want(t, http.StatusForbidden)
		shows(t, admin.get(t, at).Want(t, http.StatusOK), ">"+c.first+"</button>", `name="form.count" id="id_form.count" value="1"`)

		c.form.Set("form.count", "1")
		seen := admin.post(t, at, c.form).Want(t, http.StatusOK)
		shows(t, seen, ">"+c.second+"</button>")
		if n := count(); n != before {
			t.Errorf("%s: %d records were created before their names were shown", at, n-before)
		}
		for key, values := range hidden(seen) {
			c.form[key] = values
		}
		made := admin.post(t, at, c.form).Want(t, http.StatusSeeOther)
		if to := made.Header.Get("Location"); !strings.HasPrefix(to, "/ipam/"+c.adds+"/") || count() != before+1 {
			t.Errorf("%s leads to %s, and created %d records", at, to, count()-before)
		}

		// The same form again: what it showed is taken, and another number asks for others. It is shown again.
		c.form.Set("form.count", "2")
		shows(t, admin.post(t, at, c.form), c.third)
		if n := count(); n != before+1 {
			t.Errorf("%s created %d records that it had not shown", at, n-before-1)
		}
		c.form.Set("form.count", "0")
		shows(t, admin.post(t, at, c.form).Want(t, http.StatusBadRequest), "Enter a number from 1 to ")
	}

	// Several at once are listed, and get the same values.
	at := fmt.Sprintf("/ipam/prefixes/%d/available-ips/", prefix)
	form := url.Values{"form.count": {"3"}, "status": {"reserved"}, "dns_name": {"spare.example.org"}}
	seen := admin.post(t, at, form).Want(t, http.StatusOK)
	shows(t, seen, "Nothing is saved yet", "<td>10.0.0.2/22</td>", "<td>10.0.0.3/22</td>", "<td>10.0.0.4/22</td>", `value="spare.example.org"`)
	for key, values := range hidden(seen) {
		form[key] = values
	}
	if to := admin.post(t, at, form).Want(t, http.StatusSeeOther).Header.Get("Location"); to != fmt.Sprintf("/ipam/prefixes/%d/", prefix) {
		t.Errorf("several addresses lead to %s", to)
	}
	if n := s.Do(t, apitest.Call{Method: "GET", Path: "/api/ipam/ip-addresses/?dns_name=spare.example.org&status=reserved", Token: s.Admin}).
		Page(t).Count; n != 3 {
		t.Errorf("%d addresses were created, want 3", n)
	}

	// What is full says so at once.
	create(t, s, "/api/ipam/ip-addresses/", obj{"address": "10.1.0.11/24"})
	shows(t, admin.get(t, fmt.Sprintf("/ipam/ip-ranges/%d/available-ips/", run)).Want(t, http.StatusOK), "does not have enough free addresses")
}

// confirmed sends a form of an action, and again what it then shows.
func confirmed(t *testing.T, b browser, at string, form url.Values) apitest.Answer {
	t.Helper()
	for key, values := range hidden(b.post(t, at, form).Want(t, http.StatusOK)) {
		form[key] = values
	}
	return b.post(t, at, form)
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
	a := confirmed(t, b, at, url.Values{"name": {"Guests"}, "status": {"reserved"}, "cf_owner": {"me"}}).Want(t, http.StatusSeeOther)
	to := a.Header.Get("Location")
	if !strings.HasPrefix(to, "/ipam/vlans/") {
		t.Errorf("it leads to %s", to)
	}
	shows(t, b.get(t, to), "VLAN 7 Guests (Campus)", ">Reserved</span>", "Campus", "<td>me</td>")
	shows(t, b.post(t, at, url.Values{"name": {"Guests"}, "status": {"active"}}).Want(t, http.StatusBadRequest), "Guests")
	prefix := create(t, s, "/api/ipam/prefixes/", obj{"prefix": "10.0.0.0/24"})
	at = fmt.Sprintf("/ipam/prefixes/%d/available-prefixes/", prefix)
	shows(t, b.get(t, at), `name="prefix_length" id="id_prefix_length" value="26"`, `id="id_vlan"`, `id="id_is_pool"`)
	a = confirmed(t, b, at, url.Values{"prefix_length": {"28"}, "status": {"active"}, "is_pool": {"true"}}).Want(t, http.StatusSeeOther)
	shows(t, b.get(t, a.Header.Get("Location")), "10.0.0.0/28", `class="yes"`)
	shows(t, b.post(t, at, url.Values{"prefix_length": {"129"}, "status": {"active"}}).Want(t, http.StatusBadRequest), `value="129"`)
}
