package api_test

import (
	"fmt"
	"testing"
)

// TestAvailableVLANs holds which VLANs can be used on a device and on a virtual machine: those of its site, those of groups whose scope
// it is in, and those without a place.
func TestAvailableVLANs(t *testing.T) {
	t.Parallel()
	w := newFilterWorld(t)
	w.fillNetworks(t)
	w.add(t, regions, obj{"name": "asia", "slug": "asia"})
	w.add(t, "/api/dcim/site-groups/", obj{"name": "large", "slug": "large"})
	w.add(t, "/api/dcim/site-groups/", obj{"name": "larger", "slug": "larger", "parent": w.ids["large"]})
	w.send(t, "PATCH", at(sites, w.ids["lisbon"]), w.Admin, obj{"group": w.ids["larger"]}).Want(t, 200)
	w.add(t, "/api/virtualization/cluster-groups/", obj{"name": "clusters", "slug": "clusters"})
	w.send(t, "PATCH", at("/api/virtualization/clusters/", w.ids["cluster"]), w.Admin, obj{"group": w.ids["clusters"]}).Want(t, 200)
	w.add(t, "/api/virtualization/clusters/", obj{"name": "placed", "type": w.ids["metal"], "site": w.ids["lisbon"]})
	w.add(t, "/api/virtualization/virtual-machines/", obj{"name": "placed vm", "cluster": w.ids["placed"]})
	vid := 0
	vlan := func(name string, more obj) {
		vid++
		body := obj{"name": name, "vid": vid}
		for key, value := range more {
			body[key] = value
		}
		w.add(t, "/api/ipam/vlans/", body)
	}
	vlan("free", nil)
	vlan("of lisbon", obj{"site": w.ids["lisbon"]})
	vlan("of bonn", obj{"site": w.ids["hidden bonn"]})
	for name, kind := range map[string]string{"nowhere": "", "lisbon": "dcim.site", "hidden bonn": "dcim.site",
		"europe": "dcim.region", "iberia": "dcim.region", "asia": "dcim.region",
		"large": "dcim.sitegroup", "floor": "dcim.location", "rack 1": "dcim.rack",
		"cluster": "virtualization.cluster",
		"placed":  "virtualization.cluster", "clusters": "virtualization.clustergroup"} {
		body := obj{"name": "group " + name, "slug": "g" + fmt.Sprint(len(w.ids))}
		if kind != "" {
			body["scope_type"], body["scope_id"] = kind, w.ids[name]
		}
		w.add(t, "/api/ipam/vlan-groups/", body)
		vlan("in "+name, obj{"group": w.ids["group "+name]})
	}
	on := func(kind, name string) string {
		return fmt.Sprint("/api/ipam/vlans/?available_on_", kind, "=", w.ids[name])
	}
	w.check(t, []found{
		{on("device", "lone"), "free, in europe, in floor, in iberia, in large, in lisbon, in nowhere, in rack 1, of lisbon", "="},
		{on("device", "sw1"), "free, in europe, in iberia, in large, in lisbon, in nowhere, of lisbon", "="},
		{on("device", "SW1"), "free, in europe, in hidden bonn, in nowhere, of bonn", "free, in nowhere"}, // its site is hidden
		{on("device", "hidden sw3"), "free, in europe, in iberia, in large, in lisbon, in nowhere, of lisbon", ""},
		{on("device", "sw1") + "&available_on_device=" + fmt.Sprint(w.ids["SW1"]) + "&name__isw=of", "of bonn, of lisbon", "of lisbon"},
		{"/api/ipam/vlans/?available_on_device=999999", "", "="},
		{on("virtualmachine", "vm"), "free, in cluster, in clusters, in nowhere", "="},
		{on("virtualmachine", "placed vm"), "free, in europe, in iberia, in large, in lisbon, in nowhere, in placed, of lisbon", "="},
		{"/api/ipam/vlans/?available_on_virtualmachine=999999", "", "="},
	})
}
