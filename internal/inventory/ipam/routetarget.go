package ipam

import "terrier/internal/record"

// RouteTarget is a community with which VRFs and L2VPNs import and export routes.
var RouteTarget = record.Type{
	App: "ipam", Name: "routetarget", Plural: "route-targets", Label: "route target", Section: "VRFs",
	Doc: "A BGP extended community with which VRFs and L2VPNs import and export routes.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 21, Required: true, Unique: true, Sort: record.Natural, Help: "Its value, such as 65000:1."},
		record.Ref{Name: "tenant", To: "tenancy.tenant"},
		description,
		comments,
		record.Tags{},
		record.CustomFields{},
	},
	Filters: []record.Filter{
		tenantGroup,
		{Name: "importing_vrf", Path: "[ipam.vrf.import_targets].rd"},
		{Name: "importing_vrf_id", Path: "[ipam.vrf.import_targets].id"},
		{Name: "exporting_vrf", Path: "[ipam.vrf.export_targets].rd"},
		{Name: "exporting_vrf_id", Path: "[ipam.vrf.export_targets].id"},
	},
	Brief:  []string{"name"},
	Order:  []string{"name"},
	Search: []string{"name", "description"},
}
