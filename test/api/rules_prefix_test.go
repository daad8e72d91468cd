package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// network creates a prefix and returns its id.
func (h *hardware) network(t *testing.T, prefix string, more ...any) int64 {
	t.Helper()
	return h.make(t, "prefix", append([]any{"prefix", prefix}, more...)...)
}

// networks asks which prefixes a query finds, in their order.
func (h *hardware) networks(t *testing.T, query, want string) {
	t.Helper()
	if got := names(h.find(t, "prefix", "%s", query), "prefix"); got != want {
		t.Errorf("%s finds %s, want %s", query, got, want)
	}
}

// inTree asks for the depth of a prefix and how many are inside it.
func (h *hardware) inTree(t *testing.T, id int64, depth, children int) {
	t.Helper()
	row := h.read(t, "prefix", id)
	if got := fmt.Sprint(row["_depth"], " ", row["children"]); got != fmt.Sprint(depth, " ", children) {
		t.Errorf("depth and children of %s are %s, want %d %d", row["prefix"], got, depth, children)
	}
}

// used asks for the utilisation of a record.
func (h *hardware) used(t *testing.T, name string, id int64, percent float64) {
	t.Helper()
	row := h.get(t, at(h.list(name), id)+"?utilization=true").Want(t, http.StatusOK).Object(t)
	if got := fmt.Sprint(row["utilization"]); got != fmt.Sprint(percent) {
		t.Errorf("the utilisation of %s is %s, want %v", row["display"], got, percent)
	}
}

// familyForms asks that the family is a choice, and in the brief form a number.
func (h *hardware) familyForms(t *testing.T, name string, v4, v6 int64) {
	t.Helper()
	for id, family := range map[int64]int{v4: 4, v6: 6} {
		row := h.read(t, name, id)
		want(t, "family", fmt.Sprint(row["family"]), fmt.Sprintf("map[label:IPv%d value:%d]", family, family))
		want(t, "brief family", fmt.Sprint(h.first(t, name, "brief=1&id=%d", id)["family"]), fmt.Sprint(family))
		want(t, "family of those found", len(h.find(t, name, "id=%d&family=%d", id, family)), 1)
		want(t, "family of those found", len(h.find(t, name, "id=%d&family=%d", id, 10-family)), 0)
	}
}

func prefixRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			a := h.post(t, "prefix", "prefix", "192.0.2.7/24")
			if wantErrors(t, a, "prefix"); !strings.Contains(string(a.Raw), "192.0.2.0/24") {
				t.Errorf("the refusal does not name the network: %s", a.Raw)
			}
			h.refused(t, "prefix", "prefix", "prefix", "0.0.0.0/0")
			h.refused(t, "prefix", "prefix", "prefix", "::/0")
			want(t, "prefix", h.made(t, "prefix", "prefix", "192.0.2.7")["prefix"], any("192.0.2.7/32"))
			want(t, "prefix", h.made(t, "prefix", "prefix", "2001:DB8::7")["prefix"], any("2001:db8::7/128"))
		},
		2: uniquePrefixes,
		3: uniqueInOneList,
		4: func(t *testing.T, h *hardware) {
			h.familyForms(t, "prefix", h.network(t, "10.4.0.0/16"), h.network(t, "2001:db8:4::/48"))
			want(t, "family", nestedIn(h.made(t, "prefix", "prefix", "10.4.1.0/24", "family", 6), "family")["label"], any("IPv4"))
		},
		5: func(t *testing.T, h *hardware) {
			vrf := h.make(t, "vrf")
			outer, inner := h.network(t, "10.5.0.0/16"), h.network(t, "10.5.1.0/24")
			was := h.read(t, "prefix", outer)
			h.inTree(t, outer, 0, 1)
			h.inTree(t, inner, 1, 0)
			middle := h.network(t, "10.5.0.0/20")
			again := h.network(t, "10.5.0.0/20")
			h.inTree(t, outer, 0, 3)
			h.inTree(t, inner, 2, 0)
			h.inTree(t, middle, 1, 1)
			h.inTree(t, again, 1, 1)
			h.set(t, "prefix", middle, "vrf", vrf)
			h.inTree(t, middle, 0, 0)
			h.inTree(t, inner, 2, 0)
			h.set(t, "prefix", again, "prefix", "10.5.16.0/20")
			h.inTree(t, inner, 1, 0)
			h.inTree(t, outer, 0, 2)
			h.remove(t, "prefix", again)
			h.inTree(t, outer, 0, 1)
			is := h.read(t, "prefix", outer)
			want(t, "last_updated", is["last_updated"], was["last_updated"])
			log := h.page(t, fmt.Sprintf("%s?changed_object_type=ipam.prefix&changed_object_id=%d", changeLog, outer)).Results
			want(t, "changes of the outer prefix", len(log), 1)
		},
		6: func(t *testing.T, h *hardware) {
			outer, middle, inner := h.network(t, "10.6.0.0/16"), h.network(t, "10.6.0.0/20"), h.network(t, "10.6.1.0/24")
			address := h.make(t, "ipaddress", "address", "10.6.1.1/24")
			h.changed(t, h.remove(t, "prefix", middle), "delete ipam.prefix")
			h.inTree(t, inner, 1, 0)
			h.inTree(t, outer, 0, 1)
			h.read(t, "ipaddress", address)
		},
		7: func(t *testing.T, h *hardware) {
			id := h.network(t, "10.7.0.0/24")
			h.make(t, "ipaddress", "address", "10.7.0.9/16")
			want(t, "addresses of the prefix", len(h.find(t, "ipaddress", "parent=10.7.0.0/24")), 1)
			h.used(t, "prefix", id, 0.4)
		},
		8: func(t *testing.T, h *hardware) {
			vrf := h.make(t, "vrf")
			h.make(t, "ipaddress", "address", "10.8.0.1/24", "vrf", vrf)
			h.used(t, "prefix", h.network(t, "10.8.0.0/24"), 0)
			h.used(t, "prefix", h.network(t, "10.8.0.0/24", "vrf", vrf), 0.4)
		},
		9: prefixUtilisation,
		10: func(t *testing.T, h *hardware) {
			h.network(t, "10.10.0.0/16", "description", "Büro Nord")
			h.network(t, "10.10.1.0/24")
			for q, found := range map[string]string{
				"büro": "10.10.0.0/16", ".10.1.": "10.10.1.0/24", "10.10.1.77": "10.10.0.0/16 10.10.1.0/24",
				"10.10.1.64/26": "10.10.0.0/16 10.10.1.0/24", "10.10.0.0/16": "10.10.0.0/16", "10.10.2.0/33": "",
			} {
				h.networks(t, "within_include=10.10.0.0/16&q="+url.QueryEscape(q), found)
			}
		},
		11: func(t *testing.T, h *hardware) {
			one, two := h.make(t, "vrf", "name", "z"), h.make(t, "vrf", "name", "a")
			for _, vrf := range []any{two, one, nil} {
				h.network(t, "10.11.0.0/24", "vrf", vrf)
			}
			h.network(t, "2001:db8:11::/48")
			h.network(t, "10.11.0.0/16")
			rows := h.find(t, "prefix", "within_include=10.11.0.0/16&within_include=2001:db8:11::/48")
			want(t, "order", names(rows, "prefix"), "10.11.0.0/16 10.11.0.0/24 2001:db8:11::/48 10.11.0.0/24 10.11.0.0/24")
			wantRef(t, rows[3], "vrf", one)
			wantRef(t, rows[4], "vrf", two)
		},
		12: func(t *testing.T, h *hardware) {
			vlan := h.make(t, "vlan", "site", h.make(t, "site"))
			h.network(t, "10.12.0.0/24", "site", h.make(t, "site"), "vlan", vlan, "vrf", h.make(t, "vrf"))
		},
	}
}

func prefixUtilisation(t *testing.T, h *hardware) {
	vrf := h.make(t, "vrf", "enforce_unique", false)
	in := func(more ...any) []any { return append([]any{"vrf", vrf}, more...) }
	full := h.network(t, "10.9.0.0/30", in("mark_utilized", true)...)
	h.used(t, "prefix", full, 100)
	outer := h.network(t, "10.9.0.0/16", in("status", "container")...)
	h.used(t, "prefix", outer, 0)
	h.network(t, "10.9.0.0/17", in()...)
	h.network(t, "10.9.0.0/17", in()...)
	h.network(t, "10.9.128.0/18", in()...)
	h.network(t, "10.9.9.0/24", in()...)
	h.network(t, "10.9.192.0/18", "status", "active") // of the global table
	h.used(t, "prefix", outer, 75)
	hosts := h.network(t, "10.9.9.0/28", in()...)
	for _, address := range []string{"10.9.9.1/28", "10.9.9.1/24", "10.9.9.2/32", "10.9.9.12/28"} {
		h.make(t, "ipaddress", in("address", address)...)
	}
	h.used(t, "prefix", hosts, 21.4) // 3 of 14
	h.make(t, "iprange", in("start_address", "10.9.9.10/28", "end_address", "10.9.9.13/28")...)
	h.make(t, "iprange", in("start_address", "10.9.9.14/28", "end_address", "10.9.9.17/28")...) // not wholly inside
	h.used(t, "prefix", hosts, 42.9)                                                            // 6 of 14
	h.set(t, "prefix", hosts, "is_pool", true)
	h.used(t, "prefix", hosts, 37.5) // 6 of 16
	pair := h.network(t, "10.9.9.0/31", in()...)
	h.used(t, "prefix", pair, 50)
	h.make(t, "ipaddress", in("address", "10.9.9.0/31")...)
	h.used(t, "prefix", pair, 100)
	small := h.network(t, "10.9.9.0/30", in()...) // 3 addresses, and room for 2
	h.used(t, "prefix", small, 100)
	six := h.network(t, "2001:db8:9::/126", in()...)
	h.make(t, "ipaddress", in("address", "2001:db8:9::/126")...)
	h.used(t, "prefix", six, 25)
	row := h.read(t, "prefix", six)
	if _, shown := row["utilization"]; shown {
		t.Errorf("the utilisation is shown to those who did not ask for it: %v", row)
	}
}

func aggregateRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			h.refused(t, "prefix", "aggregate", "prefix", "192.0.2.7/24")
			h.refused(t, "prefix", "aggregate", "prefix", "0.0.0.0/0")
		},
		2: apartAggregates,
		3: func(t *testing.T, h *hardware) {
			want(t, "a VRF", h.made(t, "aggregate", "prefix", "10.3.0.0/16")["vrf"], nil)
			wantErrors(t, h.get(t, h.list("aggregate")+"?vrf_id=1"), "vrf_id")
		},
		4: func(t *testing.T, h *hardware) {
			h.make(t, "aggregate", "prefix", "10.4.0.0/16", "description", "Nord")
			for q, found := range map[string]int{"nord": 1, "10.4.0": 1, "10.4.7.7": 1, "10.4.7.0/24": 1, "10.4.0.0/16": 1, "10.5.0.0/16": 0} {
				want(t, "found by "+q, len(h.find(t, "aggregate", "id__gte=0&q=%s", url.QueryEscape(q))), found)
			}
		},
		5: func(t *testing.T, h *hardware) {
			h.familyForms(t, "aggregate", h.make(t, "aggregate", "prefix", "10.50.0.0/16"), h.make(t, "aggregate", "prefix", "2001:db8:5::/48"))
		},
		6: func(t *testing.T, h *hardware) {
			id := h.make(t, "aggregate", "prefix", "10.6.0.0/16")
			h.used(t, "aggregate", id, 0)
			h.network(t, "10.6.0.0/18")
			h.network(t, "10.6.0.0/20", "vrf", h.make(t, "vrf"))
			h.network(t, "10.6.64.0/18", "vrf", h.make(t, "vrf"))
			h.used(t, "aggregate", id, 50)
			h.network(t, "10.6.0.0/16", "vrf", h.make(t, "vrf"))
			h.used(t, "aggregate", id, 100)
			h.network(t, "10.0.0.0/8")
			h.used(t, "aggregate", h.make(t, "aggregate", "prefix", "10.60.0.0/16"), 0)
		},
	}
}

func rangeRules() map[int]ruleTest {
	span := func(t *testing.T, h *hardware, start, end string, more ...any) obj {
		t.Helper()
		return h.made(t, "iprange", append([]any{"start_address", start, "end_address", end}, more...)...)
	}
	rules := rangeSpaceRules()
	maps.Copy(rules, map[int]ruleTest{
		4: func(t *testing.T, h *hardware) {
			one, two := h.make(t, "vrf"), h.make(t, "vrf")
			span(t, h, "10.4.0.1/24", "10.4.0.2/24", "vrf", two)
			span(t, h, "10.4.0.1/24", "10.4.0.2/24", "vrf", one)
			span(t, h, "10.4.0.9/24", "10.4.0.10/24")
			span(t, h, "10.4.0.3/16", "10.4.0.4/16")
			rows := h.find(t, "iprange", "parent=10.4.0.0/16")
			want(t, "order", names(rows, "start_address"), "10.4.0.3/16 10.4.0.9/24 10.4.0.1/24 10.4.0.1/24")
			wantRef(t, rows[2], "vrf", one)
		},
		5: func(t *testing.T, h *hardware) {
			h.make(t, "ipaddress", "address", "10.5.0.5/24")
			span(t, h, "10.5.0.1/24", "10.5.0.9/24")
			h.make(t, "ipaddress", "address", "10.5.0.6/24")
			want(t, "addresses", len(h.find(t, "ipaddress", "parent=10.5.0.0/24")), 2)
		},
		6: func(t *testing.T, h *hardware) {
			for _, x := range [][3]string{
				{"192.0.2.10/24", "192.0.2.20/24", "192.0.2.10-20/24"},
				{"10.6.0.10/16", "10.6.1.20/16", "10.6.0.10-1.20/16"},
				{"2001:db8:6::a/64", "2001:db8:6::ff/64", "2001:db8:6::a-ff/64"},
				{"2001:db8:7::1:a/64", "2001:db8:7::2:b/64", "2001:db8:7::1:a-2:b/64"},
			} {
				want(t, "display", span(t, h, x[0], x[1])["display"], any(x[2]))
			}
		},
		7: func(t *testing.T, h *hardware) {
			four, six := span(t, h, "10.7.0.1/24", "10.7.0.9/24"), span(t, h, "2001:db8::1/64", "2001:db8::9/64")
			h.familyForms(t, "iprange", apitest.ID(four), apitest.ID(six))
		},
		8: func(t *testing.T, h *hardware) {
			vrf := h.make(t, "vrf", "enforce_unique", false)
			id := apitest.ID(span(t, h, "10.8.0.11/24", "10.8.0.18/24", "vrf", vrf))
			for _, address := range []string{"10.8.0.10/24", "10.8.0.11/24", "10.8.0.11/32", "10.8.0.18/24", "10.8.0.19/24"} {
				h.make(t, "ipaddress", "address", address, "vrf", vrf)
			}
			h.make(t, "ipaddress", "address", "10.8.0.12/24")
			h.used(t, "iprange", id, 25)
			h.set(t, "iprange", id, "mark_utilized", true)
			h.used(t, "iprange", id, 100)
		},
		9: func(t *testing.T, h *hardware) {
			span(t, h, "10.9.0.11/24", "10.9.0.18/24", "description", "Nord")
			for q, found := range map[string]int{"nord": 1, "10.9.0.11": 1, "9.0.18": 1, "10.9.0.18/24": 1, "10.9.0.12": 0} {
				want(t, "found by "+q, len(h.find(t, "iprange", "q=%s", url.QueryEscape(q))), found)
			}
		},
	})
	return rules
}
