package ipam

import (
	"slices"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// L2VPNTermination binds one interface or VLAN to an L2VPN.
var L2VPNTermination = record.Type{
	App: "ipam", Name: "l2vpntermination", Plural: "l2vpn-terminations", Label: "L2VPN termination", Section: "L2VPNs",
	Doc: "The binding of one interface or VLAN to an L2VPN.",
	Fields: record.Fields{
		record.Ref{Name: "l2vpn", Label: "L2VPN", To: "ipam.l2vpn", Required: true, OnDelete: record.Cascade},
		record.AnyRef{Name: "assigned_object", To: []string{"dcim.interface", "ipam.vlan", "virtualization.vminterface"}, Required: true,
			OnDelete: record.Cascade},
		record.Tags{},
		record.CustomFields{},
	},
	Unique: []record.Unique{{Name: "ipam_l2vpntermination_unique", Fields: []string{"assigned_object_type", "assigned_object_id"},
		Message: "This interface or VLAN ends an L2VPN already."}},
	Together: []record.Together{twoEnds},
	Filters: []record.Filter{
		{Name: "assigned_object_type_id", Field: "assigned_object_type", TypeIDs: true},
		{Name: "interface", Path: "assigned_object[dcim.interface].name"},
		{Name: "interface_id", Path: "assigned_object[dcim.interface].id"},
		{Name: "vminterface", Path: "assigned_object[virtualization.vminterface].name"},
		{Name: "vminterface_id", Path: "assigned_object[virtualization.vminterface].id"},
		{Name: "vlan", Path: "assigned_object[ipam.vlan].name"},
		{Name: "vlan_id", Path: "assigned_object[ipam.vlan].id"},
		{Name: "vlan_vid", Path: "assigned_object[ipam.vlan].vid"},
		{Name: "device", Path: "assigned_object[dcim.interface].device.name"},
		{Name: "device_id", Path: "assigned_object[dcim.interface].device.id"},
		{Name: "virtual_machine", Path: "assigned_object[virtualization.vminterface].virtual_machine.name"},
		{Name: "virtual_machine_id", Path: "assigned_object[virtualization.vminterface].virtual_machine.id"},
		ofSite("site", "slug"), ofSite("site_id", "id"), ofSite("region", "region.slug"), ofSite("region_id", "region.id"),
	},
	Called: []string{"{assigned_object} <> {l2vpn}"},
	Brief:  []string{"l2vpn"},
	Order:  []string{"l2vpn"},
	Search: []string{"l2vpn.name"},
}

// pointToPoint are the types of L2VPNs with two ends.
var pointToPoint = []string{"vpws", "epl", "ep-lan", "ep-tree"}

// twoEnds allows a point-to-point L2VPN two terminations.
var twoEnds = record.Together{Of: "l2vpn", Reads: []string{"assigned_object_id"}, OwnerReads: []string{"type"},
	Check: func(l2vpn record.Member, ends []record.Member) (clashes []record.Clash) {
		if len(ends) > 2 && slices.Contains(pointToPoint, l2vpn.Text("type")) {
			for _, end := range ends {
				clashes = append(clashes, record.Clash{Member: end.ID(), Field: fault.General,
					Message: "This L2VPN joins two points and can't have more terminations."})
			}
		}
		return clashes
	}}

// ofSite finds terminations by the site of their VLAN, device or virtual machine.
func ofSite(name, path string) record.Filter {
	return record.Filter{Name: name, Path: "assigned_object[ipam.vlan].site." + path, Or: []record.Or{
		{Path: "assigned_object[dcim.interface].device.site." + path},
		{Path: "assigned_object[virtualization.vminterface].virtual_machine.site." + path},
	}}
}
