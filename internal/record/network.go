package record

import (
	"net/netip"
	"regexp"
	"strings"
)

// Network is an IP network of either family: 192.0.2.0/24. It may be null, unless it is required. Without a length it is a single
// address.
type Network struct {
	Name, Label, Help string
	Required          bool
	Unique            bool // any number of records may have null
	CutHostBits       bool // 192.0.2.7/24 becomes 192.0.2.0/24 instead of being refused
}

// Address is an IP address of either family with the length of its network: 192.0.2.7/24. It may be null, unless it is
// required. Without a length it is a single address. Lists are ordered by the host, whatever the length.
type Address struct {
	Name, Label, Help string
	Required          bool
	Unique            bool // address and length together; any number of records may have null
}

var (
	_ Explained = Network{}
	_ Compared  = Network{}
	_ Explained = Address{}
	_ Compared  = Address{}

	_ FoundByValue = Network{}
	_ FoundByValue = Address{}
	_ Begins       = Address{}
)

// beginsAddress is what the beginning of an address looks like: up to four digits, and what can follow them. Letters alone are more often
// part of a name.
var beginsAddress = regexp.MustCompile(`(?i)^(?:[0-9]{1,4}|[0-9a-f]{0,4}[.:][0-9a-f.:/]*)$`)

// MayBegin implements Begins.
func (f Address) MayBegin(text string) bool { return beginsAddress.MatchString(text) }

// HowWritten implements Explained.
func (f Network) HowWritten() string { return "Such as 192.0.2.0/24 or 2001:db8::/32." }

func (f Network) Info() Info { return netInfo(f.Name, f.Label, f.Help, f.Required, f.Unique) }
func (f Network) Column() Column {
	return Column{Name: f.Name, Storage: StoreNetwork, Null: !f.Required}
}

func (f Network) Parse(in any) (any, error) {
	return parseOrNull(in, !f.Required, func(s string) (any, error) {
		p, ok := parseNet(s)
		switch {
		case !ok:
			return nil, Invalid("Enter an IP network, such as 192.0.2.0/24 or 2001:db8::/32.")
		case p.Bits() == 0:
			return nil, errWhole
		case p != p.Masked() && !f.CutHostBits:
			return nil, Invalid("%s is an address within a network. Did you mean %s?", p, p.Masked())
		}
		return p.Masked().String(), nil
	})
}

func (f Network) ParseText(s string) (any, error) { return netText(s) }

// Sought implements FoundByValue: an address or a network finds also the networks that contain it.
func (f Network) Sought(text string) (Predicate, bool) {
	if _, ok := parseNet(text); !ok {
		return Predicate{}, false
	}
	p, err := f.Test(NetContainsEqual, []string{text})
	return p, err == nil
}

func (f Network) Append(dst []byte, v any, _ *Printer) []byte { return AppendValue(dst, v) }
func (f Network) Schema() Schema                              { return nullable(Schema{"type": "string"}, !f.Required) }
func (f Network) InputSchema() Schema                         { return f.Schema() }

// HowWritten implements Explained.
func (f Address) HowWritten() string { return "Such as 192.0.2.7/24 or 2001:db8::7/64." }

func (f Address) Info() Info { return netInfo(f.Name, f.Label, f.Help, f.Required, f.Unique) }
func (f Address) Column() Column {
	return Column{Name: f.Name, Storage: StoreAddress, Null: !f.Required,
		Key: Key{Name: f.Name + "_key", Storage: StoreAddress, From: HostKey}}
}

func (f Address) Parse(in any) (any, error) {
	return parseOrNull(in, !f.Required, func(s string) (any, error) {
		p, ok := parseNet(s)
		switch {
		case !ok:
			return nil, Invalid("Enter an IP address with the length of its network, such as 192.0.2.7/24 or 2001:db8::7/64.")
		case p.Bits() == 0:
			return nil, errWhole
		}
		return p.String(), nil
	})
}

func (f Address) ParseText(s string) (any, error) { return netText(s) }

func (f Address) Sought(text string) (Predicate, bool)        { return soughtAs(f, text) }
func (f Address) Append(dst []byte, v any, _ *Printer) []byte { return AppendValue(dst, v) }
func (f Address) Schema() Schema                              { return nullable(Schema{"type": "string"}, !f.Required) }
func (f Address) InputSchema() Schema                         { return f.Schema() }

var errWhole = Invalid("The length 0 is refused: it means every address there is.")

func netInfo(name, given, help string, required, unique bool) Info {
	return Info{Name: name, Label: label(given, name), Help: help, Type: "string", Required: required, Null: !required,
		Unique: unique, NullsDiffer: unique && !required, Widget: TextLine}
}

// netText parses the value of a test.
func netText(s string) (any, error) {
	p, ok := parseNet(s)
	if !ok {
		return nil, Invalid("%.100q is not an IP address or network.", s)
	}
	return p.String(), nil
}

// parseNet parses a network, or an address with the length of its network.
func parseNet(s string) (netip.Prefix, bool) {
	s = strings.TrimSpace(s)
	if p, err := netip.ParsePrefix(s); err == nil {
		return p, true
	}
	addr, err := netip.ParseAddr(s)
	if err != nil || addr.Zone() != "" {
		return netip.Prefix{}, false
	}
	return single(addr), true
}

// single returns the network of one address.
func single(addr netip.Addr) netip.Prefix { return netip.PrefixFrom(addr, addr.BitLen()) }

// last returns the highest address of a network, as a network of one address.
func last(p netip.Prefix) netip.Prefix { return single(LastAddress(p)) }

// LastAddress returns the highest address of a network.
func LastAddress(p netip.Prefix) netip.Addr {
	raw := p.Masked().Addr().AsSlice()
	for bit := p.Bits(); bit < len(raw)*8; bit++ {
		raw[bit/8] |= 1 << (7 - bit%8)
	}
	addr, _ := netip.AddrFromSlice(raw)
	return addr
}

// around are some networks and all that contain them, each once. different is how many of the given ones are.
func around(innermost []netip.Prefix) (nets []any, different int) {
	seen := map[netip.Prefix]bool{}
	given := map[netip.Prefix]bool{}
	for _, p := range innermost {
		given[p.Masked()] = true
		for bits := p.Bits(); bits >= 0; bits-- {
			net := netip.PrefixFrom(p.Addr(), bits).Masked()
			if seen[net] { // and so are those that contain it
				break
			}
			seen[net] = true
			nets = append(nets, net.String())
		}
	}
	return nets, len(given)
}
