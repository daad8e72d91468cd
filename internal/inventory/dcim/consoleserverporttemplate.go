package dcim

import (
	"slices"

	"terrier/internal/record"
)

// ConsoleServerPortTemplate becomes a console server port of each new device or module of its type.
var ConsoleServerPortTemplate = record.Type{
	App: "dcim", Name: "consoleserverporttemplate", Plural: "console-server-port-templates", Label: "console server port template",
	Section: sectionTemplates,
	Doc:     "A console server port that each new device or module of the type gets.",
	Fields: slices.Concat(ofEitherType, namedByBay(record.Natural), record.Fields{
		record.Choice{Name: "type", Of: consoleTypes},
		description,
	}),
	Unique:  uniqueInEitherType("dcim_consoleserverporttemplate"),
	Filters: eitherTypeFilters,
	Check:   checkEitherType,
	Called:  labelled,
	Brief:   []string{"name"},
	Order:   []string{"device_type", "module_type", "name"},
	Search:  []string{"name"},
}
