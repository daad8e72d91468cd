package dcim

import (
	"slices"

	"terrier/internal/record"
)

// RearPort is the back of a pass-through, such as the trunk into a patch panel.
var RearPort = record.Type{
	App: "dcim", Name: "rearport", Plural: "rear-ports", Label: "rear port", Section: sectionComponents,
	Doc: "The back side of a pass-through, such as the trunk into a patch panel, shared by one or more front ports.",
	Fields: slices.Concat(ofModule, named(record.Natural), record.Fields{
		record.Choice{Name: "type", Of: portTypes, Required: true},
		record.OptionalColor("color"),
		record.Int{Name: "positions", Default: 1, Min: new(int64(1)), Max: new(int64(1024)), Help: "How many front ports can share it."},
	}, passThrough),
	Unique:  []record.Unique{uniqueInDevice("dcim_rearport")},
	Same:    []record.Same{sameModule},
	Filters: deviceFilters,
	Called:  labelled,
	Brief:   portBrief,
	Order:   []string{"device", "name"},
	Search:  []string{"name", "label", "description"},
}
