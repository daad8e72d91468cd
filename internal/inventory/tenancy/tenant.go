package tenancy

import "terrier/internal/record"

// Tenant is a customer, department or team that owns records.
var Tenant = record.Type{
	App: "tenancy", Name: "tenant", Plural: "tenants", Section: "Organization",
	Doc: "A customer, department or team that owns records.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Sort: record.Natural},
		record.Slug{Name: "slug", Shared: true},
		record.Ref{Name: "group", To: "tenancy.tenantgroup", OnDelete: record.SetNull},
		record.Text{Name: "description", Max: 200},
		record.Text{Name: "comments", AsWritten: true},
		record.Tags{},
		record.CustomFields{},
		record.Later{Name: "circuit_count", Shows: 0},
		record.Count{Name: "device_count", Of: "dcim.device", By: "tenant"},
		record.Count{Name: "ipaddress_count", Of: "ipam.ipaddress", By: "tenant"},
		record.Count{Name: "prefix_count", Of: "ipam.prefix", By: "tenant"},
		record.Count{Name: "rack_count", Of: "dcim.rack", By: "tenant"},
		record.Count{Name: "site_count", Of: "dcim.site", By: "tenant"},
		record.Count{Name: "virtualmachine_count", Of: "virtualization.virtualmachine", By: "tenant"},
		record.Count{Name: "vlan_count", Of: "ipam.vlan", By: "tenant"},
		record.Count{Name: "vrf_count", Of: "ipam.vrf", By: "tenant"},
		record.Count{Name: "cluster_count", Of: "virtualization.cluster", By: "tenant"},
	},
	Unique: []record.Unique{
		{Name: "tenancy_tenant_name_unique", Fields: []string{"name", "group"}},
		{Name: "tenancy_tenant_slug_unique", Fields: []string{"slug", "group"}},
	},
	Brief:  []string{"name", "slug"},
	Order:  []string{"name"},
	Search: []string{"name", "slug", "description", "comments"},
}
