package ipam

import (
	"terrier/internal/fault"
	"terrier/internal/record"
)

var vlanStatuses = record.ChoicesOf(`
active Active
reserved Reserved
deprecated Deprecated
`)

// VLAN is a layer-2 domain.
var VLAN = record.Type{
	App: "ipam", Name: "vlan", Plural: "vlans", Label: "VLAN", Section: "VLANs",
	Doc: "A layer-2 domain with a number from 1 to 4094.",
	Fields: record.Fields{
		record.Ref{Name: "site", To: "dcim.site"},
		record.Ref{Name: "group", To: "ipam.vlangroup"},
		record.Int{Name: "vid", Label: "VID", Required: true, Min: new(int64(1)), Max: new(int64(4094)), Help: "The number on the wire."},
		record.Text{Name: "name", Max: 64, Required: true, Sort: record.Natural},
		record.Ref{Name: "tenant", To: "tenancy.tenant"},
		record.Choice{Name: "status", Of: vlanStatuses, Default: "active"},
		record.Ref{Name: "role", To: "ipam.role", OnDelete: record.SetNull},
		description,
		comments,
		record.Back{Name: "l2vpn_termination", Of: "ipam.l2vpntermination", By: "assigned_object"},
		record.Tags{},
		record.CustomFields{},
		record.Count{Name: "prefix_count", Of: "ipam.prefix", By: "vlan"},
	},
	Unique: []record.Unique{
		{Name: "ipam_vlan_vid_unique", Fields: []string{"group", "vid"}, NullsDiffer: true},
		{Name: "ipam_vlan_name_unique", Fields: []string{"group", "name"}, NullsDiffer: true},
	},
	Space:     &record.Space{Of: "vid", Within: "group"},
	CheckWith: []record.CheckWith{{Ref: "group", Check: checkVLANInGroup}},
	Filters: []record.Filter{
		tenantGroup, region, siteGroup,
		{Name: "l2vpn", Path: "[ipam.l2vpntermination.assigned_object].l2vpn.identifier"},
		{Name: "l2vpn_id", Path: "[ipam.l2vpntermination.assigned_object].l2vpn.id"},
	},
	Called:  []string{"{name} ({vid})"},
	Brief:   []string{"vid", "name"},
	Order:   []string{"site", "group", "vid"},
	Search:  []string{"name", "description", "vid"},
	Panels:  []record.Panel{{Tab: "Prefixes", List: "ipam.prefix"}},
	Columns: []string{"name", "site", "group", "tenant", "status", "role", "description", "tags"},
}

// checkVLANInGroup checks that a VLAN fits into its group.
func checkVLANInGroup(vlan, group record.Values) fault.Fields {
	errs := fault.Fields{}
	if vid, low, high := vlan.Int("vid"), group.Int("min_vid"), group.Int("max_vid"); vid < low || vid > high {
		errs.Add("vid", "The VIDs of this group are from %d to %d.", low, high)
	}
	if site := vlan.Link("site").ID; site != 0 && (group.Text("scope_type") != "dcim.site" || group.Int("scope_id") != site) {
		errs.Add("group", "A VLAN of a site can only be in a group whose scope is this site.")
	}
	return errs
}
