package tenancy

import "terrier/internal/record"

// TenantGroup gathers tenants. Tenant groups form a tree.
var TenantGroup = record.Type{
	App: "tenancy", Name: "tenantgroup", Plural: "tenant-groups", Label: "tenant group", Section: "Organization",
	Doc: "A grouping of tenants.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Sort: record.Natural},
		record.Slug{Name: "slug", Shared: true},
		record.Ref{Name: "parent", To: "tenancy.tenantgroup", OnDelete: record.Cascade},
		record.Text{Name: "description", Max: 200},
		record.Tags{},
		record.CustomFields{},
		record.Count{Name: "tenant_count", Of: "tenancy.tenant", By: "group"},
		record.Depth{},
	},
	Unique: []record.Unique{
		{Name: "tenancy_tenantgroup_name_unique", Fields: []string{"name", "parent"}},
		{Name: "tenancy_tenantgroup_slug_unique", Fields: []string{"slug", "parent"}},
	},
	Brief:     []string{"name", "slug", "_depth"},
	BriefList: []string{"tenant_count"},
	Order:     []string{"name"},
	Search:    []string{"name", "slug", "description"},
}
