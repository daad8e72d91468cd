package fill

import (
	"context"
	"fmt"
	"net/netip"
	"strconv"
)

// The parts of a sample of networks. Nine in ten prefixes are inside 10.0.0.0/8 of the global table: a /16 has 256 /24, and each of them
// the first 13 of its 16 /28.
const (
	networkTables = 50 // VRFs
	each24        = 1 + 13
	each16        = 1 + 256*each24
	scatter       = 1_000_003 // a prime: rows are scattered over the table, so that a page of a tree is not one of the heap
	denseBits     = 16        // at most: the hosts of the dense network
	densePart     = 12        // the part of all addresses that is in it, one in so many
)

// Networks describes what Networks of a Generator makes.
type Networks struct {
	Prefixes, Addresses int
}

// Inside returns how many prefixes are inside 10.0.0.0/8.
func (n Networks) Inside() int { return n.Prefixes * 9 / 10 }

// Dense returns the network whose usable addresses are all taken but the last.
func (n Networks) Dense() netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10}), 32-n.denseBits())
}

// Wide returns a network that is no prefix yet, inside 10.0.0.0/8 and in front of the others, and how many prefixes it would contain. They
// are a part of those inside 10.0.0.0/8, and 10⁵ of 900,000.
func (n Networks) Wide() (net netip.Prefix, inside int) {
	bits := 15
	for bits > 9 && 1<<(16-bits+1) <= n.blocks()/7 {
		bits--
	}
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10}), bits), min(1<<(16-bits)*each16, n.Inside())
}

// blocks returns how many /16 are filled.
func (n Networks) blocks() int { return max(2, n.Inside()/each16) }

func (n Networks) denseBits() int {
	bits := 4
	for bits < denseBits && 1<<(bits+1) <= n.Addresses/densePart {
		bits++
	}
	return bits
}

// Networks adds routing tables, prefixes and addresses: at least 10,000 prefixes, with addresses for at most 254 in each /24.
func (g *Generator) Networks(ctx context.Context, n Networks) error {
	for _, x := range []struct {
		key    string
		n      int
		recipe Recipe
	}{
		{"ipam.vrf", networkTables, Recipe{"enforce_unique": func(Row) any { return false }}},
		{"ipam.role", fleetRoles, nil},
		{"ipam.prefix", n.Prefixes, g.prefixRecipe(n)},
		{"ipam.ipaddress", n.Addresses, Recipe{"vrf": null, "nat_inside": null, "status": text("active"), "role": null,
			"address": func(r Row) any { return n.address(r.I) }}},
	} {
		if err := g.Fill(ctx, g.store.Type(x.key), x.n, x.recipe); err != nil {
			return err
		}
	}
	return nil
}

func (g *Generator) prefixRecipe(n Networks) Recipe {
	status := func(r Row) any {
		if netip.MustParsePrefix(n.prefix(r.I)).Bits() < 24 {
			return "container"
		}
		return "active"
	}
	return Recipe{"prefix": func(r Row) any { return n.prefix(r.I) }, "status": status, "vlan": null, "site": null,
		"mark_utilized": func(Row) any { return false }, "is_pool": func(Row) any { return false },
		"vrf": func(r Row) any {
			if rest := r.I - n.Inside(); rest > 0 && rest%2 == 0 {
				return strconv.FormatInt(g.id(g.store.Type("ipam.vrf"), rest/2%networkTables), 10)
			}
			return nil
		}}
}

// prefix returns the i-th prefix. After those of the /8 come, in turns, /24 of the routing tables and /64 of the global one.
func (n Networks) prefix(i int) string {
	inside := n.Inside()
	if i < inside {
		at := i * scatter % inside
		block, in16 := at/each16, at%each16
		in24 := (in16 - 1) % each24
		switch {
		case in16 == 0:
			return fmt.Sprintf("10.%d.0.0/16", block)
		case in24 == 0:
			return fmt.Sprintf("10.%d.%d.0/24", block, (in16-1)/each24)
		}
		return fmt.Sprintf("10.%d.%d.%d/28", block, (in16-1)/each24, 16*(in24-1))
	}
	rest := i - inside
	switch {
	case rest == 0:
		return "10.0.0.0/8"
	case rest == 1:
		return "2001:db8::/32"
	case rest%2 == 0:
		at := rest / 2 / networkTables
		return fmt.Sprintf("172.%d.%d.0/24", 16+at/256, at%256)
	}
	return fmt.Sprintf("2001:db8:%x:%x::/64", rest/2>>8, rest/2&255)
}

// address returns the i-th address: those of the dense network, and then one after the other in the /24 of all /16 but the first.
func (n Networks) address(i int) string {
	dense := 1<<n.denseBits() - 3
	if i < dense {
		return fmt.Sprintf("10.0.%d.%d/%d", (i+1)>>8, (i+1)&255, 32-n.denseBits())
	}
	i -= dense
	all := (n.blocks() - 1) * 256
	at := i % all * scatter % all
	return fmt.Sprintf("10.%d.%d.%d/24", 1+at/256, at%256, 1+i/all)
}
