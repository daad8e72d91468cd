package ipam

import (
	"fmt"

	"terrier/internal/record"
)

// ASN is the number of an autonomous system.
var ASN = record.Type{
	App: "ipam", Name: "asn", Plural: "asns", Label: "ASN", Section: "ASNs",
	Doc: "The number of an autonomous system.",
	Fields: record.Fields{
		record.Int{Name: "asn", Label: "ASN", Required: true, Min: new(int64(1)), Max: new(int64(1<<32 - 1)), Help: "16 or 32 bits."},
		record.Ref{Name: "rir", Label: "RIR", To: "ipam.rir", Required: true},
		record.Ref{Name: "tenant", To: "tenancy.tenant"},
		description,
		comments,
		record.Tags{},
		record.CustomFields{},
		record.Count{Name: "site_count", Of: "dcim.site", By: "asns"},
		record.Later{Name: "provider_count", Shows: 0},
	},
	Unique: []record.Unique{{Name: "ipam_asn_asn_unique", Fields: []string{"asn"}}},
	Space:  &record.Space{Of: "asn"},
	Filters: []record.Filter{
		tenantGroup,
		{Name: "site", Path: "[dcim.site.asns].slug"},
		{Name: "site_id", Path: "[dcim.site.asns].id"},
	},
	Brief:  []string{"asn"},
	Order:  []string{"asn"},
	Search: []string{"description", "asn"}, SearchAs: "AS",
	Display: displayASN,
}

// displayASN writes a number of more than 16 bits in both ways: AS4200000000 (64086.59904).
func displayASN(r record.Reader) string {
	n := r.Int("asn")
	if n < 1<<16 {
		return fmt.Sprintf("AS%d", n)
	}
	return fmt.Sprintf("AS%d (%d.%d)", n, n>>16, n&0xffff)
}
