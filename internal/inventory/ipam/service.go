package ipam

import (
	"terrier/internal/fault"
	"terrier/internal/record"
)

// Service is a layer-4 service of a device or a virtual machine.
var Service = record.Type{
	App: "ipam", Name: "service", Plural: "services", Section: "Services",
	Doc: "A layer-4 service that a device or a virtual machine offers.",
	Fields: record.Fields{
		record.Ref{Name: "device", To: "dcim.device", OnDelete: record.Cascade},
		record.Ref{Name: "virtual_machine", To: "virtualization.virtualmachine", OnDelete: record.Cascade},
		record.Text{Name: "name", Max: 100, Required: true, Sort: record.Natural},
		ports,
		record.Choice{Name: "protocol", Of: protocols, Required: true, BareInBrief: true},
		record.Refs{Name: "ipaddresses", Label: "IP addresses", To: "ipam.ipaddress", Help: "None means all of them."},
		description,
		comments,
		record.Tags{},
		record.CustomFields{},
	},
	Filters: []record.Filter{
		{Name: "device", Path: "device.name"},
		{Name: "device_id", Field: "device"},
		{Name: "virtual_machine", Path: "virtual_machine.name"},
		{Name: "virtual_machine_id", Field: "virtual_machine"},
		{Name: "ipaddress", Path: "ipaddresses.address"},
		{Name: "ipaddress_id", Field: "ipaddresses"},
	},
	Brief:   []string{"name", "protocol", "ports"},
	Order:   []string{"protocol", "ports"},
	Search:  []string{"name", "description"},
	Display: displayService,
	Check:   checkService,
}

func checkService(_, after record.Values) fault.Fields {
	errs := fault.Fields{}
	if (after.Get("device") == nil) == (after.Get("virtual_machine") == nil) {
		errs.Add(fault.General, "A service belongs to a device or to a virtual machine: set one of them.")
	}
	return errs
}
