package ipam

import "terrier/internal/record"

// FHRPGroupAssignment is the membership of an interface in an FHRP group.
var FHRPGroupAssignment = record.Type{
	App: "ipam", Name: "fhrpgroupassignment", Plural: "fhrp-group-assignments", Label: "FHRP group assignment", Section: "IP addresses",
	Doc: "The membership of an interface in an FHRP group, with its priority.",
	Fields: record.Fields{
		record.Ref{Name: "group", To: "ipam.fhrpgroup", Required: true, OnDelete: record.Cascade},
		record.AnyRef{Name: "interface", To: []string{"dcim.interface", "virtualization.vminterface"}, Required: true, OnDelete: record.Cascade,
			TypeIDInBrief: true},
		record.Int{Name: "priority", Required: true, Min: new(int64(0)), Max: new(int64(255))},
		record.RefID{Name: "group_id", Of: "group"},
	},
	Unique: []record.Unique{{Name: "ipam_fhrpgroupassignment_unique", Fields: []string{"interface_type", "interface_id", "group"}}},
	Filters: []record.Filter{
		{Name: "device", Path: "interface[dcim.interface].device.name",
			Or: []record.Or{{Path: "interface[dcim.interface].device.virtual_chassis.master.name"}}},
		{Name: "device_id", Path: "interface[dcim.interface].device.id",
			Or: []record.Or{{Path: "interface[dcim.interface].device.virtual_chassis.master.id"}}},
		{Name: "virtual_machine", Path: "interface[virtualization.vminterface].virtual_machine.name"},
		{Name: "virtual_machine_id", Path: "interface[virtualization.vminterface].virtual_machine.id"},
	},
	Called: []string{"{interface}: {group} ({priority})"},
	Brief:  []string{"interface_type", "interface_id", "group_id", "priority"},
	Order:  []string{"-priority"},
}
