package egress

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Policy says which addresses may be dialled. The zero value allows public addresses only,
// at any port.
type Policy struct {
	listed []listed
	preset string // the words of the default, if the administrator chose nothing
	own    []own  // dialled only if an entry has their port
}

// listed is one entry of the administrator's list.
type listed struct {
	network netip.Prefix
	port    uint16 // 0: every port
}

func (l listed) String() string {
	if l.port == 0 {
		return l.network.String()
	}
	if l.network.Addr().Is6() {
		return fmt.Sprintf("[%s]/%d:%d", l.network.Addr(), l.network.Bits(), l.port)
	}
	return fmt.Sprintf("%s:%d", l.network, l.port)
}

// none is the list of an administrator who allows public addresses only.
const none = "none"

// The words that stand for networks in a list.
const (
	privateWord  = "private"
	loopbackWord = "loopback"
)

// words are the networks of each word.
var words = map[string][]netip.Prefix{
	privateWord:  networks("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"),
	loopbackWord: networks("127.0.0.0/8", "::1/128"),
}

// ParsePolicy reads a list of what may be dialled in addition to public addresses, separated by commas: the words private and
// loopback, and networks, each optionally with a port: "private,127.0.0.1/32:9000,[::1]/128:9000". An address without a
// prefix length is a network of one. An empty list, or the word none alone, allows nothing else.
func ParsePolicy(text string) (Policy, error) {
	var p Policy
	if text = strings.TrimSpace(text); text == "" || text == none {
		return p, nil
	}
	for i, entry := range strings.Split(text, ",") {
		entry = strings.TrimSpace(entry)
		if named, isWord := words[entry]; isWord {
			p.list(named)
			continue
		}
		parsed, err := parseListed(entry)
		if err != nil {
			return Policy{}, fmt.Errorf("entry %d, %q, %w", i+1, entry, err)
		}
		p.listed = append(p.listed, parsed)
	}
	return p, nil
}

// list adds networks, at every port.
func (p *Policy) list(networks []netip.Prefix) {
	for _, network := range networks {
		p.listed = append(p.listed, listed{network, 0})
	}
}

// UnmarshalText is ParsePolicy for a struct of settings.
func (p *Policy) UnmarshalText(text []byte) error {
	parsed, err := ParsePolicy(string(text))
	if err != nil {
		return err
	}
	*p = parsed
	return nil
}

// String returns the list in the form that ParsePolicy reads.
func (p Policy) String() string {
	entries := make([]string, len(p.listed))
	for i, entry := range p.listed {
		entries[i] = entry.String()
	}
	return strings.Join(entries, ",")
}

var errNoNetwork = errors.New("is not a network: write 10.0.0.0/8, or with a port 127.0.0.1/32:9000 or [::1]/128:9000, " +
	"or one of the words private, loopback and none")

func parseListed(text string) (listed, error) {
	switch {
	case text == none:
		return listed{}, errors.New("allows no network: remove it, or the other entries")
	case strings.HasPrefix(text, "localhost"):
		return listed{}, errors.New("is a name: write its addresses, such as 127.0.0.1/32:9000,[::1]/128:9000")
	}
	// rest becomes what follows the address: "", "/8", ":9000" or "/8:9000".
	addr, rest := text, ""
	if inner, bracketed := strings.CutPrefix(text, "["); bracketed {
		var closed bool
		if addr, rest, closed = strings.Cut(inner, "]"); !closed {
			return listed{}, errNoNetwork
		}
	} else if i := strings.IndexByte(text, '/'); i >= 0 {
		addr, rest = text[:i], text[i:]
	} else if strings.Count(text, ":") == 1 {
		i := strings.IndexByte(text, ':')
		addr, rest = text[:i], text[i:]
	}
	bits, portText, hasPort := strings.Cut(rest, ":")
	network, err := parseNetwork(addr, bits)
	if err != nil {
		return listed{}, err
	}
	var port uint64
	if hasPort {
		if port, err = strconv.ParseUint(portText, 10, 16); err != nil || port == 0 {
			return listed{}, errors.New("has no valid port: write one from 1 to 65535, as in 127.0.0.1/32:9000")
		}
	}
	return listed{network, uint16(port)}, nil
}

func parseNetwork(addr, bits string) (netip.Prefix, error) {
	first, err := netip.ParseAddr(addr)
	if err != nil || first.Zone() != "" {
		return netip.Prefix{}, errNoNetwork
	}
	network := netip.PrefixFrom(first, first.BitLen())
	if bits != "" {
		if network, err = netip.ParsePrefix(addr + bits); err != nil {
			return netip.Prefix{}, errNoNetwork
		}
	}
	network = network.Masked()
	if as4, translated := translate(network.Addr()); translated && network.Bits() >= 96 {
		return netip.Prefix{}, fmt.Errorf("is judged as IPv4: write %s/%d", as4, network.Bits()-96)
	}
	if reason := never(network.Addr()); reason != "" && reason == never(last(network)) {
		return netip.Prefix{}, fmt.Errorf("is %s and never allowed: remove it", reason)
	}
	return network, nil
}

func last(network netip.Prefix) netip.Addr {
	b := network.Addr().AsSlice()
	for i := network.Bits(); i < len(b)*8; i++ {
		b[i/8] |= 0x80 >> (i % 8)
	}
	addr, _ := netip.AddrFromSlice(b) // the length was checked before
	return addr
}

// listsPort reports whether an entry with exactly the port lists the address.
func (p Policy) listsPort(to netip.AddrPort) bool {
	return slices.ContainsFunc(p.listed, func(l listed) bool { return l.port == to.Port() && l.network.Contains(to.Addr()) })
}

// lists reports whether the administrator lists the address, and whether only at another port.
func (p Policy) lists(to netip.AddrPort) (allowed, elsewhere bool) {
	allowed = slices.ContainsFunc(p.listed, func(l listed) bool {
		if !l.network.Contains(to.Addr()) {
			return false
		}
		elsewhere = true
		return l.port == 0 || l.port == to.Port()
	})
	return allowed, elsewhere
}
