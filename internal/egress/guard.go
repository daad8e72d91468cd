package egress

import (
	"context"
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
	remedy string // "" if nothing allows it
}

func (r *Refused) Error() string {
	text := r.Addr.Addr().WithZone("").String() + " " + r.reason
	if r.remedy != "" {
		text += "; " + r.remedy + " to allow it"
	}
	return text
}

// Remedy returns the setting that allows the address, "" if none does.
func (r *Refused) Remedy() string { return r.remedy }

// public knows the registries of special addresses. It checks addresses only: a webhook may use any port.
var public = ssrf.New(ssrf.WithAnyPort())

// Allows returns nil or a *Refused that says what the administrator can do about it. It is the one place that decides: what dials,
// and what only says what would happen, ask it. The context bounds lookups of Terrier's own names, and is rarely needed.
func (p Policy) Allows(ctx context.Context, to netip.AddrPort) error {
	addr := to.Addr()
	if addr.Zone() != "" {
		return &Refused{to, "has a zone and is never allowed", ""}
	}
	shown := ""
	if as4, translated := translate(addr); translated {
		addr, shown = as4, fmt.Sprintf("means %s, which ", as4)
	}
	if reason := never(addr); reason != "" {
		return &Refused{to, fmt.Sprintf("%sis %s and never allowed", shown, reason), ""}
	}
	meant := netip.AddrPortFrom(addr, to.Port())
	exact := listed{netip.PrefixFrom(addr, addr.BitLen()), to.Port()}.String()
	if p.listsPort(meant) {
		return nil
	}
	switch reason, doubtful := p.isOwn(ctx, meant); {
	case doubtful:
		return &Refused{to, shown + reason, p.remedy(exact, "")}
	case reason != "":
		return &Refused{to, shown + reason, ""} // what would open it is in the documentation only
	}
	allowed, elsewhere := p.lists(meant)
	switch {
	case allowed, public.SafeAddr(addr) == nil:
		return nil
	case elsewhere:
		return &Refused{to, shown + "is allowed at other ports only", p.remedy(exact, "")}
	}
	return &Refused{to, shown + "is not a public address", p.remedy(fmt.Sprintf("%s/%d", addr, addr.BitLen()), " (or its network)")}
}

// remedy returns what to do with TERRIER_EGRESS_ALLOW so that it has another entry. The default is no longer in force when it is set.
func (p Policy) remedy(entry, or string) string {
	switch {
	case p.preset != "":
		return fmt.Sprintf("set TERRIER_EGRESS_ALLOW=%s,%s%s", p.preset, entry, or)
	case len(p.listed) == 0:
		return fmt.Sprintf("set TERRIER_EGRESS_ALLOW=%s%s", entry, or)
	}
	return fmt.Sprintf("add %s%s to TERRIER_EGRESS_ALLOW", entry, or)
}

// control is for net.Dialer.ControlContext. It is called with the address of the next connect system call: names are
// resolved by then, and nothing can change the address any more.
func (p Policy) control(ctx context.Context, network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp4" && network != "tcp6" {
		return &Refused{to, "is not a TCP address and never allowed", ""}
	}
	return p.Allows(ctx, to)
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
		if contains(metadata, a) {
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

func contains(networks []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(addr) })
}

func networks(texts ...string) []netip.Prefix {
	parsed := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		parsed[i] = netip.MustParsePrefix(text)
	}
	return parsed
}
