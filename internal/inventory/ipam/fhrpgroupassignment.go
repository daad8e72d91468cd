package ipam

import "terrier/internal/record"

// FHRPGroupAssignment is the membership of an interface in an FHRP group.
var FHRPGroupAssignment = record.Type{
	App: "ipam", Name: "fhrpgroupassignment", Plural: "fhrp-group-assignments", Label: "FHRP group assignment", Section: "IP addresses",
	Doc: "The membership of an interface in an FHRP group, with its priority.",
	Fields: record.Fields{
		record.Ref{Name: "group", To: "ipam.fhrpgroup", Required: true, OnDelete: record.Cascade},
		record.AnyRef{Name: "interface", To: []string{"dcim.interface", "virtualization.vminterface"}, Required: true, OnDelete: record.Cascade},
		record.Int{Name: "priority", Required: true, Min: new(int64(0)), Max: new(int64(255))},
	},
	Unique: []record.Unique{{Name: "ipam_fhrpgroupassignment_unique", Fields: []string{"interface_type", "interface_id", "group"}}},
	Called: []string{"{group} ({priority})"},
	Brief:  []string{"interface_type", "interface_id", "priority"},
	Order:  []string{"-priority"},
}
