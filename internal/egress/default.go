package egress

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Site is what the default policy depends on: where Terrier itself is.
type Site struct {
	BaseURL   string
	Endpoints []Endpoint
}

// Endpoint is where a part of Terrier, or what it relies on, listens.
type Endpoint struct {
	Name string // as a message calls it, such as "Terrier's database"
	Host string // a name or an address; "", an unspecified address or the path of a Unix socket mean every address of this machine
	Port string // a number, or the name of a service
}

// NewPolicy reads TERRIER_EGRESS_ALLOW. If it is set, it is the whole list. If not, private networks may be dialled, and loopback while the
// host of the base URL is loopback, as in a trial on one's own machine. The endpoints of the site are dialled only if an entry of the list
// has exactly their port: a whole network is not meant to open the database.
func NewPolicy(allow string, site Site) (Policy, error) {
	preset := ""
	if strings.TrimSpace(allow) == "" {
		preset = privateWord
		if base, err := url.Parse(site.BaseURL); err == nil && isLoopback(base.Hostname()) {
			preset += "," + loopbackWord
		}
		allow = preset
	}
	p, err := ParsePolicy(allow)
	if err != nil {
		return p, err
	}
	p.preset = preset
	for _, e := range site.Endpoints {
		if port, err := net.LookupPort("tcp", e.Port); err == nil && port > 0 {
			p.own = append(p.own, own{e.Name, e.Host, uint16(port), net.DefaultResolver.LookupNetIP})
		}
	}
	return p, nil
}

// localhost are the addresses of that name, which no name server needs to be asked for.
var localhost = []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.IPv6Loopback()}

func isLocalhost(host string) bool {
	return strings.EqualFold(strings.TrimSuffix(host, "."), "localhost")
}

// isLoopback reports whether a host is loopback, as far as that is known without a lookup.
func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return isLocalhost(host) || err == nil && addr.Unmap().IsLoopback()
}

// own is an endpoint of the site.
type own struct {
	name   string
	host   string
	port   uint16
	lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// maxOwnLookup is how long the addresses of an own name are waited for.
const maxOwnLookup = 2 * time.Second

// isOwn returns why an address is not dialled because the site itself is there, or "". If that is only possible, because what listens at
// every address of its machine may be at this one too, doubtful is true. Names are looked up each time, since a database moves; but only
// for an address with the same port.
func (p Policy) isOwn(ctx context.Context, to netip.AddrPort) (reason string, doubtful bool) {
	for _, o := range p.own {
		if o.port != to.Port() {
			continue
		}
		certain, possible, err := o.is(ctx, to.Addr())
		switch {
		case err != nil:
			return "may be an address of " + o.name + ", which can't be looked up, and has its port: no webhook may reach that", false
		case certain:
			return "is an address of " + o.name + ", which no webhook may reach", false
		case possible:
			return "has the port of " + o.name + ", which may be there on another machine", true
		}
	}
	return "", false
}

// is reports whether an endpoint is at an address. What listens at one address of this machine may listen at all of them. Servers on
// other machines have the same settings: so it is possible that what listens at every address of its machine is at any private address.
func (o own) is(ctx context.Context, at netip.Addr) (certain, possible bool, err error) {
	here := ofThisMachine()
	if strings.HasPrefix(o.host, "/") || strings.HasPrefix(o.host, "@") { // a Unix socket
		return here(at), false, nil
	}
	addrs, err := o.addresses(ctx)
	if err != nil {
		return false, false, err
	}
	for _, addr := range addrs {
		switch {
		case addr == at, (addr.IsUnspecified() || here(addr)) && here(at):
			return true, false, nil
		case addr.IsUnspecified() && contains(words[privateWord], at):
			possible = true
		}
	}
	return false, possible, nil
}

func (o own) addresses(ctx context.Context) ([]netip.Addr, error) {
	if o.host == "" {
		return []netip.Addr{netip.IPv6Unspecified()}, nil
	}
	addr, err := netip.ParseAddr(o.host)
	addrs := []netip.Addr{addr}
	switch {
	case err == nil:
	case isLocalhost(o.host):
		addrs = localhost
	default:
		ctx, cancel := context.WithTimeout(ctx, maxOwnLookup)
		defer cancel()
		if addrs, err = o.lookup(ctx, "ip", o.host); err != nil {
			return nil, err
		}
	}
	meant := make([]netip.Addr, len(addrs))
	for i, addr := range addrs {
		meant[i], _ = translate(addr.WithZone(""))
	}
	return meant, nil
}

// ofThisMachine returns a function that reports whether an address belongs to this machine. Without a list of them only loopback does.
func ofThisMachine() func(netip.Addr) bool {
	found, _ := net.InterfaceAddrs() // the kernel refuses it in some sandboxes
	var here []netip.Addr
	for _, one := range found {
		if network, err := netip.ParsePrefix(one.String()); err == nil {
			here = append(here, network.Addr().WithZone(""))
		}
	}
	return func(addr netip.Addr) bool { return addr.IsLoopback() || slices.Contains(here, addr) }
}
