package ipam

import "terrier/internal/record"

// VRF is a routing table of its own.
var VRF = record.Type{
	App: "ipam", Name: "vrf", Plural: "vrfs", Label: "VRF", Section: "VRFs",
	Doc: "A routing table. Two VRFs may have the same addresses.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Sort: record.Natural},
		record.Text{Name: "rd", Label: "Route distinguisher", Max: 21, Null: true, Unique: true, NullsDiffer: true, Sort: record.Natural},
		record.Bool{Name: "enforce_unique", Default: true, Help: "Refuse a second prefix or address of the same network."},
		description,
		record.Refs{Name: "import_targets", To: "ipam.routetarget"},
		record.Refs{Name: "export_targets", To: "ipam.routetarget"},
		record.Ref{Name: "tenant", To: "tenancy.tenant"},
		comments,
		record.Tags{},
		record.CustomFields{},
		record.Count{Name: "ipaddress_count", Of: "ipam.ipaddress", By: "vrf"},
		record.Count{Name: "prefix_count", Of: "ipam.prefix", By: "vrf"},
	},
	Filters:   []record.Filter{tenantGroup},
	Called:    []string{"{name} ({rd})", "{name}"},
	Brief:     []string{"name", "rd"},
	BriefList: []string{"prefix_count"},
	Order:     []string{"name", "rd"},
	Search:    []string{"name", "rd", "description"},
	Panels: []record.Panel{
		{Tab: "Prefixes", List: "ipam.prefix"},
		{Tab: "Addresses", List: "ipam.ipaddress"},
		{Tab: "Ranges", List: "ipam.iprange"},
	},
}
