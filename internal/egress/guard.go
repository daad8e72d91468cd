package egress

import (
	"fmt"
	"net/netip"
	"slices"
	"syscall"

	"code.dny.dev/ssrf"
)

// Refused is the policy's refusal to dial an address.
type Refused struct {
	Addr   netip.AddrPort
	reason string
}

func (r *Refused) Error() string { return r.Addr.Addr().WithZone("").String() + " " + r.reason }

// public knows the registries of special addresses. It checks addresses only: a webhook may use any port.
var public = ssrf.New(ssrf.WithAnyPort())

// Allows returns nil or a *Refused that says what the administrator can do about it.
func (p Policy) Allows(to netip.AddrPort) error {
	addr := to.Addr()
	if addr.Zone() != "" {
		return &Refused{to, "has a zone and is never allowed"}
	}
	shown := ""
	if as4, translated := translate(addr); translated {
		addr, shown = as4, fmt.Sprintf("means %s, which ", as4)
	}
	if reason := never(addr); reason != "" {
		return &Refused{to, fmt.Sprintf("%sis %s and never allowed", shown, reason)}
	}
	allowed, elsewhere := p.lists(netip.AddrPortFrom(addr, to.Port()))
	switch {
	case allowed, public.SafeAddr(addr) == nil:
		return nil
	case elsewhere:
		entry := listed{netip.PrefixFrom(addr, addr.BitLen()), to.Port()}
		return &Refused{to, fmt.Sprintf("%sis allowed at other ports only; add %s to TERRIER_EGRESS_ALLOW to allow it", shown, entry)}
	}
	return &Refused{to, fmt.Sprintf("%sis not a public address; add %s/%d (or its network) to TERRIER_EGRESS_ALLOW to allow it", shown,
		addr, addr.BitLen())}
}

// control is for net.Dialer.Control. It is called with the address of the next connect system call: names are
// resolved by then, and nothing can change the address any more.
func (p Policy) control(network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp4" && network != "tcp6" {
		return &Refused{to, "is not a TCP address and never allowed"}
	}
	return p.Allows(to)
}

// metadata are the addresses at which clouds give credentials to any caller from inside. Most are link-local and
// would be refused anyway; they are listed for the message.
var metadata = networks(
	"169.254.169.254/32", "169.254.170.2/32", "169.254.170.23/32", // nearly all clouds; AWS tasks and pods
	"169.254.0.23/32", "169.254.42.42/32", // Tencent, Scaleway
	"100.100.100.200/32", // Alibaba
	// Azure's host agent, although the address is public
	"168.63.129.16/32",
	"192.0.0.192/32",                                                                       // Oracle, formerly
	"fd00:ec2::/32",                                                                        // AWS: all services of an instance
	"fd20:ce::254/128", "fd00:42::42/128", "fd00:c1::a9fe:a9fe/128", "fe80::a9fe:a9fe/128", // Google, Scaleway, Oracle, OpenStack
)

var broadcast = netip.AddrFrom4([4]byte{255, 255, 255, 255})

// never returns why an address may not be dialled whatever the administrator lists, or "".
func never(addr netip.Addr) string {
	carried, by := carries(addr)
	for _, a := range append(carried, addr) {
		if slices.ContainsFunc(metadata, func(n netip.Prefix) bool { return n.Contains(a) }) {
			return "a cloud metadata address"
		}
	}
	switch {
	case !addr.IsValid():
		return "not an address"
	case addr.IsUnspecified():
		return "the unspecified address" // Linux connects to the machine itself
	case addr.IsMulticast():
		return "a multicast address"
	case addr == broadcast:
		return "the broadcast address"
	case addr.IsLinkLocalUnicast():
		return "a link-local address" // there are more metadata services than these lists know
	case by != "" && by != localNAT64:
		return "an IPv4 address in the form of " + by
	}
	return ""
}

var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// translate returns the IPv4 address at which a packet to addr arrives: the mapped form is only a spelling, and the
// well-known NAT64 prefix is how a network without IPv4 reaches it.
func translate(addr netip.Addr) (netip.Addr, bool) {
	if !addr.Is4In6() && !nat64.Contains(addr) {
		return addr, false
	}
	b := addr.As16()
	return netip.AddrFrom4([4]byte(b[12:])), true
}

const localNAT64 = "local NAT64"

// carriers are the other networks whose addresses contain an IPv4 address, with the bytes that contain it. All but
// local NAT64 are obsolete and are used today to get past a guard. Local NAT64 may use several places, depending on
// its setup; the administrator may list it.
var carriers = []struct {
	network netip.Prefix
	name    string
	bytes   [][4]int
	flip    byte
}{
	{netip.MustParsePrefix("64:ff9b:1::/48"), localNAT64, [][4]int{{6, 7, 9, 10}, {7, 9, 10, 11}, {9, 10, 11, 12}, {12, 13, 14, 15}}, 0},
	{netip.MustParsePrefix("2002::/16"), "6to4", [][4]int{{2, 3, 4, 5}}, 0},
	{netip.MustParsePrefix("2001::/32"), "Teredo", [][4]int{{12, 13, 14, 15}}, 0xff},
	{netip.MustParsePrefix("2001::/32"), "Teredo", [][4]int{{4, 5, 6, 7}}, 0}, // its server
	{netip.MustParsePrefix("::/96"), "IPv4-compatible IPv6", [][4]int{{12, 13, 14, 15}}, 0},
	{netip.MustParsePrefix("::ffff:0:0:0/96"), "IPv4-translated IPv6", [][4]int{{12, 13, 14, 15}}, 0},
}

// carries returns the IPv4 addresses that an IPv6 address may contain, and by which form.
func carries(addr netip.Addr) (carried []netip.Addr, form string) {
	if !addr.Is6() || addr == netip.IPv6Loopback() {
		return nil, ""
	}
	from := addr.As16()
	for _, c := range carriers {
		if !c.network.Contains(addr) {
			continue
		}
		form = c.name
		for _, at := range c.bytes {
			var to [4]byte
			for i, n := range at {
				to[i] = from[n] ^ c.flip
			}
			carried = append(carried, netip.AddrFrom4(to))
		}
	}
	return carried, form
}

func networks(texts ...string) []netip.Prefix {
	parsed := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		parsed[i] = netip.MustParsePrefix(text)
	}
	return parsed
}
