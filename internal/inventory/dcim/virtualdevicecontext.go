package dcim

import "terrier/internal/record"

var contextStatuses = record.ChoicesOf(`
active Active
planned Planned
offline Offline
`)

// VirtualDeviceContext is a logical part of a device.
var VirtualDeviceContext = record.Type{
	App: "dcim", Name: "virtualdevicecontext", Plural: "virtual-device-contexts", Label: "virtual device context", Section: "Devices",
	Doc: "A logical partition of one device, with interfaces of its own.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 64, Required: true, Sort: record.Natural},
		record.Ref{Name: "device", To: "dcim.device", Required: true},
		record.Int{Name: "identifier", Null: true, Min: new(int64(0)), Max: new(int64(1<<15 - 1))},
		record.Ref{Name: "tenant", To: "tenancy.tenant"},
		record.First{Name: "primary_ip", Label: "Primary IP", Of: []string{"primary_ip6", "primary_ip4"}},
		record.Ref{Name: "primary_ip4", Label: "Primary IPv4", To: "ipam.ipaddress", OnDelete: record.SetNull},
		record.Ref{Name: "primary_ip6", Label: "Primary IPv6", To: "ipam.ipaddress", OnDelete: record.SetNull},
		record.Choice{Name: "status", Of: contextStatuses, Required: true},
		description,
		record.Text{Name: "comments", AsWritten: true},
		record.Tags{},
		record.CustomFields{},
		record.Count{Name: "interface_count", Of: "dcim.interface", By: "vdcs"},
	},
	Unique: []record.Unique{
		{Name: "dcim_virtualdevicecontext_identifier_unique", Fields: []string{"device", "identifier"}, NullsDiffer: true},
		{Name: "dcim_virtualdevicecontext_name_unique", Fields: []string{"device", "name"}},
		{Name: "dcim_virtualdevicecontext_primary_ip4_unique", Fields: []string{"primary_ip4"}, NullsDiffer: true},
		{Name: "dcim_virtualdevicecontext_primary_ip6_unique", Fields: []string{"primary_ip6"}, NullsDiffer: true},
	},
	Same: primaryOf("device", "device", "device.virtual_chassis", false),
	Filters: []record.Filter{
		{Name: "device", Field: "device", Lookup: record.Exact},
		{Name: "has_primary_ip", Set: "primary_ip"},
		{Name: "tenant_group", Path: "tenant.group"},
	},
	Columns: []string{"device", "status", "identifier", "tenant", "interface_count", "tags"},
	Brief:   []string{"name", "identifier", "device"},
	Order:   []string{"name"},
	Search:  []string{"name", "identifier"},
	Panels:  []record.Panel{{Tab: "Interfaces", List: "dcim.interface"}},
}
