package dcim

import (
	"slices"

	"terrier/internal/record"
)

// ModuleBayTemplate becomes a module bay of each new device of its type.
var ModuleBayTemplate = record.Type{
	App: "dcim", Name: "modulebaytemplate", Plural: "module-bay-templates", Label: "module bay template", Section: sectionTemplates,
	Doc: "A slot for a module that each new device of the type gets.",
	Fields: slices.Concat(ofDeviceType, named(record.Natural), record.Fields{
		record.Text{Name: "position", Max: 30, Ranges: true, Help: "Replaces {module} in the names of a module's components."},
		description,
	}),
	Unique:  []record.Unique{{Name: "dcim_modulebaytemplate_name_unique", Fields: []string{"device_type", "name"}}},
	Filters: deviceTypeFilters,
	Called:  labelled,
	Brief:   []string{"name"},
	Order:   []string{"device_type", "name"},
	Search:  []string{"name"},
}
