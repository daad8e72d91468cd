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
		record.Later{Name: "primary_ip"},
		record.Later{Name: "primary_ip4"},
		record.Later{Name: "primary_ip6"},
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
	},
	Filters: []record.Filter{
		{Name: "device", Field: "device", Lookup: record.Exact},
		{Name: "tenant_group", Path: "tenant.group"},
	},
	Columns: []string{"device", "status", "identifier", "tenant", "interface_count", "tags"},
	Brief:   []string{"name", "identifier", "device"},
	Order:   []string{"name"},
	Search:  []string{"name", "identifier"},
	Panels:  []record.Panel{{Tab: "Interfaces", List: "dcim.interface"}},
}
