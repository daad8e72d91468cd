package ipam

import "terrier/internal/record"

// This file has what several types of this app declare alike.

var (
	description = record.Text{Name: "description", Max: 200}
	comments    = record.Text{Name: "comments", AsWritten: true}
)

// Filters by what a record belongs to.
var (
	tenantGroup = record.Filter{Name: "tenant_group", Path: "tenant.group"}
	region      = record.Filter{Name: "region", Path: "site.region"}
	siteGroup   = record.Filter{Name: "site_group", Path: "site.group"}
	byVRF       = record.Filter{Name: "vrf", Path: "vrf.rd"}
	byVRFID     = record.Filter{Name: "vrf_id", Field: "vrf"}
)

// Filters by the VRF that sees a network: its own, or one that imports what its own exports.
var (
	inVRF = record.Filter{Name: "present_in_vrf", Path: "vrf.rd",
		Or: []record.Or{{Path: "vrf.export_targets.[ipam.vrf.import_targets].rd"}}}
	inVRFID = record.Filter{Name: "present_in_vrf_id", Path: "vrf.id",
		Or: []record.Or{{Path: "vrf.export_targets.[ipam.vrf.import_targets].id"}}}
)

// addressPanels draws how the addresses of a record are used.
var addressPanels = []record.Panel{{Card: "Map", Drawing: "grid", Data: record.AddressGrid("utilization")}}

// family filters by the family of a network or an address.
func family(of string) record.Filter {
	return record.Filter{Name: "family", Field: of, Lookup: record.NetFamily}
}
