package demo

import (
	"fmt"
	"time"
)

// edits are what people do on a day, one after the other.
var edits = []func(n *network, ago int){
	func(n *network, _ int) { // maintenance
		device := pick(n.writer, n.devices)
		n.change("dcim.device", in{"status": "offline", "comments": "Maintenance by " + n.by.Username}, device)
		n.maintained = append(n.maintained, device)
	},
	func(n *network, ago int) {
		n.change("ipam.ipaddress", in{"dns_name": fmt.Sprintf("host-%d-%d.network.example", ago, n.rand.IntN(1000)),
			"description": "Renamed after the move"}, pick(n.writer, n.addresses))
	},
	func(n *network, _ int) {
		n.change("ipam.prefix", in{"description": pick(n.writer, prefixNotes), "status": pick(n.writer, []string{"active", "reserved"})},
			pick(n.writer, n.prefixes))
	},
	func(n *network, _ int) {
		n.change("dcim.interface", in{"description": pick(n.writer, portNotes), "enabled": n.rand.IntN(4) > 0}, pick(n.writer, n.interfaces))
	},
	func(n *network, _ int) { // an address for a test, which is removed some days later
		s := pick(n.writer, n.sites)
		s.tests++
		address := fmt.Sprintf("10.%d.%d.%d/21", s.number, 16+s.tests/250, 2+s.tests%250) // of the users
		n.temporary = append(n.temporary,
			n.add("ipam.ipaddress", in{"address": address, "status": "reserved", "description": "Test, may be removed"})...)
	},
	func(n *network, _ int) { // the end of the maintenance
		if len(n.maintained) > 0 {
			n.change("dcim.device", in{"status": "active", "comments": ""}, n.maintained[0])
			n.maintained = n.maintained[1:]
		}
	},
	func(n *network, _ int) {
		n.change("ipam.vlan", in{"description": "Reviewed by " + n.by.Username, "status": pick(n.writer,
			[]string{"active", "active", "reserved"})}, pick(n.writer, n.vlans))
	},
	func(n *network, _ int) {
		if len(n.temporary) > 6 {
			n.remove("ipam.ipaddress", n.temporary[0])
			n.temporary = n.temporary[1:]
		}
	},
	func(n *network, _ int) {
		if len(n.machines) > 0 {
			n.change("virtualization.virtualmachine", in{"memory": 2048 << n.rand.IntN(5), "vcpus": 2 << n.rand.IntN(3)},
				pick(n.writer, n.machines))
			return
		}
		n.change("dcim.rack", in{"comments": "Cabling checked by " + n.by.Username}, pick(n.writer, n.racks))
	},
	(*network).editSite,
}

var (
	prefixNotes = []string{"Half of it is free", "Moved from the old core", "Static routes only", "Announced to both upstreams"}
	portNotes   = []string{"Out-of-band network", "To be replaced", "Moved to the new switch", "Checked, no errors"}
	siteNotes   = []string{"The second feed is live.", "Access by badge only.", "Cooling was serviced.", "The lease was renewed."}
)

// editSite changes a site on one day, and reserves units of a rack or gives them back on the next.
func (n *network) editSite(ago int) {
	switch {
	case ago%2 == 0:
		note := fmt.Sprintf("%s (%s)", pick(n.writer, siteNotes), n.now.Format("2 January"))
		n.change("dcim.site", in{"comments": note}, pick(n.writer, n.sites).id)
	case len(n.reserved) > 2:
		n.remove("dcim.rackreservation", n.reserved[0])
		n.reserved = n.reserved[1:]
	default:
		lowest := 32 + 2*(n.reservations%3) // no more than three are there at once, and they never overlap
		n.reservations++
		n.reserved = append(n.reserved, n.add("dcim.rackreservation", in{"rack": pick(n.writer, n.racks),
			"units": []int{lowest, lowest + 1}, "user": n.people[2].UserID, "description": "Storage shelf, ordered"})...)
	}
}

// edit makes the edits of one day, around the clock. Automation works at night.
func (n *network) edit(ago int) {
	begin, count := n.end.Add(-time.Duration(ago)*day), n.size.Edits
	if ago <= failingSince { // so that some deliveries fail, and some are queued
		count = max(12, 2*count)
	}
	for i := range count {
		if n.err != nil {
			return
		}
		n.reach(begin.Add(time.Duration((float64(i) + 0.9*n.rand.Float64()) / float64(count) * float64(day))))
		n.by = n.people[(i+ago)%6]
		if hour := n.now.Hour(); hour < 6 || hour > 20 {
			n.by = n.people[len(n.people)-1]
		}
		edits[(i+ago)%len(edits)](n, ago)
	}
}
