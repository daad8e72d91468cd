package demo

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// manage gives devices an address at their management ports.
func (n *network) manage(s *site, devices []int64, names []string) {
	var addresses, primary []in
	ports := n.portOf(devices, management)
	for i, id := range devices {
		s.hosts++
		addresses = append(addresses, in{"address": fmt.Sprintf("10.%d.%d.%d/22", s.number, s.hosts/250, 2+s.hosts%250),
			"assigned_object_type": "dcim.interface", "assigned_object_id": ports[id], "dns_name": names[i] + ".network.example"})
		n.interfaces = append(n.interfaces, ports[id])
	}
	ids := n.add("ipam.ipaddress", addresses...)
	for _, id := range ids {
		primary = append(primary, in{"primary_ip4": id})
	}
	n.addresses = append(n.addresses, ids...)
	n.changeEach("dcim.device", devices, primary)
}

// describePorts says what is connected to the switches of a rack: its hosts, and the routers of the site.
func (n *network) describePorts(s *site, switches []int64, hosts []string) {
	about := map[string]string{}
	for i, host := range hosts {
		about[fmt.Sprintf("ge-0/0/%d", i)] = host
	}
	for i := range 2 {
		about[fmt.Sprintf("xe-0/1/%d", i)] = fmt.Sprintf("%s1-rtr%02d", s.slug, i+1)
	}
	var ids []int64
	var inputs []in
	names := slices.Sorted(maps.Keys(about))
	for _, port := range n.find("dcim.interface", map[string][]string{"device_id": texts(switches), "name": names}) {
		ids = append(ids, port.ID())
		inputs = append(inputs, in{"description": "To " + about[port.Text("name")], "mtu": 9000,
			"mac_address": fmt.Sprintf("02:54:%02x:%02x:%02x:%02x", s.number, ids[0]>>8&0xff, ids[0]&0xff, len(ids))})
	}
	n.changeEach("dcim.interface", ids, inputs)
}

// portOf returns the interface of a name of each of some devices.
func (n *network) portOf(devices []int64, name string) map[int64]int64 {
	ports := map[int64]int64{}
	for _, v := range n.find("dcim.interface", map[string][]string{"device_id": texts(devices), "name": {name}}) {
		ports[v.Link("device").ID] = v.ID()
	}
	return ports
}

// texts returns ids as the values of a filter.
func texts(ids []int64) []string {
	values := make([]string, len(ids))
	for i, id := range ids {
		values[i] = strconv.FormatInt(id, 10)
	}
	return values
}
