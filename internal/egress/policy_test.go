package egress

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParsePolicy(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"", ""},
		{" ", ""},
		{"none", ""},
		{"private", "10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,fc00::/7"},
		{"loopback", "127.0.0.0/8,::1/128"},
		{"loopback, 10.1.2.3", "127.0.0.0/8,::1/128,10.1.2.3/32"},
		{"10.0.0.0/8", "10.0.0.0/8"},
		{"10.1.2.3/8", "10.0.0.0/8"},
		{"10.1.2.3", "10.1.2.3/32"},
		{"10.1.2.3:9000", "10.1.2.3/32:9000"},
		{"127.0.0.1/32:9000,[::1]/128:9000,10.0.0.0/8", "127.0.0.1/32:9000,[::1]/128:9000,10.0.0.0/8"},
		{" 10.0.0.0/8 , fd00::/8 ", "10.0.0.0/8,fd00::/8"},
		{"::1", "::1/128"},
		{"[::1]", "::1/128"},
		{"[::1]:9000", "[::1]/128:9000"},
		{"fd00::/8:443", "[fd00::]/8:443"},
		{"0.0.0.0/0,::/0", "0.0.0.0/0,::/0"},
		{"64:ff9b:1::/48", "64:ff9b:1::/48"},
	} {
		p, err := ParsePolicy(tc.text)
		if err != nil || p.String() != tc.want {
			t.Errorf("%q: %s, %v, want %s", tc.text, p, err, tc.want)
		}
		var u Policy
		if err := u.UnmarshalText([]byte(p.String())); err != nil || u.String() != tc.want {
			t.Errorf("%q read again: %s, %v", p, u, err)
		}
	}
}

func TestParsePolicyRefuses(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"", `entry 2, "", is not a network: write 10.0.0.0/8, or with a port 127.0.0.1/32:9000 or [::1]/128:9000`},
		{"10.0.0.0/33", "not a network"},
		{"10.0.0/8", "not a network"},
		{"10.0.0.0/8/8", "not a network"},
		{"10.0.0.0/+8", "not a network"},
		{"010.0.0.0/8", "not a network"},
		{"intranet.example", "not a network"},
		{"[::1", "not a network"},
		{"[::1]x", "not a network"},
		{"[fe80::1%eth0]", "not a network"},
		{"::1/129", "not a network"},
		{"http://10.0.0.1", "not a network"},
		{"10.0.0.0-10.0.0.9", "not a network"},
		{"*", "not a network"},
		{"Private", "one of the words private, loopback and none"},
		{"private:9000", "not a network"},
		{"none", "allows no network"},
		{"localhost:9000", "write its addresses, such as 127.0.0.1/32:9000,[::1]/128:9000"},
		{"10.0.0.0/8:", "port"},
		{"10.0.0.0/8:0", "port"},
		{"10.0.0.0/8:65536", "port"},
		{"10.0.0.0/8:http", "port"},
		{"10.0.0.0/8:80:81", "port"},
		{"::ffff:10.0.0.0/104", "write 10.0.0.0/8"},
		{"64:ff9b::a00:0/104", "write 10.0.0.0/8"},
		{"169.254.169.254", "a cloud metadata address and never allowed"},
		{"fd00:ec2::/32", "a cloud metadata address and never allowed"},
		{"169.254.0.0/16", "a link-local address and never allowed"},
		{"fe80::/10", "a link-local address and never allowed"},
		{"224.0.0.0/4", "a multicast address and never allowed"},
		{"0.0.0.0", "the unspecified address and never allowed"},
		{"2002::/16", "6to4 and never allowed"},
	} {
		p, err := ParsePolicy("192.168.0.0/16," + tc.text)
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), "entry 2, ") || p.listed != nil {
			t.Errorf("%q: %s, %v, want %q", tc.text, p, err, tc.want)
		}
	}
}

func TestAllows(t *testing.T) {
	const ok = ""
	for _, tc := range []struct{ policy, addr, want string }{
		{"", "8.8.8.8:80", ok},
		{"", "8.8.8.8:22", ok},
		{"", "[2606:4700::1111]:443", ok},
		{"", "[64:ff9b::808:808]:443", ok},
		{"", "10.1.2.3:80", "10.1.2.3 is not a public address; set TERRIER_EGRESS_ALLOW=10.1.2.3/32 (or its network) to allow it"},
		{"", "[fd12::1]:80", "fd12::1 is not a public address; set TERRIER_EGRESS_ALLOW=fd12::1/128 (or its network) to allow it"},
		{"", "[64:ff9b::a01:203]:80",
			"64:ff9b::a01:203 means 10.1.2.3, which is not a public address; set TERRIER_EGRESS_ALLOW=10.1.2.3/32 (or its network) to allow it"},
		{"none", "10.1.2.3:80", "10.1.2.3 is not a public address; set TERRIER_EGRESS_ALLOW=10.1.2.3/32 (or its network) to allow it"},
		{"192.0.2.0/24", "10.1.2.3:80", "10.1.2.3 is not a public address; add 10.1.2.3/32 (or its network) to TERRIER_EGRESS_ALLOW to allow it"},
		{"", "169.254.169.254:80", "169.254.169.254 is a cloud metadata address and never allowed"},

		{"10.0.0.0/8", "10.1.2.3:80", ok},
		{"10.0.0.0/8", "10.1.2.3:9000", ok},
		{"10.0.0.0/8", "[::ffff:10.1.2.3]:80", ok},
		{"10.0.0.0/8", "[64:ff9b::a01:203]:80", ok},
		{"10.0.0.0/8", "8.8.8.8:80", ok},
		{"10.0.0.0/8", "11.1.2.3:80", ok},
		{"10.0.0.0/8", "192.168.1.1:80", "not a public address"},
		{"10.0.0.0/8", "[2002:a01:203::]:80", "6to4 and never allowed"},
		{"10.0.0.0/8", "[::10.1.2.3]:80", "IPv4-compatible IPv6 and never allowed"},
		{"10.0.0.0/8", "[64:ff9b:1::a01:203]:80", "not a public address"},

		{"127.0.0.1/32:9000", "127.0.0.1:9000", ok},
		{"127.0.0.1/32:9000", "127.0.0.1:9001",
			"127.0.0.1 is allowed at other ports only; add 127.0.0.1/32:9001 to TERRIER_EGRESS_ALLOW to allow it"},
		{"127.0.0.1/32:9000", "127.0.0.2:9000", "not a public address"},
		{"127.0.0.1/32:9000", "[::1]:9000", "not a public address"},
		{"127.0.0.1/32:9000,127.0.0.0/8:9001", "127.0.0.1:9001", ok},
		{"[::1]/128:9000", "[::1]:9000", ok},
		{"[::1]/128:9000", "[::1]:9001", "add [::1]/128:9001 to"},
		{"[::1]/128:9000", "127.0.0.1:9000", "not a public address"},
		{"8.8.8.8/32:443", "8.8.8.8:80", ok}, // a list adds to what is allowed and takes nothing away
		{"64:ff9b:1::/48", "[64:ff9b:1::a01:203]:80", ok},
		{"64:ff9b:1::/48", "[64:ff9b:1::a9fe:a9fe]:80", "metadata"},
		{"64:ff9b:1::/48", "[64:ff9b:1:a9fe:a9:fe00::]:80", "metadata"},
		{"240.0.0.0/4", "240.0.0.1:80", ok},
	} {
		err := mustPolicy(tc.policy).Allows(context.Background(), netip.MustParseAddrPort(tc.addr))
		if (err == nil) != (tc.want == ok) || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q %s: %v, want %q", tc.policy, tc.addr, err, tc.want)
		}
		if refused, is := errors.AsType[*Refused](err); is != (err != nil) || is && refused.Addr != netip.MustParseAddrPort(tc.addr) {
			t.Errorf("%q %s: %#v", tc.policy, tc.addr, err)
		}
	}
}

// Some addresses are never dialled, whatever the list contains.
func TestNeverAllowed(t *testing.T) {
	p := mustPolicy("0.0.0.0/0,::/0,169.254.0.0/15,fd00::/8,100.64.0.0/10,168.63.129.0/24")
	for _, addr := range []string{
		"169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.169.123", "169.254.1.1", "100.100.100.200", "168.63.129.16",
		"192.0.0.192", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:42::42", "fd00:c1::a9fe:a9fe", "fe80::a9fe:a9fe",
		"::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "64:ff9b::6464:64c8", "64:ff9b::a83f:8110", "2002:a9fe:a9fe::1", "::a9fe:a9fe",
		"2001:0:a9fe:a9fe::", "::ffff:0:a9fe:a9fe", "0.0.0.0", "::", "::ffff:0.0.0.0", "64:ff9b::", "255.255.255.255", "224.0.0.1",
		"ff02::1", "fe80::1", "fe80::1%eth0", "fd12::1%eth0", "::1%lo", "2002:808:808::", "2001:0:808:808::", "::8.8.8.8",
	} {
		err := p.Allows(context.Background(), netip.AddrPortFrom(netip.MustParseAddr(addr), 80))
		if err == nil || !strings.Contains(err.Error(), "never allowed") {
			t.Errorf("%s: %v", addr, err)
		}
	}
	for _, addr := range []string{"127.0.0.1", "10.0.0.1", "fd12::1", "::1", "192.0.2.1", "8.8.8.8"} {
		if err := p.Allows(context.Background(), netip.AddrPortFrom(netip.MustParseAddr(addr), 80)); err != nil {
			t.Error(err)
		}
	}
	if p.Allows(context.Background(), netip.AddrPort{}) == nil {
		t.Error("no address is allowed")
	}
}

// Only TCP is dialled, and only to addresses.
func TestControl(t *testing.T) {
	for _, tc := range []struct {
		network, address string
		allowed          bool
	}{
		{"tcp4", "8.8.8.8:80", true},
		{"tcp6", "[2606:4700::1111]:80", true},
		{"udp4", "8.8.8.8:80", false},
		{"unix", "/run/docker.sock", false},
		{"tcp4", "8.8.8.8", false},
		{"tcp4", "dns.google:80", false},
		{"tcp6", "[fe80::1%eth0]:80", false},
	} {
		if err := (Policy{}).control(t.Context(), tc.network, tc.address, nil); (err == nil) != tc.allowed {
			t.Errorf("%s %s: %v", tc.network, tc.address, err)
		}
	}
}

// An IPv4 address is judged the same in every form that reaches it, and no form that contains a refused one is
// allowed.
func TestFormsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := [4]byte(rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "address"))
		if rapid.Bool().Draw(t, "special") {
			b = rapid.SampledFrom([]netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("10.9.8.7"),
				netip.MustParseAddr("169.254.169.254")}).Draw(t, "of").As4()
		}
		p := mustPolicy(rapid.SampledFrom([]string{"", "10.0.0.0/8", "0.0.0.0/0", "private", "loopback"}).Draw(t, "policy"))
		allows := func(addr netip.Addr) bool { return p.Allows(context.Background(), netip.AddrPortFrom(addr, 80)) == nil }
		form := func(prefix string, at int, flip byte) netip.Addr {
			to := netip.MustParseAddr(prefix).As16()
			for i := range b {
				to[at+i] = b[i] ^ flip
			}
			return netip.AddrFrom16(to)
		}
		plain := allows(netip.AddrFrom4(b))
		for _, same := range []netip.Addr{form("::ffff:0:0", 12, 0), form("64:ff9b::", 12, 0)} {
			if allows(same) != plain {
				t.Fatalf("%s: %v, but %v is %v", same, !plain, netip.AddrFrom4(b), plain)
			}
		}
		for _, other := range []netip.Addr{
			form("2002::1", 2, 0), form("2001::", 4, 0), form("2001::", 12, 0xff), form("::", 12, 0), form("::ffff:0:0:0", 12, 0),
			form("64:ff9b:1::", 12, 0),
		} {
			if allows(other) {
				t.Fatalf("%s is allowed", other)
			}
		}
	})
}
