package virtualization

import "terrier/internal/record"

var clusterStatuses = record.ChoicesOf(`
planned Planned
staging Staging
active Active
decommissioning Decommissioning
offline Offline
`)

// Cluster is a set of hosts that run virtual machines.
var Cluster = record.Type{
	App: "virtualization", Name: "cluster", Plural: "clusters", Section: "Clusters",
	Doc: "A set of hosts that run virtual machines.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Sort: record.Natural},
		record.Ref{Name: "type", To: "virtualization.clustertype", Required: true},
		record.Ref{Name: "group", To: "virtualization.clustergroup"},
		record.Choice{Name: "status", Of: clusterStatuses, Default: "active"},
		record.Ref{Name: "tenant", To: "tenancy.tenant"},
		record.Ref{Name: "site", To: "dcim.site"},
		description,
		comments,
		record.Tags{},
		record.CustomFields{},
		record.Count{Name: "device_count", Of: "dcim.device", By: "cluster"},
		record.Count{Name: "virtualmachine_count", Of: "virtualization.virtualmachine", By: "cluster"},
	},
	Unique: []record.Unique{
		{Name: "virtualization_cluster_group_unique", Fields: []string{"group", "name"}, NullsDiffer: true},
		{Name: "virtualization_cluster_site_unique", Fields: []string{"site", "name"}, NullsDiffer: true},
	},
	Scoped:    "site",
	Filters:   []record.Filter{tenantGroup, region, siteGroup},
	Brief:     []string{"name"},
	BriefList: []string{"virtualmachine_count"},
	Order:     []string{"name"},
	Search:    []string{"name", "comments"},
	Panels: []record.Panel{
		{Tab: "Virtual machines", List: "virtualization.virtualmachine"},
		{Tab: "Devices", List: "dcim.device"},
	},
}
