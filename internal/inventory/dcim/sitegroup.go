package dcim

import "terrier/internal/record"

// SiteGroup gathers sites by what they are for, across regions. Site groups form a tree.
var SiteGroup = record.Type{
	App: "dcim", Name: "sitegroup", Plural: "site-groups", Label: "site group", Section: "Organization",
	Doc: "A functional grouping of sites, whatever region they are in.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Sort: record.Natural},
		record.Slug{Name: "slug", Shared: true},
		record.Ref{Name: "parent", To: "dcim.sitegroup", OnDelete: record.Cascade},
		record.Text{Name: "description", Max: 200},
		record.Tags{},
		record.CustomFields{},
		record.Count{Name: "site_count", Of: "dcim.site", By: "group"},
		record.Depth{},
	},
	Unique: []record.Unique{
		{Name: "dcim_sitegroup_name_unique", Fields: []string{"name", "parent"}},
		{Name: "dcim_sitegroup_slug_unique", Fields: []string{"slug", "parent"}},
	},
	Brief:     []string{"name", "slug", "_depth"},
	BriefList: []string{"site_count"},
	Order:     []string{"name"},
	Search:    []string{"name", "slug", "description"},
}
