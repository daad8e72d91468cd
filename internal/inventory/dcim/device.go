package dcim

import (
	"terrier/internal/fault"
	"terrier/internal/record"
)

var deviceStatuses = record.ChoicesOf(`
offline Offline
active Active
planned Planned
staged Staged
failed Failed
inventory Inventory
decommissioning Decommissioning
`)

var faces = record.ChoicesOf(`
front Front
rear Rear
`)

// Device is a piece of equipment at a site, mounted in a rack or not.
var Device = record.Type{
	App: "dcim", Name: "device", Plural: "devices", Section: "Devices",
	Doc: "A piece of hardware at a site, mounted in a rack or not.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 64, Null: true, Sort: record.Natural},
		record.Ref{Name: "device_type", To: "dcim.devicetype", Required: true},
		record.Ref{Name: "device_role", To: "dcim.devicerole", Required: true, Alias: "role"},
		record.Ref{Name: "tenant", To: "tenancy.tenant"},
		record.Ref{Name: "platform", To: "dcim.platform", OnDelete: record.SetNull},
		record.Text{Name: "serial", Max: 50},
		record.Text{Name: "asset_tag", Max: 50, Null: true, Unique: true, NullsDiffer: true},
		record.Ref{Name: "site", To: "dcim.site", Required: true},
		record.Ref{Name: "location", To: "dcim.location"},
		record.Ref{Name: "rack", To: "dcim.rack"},
		record.Decimal{Name: "position", Min: 1, Max: 100.5, Places: 1, Step: 0.5, Help: "The lowest unit that the device takes."},
		record.Choice{Name: "face", Of: faces},
		record.Back{Name: "parent_device", Of: "dcim.devicebay", By: "installed_device", Through: "device", As: "device_bay"},
		record.Choice{Name: "status", Of: deviceStatuses, Default: "active"},
		record.Choice{Name: "airflow", Of: airflows},
		record.First{Name: "primary_ip", Label: "Primary IP", Of: []string{"primary_ip6", "primary_ip4"}},
		record.Ref{Name: "primary_ip4", Label: "Primary IPv4", To: "ipam.ipaddress", OnDelete: record.SetNull},
		record.Ref{Name: "primary_ip6", Label: "Primary IPv6", To: "ipam.ipaddress", OnDelete: record.SetNull},
		record.Ref{Name: "cluster", To: "virtualization.cluster", OnDelete: record.SetNull},
		record.Ref{Name: "virtual_chassis", To: "dcim.virtualchassis", OnDelete: record.SetNull, Clears: []string{"vc_position", "vc_priority"}},
		record.Int{Name: "vc_position", Label: "VC position", Null: true, Min: new(int64(0)), Max: new(int64(255))},
		record.Int{Name: "vc_priority", Label: "VC priority", Null: true, Min: new(int64(0)), Max: new(int64(255)),
			Help: "Used to elect the master."},
		description,
		record.Text{Name: "comments", AsWritten: true},
		record.Later{Name: "config_template"},
		record.JSON{Name: "local_context_data", Object: true, Help: "It overrides all config contexts."},
		record.Tags{},
		record.CustomFields{},
		configContext,
	},
	Groups: []record.Group{
		{Name: "Device", Fields: []string{"name", "device_role", "device_type", "status", "description", "tags"}},
		{Name: "Place", Fields: []string{"site", "location", "rack", "position", "face"}},
		{Name: "Hardware", Fields: []string{"serial", "asset_tag", "platform"}},
		{Name: "Network and owner", Fields: []string{"primary_ip4", "primary_ip6", "tenant"}},
		{Name: "Comments", Fields: []string{"comments"}},
	},
	Advanced: []string{"airflow", "cluster", "virtual_chassis", "vc_position", "vc_priority", "local_context_data"},
	Unique: []record.Unique{
		{Name: "dcim_device_name_unique", Fields: []string{"site", "tenant", "name"}, FoldCase: true, Where: "name"},
		{Name: "dcim_device_position_unique", Fields: []string{"virtual_chassis", "vc_position"}, NullsDiffer: true, Where: "virtual_chassis"},
		{Name: "dcim_device_primary_ip4_unique", Fields: []string{"primary_ip4"}, NullsDiffer: true},
		{Name: "dcim_device_primary_ip6_unique", Fields: []string{"primary_ip6"}, NullsDiffer: true},
	},
	Same: append([]record.Same{
		{Ref: "location", Path: "site"},
		{Ref: "rack", Path: "site"},
		{Ref: "rack", Path: "location"},
		{Ref: "platform", Path: "manufacturer", Here: "device_type.manufacturer", OrNone: true},
		{Ref: "cluster", Path: "site", OrNone: true, There: "%s is in this cluster and at another site: take it out of the cluster first."},
	}, primaryOf("device", "id", "virtual_chassis", true)...),
	Follows: []record.Follows{
		{Fields: []string{"site", "location"}, Of: "rack"},
		{Fields: []string{"site"}, Of: "location"},
	},
	Defaults: []record.Default{
		{Field: "airflow", From: "device_type.airflow"},
		{Field: "platform", From: "device_type.default_platform"},
	},
	Together: []record.Together{rackSpace},
	Filters: []record.Filter{
		{Name: "name", Field: "name", Lookup: record.EqualFold},
		{Name: "serial", Field: "serial", Lookup: record.EqualFold},
		{Name: "manufacturer", Path: "device_type.manufacturer"},
		{Name: "model", Path: "device_type.slug"},
		{Name: "role", Path: "device_role"},
		{Name: "parent_device_id", Path: "[dcim.devicebay.installed_device].device.id"},
		{Name: "region", Path: "site.region"},
		{Name: "site_group", Path: "site.group"},
		{Name: "tenant_group", Path: "tenant.group"},
		{Name: "is_full_depth", Path: "device_type.is_full_depth"},
		{Name: "mac_address", Path: "[dcim.interface.device].mac_address"},
		{Name: "virtual_chassis_member", Set: "virtual_chassis"},
		{Name: "has_primary_ip", Set: "primary_ip"},
		{Name: "local_context_data", Set: "local_context_data"},
		{Name: "console_ports", Has: []string{"dcim.consoleport.device"}},
		{Name: "console_server_ports", Has: []string{"dcim.consoleserverport.device"}},
		{Name: "power_ports", Has: []string{"dcim.powerport.device"}},
		{Name: "power_outlets", Has: []string{"dcim.poweroutlet.device"}},
		{Name: "interfaces", Has: []string{"dcim.interface.device"}},
		{Name: "pass_through_ports", Has: []string{"dcim.frontport.device", "dcim.rearport.device"}},
		{Name: "module_bays", Has: []string{"dcim.modulebay.device"}},
		{Name: "device_bays", Has: []string{"dcim.devicebay.device"}},
	},
	Children: deviceComponents,
	Actions:  []record.Action{record.SyncChildren("dcim.device")},
	Columns:  []string{"status", "tenant", "site", "rack", "device_role", "device_type", "tags"},
	Called: []string{
		"{name} ({asset_tag})",
		"{name}",
		"{virtual_chassis.name}:{vc_position} ({asset_tag})",
		"{virtual_chassis.name}:{vc_position} ({id})",
		"{device_type.manufacturer.name} {device_type.model} ({asset_tag})",
		"{device_type.manufacturer.name} {device_type.model} ({id})",
	},
	Brief: []string{"name"},
	Order: []string{"name"},
	Search: []string{"name", "serial", "asset_tag", "comments", "[dcim.inventoryitem.device].serial", "primary_ip4.address",
		"primary_ip6.address"},
	Check: checkDevice,
	Totals: []record.Total{{Label: "Total weight", Unit: "kg", Places: 2, Of: []string{
		"device_type.weight",
		"[dcim.module.device].module_type.weight",
	}}},
	Panels: []record.Panel{
		{Tab: "Interfaces", List: "dcim.interface"},
		{Tab: "IP addresses", List: "ipam.ipaddress", By: "assigned_object[dcim.interface].device",
			Marks: []string{"primary_ip4", "primary_ip6"}},
		{Tab: "Services", List: "ipam.service"},
		{Tab: "Console ports", List: "dcim.consoleport"},
		{Tab: "Console server ports", List: "dcim.consoleserverport"},
		{Tab: "Power ports", List: "dcim.powerport"},
		{Tab: "Power outlets", List: "dcim.poweroutlet"},
		{Tab: "Front ports", List: "dcim.frontport"},
		{Tab: "Rear ports", List: "dcim.rearport"},
		{Tab: "Module bays", List: "dcim.modulebay"},
		{Tab: "Device bays", List: "dcim.devicebay", By: "device"},
		{Tab: "Inventory items", List: "dcim.inventoryitem"},
		{Tab: "Modules", List: "dcim.module"},
		{Tab: "Images", List: "extras.imageattachment"},
		{Tab: "Contexts", List: "dcim.virtualdevicecontext"},
		{Tab: "Config context", Merged: "config_context"},
	},
}

// configContext is what the config contexts that match a device come to.
var configContext = record.Merged{
	Name: "config_context", From: "extras.configcontext", Data: "data", If: "is_active", Last: "local_context_data",
	Match: []record.Match{
		{Selector: "regions", Path: "site.region", Above: true},
		{Selector: "site_groups", Path: "site.group", Above: true},
		{Selector: "sites", Path: "site"},
		{Selector: "locations", Path: "location"},
		{Selector: "device_types", Path: "device_type"},
		{Selector: "roles", Path: "device_role"},
		{Selector: "platforms", Path: "platform"},
		{Selector: "cluster_types", Path: "cluster.type"},
		{Selector: "cluster_groups", Path: "cluster.group"},
		{Selector: "clusters", Path: "cluster"},
		{Selector: "tenant_groups", Path: "tenant.group"},
		{Selector: "tenants", Path: "tenant"},
		{Selector: "tags", Path: "tags"},
	},
}

func checkDevice(_, after record.Values) fault.Fields {
	errs := fault.Fields{}
	rack, position, face := after.Get("rack"), after.Get("position"), after.Get("face")
	switch {
	case rack == nil && position != nil:
		errs.Add("position", "A device has a position only in a rack: set the rack too.")
	case position != nil && face == nil:
		errs.Add("face", "Set the face of the rack at which the device is mounted.")
	}
	if rack == nil && face != nil {
		errs.Add("face", "A device has a face only in a rack: set the rack too.")
	}
	if after.Get("virtual_chassis") != nil && after.Get("vc_position") == nil {
		errs.Add("vc_position", "Set the position of the device in its virtual chassis.")
	}
	return errs
}
