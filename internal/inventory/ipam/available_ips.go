package ipam

import (
	"fmt"
	"net/netip"

	"terrier/internal/record"
)

// prefixIPs offers the free addresses of a prefix, and rangeIPs those of a range.
var (
	prefixIPs = availableIPs(freeInPrefix, "prefix", "vrf", "status", "is_pool", "mark_utilized").actions()
	rangeIPs  = availableIPs(freeInRange, "start_address", "end_address", "vrf").actions()
)

// availableIPs offers the addresses that a function asks for. They get the length that a field has. The function also looks at the
// other fields.
func availableIPs(free func(record.Values) record.FreePlaces, lengthOf string, others ...string) offer {
	address := func(of record.Values, host any) string {
		return fmt.Sprint(host, "/", netip.MustParsePrefix(of.Text(lengthOf)).Bits())
	}
	return offer{name: "available-ips", adds: "ipam.ipaddress", what: "addresses", reads: append(others, lengthOf), free: free,
		names:      []string{"address", "vrf"},
		properties: record.Schema{"family": record.Schema{"type": "integer"}, "address": record.Schema{"type": "string"}, "vrf": nested},
		shows: func(of record.Values, host any) map[string]any {
			return map[string]any{"family": familyOf(netip.MustParseAddr(fmt.Sprint(host))), "address": address(of, host),
				"vrf": record.Shown{Of: of, Field: "vrf"}}
		},
		sets: func(of record.Values, host any) map[string]any {
			return map[string]any{"address": address(of, host), "vrf": idOrNull(of.Link("vrf"))}
		}}
}

// freeInPrefix asks for the addresses of a prefix. Those of ranges that lie wholly in it are not free, and neither are the first and the
// last one of an IPv4 network, and the first one of an IPv6 network, unless it is a pool. A container of the global table has no address
// free that any VRF has.
func freeInPrefix(v record.Values) record.FreePlaces {
	network := netip.MustParsePrefix(v.Text("prefix"))
	first, last := network.Addr(), record.LastAddress(network)
	runs := &record.Runs{Of: "ipam.iprange", Start: "start_address", End: "end_address", Within: "vrf", First: first, Last: last}
	if room := network.Addr().BitLen() - network.Bits(); room > 1 && !v.Bool("is_pool") {
		first = first.Next()
		if first.Is4() {
			last = last.Prev()
		}
	}
	vrf := v.Link("vrf").ID
	ask := record.FreePlaces{Of: "ipam.ipaddress", Within: vrf, Everywhere: vrf == 0 && v.Text("status") == "container",
		First: first, Last: last, Less: runs}
	if v.Bool("mark_utilized") {
		ask.Less, ask.None = nil, true
	}
	return ask
}

// freeInRange asks for the addresses of a range.
func freeInRange(v record.Values) record.FreePlaces {
	first, last := netip.MustParsePrefix(v.Text("start_address")), netip.MustParsePrefix(v.Text("end_address"))
	return record.FreePlaces{Of: "ipam.ipaddress", Within: v.Link("vrf").ID, First: first.Addr(), Last: last.Addr()}
}

func familyOf(host netip.Addr) int {
	if host.Is4() {
		return 4
	}
	return 6
}
