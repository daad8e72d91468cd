package ipam

import "terrier/internal/record"

var rangeStatuses = record.ChoicesOf(`
active Active
reserved Reserved
deprecated Deprecated
`)

// IPRange is a run of addresses. Ranges of one routing table never overlap.
var IPRange = record.Type{
	App: "ipam", Name: "iprange", Plural: "ip-ranges", Label: "IP range", Section: "IP addresses",
	Doc: "A run of addresses between two addresses, such as a DHCP pool.",
	Fields: record.Fields{
		record.IPFamily{Of: "start_address"},
		record.Address{Name: "start_address", Required: true},
		record.Address{Name: "end_address", Required: true},
		record.Later{Name: "size", Shows: 0},
		record.Ref{Name: "vrf", Label: "VRF", To: "ipam.vrf", NullFirst: true, Help: "The global table, if it is empty."},
		record.Ref{Name: "tenant", To: "tenancy.tenant"},
		record.Choice{Name: "status", Of: rangeStatuses, Default: "active"},
		record.Ref{Name: "role", To: "ipam.role", OnDelete: record.SetNull},
		description,
		comments,
		record.Tags{},
		record.CustomFields{},
		record.Bool{Name: "mark_utilized", Label: "Counts as full"},
	},
	Filters: []record.Filter{
		family("start_address"), byVRF, byVRFID, tenantGroup,
	},
	Brief:   []string{"family", "start_address", "end_address"},
	Order:   []string{"vrf", "start_address"},
	Search:  []string{"description", "start_address", "end_address"},
	Actions: rangeIPs,
}
