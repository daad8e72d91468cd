package ipam

import "terrier/internal/record"

// Aggregate is a block received from a registry. Aggregates never overlap.
var Aggregate = record.Type{
	App: "ipam", Name: "aggregate", Plural: "aggregates", Section: "Aggregates",
	Doc: "A block of addresses received from a registry: the root of a tree of prefixes.",
	Fields: record.Fields{
		record.IPFamily{Of: "prefix"},
		record.Network{Name: "prefix", Required: true},
		record.Ref{Name: "rir", Label: "RIR", To: "ipam.rir", Required: true},
		record.Ref{Name: "tenant", To: "tenancy.tenant"},
		record.Date{Name: "date_added"},
		description,
		comments,
		record.Tags{},
		record.CustomFields{},
		record.Utilization{Name: "utilization", Usage: record.Usage{Network: "prefix", Blocks: "ipam.prefix.prefix"}},
	},
	Apart:   &record.Apart{Of: "prefix"},
	Filters: []record.Filter{tenantGroup, family("prefix"), {Name: "prefix", Field: "prefix", Lookup: record.NetMasked}},
	Panels:  addressPanels,
	Columns: []string{"utilization", "rir", "tenant", "date_added", "description", "tags"},
	Brief:   []string{"family", "prefix"},
	Order:   []string{"prefix"},
	Search:  []string{"prefix", "description"},
}
