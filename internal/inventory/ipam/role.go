package ipam

import "terrier/internal/record"

// Role is what a prefix, an IP range or a VLAN is for.
var Role = record.Type{
	App: "ipam", Name: "role", Plural: "roles", Section: "Prefixes",
	Doc: "What a prefix, an IP range or a VLAN is for.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Unique: true, Sort: record.Natural},
		record.Slug{Name: "slug"},
		record.Int{Name: "weight", Default: 1000, Min: new(int64(0)), Max: new(int64(1<<15 - 1)),
			Help: "Lists are sorted by weight, then by name."},
		description,
		record.Tags{},
		record.CustomFields{},
		record.Count{Name: "prefix_count", Of: "ipam.prefix", By: "role"},
		record.Count{Name: "vlan_count", Of: "ipam.vlan", By: "role"},
	},
	Brief:     []string{"name", "slug"},
	BriefList: []string{"prefix_count", "vlan_count"},
	Order:     []string{"weight", "name"},
	Search:    []string{"name", "slug"},
}
