package dcim

import (
	"fmt"
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
	Unique:   []record.Unique{uniqueInDevice("dcim_rearport")},
	Same:     []record.Same{sameModule},
	Filters:  deviceFilters,
	Called:   labelled,
	FullName: inDevice,
	Brief:    portBrief,
	Order:    []string{"device", "name"},
	Search:   []string{"name", "label", "description"},
}

// withinRearPort allows a front port only a position that its rear port has.
var withinRearPort = record.Together{
	Of: "rear_port", Reads: []string{"rear_port_position"}, OwnerReads: []string{"positions"},
	Check: func(rear record.Member, fronts []record.Member) (clashes []record.Clash) {
		for _, front := range fronts {
			if front.Int("rear_port_position") > rear.Int("positions") {
				clashes = append(clashes, record.Clash{Member: front.ID(), Field: "rear_port_position",
					Message: fmt.Sprintf("It is at position %d, and the rear port has %d.", front.Int("rear_port_position"), rear.Int("positions"))})
			}
		}
		return clashes
	},
}
