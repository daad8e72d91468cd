package dcim

import "terrier/internal/record"

var siteStatuses = record.Choices{
	{Value: "planned", Label: "Planned"},
	{Value: "staging", Label: "Staging"},
	{Value: "active", Label: "Active"},
	{Value: "decommissioning", Label: "Decommissioning"},
	{Value: "retired", Label: "Retired"},
}

// Site is a building or campus where equipment stands.
var Site = record.Type{
	App: "dcim", Name: "site", Plural: "sites", Section: "Organization",
	Doc: "A physical place: a building, a campus, a point of presence.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Sort: record.Natural, Unique: true},
		record.Slug{Name: "slug"},
		record.Choice{Name: "status", Of: siteStatuses, Default: "active"},
		record.Ref{Name: "region", To: "dcim.region", OnDelete: record.SetNull},
		record.Ref{Name: "group", To: "dcim.sitegroup", OnDelete: record.SetNull},
		record.Ref{Name: "tenant", To: "tenancy.tenant"},
		record.Text{Name: "facility", Max: 50, Help: "Local facility ID or description"},
		record.Text{Name: "time_zone", Max: 63, Null: true, Of: record.TimeZones,
			Help: "A name of the IANA time zone database, such as Europe/Lisbon."},
		record.Text{Name: "description", Max: 200},
		record.Text{Name: "physical_address", Max: 200},
		record.Text{Name: "shipping_address", Max: 200},
		record.Decimal{Name: "latitude", Min: -90, Max: 90, Places: 6, Help: "GPS coordinate in decimal format (xx.yyyyyy)"},
		record.Decimal{Name: "longitude", Min: -180, Max: 180, Places: 6, Help: "GPS coordinate in decimal format (xx.yyyyyy)"},
		record.Text{Name: "comments", AsWritten: true},
		record.Refs{Name: "asns", Label: "ASNs", To: "ipam.asn"},
		record.Tags{},
		record.CustomFields{},
		record.Later{Name: "circuit_count", Shows: 0},
		record.Count{Name: "device_count", Of: "dcim.device", By: "site"},
		record.Count{Name: "prefix_count", Of: "ipam.prefix", By: "site"},
		record.Count{Name: "rack_count", Of: "dcim.rack", By: "site"},
		record.Count{Name: "virtualmachine_count", Of: "virtualization.virtualmachine", By: "site"},
		record.Count{Name: "vlan_count", Of: "ipam.vlan", By: "site"},
	},
	Advanced: []string{"time_zone", "physical_address", "shipping_address", "latitude", "longitude"},
	Columns:  []string{"status", "region", "group", "tenant", "facility", "description", "tags"},
	Brief:    []string{"name", "slug"},
	Order:    []string{"name"},
	Search:   []string{"name", "slug", "facility", "description", "physical_address", "shipping_address", "comments"},
	Filters:  []record.Filter{{Name: "tenant_group", Path: "tenant.group"}, {Name: "asn", Path: "asns.asn"}},
	Map:      &record.Map{Latitude: "latitude", Longitude: "longitude", Address: "physical_address"},
	Panels:   []record.Panel{{Tab: "Racks", List: "dcim.rack", Each: "Elevation"}, {Tab: "Images", List: "extras.imageattachment"}},
}
