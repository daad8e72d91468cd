package dcim

import (
	"slices"

	"terrier/internal/record"
)

// InventoryItem is a part of a device that is only counted. The items of a device form trees.
var InventoryItem = record.Type{
	App: "dcim", Name: "inventoryitem", Plural: "inventory-items", Label: "inventory item", Section: sectionComponents,
	Doc: "A part of a device that is only counted, such as a fan or a disk. Items form a tree.",
	Fields: slices.Concat(record.Fields{
		record.Ref{Name: "device", To: "dcim.device", Required: true, OnDelete: record.Cascade},
		record.Ref{Name: "parent", To: "dcim.inventoryitem", OnDelete: record.Cascade, Bare: true},
	}, named(record.Natural), record.Fields{
		record.Ref{Name: "role", To: "dcim.inventoryitemrole"},
		record.Ref{Name: "manufacturer", To: "dcim.manufacturer"},
		record.Text{Name: "part_id", Label: "Part ID", Max: 50, Help: "The manufacturer's number of the part."},
		record.Text{Name: "serial", Max: 50},
		record.Text{Name: "asset_tag", Max: 50, Null: true, Unique: true, NullsDiffer: true},
		record.Bool{Name: "discovered", Help: "Found by a program, not entered by a person."},
		description,
		record.AnyRef{Name: "component", OnDelete: record.Cascade, To: []string{"dcim.consoleport", "dcim.consoleserverport",
			"dcim.frontport", "dcim.interface", "dcim.poweroutlet", "dcim.powerport", "dcim.rearport"}},
		record.Tags{},
		record.CustomFields{},
		record.Depth{},
	}),
	Unique:   []record.Unique{{Name: "dcim_inventoryitem_name_unique", Fields: []string{"device", "parent", "name"}, NullsDiffer: true}},
	Same:     []record.Same{{Ref: "parent", Path: "device"}, {Ref: "component", Path: "device", On: "device"}},
	Filters:  append([]record.Filter{{Name: "serial", Field: "serial", Lookup: record.EqualFold}}, deviceFilters...),
	Derive:   dropComponent,
	Called:   labelled,
	FullName: inDevice,
	Brief:    []string{"device", "name", "_depth"},
	Order:    []string{"device", "parent", "name"},
	Search:   []string{"name", "part_id", "serial", "asset_tag", "description"},
}

// dropComponent removes the component of an item that moves to another device.
func dropComponent(before, after record.Values) {
	moved := before.ID() != 0 && before.Link("device").ID != after.Link("device").ID
	if moved && before.Same(after, "component_type") && before.Same(after, "component_id") {
		after.Set("component_type", nil)
		after.Set("component_id", nil)
	}
}
