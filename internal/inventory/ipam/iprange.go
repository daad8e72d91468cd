package ipam

import (
	"encoding/binary"
	"math"
	"net/netip"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/record"
)

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
		record.Computed{Name: "size", Of: func(v record.Values) any { return rangeSize(v) }, Needs: []string{"start_address", "end_address"},
			Shape: record.Schema{"type": "integer", "format": "int64"}},
		record.Ref{Name: "vrf", Label: "VRF", To: "ipam.vrf", NullFirst: true, Help: "Empty: the global table."},
		record.Ref{Name: "tenant", To: "tenancy.tenant"},
		record.Choice{Name: "status", Of: rangeStatuses, Default: "active"},
		record.Ref{Name: "role", To: "ipam.role", OnDelete: record.SetNull},
		description,
		comments,
		record.Tags{},
		record.CustomFields{},
		record.Bool{Name: "mark_utilized", Label: "Counts as full"},
		record.Utilization{Name: "utilization", Usage: record.Usage{Start: "start_address", End: "end_address", Within: "vrf",
			Full: "mark_utilized", Hosts: "ipam.ipaddress.address"}},
	},
	Filters: []record.Filter{
		family("start_address"), byVRF, byVRFID, tenantGroup,
		{Name: "contains", Field: "start_address", End: "end_address", Lookup: record.RunCovers},
		{Name: "parent", Field: "start_address", End: "end_address", Lookup: record.RunWithin},
	},
	Panels:  addressPanels,
	Columns: []string{"utilization", "size", "status", "vrf", "role", "tenant", "description", "tags"},
	Brief:   []string{"family", "start_address", "end_address"},
	Order:   []string{"vrf", "start_address"},
	Search:  []string{"description", "start_address", "end_address"},
	Apart:   &record.Apart{Of: "start_address", To: "end_address", Within: "vrf"},
	Check:   checkIPRange,
	Display: displayRange,
	Actions: rangeIPs,
}

// maxRangeSize is how many addresses a range may have.
const maxRangeSize = math.MaxUint32

func checkIPRange(_, after record.Values) fault.Fields {
	errs := fault.Fields{}
	start, end := netip.MustParsePrefix(after.Text("start_address")), netip.MustParsePrefix(after.Text("end_address"))
	switch {
	case start.Addr().Is4() != end.Addr().Is4():
		errs.Add("end_address", "Both ends must be IPv4 addresses, or both IPv6.")
	case start.Bits() != end.Bits():
		errs.Add("end_address", "Both ends must have the same length: the start has /%d.", start.Bits())
	case end.Addr().Compare(start.Addr()) <= 0:
		errs.Add("end_address", "The end must be above the start, %s.", start.Addr())
	case rangeSize(after) > maxRangeSize:
		errs.Add("end_address", "A range has at most %d addresses.", int64(maxRangeSize))
	}
	return errs
}

// rangeSize returns how many addresses a range has. One that is too large for a number has one more than is allowed.
func rangeSize(v record.Values) int64 {
	start, end := netip.MustParsePrefix(v.Text("start_address")).Addr().As16(), netip.MustParsePrefix(v.Text("end_address")).Addr().As16()
	low := binary.BigEndian.Uint64(end[8:]) - binary.BigEndian.Uint64(start[8:])
	high := binary.BigEndian.Uint64(end[:8]) - binary.BigEndian.Uint64(start[:8])
	if binary.BigEndian.Uint64(end[8:]) < binary.BigEndian.Uint64(start[8:]) {
		high--
	}
	if high != 0 || low >= maxRangeSize {
		return maxRangeSize + 1
	}
	return int64(low) + 1
}

// displayRange writes what both ends begin with once: 192.0.2.10-20/24.
func displayRange(r record.Reader) string {
	start, _, _ := strings.Cut(r.Text("start_address"), "/")
	end, mask, _ := strings.Cut(r.Text("end_address"), "/")
	separator := "."
	if strings.Contains(start, ":") {
		separator = ":"
	}
	parts, others := strings.Split(start, separator), strings.Split(end, separator)
	shared := 0
	for shared < min(len(parts), len(others))-1 && parts[shared] == others[shared] {
		shared++
	}
	return start + "-" + strings.Join(others[shared:], separator) + "/" + mask
}
