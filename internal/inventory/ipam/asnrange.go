package ipam

import (
	"terrier/internal/fault"
	"terrier/internal/record"
)

// ASNRange is a run of AS numbers from which ASNs are given out.
var ASNRange = record.Type{
	App: "ipam", Name: "asnrange", Plural: "asn-ranges", Label: "ASN range", Section: "ASNs",
	Doc: "A run of AS numbers from which ASNs are given out.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Unique: true, Sort: record.Natural},
		record.Slug{Name: "slug"},
		record.Ref{Name: "rir", Label: "RIR", To: "ipam.rir", Required: true},
		record.Int{Name: "start", Required: true, Min: new(int64(1)), Max: new(int64(1<<32 - 1))},
		record.Int{Name: "end", Required: true, Min: new(int64(1)), Max: new(int64(1<<32 - 1))},
		record.Ref{Name: "tenant", To: "tenancy.tenant"},
		description,
		record.Tags{},
		record.CustomFields{},
		record.CountBetween{Name: "asn_count", Of: "ipam.asn", Number: "asn", From: "start", To: "end"},
	},
	Filters: []record.Filter{tenantGroup},
	Called:  []string{"{name} ({start}-{end})"},
	Brief:   []string{"name"},
	Order:   []string{"name"},
	Search:  []string{"description"},
	Check:   checkASNRange,
	Actions: availableASNs,
}

func checkASNRange(_, after record.Values) fault.Fields {
	errs := fault.Fields{}
	if after.Int("end") <= after.Int("start") {
		errs.Add(fault.General, "The end %d must be above the start %d.", after.Int("end"), after.Int("start"))
	}
	return errs
}
