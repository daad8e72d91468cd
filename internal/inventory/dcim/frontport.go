package dcim

import (
	"slices"

	"terrier/internal/record"
)

// FrontPort is the front of a pass-through, such as a socket of a patch panel.
var FrontPort = record.Type{
	App: "dcim", Name: "frontport", Plural: "front-ports", Label: "front port", Section: sectionComponents,
	Doc: "The front side of a pass-through, such as a socket of a patch panel, mapped to one position of a rear port.",
	Fields: slices.Concat(ofModule, named(record.Natural), record.Fields{
		record.Choice{Name: "type", Of: portTypes, Required: true},
		record.OptionalColor("color"),
		record.Ref{Name: "rear_port", To: "dcim.rearport", Required: true, OnDelete: record.Cascade,
			Shows: &record.Nested{Fields: []string{"name", "label", "description"}}},
		record.Int{Name: "rear_port_position", Ranges: true, Default: 1, Min: new(int64(1)), Max: new(int64(1024))},
	}, passThrough),
	Unique: []record.Unique{uniqueInDevice("dcim_frontport"), {Name: "dcim_frontport_position_unique",
		Fields: []string{"rear_port", "rear_port_position"}}},
	Same:     []record.Same{sameModule, {Ref: "rear_port", Path: "device"}},
	Together: []record.Together{withinRearPort},
	Filters:  append([]record.Filter{{Name: "rear_port", Ignored: true}}, deviceFilters...),
	Called:   labelled,
	FullName: inDevice,
	Brief:    portBrief,
	Order:    []string{"device", "name"},
	Search:   []string{"name", "label", "description"},
}
