package dcim

import (
	"slices"

	"terrier/internal/record"
)

// RearPortTemplate becomes a rear port of each new device or module of its type.
var RearPortTemplate = record.Type{
	App: "dcim", Name: "rearporttemplate", Plural: "rear-port-templates", Label: "rear port template", Section: sectionTemplates,
	Doc: "A rear port that each new device or module of the type gets.",
	Fields: slices.Concat(ofEitherType, namedByBay(record.Natural), record.Fields{
		record.Choice{Name: "type", Of: portTypes, Required: true},
		record.OptionalColor("color"),
		record.Int{Name: "positions", Default: 1, Min: new(int64(1)), Max: new(int64(1024)), Help: "How many front ports can share it."},
		description,
	}),
	Unique:  uniqueInEitherType("dcim_rearporttemplate"),
	Filters: eitherTypeFilters,
	Check:   checkEitherType,
	Called:  labelled,
	Brief:   []string{"name"},
	Order:   []string{"device_type", "module_type", "name"},
	Search:  []string{"name"},
}
