package dcim

import "terrier/internal/record"

// Platform is what a device runs. With a manufacturer it is only for devices of that maker.
var Platform = record.Type{
	App: "dcim", Name: "platform", Plural: "platforms", Section: "Devices",
	Doc: "The operating system or firmware that a device or a virtual machine runs.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Sort: record.Natural, Unique: true},
		record.Slug{Name: "slug"},
		record.Ref{Name: "manufacturer", To: "dcim.manufacturer", Help: "Only devices of this maker may have it."},
		record.Later{Name: "config_template"},
		record.Text{Name: "napalm_driver", Label: "NAPALM driver", Max: 50},
		record.JSON{Name: "napalm_args", Label: "NAPALM arguments"},
		record.Text{Name: "description", Max: 200},
		record.Tags{},
		record.CustomFields{},
		record.Count{Name: "device_count", Of: "dcim.device", By: "platform"},
		record.Count{Name: "virtualmachine_count", Of: "virtualization.virtualmachine", By: "platform"},
	},
	Brief:     []string{"name", "slug"},
	BriefList: []string{"device_count", "virtualmachine_count"},
	Order:     []string{"name"},
	Search:    []string{"name", "slug"},
}
