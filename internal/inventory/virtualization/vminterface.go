package virtualization

import (
	"terrier/internal/fault"
	"terrier/internal/record"
)

var modes = record.ChoicesOf(`
access Access
tagged Tagged
tagged-all Tagged (All)
`)

// VMInterface is a network interface of a virtual machine.
var VMInterface = record.Type{
	App: "virtualization", Name: "vminterface", Plural: "interfaces", Label: "VM interface", Section: "Virtual machines",
	Doc: "A network interface of a virtual machine.",
	Fields: record.Fields{
		record.Ref{Name: "virtual_machine", To: "virtualization.virtualmachine", Required: true, OnDelete: record.Cascade},
		record.Text{Name: "name", Max: 64, Required: true, Sort: record.InterfaceNames},
		record.Bool{Name: "enabled", Default: true},
		record.Ref{Name: "parent", To: "virtualization.vminterface", OnDelete: record.SetNull},
		record.Ref{Name: "bridge", To: "virtualization.vminterface", OnDelete: record.SetNull},
		record.Int{Name: "mtu", Label: "MTU", Null: true, Min: new(int64(1)), Max: new(int64(65536))},
		record.MAC{Name: "mac_address", Label: "MAC address"},
		description,
		record.Choice{Name: "mode", Label: "802.1Q mode", Of: modes},
		record.Ref{Name: "untagged_vlan", Label: "Untagged VLAN", To: "ipam.vlan", OnDelete: record.SetNull},
		record.Refs{Name: "tagged_vlans", Label: "Tagged VLANs", To: "ipam.vlan"},
		record.Ref{Name: "vrf", Label: "VRF", To: "ipam.vrf", OnDelete: record.SetNull},
		record.Back{Name: "l2vpn_termination", Of: "ipam.l2vpntermination", By: "assigned_object"},
		record.Tags{},
		record.CustomFields{},
		record.Count{Name: "count_ipaddresses", Of: "ipam.ipaddress", By: "assigned_object"},
		record.Count{Name: "count_fhrp_groups", Of: "ipam.fhrpgroupassignment", By: "interface"},
	},
	Unique: []record.Unique{{Name: "virtualization_vminterface_name_unique", Fields: []string{"virtual_machine", "name"}}},
	Same: []record.Same{
		{Ref: "parent", Path: "virtual_machine"},
		{Ref: "bridge", Path: "virtual_machine"},
		{Ref: "untagged_vlan", Path: "site", Here: "virtual_machine.site", OrNone: true, HereOnly: true},
		{Ref: "tagged_vlans", Path: "site", Here: "virtual_machine.site", OrNone: true, HereOnly: true},
	},
	Filters: []record.Filter{
		{Name: "cluster", Path: "virtual_machine.cluster.name"},
		{Name: "cluster_id", Path: "virtual_machine.cluster.id"},
		{Name: "virtual_machine", Path: "virtual_machine.name"},
		{Name: "virtual_machine_id", Field: "virtual_machine"},
		{Name: "parent_id", Field: "parent"},
		{Name: "bridge_id", Field: "bridge"},
		{Name: "vlan", Path: "untagged_vlan.vid", Or: []record.Or{{Path: "tagged_vlans.vid"}}},
		{Name: "vlan_id", Path: "untagged_vlan.id", Or: []record.Or{{Path: "tagged_vlans.id"}}},
		{Name: "vrf", Path: "vrf.rd"},
		{Name: "vrf_id", Field: "vrf"},
		{Name: "l2vpn", Path: "[ipam.l2vpntermination.assigned_object].l2vpn.identifier"},
		{Name: "l2vpn_id", Path: "[ipam.l2vpntermination.assigned_object].l2vpn.id"},
	},
	Columns:  []string{"virtual_machine", "enabled", "mtu", "mac_address", "mode", "description", "tags"},
	FullName: []string{"{virtual_machine} › {display}"},
	Brief:    []string{"virtual_machine", "name"},
	Order:    []string{"virtual_machine", "name"},
	Search:   []string{"name", "description", "mac_address"},
	Check:    checkInterface,
	Derive:   dropVLANs,
}

// checkInterface refuses an interface that refers to itself.
func checkInterface(_, after record.Values) fault.Fields {
	errs := fault.Fields{}
	for _, name := range []string{"parent", "bridge"} {
		if id := after.Link(name).ID; id != 0 && id == after.ID() {
			errs.Add(name, "An interface can't be its own %s.", name)
		}
	}
	return errs
}

// dropVLANs removes what the mode does not have.
func dropVLANs(_, after record.Values) {
	mode := after.Get("mode")
	if mode == nil {
		after.Set("untagged_vlan", nil)
	}
	if mode != "tagged" {
		after.Set("tagged_vlans", []record.Link{})
	}
}
