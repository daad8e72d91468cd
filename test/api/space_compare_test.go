package api_test

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"terrier/test/apitest"
)

// compare compares all records, in the order of their lists.
func (h *historian) compare(t *rapid.T) {
	for _, kind := range []string{aPrefix, anAddress, aRange, aBlock} {
		path := list(kind) + "?limit=0"
		if kind != anAddress {
			path += "&utilization=true"
		}
		var got, want []string
		for _, row := range h.page(h.tb, path).Results {
			got = append(got, h.shown(kind, row))
		}
		for _, p := range h.of(kind) {
			want = append(want, h.described(p, got))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%s:\n%swant\n%s", kind, strings.Join(got, ""), strings.Join(want, ""))
		}
	}
}

// shown is a record in one line, as the server shows it.
func (h *historian) shown(kind string, row obj) string {
	vrf, _ := row["vrf"].(obj)
	table := 0
	if vrf != nil {
		table = slices.Index(h.tables, any(apitest.ID(vrf)))
	}
	switch kind {
	case anAddress:
		role, _ := row["role"].(obj)
		return fmt.Sprintln(apitest.ID(row), table, row["address"], role["value"])
	case aRange:
		return fmt.Sprintln(apitest.ID(row), table, row["start_address"], row["end_address"], row["size"], row["mark_utilized"],
			row["utilization"])
	case aBlock:
		return fmt.Sprintln(apitest.ID(row), row["prefix"], row["utilization"])
	}
	return fmt.Sprintln(apitest.ID(row), table, row["prefix"], row["status"].(obj)["value"], row["is_pool"], row["mark_utilized"],
		"depth", row["_depth"], "children", row["children"], row["utilization"])
}

// described is a record in the same line, as the model has it.
func (h *historian) described(p place, shown []string) string {
	switch p.kind {
	case anAddress:
		return fmt.Sprintln(p.id, p.table, p.net, nullable(p.role))
	case aRange:
		return h.rounded(p, fmt.Sprintln(p.id, p.table, p.net.String(), p.end.String(), covered([]span{p.span()}), p.full), shown)
	case aBlock:
		return h.rounded(p, fmt.Sprintln(p.id, p.net.String()), shown)
	}
	return h.rounded(p, fmt.Sprintln(p.id, p.table, p.net.String(), p.status, p.pool, p.full, "depth", h.depth(p), "children",
		len(h.children(p))), shown)
}

// rounded adds the utilisation with one decimal place. What is in the middle may be rounded either way.
func (h *historian) rounded(p place, line string, shown []string) string {
	tenths := h.used(p) * 10
	line = strings.TrimSuffix(line, "\n")
	up, down := fmt.Sprintln(line, math.Ceil(tenths-0.5)/10+0), fmt.Sprintln(line, math.Floor(tenths+0.5)/10)
	if slices.Contains(shown, down) {
		return down
	}
	return up
}

// compareFree compares what is free everywhere.
func (h *historian) compareFree(t *rapid.T) {
	for _, p := range append(h.of(aPrefix), h.of(aRange)...) {
		h.freeOf(t, p, "", 50)
	}
}

func (h *historian) askFree(t *rapid.T) {
	limits := map[string]int{"?limit=0": mostListed, "?limit=3": 3, "": 50, "?limit=1001": mostListed, "?limit=x": 50}
	query := rapid.SampledFrom([]string{"?limit=0", "?limit=3", "", "?limit=1001", "?limit=x"}).Draw(t, "limit")
	h.freeOf(t, h.drawParent(t, aPrefix, aRange), query, limits[query])
}

func (h *historian) freeOf(t *rapid.T, p place, query string, most int) {
	h.free(t, p, "available-ips/"+query, "address", h.freeAddresses(p, most))
	if p.kind == aPrefix {
		var taken []netip.Prefix
		for _, o := range h.children(p) {
			taken = append(taken, o.net)
		}
		h.free(t, p, "available-prefixes/", "prefix", freeNetworks(p.net, taken))
	}
}

func (h *historian) free(t *rapid.T, p place, action, field string, want []netip.Prefix) {
	family := 4
	if p.net.Addr().Is6() {
		family = 6
	}
	a := h.get(h.tb, at(list(p.kind), p.id)+action)
	var got, wanted []string
	for _, row := range a.Want(h.tb, 200).List(h.tb) {
		vrf, _ := row["vrf"].(obj)
		got = append(got, fmt.Sprint(row["family"], row[field], apitest.ID(vrf)))
	}
	vrf, _ := h.tables[p.table].(int64)
	for _, n := range want {
		wanted = append(wanted, fmt.Sprint(family, n.String(), vrf))
	}
	if !slices.Equal(got, wanted) {
		t.Fatalf("%s of %+v:\n%v\nwant\n%v", action, p, got, wanted)
	}
}

// filter asks a list with a filter.
func (h *historian) filter(t *rapid.T) {
	kind := rapid.SampledFrom([]string{aPrefix, anAddress, aRange, aPrefix}).Draw(t, "kind")
	n := drawPlace(t, aPrefix).net
	number := rapid.IntRange(0, 5).Draw(t, "number")
	none := func(place) bool { return false }
	asked := map[string]func(place) bool{ // of prefixes
		"within=" + n.String():         func(p place) bool { return inside(p.net, n.Masked()) },
		"within_include=" + n.String(): func(p place) bool { return p.net == n.Masked() || inside(p.net, n.Masked()) },
		"contains=" + n.String():       func(p place) bool { return p.net == n.Masked() || inside(n.Masked(), p.net) },
		"contains=" + n.Addr().String(): func(p place) bool {
			return inside(netip.PrefixFrom(n.Addr(), n.Addr().BitLen()), p.net)
		},
		"prefix=" + n.String():                          func(p place) bool { return p.net == n },
		"within=x":                                      none,
		fmt.Sprint("depth=", number):                    func(p place) bool { return h.depth(p) == number },
		fmt.Sprint("depth__gte=", number):               func(p place) bool { return h.depth(p) >= number },
		fmt.Sprint("depth__n=", number):                 func(p place) bool { return h.depth(p) != number },
		fmt.Sprint("children__lt=", number):             func(p place) bool { return len(h.children(p)) < number },
		fmt.Sprint("children=", number, "&vrf_id=null"): func(p place) bool { return p.table == 0 && len(h.children(p)) == number },
		fmt.Sprint("mask_length=", n.Bits()):            func(p place) bool { return p.net.Bits() == n.Bits() },
		fmt.Sprint("mask_length__gte=", n.Bits()):       func(p place) bool { return p.net.Bits() >= n.Bits() },
		"family=6": func(p place) bool { return p.net.Addr().Is6() },
	}
	switch kind {
	case anAddress:
		asked = map[string]func(place) bool{
			"parent=" + n.String():               func(p place) bool { return n.Contains(p.net.Addr()) },
			"address=" + n.String():              func(p place) bool { return p.net == n },
			"address=" + n.Addr().String():       func(p place) bool { return p.net.Addr() == n.Addr() },
			fmt.Sprint("mask_length=", n.Bits()): func(p place) bool { return p.net.Bits() == n.Bits() },
			"family=4":                           func(p place) bool { return p.net.Addr().Is4() },
		}
	case aRange:
		asked = map[string]func(place) bool{
			"parent=" + n.String():               func(p place) bool { return place{kind: aPrefix, net: n.Masked()}.holds(p) },
			"contains=" + n.Addr().String():      func(p place) bool { return p.holds(place{kind: anAddress, net: n}) },
			"start_address=" + n.Addr().String(): func(p place) bool { return p.net.Addr() == n.Addr() },
		}
	}
	queries := []string{}
	for q := range asked {
		queries = append(queries, q)
	}
	slices.Sort(queries)
	query := rapid.SampledFrom(queries).Draw(t, "query")
	var want []int64
	for _, p := range h.of(kind) {
		if asked[query](p) {
			want = append(want, p.id)
		}
	}
	got := h.page(h.tb, list(kind)+"?limit=0&"+query).IDs()
	if !slices.Equal(got, want) && len(got)+len(want) > 0 {
		t.Fatalf("%s?%s finds %v, want %v of %+v", kind, query, got, want, h.of(kind))
	}
}
