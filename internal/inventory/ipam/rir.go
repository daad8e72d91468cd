package ipam

import "terrier/internal/record"

// RIR is a registry of addresses and AS numbers.
var RIR = record.Type{
	App: "ipam", Name: "rir", Plural: "rirs", Label: "RIR", Section: "Aggregates",
	Doc: "A registry, or a standard, that hands out address space and AS numbers.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Unique: true, Sort: record.Natural},
		record.Slug{Name: "slug"},
		record.Bool{Name: "is_private", Label: "Private", Help: "Its space is private."},
		description,
		record.Tags{},
		record.CustomFields{},
		record.Count{Name: "aggregate_count", Of: "ipam.aggregate", By: "rir"},
	},
	Brief:     []string{"name", "slug"},
	BriefList: []string{"aggregate_count"},
	Order:     []string{"name"},
	Search:    []string{"name", "slug"},
}
