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
		{Name: "available_on_device", Common: &availableOnDevice},
		{Name: "available_on_virtualmachine", Common: &availableOnMachine},
	},
	Called:   []string{"{name} ({vid})"},
	FullName: []string{"VLAN {vid} {name} ({group})", "VLAN {vid} {name} ({site})", "VLAN {vid} {name}"},
	Brief:    []string{"vid", "name"},
	Order:    []string{"site", "group", "vid"},
	Search:   []string{"name", "description", "vid"},
	Panels:   []record.Panel{{Tab: "Prefixes", List: "ipam.prefix"}},
	Columns:  []string{"name", "site", "group", "tenant", "status", "role", "description", "tags"},
}

// Where a VLAN can be used: at its own site, or anywhere in the scope of its group. A VLAN without either can be used everywhere.
var (
	availableOnDevice = record.Common{With: "dcim.device", OrNone: anywhere, Places: []record.CommonPlace{
		{Here: "site", There: "site"},
		{Here: "group.scope[dcim.site]", There: "site"},
		{Here: "group.scope[dcim.region]", There: "site.region"},
		{Here: "group.scope[dcim.sitegroup]", There: "site.group"},
		{Here: "group.scope[dcim.location]", There: "location"},
		{Here: "group.scope[dcim.rack]", There: "rack"},
	}}
	availableOnMachine = record.Common{With: "virtualization.virtualmachine", OrNone: anywhere, Places: []record.CommonPlace{
		{Here: "site", There: "site"},
		{Here: "group.scope[dcim.site]", There: "site"},
		{Here: "group.scope[dcim.region]", There: "site.region"},
		{Here: "group.scope[dcim.sitegroup]", There: "site.group"},
		{Here: "site", There: "cluster.site", Unless: "site"},
		{Here: "group.scope[dcim.site]", There: "cluster.site", Unless: "site"},
		{Here: "group.scope[dcim.region]", There: "cluster.site.region", Unless: "site"},
		{Here: "group.scope[dcim.sitegroup]", There: "cluster.site.group", Unless: "site"},
		{Here: "group.scope[virtualization.cluster]", There: "cluster"},
		{Here: "group.scope[virtualization.clustergroup]", There: "cluster.group"},
	}}
	anywhere = []string{"site", "group.scope"}
)

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
