package dcim

import "terrier/internal/record"

// DeviceRole says what a device is for.
var DeviceRole = record.Type{
	App: "dcim", Name: "devicerole", Plural: "device-roles", Label: "device role", Section: "Devices",
	Doc: "What a device or a virtual machine is for.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Sort: record.Natural, Unique: true},
		record.Slug{Name: "slug"},
		record.Color("color"),
		record.Bool{Name: "vm_role", Label: "VM role", Default: true, Help: "Virtual machines may have it."},
		record.Later{Name: "config_template"},
		record.Text{Name: "description", Max: 200},
		record.Tags{},
		record.CustomFields{},
		record.Count{Name: "device_count", Of: "dcim.device", By: "device_role"},
		record.Count{Name: "virtualmachine_count", Of: "virtualization.virtualmachine", By: "role"},
	},
	Brief:     []string{"name", "slug"},
	BriefList: []string{"device_count", "virtualmachine_count"},
	Order:     []string{"name"},
	Search:    []string{"name", "slug"},
}
