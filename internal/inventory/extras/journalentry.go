package extras

import "terrier/internal/record"

// JournalEntry is a remark about a record. Every type in To has a tab with its journal.
var JournalEntry = record.Type{
	App: "extras", Name: "journalentry", Plural: "journal-entries", Label: "journal entry", Section: "Logging",
	Doc: "A dated remark about a record.",
	Fields: record.Fields{
		record.AnyRef{Name: "assigned_object", Required: true, OnDelete: record.Cascade, Tab: "Journal", To: []string{
			"dcim.consoleport", "dcim.consoleserverport", "dcim.device", "dcim.devicebay", "dcim.devicerole", "dcim.devicetype",
			"dcim.frontport", "dcim.interface", "dcim.inventoryitem", "dcim.inventoryitemrole", "dcim.location", "dcim.manufacturer",
			"dcim.module", "dcim.modulebay", "dcim.moduletype", "dcim.platform", "dcim.poweroutlet", "dcim.powerport", "dcim.rack",
			"dcim.rackreservation", "dcim.rackrole", "dcim.rearport", "dcim.region", "dcim.site", "dcim.sitegroup",
			"dcim.virtualchassis", "dcim.virtualdevicecontext",
			"ipam.aggregate", "ipam.asn", "ipam.asnrange", "ipam.fhrpgroup", "ipam.ipaddress", "ipam.iprange", "ipam.l2vpn",
			"ipam.l2vpntermination", "ipam.prefix", "ipam.rir", "ipam.role", "ipam.routetarget", "ipam.service",
			"ipam.servicetemplate", "ipam.vlan", "ipam.vlangroup", "ipam.vrf",
			"tenancy.tenant", "tenancy.tenantgroup",
			"virtualization.cluster", "virtualization.clustergroup", "virtualization.clustertype", "virtualization.virtualmachine",
			"virtualization.vminterface",
		}},
		record.Ref{Name: "created_by", To: "users.user", OnDelete: record.SetNull, Bare: true, Author: true},
		record.Choice{Name: "kind", Of: journalKinds, Default: "info"},
		record.Text{Name: "comments", Required: true, AsWritten: true},
		record.Tags{},
		record.CustomFields{},
	},
	Columns: []string{"created", "created_by", "kind", "assigned_object", "comments"},
	Brief:   []string{"created"},
	Called:  []string{"{created} ({kind})"},
	Order:   []string{"-created"},
	Search:  []string{"comments"},
	Filters: []record.Filter{
		{Name: "created_after", Field: "created", Lookup: record.AtLeast},
		{Name: "created_before", Field: "created", Lookup: record.AtMost},
		{Name: "assigned_object_type_id", Field: "assigned_object_type", TypeIDs: true},
	},
}

var journalKinds = record.ChoicesOf(`
info Info
success Success
warning Warning
danger Danger
`)
