package dcim

import (
	"slices"

	"terrier/internal/record"
)

// ModuleBay is a slot of a device for a module.
var ModuleBay = record.Type{
	App: "dcim", Name: "modulebay", Plural: "module-bays", Label: "module bay", Section: sectionComponents,
	Doc: "A slot of a device for a module.",
	Fields: slices.Concat(ofDevice, named(record.Natural), record.Fields{
		record.Text{Name: "position", Max: 30, Ranges: true, Help: "Replaces {module} in the names of a module's components."},
		description,
		record.Tags{},
		record.CustomFields{},
		record.Later{Name: "module"},
		record.Back{Name: "installed_module", Of: "dcim.module", By: "module_bay", Fields: []string{"serial"}},
	}),
	Unique:   []record.Unique{uniqueInDevice("dcim_modulebay")},
	Filters:  deviceFilters,
	Called:   labelled,
	FullName: inDevice,
	Brief:    []string{"module", "name"},
	Order:    []string{"device", "name"},
	Search:   []string{"name", "label", "description"},
}
