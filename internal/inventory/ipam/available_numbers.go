package ipam

import "terrier/internal/record"

// availableVLANs offers the free numbers of a VLAN group.
var availableVLANs = offer{name: "available-vlans", adds: "ipam.vlan", what: "VLAN numbers", listErrors: true,
	names: []string{"vid", "group"},
	free: func(group record.Values) record.FreePlaces {
		return record.FreePlaces{Of: "ipam.vlan", Within: group.ID(), First: group.Int("min_vid"), Last: group.Int("max_vid")}
	},
	properties: record.Schema{"vid": record.Schema{"type": "integer"}, "group": nested},
	shows:      func(group record.Values, vid any) map[string]any { return map[string]any{"vid": vid, "group": group} },
	sets: func(group record.Values, vid any) map[string]any {
		return map[string]any{"vid": vid, "group": group.ID()}
	},
}.actions()

// availableASNs offers the free numbers of an ASN range.
var availableASNs = offer{name: "available-asns", adds: "ipam.asn", what: "AS numbers", names: []string{"asn", "rir"},
	free: func(run record.Values) record.FreePlaces {
		return record.FreePlaces{Of: "ipam.asn", First: run.Int("start"), Last: run.Int("end")}
	},
	properties: record.Schema{"asn": record.Schema{"type": "integer", "format": "int64"}, "rir": nested},
	shows: func(run record.Values, asn any) map[string]any {
		return map[string]any{"asn": asn, "rir": record.Shown{Of: run, Field: "rir"}}
	},
	sets: func(run record.Values, asn any) map[string]any {
		return map[string]any{"asn": asn, "rir": run.Link("rir").ID}
	},
}.actions()
