package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"terrier/test/apitest"
)

const (
	addresses    = "/api/ipam/ip-addresses/"
	prefixes     = "/api/ipam/prefixes/"
	vminterfaces = "/api/virtualization/interfaces/"
)

// fillNetworks adds VRFs, networks and VLANs to the devices of fillDevices. The red VRF imports what the blue one exports, and the hidden
// one too.
func (w filterWorld) fillNetworks(t *testing.T) {
	t.Helper()
	w.fillDevices(t)
	add := func(path string, bodies ...obj) { w.add(t, path, bodies...) }
	add("/api/ipam/route-targets/", obj{"name": "one target"}, obj{"name": "hidden target"})
	targets := func(names ...string) (ids []int64) {
		for _, name := range names {
			ids = append(ids, w.ids[name])
		}
		return ids
	}
	add("/api/ipam/vrfs/", obj{"name": "red", "rd": "1:1", "import_targets": targets("one target", "hidden target")},
		obj{"name": "blue", "rd": "1:2", "export_targets": targets("one target")},
		obj{"name": "green", "rd": "1:3", "export_targets": targets("hidden target")},
		obj{"name": "hidden vrf", "rd": "1:4", "export_targets": targets("one target")})
	w.make(t, prefixes, obj{"prefix": "10.0.0.0/24"})
	for i, vrf := range []string{"red", "blue", "green", "hidden vrf"} {
		w.make(t, prefixes, obj{"prefix": fmt.Sprintf("10.%d.0.0/24", i+1), "vrf": w.ids[vrf]})
	}
	add("/api/virtualization/cluster-types/", obj{"name": "metal", "slug": "metal"})
	add("/api/virtualization/clusters/", obj{"name": "cluster", "type": w.ids["metal"]})
	add("/api/virtualization/virtual-machines/", obj{"name": "vm", "cluster": w.ids["cluster"]},
		obj{"name": "hidden vm", "cluster": w.ids["cluster"]})
	add(vminterfaces, obj{"name": "vnic", "virtual_machine": w.ids["vm"]}, obj{"name": "dark vnic", "virtual_machine": w.ids["hidden vm"]})
	group := w.make(t, "/api/ipam/fhrp-groups/", obj{"protocol": "vrrp2", "group_id": 1})
	assign := func(address, kind string, id int64) {
		w.make(t, addresses, obj{"address": address, "assigned_object_type": kind, "assigned_object_id": id})
	}
	for i, port := range []string{"one", "one m", "two", "two m", "three", "other", "last", "hidden last"} {
		assign(fmt.Sprintf("10.0.0.%d/24", i+1), "dcim.interface", w.ids[port])
	}
	assign("10.0.1.1/24", "virtualization.vminterface", w.ids["vnic"])
	assign("10.0.1.2/24", "virtualization.vminterface", w.ids["dark vnic"])
	assign("10.0.2.1/24", "ipam.fhrpgroup", group)
	w.make(t, addresses, obj{"address": "10.0.3.1/24"})
	w.make(t, addresses, obj{"address": "10.2.0.1", "vrf": w.ids["blue"]})
}

// TestAddressFilters holds the filters of addresses and prefixes that are about other records.
func TestAddressFilters(t *testing.T) {
	t.Parallel()
	w := newFilterWorld(t)
	w.fillNetworks(t)
	id := func(name string) string { return fmt.Sprint(w.ids[name]) }
	w.check(t, []found{
		// The master of a chassis has the addresses of the others too, except on their management interfaces.
		{addresses + "?device=sw1", "10.0.0.1/24, 10.0.0.2/24, 10.0.0.3/24, 10.0.0.5/24", "10.0.0.1/24, 10.0.0.2/24, 10.0.0.3/24"},
		{addresses + "?device_id=" + id("sw1"), "10.0.0.1/24, 10.0.0.2/24, 10.0.0.3/24, 10.0.0.5/24", "10.0.0.1/24, 10.0.0.2/24, 10.0.0.3/24"},
		{addresses + "?device=sw2", "10.0.0.3/24, 10.0.0.4/24", "="},
		{addresses + "?device_id=" + id("sw2"), "10.0.0.3/24, 10.0.0.4/24", "="},
		{addresses + "?device_id=" + id("lone") + "&device_id=" + id("SW1"), "10.0.0.6/24, 10.0.0.7/24", "="},
		{addresses + "?device=nobody", unknownKey, "="},
		{addresses + "?device_id=" + id("blade"), "10.0.0.8/24", ""},
		{addresses + "?interface=one", "10.0.0.1/24", "="},
		{addresses + "?interface_id=" + id("hidden last"), "10.0.0.8/24", ""},
		{addresses + "?vminterface=vnic", "10.0.1.1/24", "="},
		{addresses + "?vminterface_id=" + id("vnic"), "10.0.1.1/24", "="},
		{addresses + "?virtual_machine=vm", "10.0.1.1/24", "="},
		{addresses + "?virtual_machine=hidden+vm", "10.0.1.2/24", unknownKey},
		{addresses + "?virtual_machine_id=" + id("vm"), "10.0.1.1/24", "="},
		{addresses + "?assigned_to_interface=true&parent=10.0.1.0/24&parent=10.0.2.0/23", "10.0.1.1/24, 10.0.1.2/24", "="},
		{addresses + "?assigned_to_interface=false", "10.0.2.1/24, 10.0.3.1/24, 10.2.0.1/32", "="},
		{addresses + "?assigned=false", "10.0.3.1/24, 10.2.0.1/32", "="},
		// A network is in its own VRF, and in those that import what its own exports.
		{prefixes + "?present_in_vrf=1:1", "10.1.0.0/24, 10.2.0.0/24, 10.3.0.0/24, 10.4.0.0/24", "10.1.0.0/24, 10.2.0.0/24"},
		{prefixes + "?present_in_vrf_id=" + id("red"), "10.1.0.0/24, 10.2.0.0/24, 10.3.0.0/24, 10.4.0.0/24", "10.1.0.0/24, 10.2.0.0/24"},
		{prefixes + "?present_in_vrf=1:2", "10.2.0.0/24", "="},
		{prefixes + "?present_in_vrf_id=" + id("green"), "10.3.0.0/24", "="},
		{prefixes + "?present_in_vrf_id=" + id("hidden vrf"), "10.4.0.0/24", ""},
		{prefixes + "?present_in_vrf=9:9", unknownKey, "="},
		{addresses + "?present_in_vrf=1:1", "10.2.0.1/32", "="},
		{addresses + "?present_in_vrf_id=" + id("red"), "10.2.0.1/32", "="},
		{addresses + "?present_in_vrf=1:3", "", "="},
	})
}

// TestInterfaceNetworkFilters holds the filters of interfaces by VLAN, VRF and L2VPN.
func TestInterfaceNetworkFilters(t *testing.T) {
	t.Parallel()
	w := newFilterWorld(t)
	w.fillNetworks(t)
	w.add(t, "/api/ipam/vlans/", obj{"name": "users", "vid": 10}, obj{"name": "voice", "vid": 20}, obj{"name": "hidden lan", "vid": 30},
		obj{"name": "other users", "vid": 10})
	w.add(t, "/api/ipam/l2vpns/", obj{"name": "wire", "slug": "wire", "type": "vxlan", "identifier": 700},
		obj{"name": "hidden wire", "slug": "hidden", "type": "vxlan", "identifier": 800})
	id := func(name string) string { return fmt.Sprint(w.ids[name]) }
	for _, c := range []struct{ list, kind, first, second, third string }{
		{interfaces, "dcim.interface", "one", "two", "last"}, {vminterfaces, "virtualization.vminterface", "vnic", "vnic 2", "vnic 3"},
	} {
		if c.list == vminterfaces {
			w.add(t, c.list, obj{"name": c.second, "virtual_machine": w.ids["vm"]}, obj{"name": c.third, "virtual_machine": w.ids["vm"]})
		}
		set := func(name string, body obj) { w.send(t, "PATCH", at(c.list, w.ids[name]), w.Admin, body).Want(t, 200) }
		set(c.first, obj{"mode": "tagged", "untagged_vlan": w.ids["users"], "tagged_vlans": []int64{w.ids["voice"]}, "vrf": w.ids["red"]})
		set(c.second, obj{"mode": "tagged", "tagged_vlans": []int64{w.ids["users"], w.ids["hidden lan"]}, "vrf": w.ids["hidden vrf"]})
		set(c.third, obj{"mode": "access", "untagged_vlan": w.ids["other users"]})
		for vpn, port := range map[string]string{"wire": c.first, "hidden wire": c.second} {
			w.make(t, "/api/ipam/l2vpn-terminations/", obj{"l2vpn": w.ids[vpn], "assigned_object_type": c.kind, "assigned_object_id": w.ids[port]})
		}
		sorted := func(names ...string) string { slices.Sort(names); return strings.Join(names, ", ") }
		w.check(t, []found{
			{c.list + "?vlan_id=" + id("users"), sorted(c.first, c.second), "="},
			{c.list + "?vlan_id=" + id("voice"), c.first, "="},
			{c.list + "?vlan_id=" + id("hidden lan"), c.second, ""},
			{c.list + "?vlan_id=" + id("voice") + "&vlan_id=" + id("other users"), sorted(c.first, c.third), "="},
			{c.list + "?vlan=10", sorted(c.first, c.second, c.third), "="},
			{c.list + "?vlan=20", c.first, "="},
			{c.list + "?vlan=30", c.second, ""},
			{c.list + "?vlan=40", "", "="},
			{c.list + "?vrf=1:1", c.first, "="},
			{c.list + "?vrf=1:4", c.second, unknownKey},
			{c.list + "?vrf_id=" + id("red"), c.first, "="},
			{c.list + "?l2vpn=700", c.first, "="},
			{c.list + "?l2vpn=800", c.second, ""},
			{c.list + "?l2vpn_id=" + id("wire"), c.first, "="},
		})
	}
}

// TestRelatedGroups: an address finds the FHRP groups with an address in its subnet and VRF.
func TestRelatedGroups(t *testing.T) {
	t.Parallel()
	w := newFilterWorld(t)
	w.add(t, "/api/ipam/vrfs/", obj{"name": "red"})
	for i, x := range []struct {
		name, address string
		vrf           any
	}{{"near", "10.0.0.1/32", nil}, {"far", "10.0.1.1/24", nil}, {"red one", "10.0.0.1/24", w.ids["red"]}, {"six", "2001:db8::1/64", nil}} {
		w.add(t, "/api/ipam/fhrp-groups/", obj{"name": x.name, "protocol": "vrrp2", "group_id": i})
		w.make(t, addresses, obj{"address": x.address, "vrf": x.vrf,
			"assigned_object_type": "ipam.fhrpgroup", "assigned_object_id": w.ids[x.name]})
	}
	w.add(t, "/api/ipam/fhrp-groups/", obj{"name": "empty", "protocol": "vrrp2", "group_id": 9})
	host := func(address string, vrf any) string {
		return "/api/ipam/fhrp-groups/?related_ip=" + fmt.Sprint(w.make(t, addresses, obj{"address": address, "vrf": vrf}))
	}
	second := host("2001:db8::9/64", nil)
	_, query, _ := strings.Cut(second, "?")
	w.check(t, []found{
		{host("10.0.0.9/24", nil), "near", "="},
		{host("10.0.0.9/23", nil), "far, near", "="},
		{host("10.0.0.9/32", nil), "", "="},
		{host("10.0.0.9/24", w.ids["red"]), "red one", "="},
		{second, "six", "="},
		{strings.Replace(host("10.0.0.8/24", nil), "?", "?"+query+"&", 1), "near, six", "="},
		{"/api/ipam/fhrp-groups/?related_ip=999999", "", "="},
	})
	_, blind := w.User(t, "blind", apitest.Grant{Types: []string{"ipam.fhrpgroup"}, Actions: []string{"view"}})
	want(t, "found by a hidden address", w.found(t, blind, host("10.0.0.7/24", nil)), "")
}

// TestAddressSearch: q finds an address by the beginning of its text, and other texts by any part.
func TestAddressSearch(t *testing.T) {
	t.Parallel()
	w := newFilterWorld(t)
	for _, body := range []obj{{"address": "10.0.12.1/24"}, {"address": "110.0.12.1/24"},
		{"address": "192.0.2.1/24", "dns_name": "a10.0.12.example"},
		{"address": "192.0.2.2/24", "description": "see 10.0.12"}, {"address": "2001:db8::1/64"}} {
		w.make(t, addresses, body)
	}
	w.check(t, []found{
		{addresses + "?q=10.0.12", "10.0.12.1/24, 192.0.2.1/24, 192.0.2.2/24", "="},
		{addresses + "?q=110.0", "110.0.12.1/24", "="},
		{addresses + "?q=2001:DB8:", "2001:db8::1/64", "="},
		{addresses + "?q=db8", "", "="},
		{addresses + "?q=10.0.12.1", "10.0.12.1/24", "="},
		{addresses + "?q=example", "192.0.2.1/24", "="},
	})
}
