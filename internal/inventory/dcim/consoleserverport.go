package dcim

import (
	"slices"

	"terrier/internal/record"
)

// ConsoleServerPort gives access to the console port of another device.
var ConsoleServerPort = record.Type{
	App: "dcim", Name: "consoleserverport", Plural: "console-server-ports", Label: "console server port", Section: sectionComponents,
	Doc: "A port of a console server that gives access to console ports.",
	Fields: slices.Concat(ofModule, named(record.Natural), record.Fields{
		record.Choice{Name: "type", Of: consoleTypes},
		record.NumberChoice{Name: "speed", Of: consoleSpeeds, Help: "In bits per second."},
	}, endpoint),
	Unique:   []record.Unique{uniqueInDevice("dcim_consoleserverport")},
	Same:     []record.Same{sameModule},
	Filters:  deviceFilters,
	Called:   labelled,
	FullName: inDevice,
	Brief:    portBrief,
	Order:    []string{"device", "name"},
	Search:   []string{"name", "label", "description"},
}
