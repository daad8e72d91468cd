package dcim

import (
	"terrier/internal/record"
)

// Location is a part of a site: a floor, a room, a cage. Locations form a tree.
var Location = record.Type{
	App: "dcim", Name: "location", Plural: "locations", Section: "Organization",
	Doc: "A part of a site, such as a floor, a room or a cage.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Sort: record.Natural},
		record.Slug{Name: "slug", Shared: true},
		record.Ref{Name: "site", To: "dcim.site", Required: true, OnDelete: record.Cascade},
		record.Ref{Name: "parent", To: "dcim.location", OnDelete: record.Cascade},
		record.Choice{Name: "status", Of: siteStatuses, Default: "active"},
		record.Ref{Name: "tenant", To: "tenancy.tenant"},
		record.Text{Name: "description", Max: 200},
		record.Tags{},
		record.CustomFields{},
		record.Count{Name: "rack_count", Of: "dcim.rack", By: "location"},
		record.Count{Name: "device_count", Of: "dcim.device", By: "location"},
		record.Depth{},
	},
	Unique: []record.Unique{
		{Name: "dcim_location_name_unique", Fields: []string{"name", "site", "parent"}},
		{Name: "dcim_location_slug_unique", Fields: []string{"slug", "site", "parent"}},
	},
	FullName:  []string{"{display} ({site})"},
	Brief:     []string{"name", "slug", "_depth"},
	BriefList: []string{"rack_count"},
	Order:     []string{"name"},
	Search:    []string{"name", "slug", "description"},
	Filters: []record.Filter{
		{Name: "region", Path: "site.region"},
		{Name: "site_group", Path: "site.group"},
		{Name: "tenant_group", Path: "tenant.group"},
	},
	Same:    []record.Same{{Ref: "parent", Path: "site"}},
	Follows: []record.Follows{{Fields: []string{"site"}, Of: "parent"}},
	Panels:  []record.Panel{{Tab: "Racks", List: "dcim.rack", Each: "Elevation"}, {Tab: "Images", List: "extras.imageattachment"}},
}
