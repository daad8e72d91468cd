package dcim

import (
	"slices"

	"terrier/internal/record"
)

// PowerOutletTemplate becomes a power outlet of each new device or module of its type.
var PowerOutletTemplate = record.Type{
	App: "dcim", Name: "poweroutlettemplate", Plural: "power-outlet-templates", Label: "power outlet template", Section: sectionTemplates,
	Doc: "A power outlet that each new device or module of the type gets.",
	Fields: slices.Concat(ofEitherType, namedByBay(record.Natural), record.Fields{
		record.Choice{Name: "type", Of: powerOutletTypes},
		record.Ref{Name: "power_port", To: "dcim.powerporttemplate", OnDelete: record.SetNull, Help: "The intake that feeds it."},
		record.Choice{Name: "feed_leg", Of: feedLegs, Help: "For three-phase feeds."},
		description,
	}),
	Unique:  uniqueInEitherType("dcim_poweroutlettemplate"),
	Same:    sameType("power_port"),
	Filters: eitherTypeFilters,
	Check:   checkEitherType,
	Called:  labelled,
	Brief:   []string{"name"},
	Order:   []string{"device_type", "module_type", "name"},
	Search:  []string{"name"},
}
