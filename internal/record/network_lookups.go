package record

import (
	"net/netip"
	"slices"
	"strings"
)

// The lookups of networks and addresses. Constraints written for NetBox use these names.
const (
	NetContained      Lookup = "net_contained"          // strictly within a network
	NetContainedEqual Lookup = "net_contained_or_equal" // or the network itself
	NetContains       Lookup = "net_contains"           // strictly contains a network
	NetContainsEqual  Lookup = "net_contains_or_equals" // or is the network itself
	NetCovers         Lookup = "net_covers"             // contains a network or is it; strictly contains an address without a length
	NetMasked         Lookup = "net_masked"             // is the network of a value, whose host bits are cleared
	NetHost           Lookup = "net_host"               // has this host, whatever the length
	NetHostContained  Lookup = "net_host_contained"     // the host is within a network, whatever the length
	NetFamily         Lookup = "family"                 // 4 or 6
	NetMaskLength     Lookup = "net_mask_length"
)

var (
	networkLookups = []Lookup{Exact, Not, Empty, NetContained, NetContainedEqual, NetContains, NetContainsEqual, NetCovers,
		NetMasked, NetFamily, NetMaskLength}
	addressLookups = []Lookup{Exact, Not, Empty, NetHost, NetHostContained, NetFamily, NetMaskLength}
)

func (f Network) Lookups() []Lookup { return networkLookups }
func (f Address) Lookups() []Lookup { return addressLookups }

// part is a number that the database computes from a network or an address.
type part struct {
	Int
	of   Column
	part Part
}

func (f part) Column() Column    { return Column{Name: f.of.Name, Storage: StoreInt, Part: f.part} }
func (f part) Lookups() []Lookup { return []Lookup{Exact, Not, Less, AtMost, Greater, AtLeast} }

// key is the column that another is ordered by.
type key struct{ Field }

// Info gives the key its own name, because a test of the key differs from one of the field.
func (f key) Info() Info {
	in := f.Field.Info()
	in.Name = f.Field.Column().Key.Name
	return in
}

func (f key) Column() Column {
	k := f.Field.Column().Key
	return Column{Name: k.Name, Storage: k.Storage, Null: f.Field.Column().Null}
}

// PartOf implements Compared.
func (f Network) PartOf(l Lookup) (Field, bool) { return partOf(f, l) }

// PartOf implements Compared.
func (f Address) PartOf(l Lookup) (Field, bool) { return partOf(f, l) }

func partOf(f Field, l Lookup) (Field, bool) {
	switch l {
	case NetFamily:
		of := f.Column()
		if of.Key.Name != "" { // it has the index
			of = key{f}.Column()
		}
		return part{Int{Name: f.Info().Name}, of, Family}, true
	case NetMaskLength:
		return part{Int{Name: f.Info().Name}, f.Column(), MaskLength}, true
	}
	return nil, false
}

// Test implements Compared. In the order of the column, the networks within another follow it, so they are a range of its index.
// The networks that contain it are looked up one by one, for each length.
func (f Network) Test(l Lookup, texts []string) (Predicate, error) {
	p := Predicate{Field: f, Lookup: Exact}
	if l == Not {
		p.Lookup = Not
	}
	var innermost []netip.Prefix
	for _, s := range texts {
		if s == nullWord && (l == Exact || l == Not) {
			p.Values = append(p.Values, nil)
			continue
		}
		net, ok := parseNet(s)
		if !ok {
			continue // it finds nothing
		}
		bits := net.Bits()
		switch l {
		case NetContained, NetContainedEqual:
			p.Lookup = Between
			p.Values = append(p.Values, Range{From: net.Masked().String(), To: last(net).String(), After: l == NetContained})
			continue
		case NetContains:
			bits--
		case NetCovers:
			if !strings.Contains(s, "/") {
				bits--
			}
		case NetContainsEqual:
		case NetMasked:
			p.Values = append(p.Values, net.Masked().String())
			continue
		default:
			if net == net.Masked() {
				p.Values = append(p.Values, net.String())
			}
			continue
		}
		if bits >= 0 {
			innermost = append(innermost, netip.PrefixFrom(net.Addr(), bits))
		}
	}
	if innermost != nil {
		p.Values, p.Texts = around(innermost)
	}
	return p, nil
}

// Test implements Compared. A value without a length means the host, whatever the length.
func (f Address) Test(l Lookup, texts []string) (Predicate, error) {
	whole, host := Predicate{Field: f, Lookup: Exact}, Predicate{Field: key{f}, Lookup: Exact}
	within := Predicate{Field: key{f}, Lookup: Between}
	for _, s := range texts {
		if s == nullWord && (l == Exact || l == Not) {
			whole.Values = append(whole.Values, nil)
			continue
		}
		net, ok := parseNet(s)
		switch {
		case !ok: // it finds nothing
		case l == NetHostContained:
			within.Values = append(within.Values, Range{From: single(net.Masked().Addr()).String(), To: last(net).String()})
		case l == NetHost || !strings.Contains(s, "/"):
			host.Values = append(host.Values, single(net.Addr()).String())
		default:
			whole.Values = append(whole.Values, net.String())
		}
	}
	given := slices.DeleteFunc([]Predicate{whole, host, within}, func(p Predicate) bool { return len(p.Values) == 0 })
	return oneOf(f, l, given), nil
}

// oneOf asks for what passes at least one of some tests of a field, or none where the lookup is Not. A single test is asked as it
// is: references are found by those.
func oneOf(f Field, l Lookup, tests []Predicate) Predicate {
	switch {
	case l == Not:
		return Predicate{Field: f, Lookup: Not, Any: tests}
	case len(tests) == 1:
		return tests[0]
	}
	return Predicate{Field: f, Any: tests}
}

// NormalNet returns a network, or an address with the length of its network, as the API shows it. It returns any other text unchanged.
func NormalNet(s string) string {
	if p, ok := parseNet(s); ok {
		return p.String()
	}
	return s
}

// FormatNet returns the text of an address and the length of its network.
func FormatNet(raw []byte, bits int) (s string, ok bool) {
	addr, ok := netip.AddrFromSlice(raw)
	return netip.PrefixFrom(addr, bits).String(), ok
}
