package dcim

import "terrier/internal/record"

// Region is a part of the world, down to a city. Regions form a tree.
var Region = record.Type{
	App: "dcim", Name: "region", Plural: "regions", Section: "Organization",
	Doc: "A geographic area that holds sites and other regions.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Sort: record.Natural},
		record.Slug{Name: "slug", Shared: true},
		record.Ref{Name: "parent", To: "dcim.region", OnDelete: record.Cascade},
		record.Text{Name: "description", Max: 200},
		record.Tags{},
		record.CustomFields{},
		record.Count{Name: "site_count", Of: "dcim.site", By: "region"},
		record.Depth{},
	},
	Unique: []record.Unique{
		{Name: "dcim_region_name_unique", Fields: []string{"name", "parent"}},
		{Name: "dcim_region_slug_unique", Fields: []string{"slug", "parent"}},
	},
	Brief:     []string{"name", "slug", "_depth"},
	BriefList: []string{"site_count"},
	Order:     []string{"name"},
	Search:    []string{"name", "slug", "description"},
}
