package pages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestPrefixMap: the page of a prefix draws what is in it, cell by cell, and lists the same; free cells lead to the form for what
// fits there.
func TestPrefixMap(t *testing.T) {
	t.Parallel()
	s, wire := countingServer(t)
	b := login(t, s, "admin")
	vrf := create(t, s, "/api/ipam/vrfs/", obj{"name": "Blue"})
	prefix := func(network string, more ...any) string {
		body := obj{"prefix": network, "vrf": vrf}
		for i := 0; i+1 < len(more); i += 2 {
			body[more[i].(string)] = more[i+1]
		}
		return fmt.Sprintf("/ipam/prefixes/%d/", create(t, s, "/api/ipam/prefixes/", body))
	}
	big := prefix("10.0.0.0/8", "status", "container")
	prefix("10.0.0.0/9")
	prefix("10.0.0.0/16") // inside the one above
	prefix("10.200.7.0/24")
	prefix("10.200.9.0/24")
	create(t, s, "/api/ipam/ip-addresses/", obj{"address": "10.201.0.1/24", "vrf": vrf})
	create(t, s, "/api/ipam/ip-addresses/", obj{"address": "10.201.0.2/24", "vrf": vrf})
	create(t, s, "/api/ipam/prefixes/", obj{"prefix": "10.255.0.0/16"}) // in another table
	page := b.get(t, big).Want(t, http.StatusOK)
	shows(t, page, "Each cell is a /16.", `<td>10.0.0.0/9</td><td><a href="/ipam/prefixes/2/">10.0.0.0/9</a></td>`,
		`<td>10.200.0.0/16</td><td><a href="/ipam/prefixes/?vrf_id=1&amp;within=10.200.0.0%2F16">Smaller prefixes</a></td>`,
		`<td>10.201.0.0/16</td><td><a href="/ipam/ip-addresses/?parent=10.201.0.0%2F16&amp;vrf_id=1">2 addresses</a></td>`,
		`<td>10.202.0.0–10.255.255.255</td><td><a href="/ipam/prefixes/add/?`, "prefix=10.224.0.0%2F11&amp;vrf=Blue")
	if n := strings.Count(string(page.Raw), `<svg class="cell free"`); n != 128-2+1 { // and one in the key
		t.Errorf("%d cells are free", n)
	}
	hides(t, page, "10.255.0.0/16</a>", "style=")

	small := prefix("192.0.2.0/24")
	create(t, s, "/api/ipam/ip-ranges/", obj{"start_address": "192.0.2.10/24", "end_address": "192.0.2.19/24", "vrf": vrf})
	create(t, s, "/api/ipam/ip-addresses/", obj{"address": "192.0.2.1/24", "vrf": vrf, "dns_name": "secret"})
	prefix("192.0.2.128/26")
	page = b.get(t, small).Want(t, http.StatusOK)
	shows(t, page, "Each cell is one address.",
		`<td>192.0.2.0</td><td>The network itself</td>`, `<td>192.0.2.1</td><td><a href="/ipam/ip-addresses/`,
		`<td>192.0.2.2–192.0.2.9</td><td><a href="/ipam/ip-addresses/add/?address=192.0.2.2%2F24&amp;next=`, "Range: 192.0.2.10-19/24</a>",
		`<td>192.0.2.128/26</td><td><a href="/ipam/prefixes/`, `<td>192.0.2.255</td><td>Broadcast</td>`)
	shows(t, b.get(t, prefix("2001:db8::/32")).Want(t, http.StatusOK), "Each cell is a /40.", "Free: add here")
	shows(t, b.get(t, prefix("2001:db8:1::1/128")).Want(t, http.StatusOK), "Each cell is one address.")
	shows(t, b.get(t, prefix("0.0.0.0/1")).Want(t, http.StatusOK), "Each cell is a /9.", ">10.0.0.0/8</a>")
	shows(t, b.get(t, prefix("198.51.100.4/31")).Want(t, http.StatusOK), "<td>198.51.100.4/31</td><td><a")
	shows(t, b.get(t, "/ipam/ip-ranges/1/").Want(t, http.StatusOK),
		"<td>192.0.2.10–192.0.2.19</td><td><a href=\"/ipam/ip-addresses/add/?address=192.0.2.10%2F24")

	// A viewer is offered nothing, and what they may not see is taken all the same.
	s.User(t, "looks", apitest.Grant{Types: []string{"ipam.prefix"}, Actions: []string{"view"},
		Constraints: obj{"prefix__n": "192.0.2.128/26"}})
	seen := login(t, s, "looks").get(t, small).Want(t, http.StatusOK)
	shows(t, seen, `<td>192.0.2.128/26</td><td>Taken</td>`, `<td>192.0.2.1</td><td>Taken</td>`, `<td>192.0.2.2–192.0.2.9</td><td>Free</td>`)
	hides(t, seen, "/add/", "secret", "Allocate")

	few, _ := needs(t, b, small, wire)
	for i := 30; i < 90; i++ {
		create(t, s, "/api/ipam/ip-addresses/", obj{"address": fmt.Sprintf("192.0.2.%d/24", i), "vrf": vrf})
	}
	if many, _ := needs(t, b, small, wire); many != few || few > 18 {
		t.Errorf("%d statements with few addresses, %d with many", few, many)
	}
}

// TestPrefixMapIsAsAllocation: what the map shows as free is what is given out.
func TestPrefixMapIsAsAllocation(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	page := func(body obj) apitest.Answer {
		t.Helper()
		return b.get(t, fmt.Sprintf("/ipam/prefixes/%d/", create(t, s, "/api/ipam/prefixes/", body))).Want(t, http.StatusOK)
	}
	for _, ends := range [][2]string{{"172.16.5.1/16", "172.16.5.9/16"}, {"172.16.8.0/16", "172.16.9.255/16"},
		{"172.16.20.1/16", "172.16.20.5/16"}, {"203.0.113.100/24", "203.0.113.150/24"}} {
		create(t, s, "/api/ipam/ip-ranges/", obj{"start_address": ends[0], "end_address": ends[1]})
	}
	for _, address := range []string{"172.16.5.200/16", "172.16.5.201/16"} {
		create(t, s, "/api/ipam/ip-addresses/", obj{"address": address})
	}
	shows(t, page(obj{"prefix": "172.16.0.0/16"}),
		"<td>172.16.5.0/24</td><td><a href=\"/ipam/ip-addresses/?parent=172.16.5.0%2F24&amp;vrf_id=null\">2 addresses</a>",
		"<td>172.16.8.0/23</td><td><a href=\"/ipam/ip-ranges/2/\">Range: ",
		"<td>172.16.20.0/24</td><td><a href=\"/ipam/ip-ranges/3/\">Part of a range: ")
	// A range that ends outside is not kept.
	shows(t, page(obj{"prefix": "203.0.113.0/25"}), "<td>203.0.113.1–203.0.113.126</td><td><a href=\"/ipam/ip-addresses/add/")
	full := page(obj{"prefix": "198.18.0.0/24", "mark_utilized": true})
	shows(t, full, "<td>198.18.0.1–198.18.0.254</td><td>Counts as full</td>")
	hides(t, full, "add here", "add/?address")
}

// TestPrefixMapTellsNoNumbers: only those who may see all addresses learn how many a cell has.
func TestPrefixMapTellsNoNumbers(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	for _, address := range []string{"172.16.5.1/16", "172.16.5.2/16", "172.16.7.1/16", "172.16.9.1/16", "172.16.9.2/16"} {
		create(t, s, "/api/ipam/ip-addresses/", obj{"address": address})
	}
	path := fmt.Sprintf("/ipam/prefixes/%d/", create(t, s, "/api/ipam/prefixes/", obj{"prefix": "172.16.0.0/16"}))
	view := func(name string, more ...apitest.Grant) apitest.Answer {
		s.User(t, name, append(more, apitest.Grant{Types: []string{"ipam.prefix"}, Actions: []string{"view"}})...)
		return login(t, s, name).get(t, path).Want(t, http.StatusOK)
	}
	none := view("none")
	shows(t, none, "<td>172.16.5.0/24</td><td>In use</td>", "<td>172.16.7.0/24</td><td>In use</td>", "<td>172.16.9.0/24</td><td>In use</td>")
	hides(t, none, "addresses</", "level-2")
	some := view("some", apitest.Grant{Types: []string{"ipam.ipaddress"}, Actions: []string{"view"},
		Constraints: obj{"address__n": "172.16.5.2/16"}})
	shows(t, some, "<td>172.16.5.0/24</td><td><a href=\"/ipam/ip-addresses/?parent=172.16.5.0%2F24&amp;vrf_id=null\">In use</a></td>",
		">172.16.7.1/16</a></td>")
	hides(t, some, "addresses</a></td>")
	all := view("all", apitest.Grant{Types: []string{"ipam.ipaddress"}, Actions: []string{"view"}})
	shows(t, all, ">2 addresses</a></td>", ">172.16.7.1/16</a></td>")

	for range 2 {
		create(t, s, "/api/ipam/ip-addresses/", obj{"address": "192.0.2.7/24"})
	}
	path = fmt.Sprintf("/ipam/prefixes/%d/", create(t, s, "/api/ipam/prefixes/", obj{"prefix": "192.0.2.0/24"}))
	for _, name := range []string{"none", "some"} {
		shows(t, login(t, s, name).get(t, path), "<td>192.0.2.7</td><td>Taken</td>")
	}
	shows(t, login(t, s, "all").get(t, path), ">2 addresses</a></td>")
}

// TestMapOfAGlobalContainer: an address of any VRF takes its place in a container of the global table, which does not give it out.
func TestMapOfAGlobalContainer(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	vrf := create(t, s, "/api/ipam/vrfs/", obj{"name": "Blue"})
	create(t, s, "/api/ipam/ip-addresses/", obj{"address": "198.51.100.1/24", "vrf": vrf})
	create(t, s, "/api/ipam/prefixes/", obj{"prefix": "198.51.100.128/25", "vrf": vrf}) // free for prefixes of the global table
	for status, first := range map[string]string{"container": "198.51.100.2/24", "active": "198.51.100.1/24"} {
		id := create(t, s, "/api/ipam/prefixes/", obj{"prefix": "198.51.100.0/24", "status": status})
		free := s.Do(t, apitest.Call{Method: "GET", Path: fmt.Sprintf("/api/ipam/prefixes/%d/available-ips/?limit=1", id), Token: s.Admin})
		if got := free.Want(t, http.StatusOK).Raw; !strings.Contains(string(got), first) {
			t.Errorf("%s: the first free address is %s", status, got)
		}
		page := b.get(t, fmt.Sprintf("/ipam/prefixes/%d/", id)).Want(t, http.StatusOK)
		shows(t, page, "–198.51.100.254</td><td><a href=\"/ipam/ip-addresses/add/?address="+strings.ReplaceAll(first, "/", "%2F"))
	}
	wide := create(t, s, "/api/ipam/prefixes/", obj{"prefix": "198.51.0.0/16", "status": "container"})
	create(t, s, "/api/ipam/ip-addresses/", obj{"address": "198.51.7.1/24", "vrf": vrf})
	create(t, s, "/api/ipam/ip-addresses/", obj{"address": "198.51.7.2/24"})
	shows(t, b.get(t, fmt.Sprintf("/ipam/prefixes/%d/", wide)).Want(t, http.StatusOK),
		"<td>198.51.7.0/24</td><td><a href=\"/ipam/ip-addresses/?parent=198.51.7.0%2F24\">2 addresses</a></td>")
}

// TestVLANGrid: the page of a VLAN group draws its numbers, and lists which are free.
func TestVLANGrid(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	small := create(t, s, "/api/ipam/vlan-groups/", obj{"name": "Floor", "slug": "floor", "min_vid": 10, "max_vid": 20})
	large := create(t, s, "/api/ipam/vlan-groups/", obj{"name": "Campus", "slug": "campus"})
	for _, group := range []int64{small, large} {
		for _, vid := range []int{10, 13, 14} {
			create(t, s, "/api/ipam/vlans/", obj{"name": fmt.Sprint("v", vid), "vid": vid, "group": group})
		}
	}
	page := b.get(t, fmt.Sprintf("/ipam/vlan-groups/%d/", small)).Want(t, http.StatusOK)
	shows(t, page, "3 of 11 in use. Each cell is one VID.", "<title>13: v13 (13)</title>",
		`<td>13</td><td><a href="/ipam/vlans/2/">v13 (13)</a></td>`,
		`height="10"/></svg>27.27 %`,
		`<td>11–12</td><td><a href="/ipam/vlans/add/?group=Floor`,
		"vid=11", "<td>15–20</td>")
	page = b.get(t, fmt.Sprintf("/ipam/vlan-groups/%d/", large)).Want(t, http.StatusOK)
	shows(t, page, "3 of 4094 in use. Each cell is 16 VIDs.", "1–16: 3 of 16 in use",
		`<td>1–16</td><td><a href="/ipam/vlans/?group_id=2&amp;vid__gte=1&amp;vid__lte=16">3 of 16 in use</a></td></tr><tr><td>1–9</td>`,
		"<td>15–4094</td>")
	s.User(t, "looks", apitest.Grant{Types: []string{"ipam.vlangroup"}, Actions: []string{"view"}})
	seen := login(t, s, "looks").get(t, fmt.Sprintf("/ipam/vlan-groups/%d/", small)).Want(t, http.StatusOK)
	shows(t, seen, "<title>13: Taken</title>", "<td>13</td><td>Taken</td>", "<td>11–12</td><td>Free</td>", "Each cell is one VID.")
	hides(t, seen, "/add/", "v13", "Allocate", "3 of 11")

	// Only those who may see all VLANs learn how many there are.
	s.User(t, "some", apitest.Grant{Types: []string{"ipam.vlangroup"}, Actions: []string{"view"}},
		apitest.Grant{Types: []string{"ipam.vlan"}, Actions: []string{"view"}, Constraints: obj{"vid__n": 13}})
	create(t, s, "/api/ipam/vlans/", obj{"name": "v40", "vid": 40, "group": large})
	seen = login(t, s, "some").get(t, fmt.Sprintf("/ipam/vlan-groups/%d/", large)).Want(t, http.StatusOK)
	shows(t, seen, "<title>1–16: In use</title>", "<title>33–48: 1 of 16 in use</title>")
	hides(t, seen, " of 4094 in use")
}
