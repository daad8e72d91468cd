package dcim

import "terrier/internal/record"

// InventoryItemRole says what an inventory item is for.
var InventoryItemRole = record.Type{
	App: "dcim", Name: "inventoryitemrole", Plural: "inventory-item-roles", Label: "inventory item role", Section: "Device components",
	Doc: "What an inventory item is for.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Sort: record.Natural, Unique: true},
		record.Slug{Name: "slug"},
		record.Color("color"),
		record.Text{Name: "description", Max: 200},
		record.Tags{},
		record.CustomFields{},
		record.Count{Name: "inventoryitem_count", Of: "dcim.inventoryitem", By: "role"},
	},
	Brief:     []string{"name", "slug"},
	BriefList: []string{"inventoryitem_count"},
	Order:     []string{"name"},
	Search:    []string{"name", "slug"},
}
