package ipam

import (
	"fmt"
	"net/netip"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// prefixIPs are the actions of a prefix that list its free addresses, and that create records on the lowest of them.
var prefixIPs = availableIPs(freeInPrefix)

// rangeIPs are those of a range.
var rangeIPs = availableIPs(freeInRange)

// availableIPs are two actions over the addresses that a function asks for. It also returns the length that they get.
func availableIPs(free func(record.Values) (ask record.FreePlaces, length int)) []record.Action {
	return []record.Action{
		{Name: "available-ips", Method: "GET", Needs: "view", Limited: true, Doc: "List free addresses, lowest first.",
			Answer: record.Schema{"type": "array", "items": record.Schema{"type": "object",
				"required": []string{"family", "address", "vrf"}, "properties": record.Schema{
					"family": record.Schema{"type": "integer"}, "address": record.Schema{"type": "string"},
					"vrf": record.Schema{"type": "object", "nullable": true, "additionalProperties": true}}}},
			Do: func(c record.Call) (any, error) {
				ask, length := free(c.Record())
				ask.Count = int(c.Inputs()[0].Int("limit"))
				hosts, err := c.Free(ask)
				answer := make([]map[string]any, len(hosts))
				for i, host := range hosts {
					answer[i] = map[string]any{"family": familyOf(host), "address": fmt.Sprint(host, "/", length),
						"vrf": record.Shown{Of: c.Record(), Field: "vrf"}}
				}
				return answer, err
			}},
		{Name: "available-ips", Method: "POST", Label: "Take free addresses", Needs: "view", Adds: "ipam.ipaddress",
			Doc: "Create IP addresses on the lowest free addresses. Two requests at once never get the same one.",
			Do: func(c record.Call) (any, error) {
				ask, length := free(c.Record())
				ask.Count = len(c.Inputs())
				hosts, err := c.Free(ask)
				if err == nil && len(hosts) < ask.Count {
					err = fault.New(fault.Held, "An insufficient number of IP addresses are available within %s: %d requested, %d available.",
						c.Record().Display(), ask.Count, len(hosts))
				}
				if err != nil {
					return nil, err
				}
				wanted := make([]map[string]any, len(hosts))
				for i, in := range c.Inputs() {
					wanted[i] = in.Fields
					wanted[i]["address"], wanted[i]["vrf"] = fmt.Sprint(hosts[i], "/", length), idOrNull(c.Record().Link("vrf"))
				}
				return c.Create("ipam.ipaddress", wanted...)
			}},
	}
}

// freeInPrefix asks for the addresses of a prefix. Those of ranges that lie wholly in it are not free, and neither are the first and the
// last one of an IPv4 network, and the first one of an IPv6 network, unless it is a pool. A container of the global table has no address
// free that any VRF has.
func freeInPrefix(v record.Values) (record.FreePlaces, int) {
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
		ask.Less, ask.First, ask.Last = nil, last, first // none
	}
	return ask, network.Bits()
}

// freeInRange asks for the addresses of a range.
func freeInRange(v record.Values) (record.FreePlaces, int) {
	first, last := netip.MustParsePrefix(v.Text("start_address")), netip.MustParsePrefix(v.Text("end_address"))
	return record.FreePlaces{Of: "ipam.ipaddress", Within: v.Link("vrf").ID, First: first.Addr(), Last: last.Addr()}, first.Bits()
}

func familyOf(host any) int {
	if netip.MustParseAddr(fmt.Sprint(host)).Is4() {
		return 4
	}
	return 6
}

// idOrNull returns what a request gives for a reference.
func idOrNull(link record.Link) any {
	if link.ID == 0 {
		return nil
	}
	return link.ID
}
