package dcim

import (
	"slices"

	"terrier/internal/record"
)

// ConsolePort is how a device is managed when its network is down.
var ConsolePort = record.Type{
	App: "dcim", Name: "consoleport", Plural: "console-ports", Label: "console port", Section: sectionComponents,
	Doc: "A port through which a device is managed out of band; it connects to console server ports.",
	Fields: slices.Concat(ofModule, named(record.Natural), record.Fields{
		record.Choice{Name: "type", Of: consoleTypes},
		record.NumberChoice{Name: "speed", Of: consoleSpeeds, Help: "In bits per second."},
	}, endpoint),
	Unique:   []record.Unique{uniqueInDevice("dcim_consoleport")},
	Same:     []record.Same{sameModule},
	Filters:  deviceFilters,
	Called:   labelled,
	FullName: inDevice,
	Brief:    portBrief,
	Order:    []string{"device", "name"},
	Search:   []string{"name", "label", "description"},
}
