package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

func vrfRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			h.make(t, "vrf", "name", "same", "rd", "65000:11")
			h.make(t, "vrf", "name", "same")
			h.refused(t, "rd", "vrf", "rd", "65000:11")
		},
		2: func(t *testing.T, h *hardware) {
			h.make(t, "vrf", "rd", strings.Repeat("x", 21))
			h.refused(t, "rd", "vrf", "rd", strings.Repeat("x", 22))
		},
		3: func(t *testing.T, h *hardware) {
			want(t, "rd", h.made(t, "vrf", "rd", "")["rd"], nil)
			want(t, "rd", h.made(t, "vrf", "rd", "")["rd"], nil)
			want(t, "rd", h.made(t, "vrf", "rd", nil)["rd"], nil)
		},
		4: func(t *testing.T, h *hardware) {
			want(t, "display", h.made(t, "vrf", "name", "Red", "rd", "65000:4")["display"], any("Red (65000:4)"))
			want(t, "display", h.made(t, "vrf", "name", "Red")["display"], any("Red"))
		},
		5: func(t *testing.T, h *hardware) {
			vrf := h.make(t, "vrf", "enforce_unique", false)
			h.network(t, "10.5.0.0/24", "vrf", vrf)
			h.network(t, "10.5.0.0/24", "vrf", vrf)
			h.set(t, "vrf", vrf, "enforce_unique", true)
		},
		6: func(t *testing.T, h *hardware) {
			for _, x := range [][]any{{"prefix", "prefix", "10.6.0.0/24"}, {"ipaddress", "address", "10.6.0.1/24"},
				{"iprange", "start_address", "10.6.0.2/24", "end_address", "10.6.0.3/24"}} {
				vrf := h.make(t, "vrf")
				name := x[0].(string)
				id := h.make(t, name, append(x[1:], "vrf", vrf)...)
				h.held(t, "vrf", vrf)
				h.remove(t, name, id)
				h.remove(t, "vrf", vrf)
			}
			vrf := h.make(t, "vrf")
			port, virtual := h.make(t, "interface", "vrf", vrf), h.make(t, "vminterface", "vrf", vrf)
			h.remove(t, "vrf", vrf)
			wantRef(t, h.read(t, "interface", port), "vrf", 0)
			wantRef(t, h.read(t, "vminterface", virtual), "vrf", 0)
		},
		7: func(t *testing.T, h *hardware) {
			vrf := h.make(t, "vrf", "rd", "65000:7")
			h.network(t, "10.7.0.0/24", "vrf", vrf)
			h.network(t, "10.7.1.0/24")
			h.networks(t, "within=10.7.0.0/16&vrf=65000:7", "10.7.0.0/24")
			h.networks(t, fmt.Sprintf("within=10.7.0.0/16&vrf_id=%d", vrf), "10.7.0.0/24")
			h.networks(t, "within=10.7.0.0/16&vrf=null", "10.7.1.0/24")
			h.networks(t, "within=10.7.0.0/16&vrf_id=null", "10.7.1.0/24")
			h.networks(t, "within=10.7.0.0/16&vrf=65000:7&vrf=null", "10.7.1.0/24 10.7.0.0/24")
		},
		8: func(t *testing.T, h *hardware) {
			vrf := h.make(t, "vrf")
			nested := nestedIn(h.made(t, "prefix", "prefix", "10.80.0.0/24", "vrf", vrf), "vrf")
			h.briefCounts(t, "vrf", vrf, nested, obj{"prefix_count": 1.0})
		},
	}
}

func routeTargetRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			h.make(t, "routetarget", "name", "any text at all, 21 c")
			h.refused(t, "name", "routetarget", "name", strings.Repeat("x", 22))
		},
		2: func(t *testing.T, h *hardware) {
			target := h.make(t, "routetarget")
			vrf := h.make(t, "vrf", "import_targets", []int64{target}, "export_targets", []int64{target})
			vpn := h.make(t, "l2vpn", "import_targets", []int64{target})
			h.remove(t, "routetarget", target)
			want(t, "targets", fmt.Sprint(h.read(t, "vrf", vrf)["import_targets"], h.read(t, "vrf", vrf)["export_targets"],
				h.read(t, "l2vpn", vpn)["import_targets"]), "[] [] []")
		},
	}
}

func rirRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			for _, x := range [][]any{{"aggregate", "prefix", "10.1.0.0/16"}, {"asn", "asn", 64512}, {"asnrange"}} {
				rir := h.make(t, "rir")
				id := h.make(t, x[0].(string), append(x[1:], "rir", rir)...)
				h.held(t, "rir", rir)
				h.remove(t, x[0].(string), id)
				h.remove(t, "rir", rir)
			}
		},
		2: func(t *testing.T, h *hardware) {
			made := h.made(t, "aggregate", "prefix", "10.2.0.0/16")
			h.briefCounts(t, "rir", idOf(made, "rir"), nestedIn(made, "rir"), obj{"aggregate_count": 1.0})
		},
	}
}

func asnRangeRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			h.refused(t, "non_field_errors", "asnrange", "start", 100, "end", 100)
			h.refused(t, "non_field_errors", "asnrange", "start", 101, "end", 100)
			h.unset(t, "non_field_errors", "asnrange", h.make(t, "asnrange", "start", 100, "end", 101), "start", 101)
		},
		2: func(t *testing.T, h *hardware) {
			one, two := h.make(t, "asnrange", "start", 2000, "end", 2010), h.make(t, "asnrange", "start", 2005, "end", 2020)
			h.make(t, "asn", "asn", 2006)
			for _, id := range []int64{one, two} {
				want(t, "ASNs in a range", fmt.Sprint(h.read(t, "asnrange", id)["asn_count"]), "1")
			}
		},
		3: func(t *testing.T, h *hardware) {
			want(t, "display", h.made(t, "asnrange", "name", "Lab", "start", 1, "end", 4294967295)["display"], any("Lab (1-4294967295)"))
		},
		4: func(t *testing.T, h *hardware) {
			id := h.make(t, "asnrange", "start", 4000, "end", 4010)
			for _, n := range []int{3999, 4000, 4005, 4010, 4011} {
				h.make(t, "asn", "asn", n)
			}
			want(t, "asn_count", fmt.Sprint(h.read(t, "asnrange", id)["asn_count"]), "3")
		},
		5: freeInAll,
	}
}

func asnRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			h.make(t, "asn", "asn", 4711, "description", "Nord 12")
			for q, found := range map[string]int{"471": 0, "4711": 1, "nord": 1, "d 1": 1} {
				want(t, "found by "+q, len(h.find(t, "asn", "q=%s", strings.ReplaceAll(q, " ", "+"))), found)
			}
		},
		2: func(t *testing.T, h *hardware) {
			want(t, "display", h.made(t, "asn", "asn", 65535)["display"], any("AS65535"))
			want(t, "display", h.made(t, "asn", "asn", 4200000000)["display"], any("AS4200000000 (64086.59904)"))
		},
		3: func(t *testing.T, h *hardware) {
			h.refused(t, "rir", "asn", "asn", 3, "rir", nil)
			wantErrors(t, h.do(t, http.MethodPost, h.list("asn"), obj{"asn": 3}), "rir")
		},
		4: func(t *testing.T, h *hardware) {
			asn := h.made(t, "asn", "asn", 40)
			site := h.make(t, "site", "asns", []int64{apitest.ID(asn)})
			want(t, "sites", len(h.find(t, "site", "asn=40")), 1)
			want(t, "ASNs of the site", len(h.find(t, "asn", "site_id=%d", site)), 1)
			want(t, "site_count", fmt.Sprint(h.read(t, "asn", apitest.ID(asn))["site_count"]), "1")
			h.remove(t, "asn", apitest.ID(asn))
			want(t, "asns", fmt.Sprint(h.read(t, "site", site)["asns"]), "[]")
		},
	}
}

func roleRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			role := h.make(t, "ipam.role")
			prefix, vlan := h.network(t, "10.1.0.0/24", "role", role), h.make(t, "vlan", "role", role)
			span := h.make(t, "iprange", "start_address", "10.1.0.1/24", "end_address", "10.1.0.9/24", "role", role)
			h.remove(t, "ipam.role", role)
			for name, id := range map[string]int64{"prefix": prefix, "vlan": vlan, "iprange": span} {
				wantRef(t, h.read(t, name, id), "role", 0)
			}
		},
		2: func(t *testing.T, h *hardware) {
			role := h.make(t, "ipam.role")
			nested := nestedIn(h.made(t, "prefix", "prefix", "10.2.0.0/24", "role", role), "role")
			h.briefCounts(t, "ipam.role", role, nested, obj{"prefix_count": 1.0, "vlan_count": 0.0})
		},
	}
}
