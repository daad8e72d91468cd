package dcim

import (
	"slices"

	"terrier/internal/record"
)

// ConsolePortTemplate becomes a console port of each new device or module of its type.
var ConsolePortTemplate = record.Type{
	App: "dcim", Name: "consoleporttemplate", Plural: "console-port-templates", Label: "console port template", Section: sectionTemplates,
	Doc: "A console port that each new device or module of the type gets.",
	Fields: slices.Concat(ofEitherType, namedByBay(record.Natural), record.Fields{
		record.Choice{Name: "type", Of: consoleTypes},
		description,
	}),
	Unique:  uniqueInEitherType("dcim_consoleporttemplate"),
	Filters: eitherTypeFilters,
	Check:   checkEitherType,
	Called:  labelled,
	Brief:   []string{"name"},
	Order:   []string{"device_type", "module_type", "name"},
	Search:  []string{"name"},
}
