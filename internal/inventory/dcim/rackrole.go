package dcim

import "terrier/internal/record"

// RackRole says what a rack is for.
var RackRole = record.Type{
	App: "dcim", Name: "rackrole", Plural: "rack-roles", Label: "rack role", Section: "Racks",
	Doc: "What a rack is for: compute, storage, network.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Sort: record.Natural, Unique: true},
		record.Slug{Name: "slug"},
		record.Color("color"),
		record.Text{Name: "description", Max: 200},
		record.Tags{},
		record.CustomFields{},
		record.Count{Name: "rack_count", Of: "dcim.rack", By: "role"},
	},
	Brief:     []string{"name", "slug"},
	BriefList: []string{"rack_count"},
	Order:     []string{"name"},
	Search:    []string{"name", "slug", "description"},
}
