package demo

import "fmt"

// The VLANs of each site, and the prefix that each has: 10.site.third.0.
var siteVLANs = []struct {
	name          string
	vid           int
	third, length int
	role          string
}{
	{"Management", 10, 0, 22, "infrastructure"}, {"Servers", 20, 8, 24, "servers"}, {"Users", 30, 16, 21, "users"},
	{"Voice", 40, 24, 24, "users"}, {"Storage", 50, 32, 24, "servers"}, {"Guests", 60, 40, 23, "users"},
}

// addNetworks adds registries, AS numbers, VRFs, VLANs and prefixes.
func (n *network) addNetworks() {
	rirs := n.add("ipam.rir", in{"name": "RIPE NCC", "slug": "ripe"}, in{"name": "RFC 1918", "slug": "rfc-1918", "is_private": true})
	n.add("ipam.aggregate", in{"prefix": "10.0.0.0/8", "rir": rirs[1], "description": "All sites"},
		in{"prefix": "203.0.113.0/24", "rir": rirs[0]}, in{"prefix": "2001:db8::/32", "rir": rirs[0]})
	n.add("ipam.asnrange", in{"name": "Sites", "slug": "sites", "rir": rirs[1], "start": 64512, "end": 64999})
	targets := n.add("ipam.routetarget", in{"name": "65000:100"}, in{"name": "65000:200"})
	n.add("ipam.vrf", in{"name": "Customers", "rd": "65000:100", "import_targets": targets[:1], "export_targets": targets[:1]},
		in{"name": "Voice", "rd": "65000:200", "import_targets": targets[1:], "export_targets": targets[1:]})
	roles := map[string]int64{}
	for _, r := range []string{"Infrastructure", "Servers", "Users"} {
		roles[slugOf(r)] = n.add("ipam.role", in{"name": r, "slug": slugOf(r)})[0]
	}
	n.add("ipam.prefix", in{"prefix": "10.0.0.0/8", "status": "container", "description": "All sites"},
		in{"prefix": "2001:db8::/32", "status": "container", "description": "All sites"},
		in{"prefix": "203.0.113.0/24", "description": "Public services", "custom_fields": in{"cost_center": 1100}})
	for _, s := range n.sites {
		n.addSiteNetworks(s, rirs[1], roles)
	}
}

// addSiteNetworks adds the VLANs and prefixes of one site.
func (n *network) addSiteNetworks(s *site, private int64, roles map[string]int64) {
	asn := n.add("ipam.asn", in{"asn": 64511 + s.number, "rir": private, "description": s.name})[0]
	n.change("dcim.site", in{"asns": []int64{asn}}, s.id)
	s.vlans = n.add("ipam.vlangroup", in{"name": s.name + " 1", "slug": s.slug + "1", "scope_type": "dcim.site", "scope_id": s.id,
		"max_vid": 99})[0]
	var vlans []in
	for _, v := range siteVLANs {
		vlans = append(vlans, in{"vid": v.vid, "name": v.name, "group": s.vlans, "site": s.id, "role": roles[v.role]})
	}
	ids := n.add("ipam.vlan", vlans...)
	s.servers = ids[1]
	n.vlans = append(n.vlans, ids...)
	prefixes := []in{{"prefix": fmt.Sprintf("10.%d.0.0/16", s.number), "site": s.id, "status": "container", "description": s.name + " 1"},
		{"prefix": fmt.Sprintf("2001:db8:%x::/48", s.number), "site": s.id, "status": "container", "description": s.name + " 1"}}
	for i, v := range siteVLANs {
		prefixes = append(prefixes,
			in{"prefix": fmt.Sprintf("10.%d.%d.0/%d", s.number, v.third, v.length), "site": s.id, "vlan": ids[i], "role": roles[v.role],
				"description": v.name, "custom_fields": in{"cost_center": 1000 + 100*i}},
			in{"prefix": fmt.Sprintf("2001:db8:%x:%x::/64", s.number, v.vid), "site": s.id, "vlan": ids[i], "role": roles[v.role],
				"description": v.name})
	}
	n.prefixes = append(n.prefixes, n.add("ipam.prefix", prefixes...)[2:]...)
	address := func(rest string) string { return fmt.Sprintf("10.%d.%s", s.number, rest) }
	n.add("ipam.iprange",
		in{"start_address": address("8.200/24"), "end_address": address("8.239/24"), "description": "Load balancers"},
		in{"start_address": address("40.50/23"), "end_address": address("41.200/23"), "description": "DHCP for guests"})
}
