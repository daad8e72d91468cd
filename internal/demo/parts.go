package demo

import "fmt"

// addParts adds what only the first site has: modules, a stack of switches, a chassis with blades, contexts, gateways and an L2VPN.
func (n *network) addParts() {
	first := n.sites[0]
	n.by = n.people[2]
	var modules []in
	for _, bay := range n.find("dcim.modulebay", map[string][]string{"device_id": texts(n.routers[:2]), "name": {"Slot 1"}}) {
		modules = append(modules, in{"device": bay.Link("device").ID, "module_bay": bay.ID(), "module_type": n.lineCard,
			"serial": fmt.Sprintf("CL%08d", bay.ID())})
	}
	n.add("dcim.module", modules...)
	stack := n.add("dcim.virtualchassis", in{"name": first.slug + "1-stack1", "domain": "core"})[0]
	n.changeEach("dcim.device", n.switches[:2], []in{{"virtual_chassis": stack, "vc_position": 1, "vc_priority": 200},
		{"virtual_chassis": stack, "vc_position": 2, "vc_priority": 100}})
	n.change("dcim.virtualchassis", in{"master": n.switches[0]}, stack)

	chassis, blade := n.models["chassis"], n.models["blade"]
	parent := n.add("dcim.device", in{"name": first.slug + "1-ch01", "site": first.id, "rack": n.racks[0], "position": 1, "face": "front",
		"device_type": chassis.id, "device_role": chassis.role})[0]
	blades := n.add("dcim.device", numbered(2, func(i int) in {
		return in{"name": fmt.Sprintf("%s1-bl%02d", first.slug, i+1), "site": first.id, "rack": n.racks[0], "device_type": blade.id,
			"device_role": blade.role}
	})...)
	for i, bay := range n.find("dcim.devicebay", map[string][]string{"device_id": texts([]int64{parent}), "name": {"Bay 1", "Bay 2"}}) {
		n.change("dcim.devicebay", in{"installed_device": blades[i]}, bay.ID())
	}

	n.add("dcim.virtualdevicecontext", in{"name": "Customers", "device": n.routers[0], "identifier": 1, "status": "active"})
	n.addGateway(first)
	vpn := n.add("ipam.l2vpn", in{"name": "Storage replication", "slug": "storage-replication", "type": "vxlan", "identifier": 10050})[0]
	n.add("ipam.l2vpntermination", in{"l2vpn": vpn, "assigned_object_type": "ipam.vlan", "assigned_object_id": n.vlans[4]},
		in{"l2vpn": vpn, "assigned_object_type": "ipam.vlan", "assigned_object_id": n.vlans[4+len(siteVLANs)]})
}

// addGateway adds the address that the two routers of a site share.
func (n *network) addGateway(s *site) {
	group := n.add("ipam.fhrpgroup", in{"name": s.name + " servers", "protocol": "vrrp3", "group_id": 20})[0]
	n.add("ipam.ipaddress", in{"address": fmt.Sprintf("10.%d.8.1/24", s.number), "role": "vrrp", "assigned_object_type": "ipam.fhrpgroup",
		"assigned_object_id": group})
	ports := n.portOf(n.routers[:2], "xe-0/0/0")
	n.add("ipam.fhrpgroupassignment", numbered(2, func(i int) in {
		return in{"group": group, "interface_type": "dcim.interface", "interface_id": ports[n.routers[i]], "priority": 200 - 100*i}
	})...)
}
