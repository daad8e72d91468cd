package dcim

import (
	"slices"

	"terrier/internal/record"
)

// DeviceBay is a slot of a parent device for a child device.
var DeviceBay = record.Type{
	App: "dcim", Name: "devicebay", Plural: "device-bays", Label: "device bay", Section: sectionComponents,
	Doc: "A slot of a parent device for a child device.",
	Fields: slices.Concat(ofDevice, named(record.Natural), record.Fields{
		record.Ref{Name: "installed_device", To: "dcim.device", OnDelete: record.SetNull},
		description,
		record.Tags{},
		record.CustomFields{},
	}),
	Unique: []record.Unique{
		uniqueInDevice("dcim_devicebay"),
		{Name: "dcim_devicebay_installed_unique", Fields: []string{"installed_device"}, NullsDiffer: true},
	},
	Gives: []record.Gives{{To: "installed_device", Set: []record.Given{
		{Field: "site", From: "device.site"},
		{Field: "location", From: "device.location"},
		{Field: "rack", From: "device.rack"},
	}}},
	Together: []record.Together{
		ofRole("device", "device_type.subdevice_role", "parent", "The type of the device must have the subdevice role parent."),
		ofRole("installed_device", "device_type.subdevice_role", "child", "The type of the installed device must have the subdevice role child."),
	},
	Filters:  deviceFilters,
	Check:    checkNotSame("installed_device", "device"),
	Called:   labelled,
	FullName: inDevice,
	Brief:    []string{"device", "name"},
	Order:    []string{"device", "name"},
	Search:   []string{"name", "label", "description"},
}
