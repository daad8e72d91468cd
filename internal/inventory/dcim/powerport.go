package dcim

import (
	"slices"

	"terrier/internal/record"
)

// PowerPort is an intake of a device.
var PowerPort = record.Type{
	App: "dcim", Name: "powerport", Plural: "power-ports", Label: "power port", Section: sectionComponents,
	Doc: "An intake that draws power from an outlet or from a power feed.",
	Fields: slices.Concat(ofModule, named(record.Natural), record.Fields{
		record.Choice{Name: "type", Of: powerPortTypes},
		record.Int{Name: "maximum_draw", Null: true, Min: new(int64(1)), Max: new(int64(1<<31 - 1)), Help: "In watts."},
		record.Int{Name: "allocated_draw", Null: true, Min: new(int64(1)), Max: new(int64(1<<31 - 1)), Help: "In watts."},
	}, endpoint),
	Unique:   []record.Unique{uniqueInDevice("dcim_powerport")},
	Same:     []record.Same{sameModule},
	Filters:  deviceFilters,
	Check:    checkDraw,
	Called:   labelled,
	FullName: inDevice,
	Brief:    portBrief,
	Order:    []string{"device", "name"},
	Search:   []string{"name", "label", "description"},
}
