package demo

import "fmt"

// slot is devices of one model in a rack, above each other from a unit up. Without a unit they are beside the units.
type slot struct {
	model, name string
	unit, count int
}

// The first rack of a site connects it to the others. The rest take turns. Units 32 to 37 are left to reservations.
var (
	networkRack = []slot{{"panel", "pp", 41, 2}, {"switch", "sw", 39, 2}, {"console", "con", 38, 1}, {"firewall", "fw", 28, 2},
		{"router", "rtr", 18, 2}, {"pdu", "pdu", 0, 2}}
	computeRack = []slot{{"panel", "pp", 42, 1}, {"switch", "sw", 40, 2}, {"server", "srv", 17, 10}, {"host", "kvm", 1, 6},
		{"pdu", "pdu", 0, 2}}
	storageRack = []slot{{"panel", "pp", 42, 1}, {"switch", "sw", 40, 2}, {"server", "bak", 24, 4}, {"storage", "nas", 2, 4},
		{"pdu", "pdu", 0, 2}}
)

// rackLayout returns what is in the rack of a number, from 0, at each site.
func rackLayout(number int) []slot {
	switch {
	case number == 0:
		return networkRack
	case number%2 == 1:
		return computeRack
	default:
		return storageRack
	}
}

// installRacks adds the racks of a day. The first are there on the first day, and all on the last of their days.
func (n *network) installRacks(ago int) {
	if ago == Days {
		roles := n.add("dcim.rackrole", in{"name": "Network", "slug": "network", "color": "3f51b5"},
			in{"name": "Compute", "slug": "compute", "color": "4caf50"})
		n.rackRoles = [2]int64{roles[0], roles[1]}
	}
	all, days := n.size.Sites*n.size.Racks, Days-racksUntil+1
	due := min(all, (all*(Days-ago+1)+days-1)/days)
	for ; n.installed < due && n.err == nil; n.installed++ {
		n.by = n.people[2+n.installed%2]
		n.installRack(n.sites[n.installed%n.size.Sites], n.installed/n.size.Sites)
	}
}

// installRack adds the rack of a number, from 0, at a site, with its devices and their addresses.
func (n *network) installRack(s *site, number int) {
	tenant := n.tenants[(s.number+number)%len(n.tenants)]
	rack := n.add("dcim.rack", in{"name": fmt.Sprintf("R%02d", number+1), "site": s.id, "location": s.room,
		"role": n.rackRoles[min(number, 1)], "facility_id": fmt.Sprintf("%s-%c%d", s.slug, 'A'+number/8, 1+number%8),
		"u_height": 42, "type": "4-post-cabinet", "tenant": tenant, "custom_fields": in{"commissioned": n.now.Format("2006-01-02")}})[0]
	n.racks = append(n.racks, rack)
	var inputs []in
	var keys []string
	for _, x := range rackLayout(number) {
		for i := range x.count {
			d := n.device(s, x, rack)
			d["tenant"] = tenant
			if x.unit > 0 {
				d["position"], d["face"] = x.unit+i*int(n.models[x.model].height), "front"
			}
			inputs, keys = append(inputs, d), append(keys, x.model)
		}
	}
	ids := n.add("dcim.device", inputs...)
	n.devices = append(n.devices, ids...)
	var managed, switches []int64
	var names, hosts []string
	for i, key := range keys {
		name := inputs[i]["name"].(string)
		switch key {
		case "panel", "pdu":
			continue
		case "switch":
			switches = append(switches, ids[i])
		case "router":
			n.routers = append(n.routers, ids[i])
		case "server", "host", "storage":
			hosts = append(hosts, name)
		}
		managed, names = append(managed, ids[i]), append(names, name)
	}
	n.switches = append(n.switches, switches...)
	n.manage(s, managed, names)
	n.describePorts(s, switches, hosts)
}

// device returns a new device of a rack.
func (n *network) device(s *site, x slot, rack int64) in {
	s.devices++
	s.named[x.name]++
	m := n.models[x.model]
	d := in{"name": fmt.Sprintf("%s1-%s%02d", s.slug, x.name, s.named[x.name]), "site": s.id, "rack": rack, "device_type": m.id,
		"device_role": m.role, "serial": fmt.Sprintf("%c%d%08d", "CHPVO"[s.devices%5], s.number, n.rand.IntN(1e8)),
		"asset_tag": fmt.Sprintf("A%02d%05d", s.number, s.devices), "custom_fields": in{
			"support_contract": []string{"gold", "silver", "none"}[s.devices%3], "commissioned": n.now.Format("2006-01-02")}}
	if x.model == "router" || x.model == "firewall" {
		d["tags"] = []in{{"slug": "critical"}}
	}
	return d
}
