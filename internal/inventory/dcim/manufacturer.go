package dcim

import "terrier/internal/record"

// Manufacturer makes devices, modules and parts.
var Manufacturer = record.Type{
	App: "dcim", Name: "manufacturer", Plural: "manufacturers", Section: "Device types",
	Doc: "A company that makes devices, modules or parts.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Sort: record.Natural, Unique: true},
		record.Slug{Name: "slug"},
		record.Text{Name: "description", Max: 200},
		record.Tags{},
		record.CustomFields{},
		record.Count{Name: "devicetype_count", Of: "dcim.devicetype", By: "manufacturer"},
		record.Count{Name: "inventoryitem_count", Of: "dcim.inventoryitem", By: "manufacturer"},
		record.Count{Name: "platform_count", Of: "dcim.platform", By: "manufacturer"},
	},
	Brief:     []string{"name", "slug"},
	BriefList: []string{"devicetype_count"},
	Order:     []string{"name"},
	Search:    []string{"name", "slug"},
}
