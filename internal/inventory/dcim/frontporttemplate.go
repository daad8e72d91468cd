package dcim

import (
	"slices"

	"terrier/internal/record"
)

// FrontPortTemplate becomes a front port of each new device or module of its type.
var FrontPortTemplate = record.Type{
	App: "dcim", Name: "frontporttemplate", Plural: "front-port-templates", Label: "front port template", Section: sectionTemplates,
	Doc: "A front port that each new device or module of the type gets.",
	Fields: slices.Concat(ofEitherType, namedByBay(record.Natural), record.Fields{
		record.Choice{Name: "type", Of: portTypes, Required: true},
		record.OptionalColor("color"),
		record.Ref{Name: "rear_port", To: "dcim.rearporttemplate", Required: true, OnDelete: record.Cascade},
		record.Int{Name: "rear_port_position", Ranges: true, Default: 1, Min: new(int64(1)), Max: new(int64(1024))},
		description,
	}),
	Unique: append(uniqueInEitherType("dcim_frontporttemplate"),
		record.Unique{Name: "dcim_frontporttemplate_position_unique", Fields: []string{"rear_port", "rear_port_position"}}),
	Same:     sameType("rear_port"),
	Together: []record.Together{withinRearPort},
	Filters:  append([]record.Filter{{Name: "rear_port", Ignored: true}}, eitherTypeFilters...),
	Check:    checkEitherType,
	Called:   labelled,
	Brief:    []string{"name"},
	Order:    []string{"device_type", "module_type", "name"},
	Search:   []string{"name"},
}
