package virtualization

import "terrier/internal/record"

// This file has what several types of this app declare alike.

var (
	description = record.Text{Name: "description", Max: 200}
	comments    = record.Text{Name: "comments", AsWritten: true}
)

// Filters by what a record belongs to.
var (
	tenantGroup = record.Filter{Name: "tenant_group", Path: "tenant.group"}
	region      = record.Filter{Name: "region", Path: "site.region"}
	siteGroup   = record.Filter{Name: "site_group", Path: "site.group"}
)
