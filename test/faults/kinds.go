package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// kind is a record type that the clients work on.
type kind struct {
	key, path, table string
	// extra returns the fields of a record besides name, slug and description.
	extra func(rnd *rand.Rand) object
}

var statuses = []string{"planned", "staging", "active", "active", "retired"}

func color(rnd *rand.Rand) object { return object{"color": fmt.Sprintf("%06x", rnd.IntN(1<<24))} }

var (
	sites = &kind{"dcim.site", "/api/dcim/sites/", "dcim_site", func(rnd *rand.Rand) object {
		return object{"status": statuses[rnd.IntN(len(statuses))], "facility": fmt.Sprint("F", rnd.IntN(100)),
			"latitude": float64(rnd.IntN(180)) / 2}
	}}
	regions = &kind{"dcim.region", "/api/dcim/regions/", "dcim_region", func(*rand.Rand) object { return object{} }}
	tenants = &kind{"tenancy.tenant", "/api/tenancy/tenants/", "tenancy_tenant", func(rnd *rand.Rand) object {
		return object{"comments": fmt.Sprint("line\n\"", rnd.IntN(100), "\" é")}
	}}
	tags      = &kind{"extras.tag", "/api/extras/tags/", "extras_tag", color}
	rackRoles = &kind{"dcim.rackrole", "/api/dcim/rack-roles/", "dcim_rackrole", color}

	kinds = []*kind{sites, sites, sites, regions, tenants, tags, rackRoles} // most requests are about sites
)

const (
	webhookKey   = "extras.webhook"
	healthKey    = "extras.webhookhealth"
	webhooksPath = "/api/extras/webhooks/"
)

// tables are the tables of the records, by the type's key.
var tables = func() map[string]string {
	all := map[string]string{webhookKey: "extras_webhook"}
	for _, k := range slices.Concat([]*kind{sites, regions, tenants, tags, rackRoles, addresses}, familyKinds, deviceKinds) {
		all[k.key] = k.table
	}
	return all
}()
