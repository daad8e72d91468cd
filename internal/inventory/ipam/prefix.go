package ipam

import (
	"slices"

	"terrier/internal/record"
)

var prefixStatuses = record.ChoicesOf(`
container Container
active Active
reserved Reserved
deprecated Deprecated
`)

// tree is the tree of the prefixes of one routing table.
var tree = record.NetworkTree{Of: "prefix", Within: "vrf", Narrow: "within or vrf_id"}

// rangeEnds are the ends of an IP range.
var rangeEnds = [2]string{"ipam.iprange.start_address", "ipam.iprange.end_address"}

// Prefix is a network in a routing table. The tree of prefixes follows from their networks.
var Prefix = record.Type{
	App: "ipam", Name: "prefix", Plural: "prefixes", Section: "Prefixes",
	Doc: "An IPv4 or IPv6 network in a routing table.",
	Fields: record.Fields{
		record.IPFamily{Of: "prefix"},
		record.Network{Name: "prefix", Required: true},
		record.Ref{Name: "site", To: "dcim.site"},
		record.Ref{Name: "vrf", Label: "VRF", To: "ipam.vrf", NullFirst: true, Help: "Empty: the global table."},
		record.Ref{Name: "tenant", To: "tenancy.tenant"},
		record.Ref{Name: "vlan", Label: "VLAN", To: "ipam.vlan"},
		record.Choice{Name: "status", Of: prefixStatuses, Default: "active", Help: "A container holds prefixes, not hosts."},
		record.Ref{Name: "role", To: "ipam.role", OnDelete: record.SetNull},
		record.Bool{Name: "is_pool", Label: "Pool", Help: "Every address is usable."},
		record.Bool{Name: "mark_utilized", Label: "Counts as full"},
		description,
		comments,
		record.Tags{},
		record.CustomFields{},
		record.Inside{Name: "children", NetworkTree: tree},
		record.Around{Name: "_depth", Label: "Depth", NetworkTree: tree},
		record.Utilization{Name: "utilization", Usage: record.Usage{Network: "prefix", Within: "vrf", Full: "mark_utilized", Pool: "is_pool",
			Blocks: "ipam.prefix.prefix", BlocksIf: "status=container", Hosts: "ipam.ipaddress.address", Runs: rangeEnds,
			AllHosts: true}},
	},
	Scoped: "site",
	Space:  &record.Space{Of: "prefix", Within: "vrf", Enforced: "enforce_unique"},
	Filters: []record.Filter{
		family("prefix"), byVRF, byVRFID, inVRF, inVRFID, tenantGroup, region, siteGroup,
		{Name: "within", Field: "prefix", Lookup: record.NetContained},
		{Name: "within_include", Field: "prefix", Lookup: record.NetContainedEqual},
		{Name: "contains", Field: "prefix", Lookup: record.NetCovers},
		{Name: "mask_length", Field: "prefix", Lookup: record.NetMaskLength},
		{Name: "vlan_vid", Path: "vlan.vid"},
		{Name: "vlan_id", Field: "vlan"},
	},
	Panels:  addressPanels,
	Columns: []string{"utilization", "status", "children", "vrf", "tenant", "site", "vlan", "role", "description"},
	Indent:  "_depth",
	Brief:   []string{"family", "prefix", "_depth"},
	Order:   []string{"vrf", "prefix"},
	Search:  []string{"prefix", "description"},
	Actions: slices.Concat(prefixIPs, availablePrefixes),
}
