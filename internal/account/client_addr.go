package account

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Proxies are the networks of the reverse proxies in front of the service. What they say about the client's address
// is trusted.
type Proxies []netip.Prefix

// ParseProxies reads addresses and networks.
func ParseProxies(list []string) (Proxies, error) {
	var proxies Proxies
	for _, text := range list {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			addr, err := netip.ParseAddr(text)
			if err != nil {
				return nil, fmt.Errorf("trusted proxy %q is neither an address nor a network", text)
			}
			addr = plainAddr(addr)
			prefix = netip.PrefixFrom(addr, addr.BitLen())
		}
		if prefix.Addr().Is4In6() {
			return nil, fmt.Errorf("trusted proxy %q: write the network as IPv4", text)
		}
		proxies = append(proxies, prefix.Masked())
	}
	return proxies, nil
}

// loopback is the address of peers that need none.
var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// ClientAddr returns the address that a request came from: remote is the peer ("host:port" or "host"), forwardedFor
// the values of X-Forwarded-For in the order of the headers. Each proxy appends the address of its peer, so the list
// is read from the right, and only as far as our proxies wrote it: the client may have invented the rest.
func (p Proxies) ClientAddr(remote string, forwardedFor []string) netip.Addr {
	client, trusted := p.Peer(remote)
	if !trusted {
		return client
	}
	hops := strings.Split(strings.Join(forwardedFor, ","), ",")
	for _, hop := range slices.Backward(hops) {
		addr, ok := parseHost(strings.TrimSpace(hop))
		if !ok {
			// A proxy passed on garbage: client is the last address that is certain.
			return client
		}
		if client = addr; !p.contains(client) {
			return client
		}
	}
	return client
}

// Peer returns the address of the peer of a request, and whether it is one of the proxies.
//
// A peer without an address is on the other end of a Unix socket, on this machine. Only a proxy is let in there, so it
// is one of ours.
func (p Proxies) Peer(remote string) (peer netip.Addr, trusted bool) {
	peer, ok := parseHost(remote)
	if !ok {
		return loopback, true
	}
	return peer, p.contains(peer)
}

func (p Proxies) contains(addr netip.Addr) bool {
	return slices.ContainsFunc(p, func(prefix netip.Prefix) bool { return prefix.Contains(addr) })
}

// parseHost reads an address that may be followed by a port.
func parseHost(text string) (netip.Addr, bool) {
	if ap, err := netip.ParseAddrPort(text); err == nil {
		return plainAddr(ap.Addr()), true
	}
	addr, err := netip.ParseAddr(text)
	return plainAddr(addr), err == nil
}

// plainAddr returns the one form of an address that is compared, counted and shown.
func plainAddr(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }
