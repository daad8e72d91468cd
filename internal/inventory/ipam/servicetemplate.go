package ipam

import "terrier/internal/record"

// ServiceTemplate is a named protocol with ports, from which services are made.
var ServiceTemplate = record.Type{
	App: "ipam", Name: "servicetemplate", Plural: "service-templates", Label: "service template", Section: "Services",
	Doc: "A named protocol with ports, from which services are made.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Unique: true, Sort: record.Natural},
		ports,
		record.Choice{Name: "protocol", Of: protocols, Required: true, BareInBrief: true},
		description,
		comments,
		record.Tags{},
		record.CustomFields{},
	},
	Brief:   []string{"name", "protocol", "ports"},
	Order:   []string{"name"},
	Search:  []string{"name", "description"},
	Display: displayService,
}
