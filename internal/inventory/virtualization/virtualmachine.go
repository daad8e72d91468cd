package virtualization

import (
	"terrier/internal/fault"
	"terrier/internal/record"
)

var machineStatuses = record.ChoicesOf(`
offline Offline
active Active
planned Planned
staged Staged
failed Failed
decommissioning Decommissioning
`)

// VirtualMachine runs in a cluster or at a site.
var VirtualMachine = record.Type{
	App: "virtualization", Name: "virtualmachine", Plural: "virtual-machines", Label: "virtual machine", Section: "Virtual machines",
	Doc: "A virtual machine in a cluster or at a site.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 64, Required: true, Sort: record.Natural},
		record.Choice{Name: "status", Of: machineStatuses, Default: "active"},
		record.Ref{Name: "site", To: "dcim.site"},
		record.Ref{Name: "cluster", To: "virtualization.cluster"},
		record.Ref{Name: "device", To: "dcim.device", Help: "The host that it is pinned to."},
		record.Ref{Name: "role", To: "dcim.devicerole"},
		record.Ref{Name: "tenant", To: "tenancy.tenant"},
		record.Ref{Name: "platform", To: "dcim.platform", OnDelete: record.SetNull},
		record.First{Name: "primary_ip", Label: "Primary IP", Of: []string{"primary_ip6", "primary_ip4"}},
		record.Ref{Name: "primary_ip4", Label: "Primary IPv4", To: "ipam.ipaddress", OnDelete: record.SetNull},
		record.Ref{Name: "primary_ip6", Label: "Primary IPv6", To: "ipam.ipaddress", OnDelete: record.SetNull},
		record.Decimal{Name: "vcpus", Label: "Virtual CPUs", Min: 0.01, Max: 9999.99, Places: 2},
		record.Int{Name: "memory", Label: "Memory (MB)", Null: true, Min: new(int64(0)), Max: new(int64(1<<31 - 1))},
		record.Int{Name: "disk", Label: "Disk (GB)", Null: true, Min: new(int64(0)), Max: new(int64(1<<31 - 1))},
		description,
		comments,
		record.JSON{Name: "local_context_data", Object: true, Help: "It overrides all config contexts."},
		record.Tags{},
		record.CustomFields{},
		configContext,
	},
	Unique: []record.Unique{
		{Name: "virtualization_virtualmachine_unique", Fields: []string{"cluster", "tenant", "name"}, FoldCase: true, Where: "cluster"},
		{Name: "virtualization_virtualmachine_primary_ip4_unique", Fields: []string{"primary_ip4"}, NullsDiffer: true},
		{Name: "virtualization_virtualmachine_primary_ip6_unique", Fields: []string{"primary_ip6"}, NullsDiffer: true},
	},
	Same: append([]record.Same{
		{Ref: "cluster", Path: "site", Says: "The virtual machine must be at the site of its cluster, and at none if that has none: " +
			"change the site or the cluster."},
		{Ref: "device", Path: "cluster", There: "%s is pinned to this device: empty its device first."},
	}, primary...),
	Follows: []record.Follows{{Fields: []string{"site"}, Of: "cluster"}},
	Filters: []record.Filter{
		tenantGroup, region, siteGroup,
		{Name: "name", Field: "name", Lookup: record.EqualFold},
		{Name: "cluster", Path: "cluster.name"},
		{Name: "cluster_id", Field: "cluster"},
		{Name: "cluster_group", Path: "cluster.group"},
		{Name: "cluster_type", Path: "cluster.type"},
		{Name: "device", Path: "device.name"},
		{Name: "device_id", Field: "device"},
		{Name: "mac_address", Path: "[virtualization.vminterface.virtual_machine].mac_address"},
		{Name: "has_primary_ip", Set: "primary_ip"},
		{Name: "local_context_data", Set: "local_context_data"},
	},
	Columns: []string{"status", "site", "cluster", "role", "tenant", "vcpus", "memory", "disk", "tags"},
	Brief:   []string{"name"},
	Order:   []string{"name"},
	Search:  []string{"name", "comments", "primary_ip4.address", "primary_ip6.address"},
	Check:   checkMachine,
	Panels: []record.Panel{
		{Tab: "Interfaces", List: "virtualization.vminterface"},
		{Tab: "IP addresses", List: "ipam.ipaddress", By: "assigned_object[virtualization.vminterface].virtual_machine",
			Marks: []string{"primary_ip4", "primary_ip6"}},
		{Tab: "Services", List: "ipam.service"},
		{Tab: "Config context", Merged: "config_context"},
	},
}

// configContext is what the config contexts that match a virtual machine come to. It has no location and no device type, so contexts
// that name one never match it.
var configContext = record.Merged{
	Name: "config_context", From: "extras.configcontext", Data: "data", If: "is_active", Last: "local_context_data",
	Match: []record.Match{
		{Selector: "regions", Path: "site.region", Above: true},
		{Selector: "site_groups", Path: "site.group", Above: true},
		{Selector: "sites", Path: "site"},
		{Selector: "roles", Path: "role"},
		{Selector: "platforms", Path: "platform"},
		{Selector: "cluster_types", Path: "cluster.type"},
		{Selector: "cluster_groups", Path: "cluster.group"},
		{Selector: "clusters", Path: "cluster"},
		{Selector: "tenant_groups", Path: "tenant.group"},
		{Selector: "tenants", Path: "tenant"},
		{Selector: "tags", Path: "tags"},
	},
}

func checkMachine(_, after record.Values) fault.Fields {
	errs := fault.Fields{}
	if after.Get("site") == nil && after.Get("cluster") == nil {
		errs.Add("cluster", "Set the cluster of the virtual machine, or its site.")
	}
	if after.Get("device") != nil && after.Get("cluster") == nil {
		errs.Add("device", "A virtual machine has a host only in a cluster: set the cluster too.")
	}
	return errs
}
