package dcim

import (
	"slices"

	"terrier/internal/record"
)

// DeviceBayTemplate becomes a device bay of each new device of its type.
var DeviceBayTemplate = record.Type{
	App: "dcim", Name: "devicebaytemplate", Plural: "device-bay-templates", Label: "device bay template", Section: sectionTemplates,
	Doc:    "A slot for a child device that each new device of the type gets.",
	Fields: slices.Concat(ofDeviceType, named(record.Natural), record.Fields{description}),
	Unique: []record.Unique{{Name: "dcim_devicebaytemplate_name_unique", Fields: []string{"device_type", "name"}}},
	Together: []record.Together{
		ofRole("device_type", "subdevice_role", "parent", "The device type must have the subdevice role parent."),
	},
	Filters: deviceTypeFilters,
	Called:  labelled,
	Brief:   []string{"name"},
	Order:   []string{"device_type", "name"},
	Search:  []string{"name"},
}
