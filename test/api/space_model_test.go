package api_test

import (
	"cmp"
	"math/big"
	"net/netip"
	"slices"
)

// The model of address space says in plain code what the catalogue says: which records may be beside each other, where prefixes are in
// their tree, what is free and how full a network is. It goes through all records for each question.

// Kinds of records of the model, by the names of their lists.
const (
	aPrefix    = "prefixes"
	anAddress  = "ip-addresses"
	aRange     = "ip-ranges"
	aBlock     = "aggregates"
	noField    = "non_field_errors" // the catalogue says __all__, as Django does
	mostListed = 1000
)

// place is a record of the model.
type place struct {
	kind       string
	id         int64
	table      int          // 0 is the global table, others are VRFs in the order of their ids
	net        netip.Prefix // what it is, or where a range begins
	end        netip.Prefix // of a range
	status     string
	role       string // of an address
	pool, full bool

	kept bool // a change left it where it was: then nobody asks for others there
}

// space is everything there is.
type space struct {
	unique []bool // of each table, whether it allows no duplicates
	places []place
}

func (s *space) clone() *space {
	return &space{unique: slices.Clone(s.unique), places: slices.Clone(s.places)}
}

// of returns the records of a kind in the order of their lists.
func (s *space) of(kind string) (found []place) {
	for _, p := range s.places {
		if p.kind == kind {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(a, b place) int {
		byHost := a.net.Addr().Compare(b.net.Addr())
		switch kind {
		case anAddress:
			return cmp.Or(byHost, cmp.Compare(a.id, b.id))
		case aBlock:
			return cmp.Or(byHost, cmp.Compare(a.net.Bits(), b.net.Bits()), cmp.Compare(a.id, b.id))
		}
		return cmp.Or(cmp.Compare(a.table, b.table), byHost, cmp.Compare(a.net.Bits(), b.net.Bits()), cmp.Compare(a.id, b.id))
	})
	return found
}

func inside(inner, outer netip.Prefix) bool {
	return inner.Bits() > outer.Bits() && outer.Contains(inner.Addr())
}

// children are the prefixes of the same table that are strictly inside.
func (s *space) children(p place) (found []place) {
	for _, o := range s.of(aPrefix) {
		if o.table == p.table && inside(o.net, p.net) {
			found = append(found, o)
		}
	}
	return found
}

// depth counts the networks of the same table that strictly contain a prefix.
func (s *space) depth(p place) int {
	around := map[netip.Prefix]bool{}
	for _, o := range s.of(aPrefix) {
		if o.table == p.table && inside(p.net, o.net) {
			around[o.net] = true
		}
	}
	return len(around)
}

// sharedRoles are the roles of addresses that may repeat among themselves.
var sharedRoles = []string{"anycast", "vip", "vrrp", "hsrp", "glbp", "carp"}

// refused returns the fields on which a record is refused in this space, which has it already.
func (s *space) refused(p place) (fields []string) {
	refuse := func(field string, is bool) {
		if is {
			fields = append(fields, field)
		}
	}
	switch p.kind {
	case aPrefix, aBlock:
		refuse("prefix", p.net.Bits() == 0 || p.net != p.net.Masked())
	case anAddress:
		refuse("address", p.net.Bits() == 0)
		refuse("status", p.status == "slaac" && p.net.Addr().Is4())
	case aRange:
		wrong := p.net.Addr().Is4() != p.end.Addr().Is4() || p.net.Bits() != p.end.Bits() || p.net.Addr().Compare(p.end.Addr()) >= 0
		refuse("end_address", wrong)
		if wrong {
			return fields
		}
	}
	for _, o := range s.places {
		if p.kept || o.kind != p.kind || o.id == p.id || o.net.Addr().Is4() != p.net.Addr().Is4() {
			continue
		}
		switch sole := o.table == p.table && s.unique[p.table]; p.kind {
		case aPrefix:
			refuse("prefix", sole && o.net == p.net)
		case aBlock:
			refuse("prefix", o.net.Overlaps(p.net))
		case anAddress:
			shared := slices.Contains(sharedRoles, p.role) && slices.Contains(sharedRoles, o.role)
			refuse("address", sole && !shared && o.net.Addr() == p.net.Addr())
		case aRange:
			refuse(noField, o.table == p.table && o.net.Addr().Compare(p.end.Addr()) <= 0 && p.net.Addr().Compare(o.end.Addr()) <= 0)
		}
	}
	return fields
}

// span is a run of addresses, as numbers.
type span struct{ first, last *big.Int }

func number(a netip.Addr) *big.Int { return new(big.Int).SetBytes(a.AsSlice()) }

// size is the number of addresses of a network.
func size(n netip.Prefix) *big.Int {
	return new(big.Int).Lsh(big.NewInt(1), uint(n.Addr().BitLen()-n.Bits()))
}

func lastOf(n netip.Prefix) netip.Addr {
	last := new(big.Int).Add(number(n.Masked().Addr()), size(n))
	a, _ := netip.AddrFromSlice(last.Sub(last, big.NewInt(1)).FillBytes(make([]byte, n.Addr().BitLen()/8)))
	return a
}

func (p place) span() span {
	if p.kind == aRange {
		return span{number(p.net.Addr()), number(p.end.Addr())}
	}
	if p.kind == anAddress {
		return span{number(p.net.Addr()), number(p.net.Addr())}
	}
	return span{number(p.net.Addr()), number(lastOf(p.net))}
}

// covered counts the different addresses of spans.
func covered(spans []span) *big.Int {
	slices.SortFunc(spans, func(a, b span) int { return a.first.Cmp(b.first) })
	total, next := new(big.Int), new(big.Int)
	for _, s := range spans {
		from := s.first
		if next.Cmp(from) > 0 {
			from = next
		}
		if s.last.Cmp(from) >= 0 {
			after := new(big.Int).Add(s.last, big.NewInt(1))
			total.Add(total, new(big.Int).Sub(after, from))
			next = after
		}
	}
	return total
}

// used is how full a prefix, range or aggregate is, in per cent.
func (s *space) used(p place) float64 {
	if p.full {
		return 100
	}
	var spans []span
	room := size(p.net)
	switch {
	case p.kind == aBlock:
		for _, o := range s.of(aPrefix) {
			if o.net == p.net || inside(o.net, p.net) {
				spans = append(spans, o.span())
			}
		}
	case p.kind == aPrefix && p.status == "container":
		for _, o := range s.children(p) {
			spans = append(spans, o.span())
		}
	default:
		if p.kind == aRange {
			room = covered([]span{p.span()})
		} else if p.net.Addr().Is4() && p.net.Bits() < 31 && !p.pool {
			room.Sub(room, big.NewInt(2))
		}
		for _, o := range s.places {
			if o.table == p.table && (o.kind == anAddress || o.kind == aRange && p.kind == aPrefix) && p.holds(o) {
				spans = append(spans, o.span())
			}
		}
	}
	percent, _ := new(big.Rat).SetFrac(new(big.Int).Mul(covered(spans), big.NewInt(100)), room).Float64()
	return min(percent, 100)
}

// holds says whether an address, or both ends of a range, lie in a prefix or a range.
func (p place) holds(o place) bool {
	if p.kind == aRange {
		return p.net.Addr().Compare(o.net.Addr()) <= 0 && o.net.Addr().Compare(p.end.Addr()) <= 0
	}
	return p.net.Contains(o.net.Addr()) && (o.kind != aRange || p.net.Contains(o.end.Addr()))
}

// freeAddresses are the lowest free addresses of a prefix or a range.
func (s *space) freeAddresses(p place, most int) []netip.Prefix {
	free := []netip.Prefix{}
	first, last := p.net.Addr(), p.end.Addr()
	if p.kind == aPrefix {
		if p.full {
			return free
		}
		last = lastOf(p.net)
		if four := first.Is4(); !p.pool && (four && p.net.Bits() < 31 || !four && p.net.Bits() < 127) {
			first = first.Next()
			if four {
				last = last.Prev()
			}
		}
	}
	var taken []place
	for _, o := range s.places {
		ours := o.table == p.table
		everywhere := p.kind == aPrefix && p.table == 0 && p.status == "container"
		if o.kind == anAddress && (ours || everywhere) || o.kind == aRange && p.kind == aPrefix && ours && p.holds(o) {
			taken = append(taken, o)
		}
	}
	for a := first; a.IsValid() && a.Compare(last) <= 0 && len(free) < most; a = a.Next() {
		i := slices.IndexFunc(taken, func(o place) bool {
			return o.net.Addr() == a || o.kind == aRange && o.net.Addr().Compare(a) <= 0 && a.Compare(o.end.Addr()) <= 0
		})
		if i < 0 {
			free = append(free, netip.PrefixFrom(a, p.net.Bits()))
		} else if taken[i].kind == aRange {
			a = taken[i].end.Addr()
		}
	}
	return free
}

// freeNetworks is a network less some others, as the fewest and largest blocks.
func freeNetworks(n netip.Prefix, taken []netip.Prefix) []netip.Prefix {
	free := []netip.Prefix{}
	inThere := slices.DeleteFunc(slices.Clone(taken), func(t netip.Prefix) bool { return !t.Overlaps(n) })
	if len(inThere) == 0 {
		return append(free, n)
	}
	if slices.ContainsFunc(inThere, func(t netip.Prefix) bool { return t.Bits() <= n.Bits() }) {
		return free
	}
	low := netip.PrefixFrom(n.Addr(), n.Bits()+1)
	high := netip.PrefixFrom(lastOf(low).Next(), n.Bits()+1)
	return append(freeNetworks(low, inThere), freeNetworks(high, inThere)...)
}

// takeNetworks gives out the lowest free network of each length, one after the other, and says whether there was room.
func (s *space) takeNetworks(p place, lengths []int) (given []netip.Prefix, room bool) {
	var taken []netip.Prefix
	for _, o := range s.children(p) {
		taken = append(taken, o.net)
	}
	for _, length := range lengths {
		i := slices.IndexFunc(freeNetworks(p.net, taken), func(n netip.Prefix) bool { return n.Bits() <= length })
		if i < 0 {
			return nil, false
		}
		n := netip.PrefixFrom(freeNetworks(p.net, taken)[i].Addr(), length)
		given, taken = append(given, n), append(taken, n)
	}
	return given, true
}
