package dcim

import (
	"slices"

	"terrier/internal/record"
)

// PowerOutlet is a socket of a device, such as a power distribution unit.
var PowerOutlet = record.Type{
	App: "dcim", Name: "poweroutlet", Plural: "power-outlets", Label: "power outlet", Section: sectionComponents,
	Doc: "A socket of a device, such as a distribution unit, that feeds a power port.",
	Fields: slices.Concat(ofModule, named(record.Natural), record.Fields{
		record.Choice{Name: "type", Of: powerOutletTypes},
		record.Ref{Name: "power_port", To: "dcim.powerport", OnDelete: record.SetNull, Help: "The intake that feeds it."},
		record.Choice{Name: "feed_leg", Of: feedLegs, Help: "For three-phase feeds."},
	}, endpoint),
	Unique:   []record.Unique{uniqueInDevice("dcim_poweroutlet")},
	Same:     []record.Same{sameModule, {Ref: "power_port", Path: "device"}},
	Filters:  deviceFilters,
	Called:   labelled,
	FullName: inDevice,
	Brief:    portBrief,
	Order:    []string{"device", "name"},
	Search:   []string{"name", "label", "description"},
}
