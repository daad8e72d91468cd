package dcim

import (
	"slices"

	"terrier/internal/record"
)

// InventoryItemTemplate becomes an inventory item of each new device of its type. The templates of a type form trees.
var InventoryItemTemplate = record.Type{
	App: "dcim", Name: "inventoryitemtemplate", Plural: "inventory-item-templates", Label: "inventory item template",
	Section: sectionTemplates,
	Doc:     "A part that each new device of the type gets; items form a tree.",
	Fields: slices.Concat(ofDeviceType, record.Fields{
		record.Ref{Name: "parent", To: "dcim.inventoryitemtemplate", OnDelete: record.Cascade, Bare: true},
	}, named(record.Natural), record.Fields{
		record.Ref{Name: "role", To: "dcim.inventoryitemrole"},
		record.Ref{Name: "manufacturer", To: "dcim.manufacturer"},
		record.Text{Name: "part_id", Label: "Part ID", Max: 50, Help: "The manufacturer's number of the part."},
		description,
		record.AnyRef{Name: "component", OnDelete: record.Cascade, To: []string{"dcim.consoleporttemplate", "dcim.consoleserverporttemplate",
			"dcim.frontporttemplate", "dcim.interfacetemplate", "dcim.poweroutlettemplate", "dcim.powerporttemplate", "dcim.rearporttemplate"}},
		record.Depth{},
	}),
	Unique: []record.Unique{{Name: "dcim_inventoryitemtemplate_name_unique", Fields: []string{"device_type", "parent", "name"},
		NullsDiffer: true}},
	Same:    []record.Same{{Ref: "parent", Path: "device_type"}, {Ref: "component", Path: "device_type"}},
	Filters: deviceTypeFilters,
	Called:  labelled,
	Brief:   []string{"name", "_depth"},
	Order:   []string{"device_type", "parent", "name"},
	Search:  []string{"name", "part_id", "description"},
}
