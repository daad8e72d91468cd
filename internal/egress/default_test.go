package egress

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
)

// decide asks a policy about addresses of which each is followed by a part of the refusal, or by "" if it is allowed.
func decide(t *testing.T, p Policy, cases ...string) {
	t.Helper()
	for i := 0; i < len(cases); i += 2 {
		addr, want := cases[i], cases[i+1]
		err := p.Allows(t.Context(), netip.MustParseAddrPort(addr))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", addr, err, want)
		}
	}
}

// TestDefaultAllowsPrivateNetworks: what is not set means private, and no other special network; loopback only while the host of the
// base URL is loopback.
func TestDefaultAllowsPrivateNetworks(t *testing.T) {
	t.Parallel()
	for base, loopback := range map[string]bool{
		"https://terrier.example": false, "http://10.0.0.1:8000": false, "http://localhost.example": false, "http://128.0.0.1": false, "": false,
		"http://127.0.0.1:8000": true, "http://localhost": true, "http://LOCALHOST.:8000": true, "http://[::1]:8000": true,
		"http://127.8.9.1": true, "http://[::ffff:127.0.0.1]": true,
	} {
		p, preset, refused := mustDefault(t, Site{BaseURL: base}), "private", "is not a public address; set TERRIER_EGRESS_ALLOW=private,"
		if loopback {
			preset, refused = "private,loopback", ""
		}
		decide(t, p, "127.0.0.1:9000", refused, "[::1]:9000", refused, "127.255.0.1:80", refused,
			"[64:ff9b::7f00:1]:80", strings.Replace(refused, "is", "", 1),
			"10.0.0.5:80", "", "172.31.255.255:80", "", "192.168.1.1:8443", "", "100.64.0.1:80", "", "[fd12::1]:80", "", "[::ffff:10.0.0.5]:80", "",
			"[64:ff9b::a00:5]:80", "", "9.9.9.9:80", "",
			"172.32.0.1:80", "",
			"192.0.2.1:80", "192.0.2.1 is not a public address; set TERRIER_EGRESS_ALLOW="+preset+",192.0.2.1/32 (or its network) to allow it",
			"198.18.0.1:80", "not a public", "[fec0::1]:80", "not a public", "[64:ff9b:1::a00:5]:80", "not a public",
			"169.254.169.254:80", "never", "169.254.1.1:80", "never", "100.100.100.200:80", "metadata", "[fd00:ec2::254]:80", "metadata",
			"[fe80::1]:80", "never", "0.0.0.0:80", "unspecified", "[::]:80", "unspecified", "224.0.0.1:80", "multicast", "[ff02::1]:80", "multicast",
			"[2002:a00:5::]:80", "6to4")
	}
}

// TestDefaultRefusesOwnAddresses: the server, its metrics and its database are refused at their port, by every form of every address that
// their names have then. A name that can't be looked up could be any address.
func TestDefaultRefusesOwnAddresses(t *testing.T) {
	t.Parallel()
	p := mustDefault(t, Site{BaseURL: "http://localhost:8000", Endpoints: []Endpoint{
		{"Terrier itself", "127.0.0.1", "8000"}, {"Terrier's metrics", "0.0.0.0", "9464"}, {"Terrier's database", "db.example", "5432"},
		{"Terrier's database", "gone.example", "5433"}, {"Terrier's database", "/run/postgresql", "5434"}, {"nothing", "127.0.0.1", "0"},
		{"nothing", "127.0.0.1", "no-such-service"},
	}})
	lookups := 0
	for i := range p.own {
		p.own[i].lookup = func(_ context.Context, _, host string) ([]netip.Addr, error) {
			if lookups++; host != "db.example" {
				return nil, errors.New("no such host")
			}
			return []netip.Addr{netip.MustParseAddr("10.0.0.5"), netip.MustParseAddr("::ffff:10.0.0.6"), netip.MustParseAddr("8.8.4.4")}, nil
		}
	}
	decide(t, p,
		"127.0.0.1:8000", "127.0.0.1 is an address of Terrier itself, which no webhook may reach",
		"127.0.0.2:8000", "Terrier itself", "[::1]:8000", "Terrier itself", "[::ffff:127.0.0.1]:8000", "Terrier itself",
		"[64:ff9b::7f00:1]:8000", "means 127.0.0.1, which is an address of Terrier itself", "127.0.0.1:8001", "", "10.0.0.5:8000", "",
		"127.0.0.1:9464", "metrics", "[::1]:9464", "metrics", "10.0.0.5:9464", "metrics", "[fd12::1]:9464", "metrics", "9.9.9.9:9464", "",
		"127.0.0.1:5434", "database", "[::1]:5434", "database", "10.0.0.5:5434", "")
	decide(t, p, "10.0.0.5:9464", "10.0.0.5 has the port of Terrier's metrics, which may be there on another machine; "+
		"set TERRIER_EGRESS_ALLOW=private,loopback,10.0.0.5/32:9464 to allow it")
	if lookups != 0 {
		t.Errorf("%d lookups of own names, which no address has the port of", lookups)
	}
	decide(t, p,
		"10.0.0.5:5432", "is an address of Terrier's database", "10.0.0.6:5432", "database", "[::ffff:10.0.0.5]:5432", "database",
		"[64:ff9b::a00:6]:5432", "database", "8.8.4.4:5432", "database", "10.0.0.7:5432", "", "127.0.0.1:5432", "", "10.0.0.5:80", "",
		"10.0.0.5:5433", "may be an address of Terrier's database", "127.0.0.1:5433", "may be", "169.254.169.254:5432", "never allowed")
}

// TestListReplacesDefault: who sets the list has decided, whatever the base URL is. Terrier's own addresses are opened only by an entry
// with exactly their port, and no refusal names that entry.
func TestListReplacesDefault(t *testing.T) {
	t.Parallel()
	site := Site{BaseURL: "http://localhost:8000", Endpoints: []Endpoint{{"Terrier's database", "127.0.0.1", "5432"},
		{"Terrier's database", "10.0.0.9", "5432"}}}
	for list, cases := range map[string][]string{
		"none": {"10.0.0.5:80", "not a public", "127.0.0.1:80", "not a public", "9.9.9.9:80", ""},
		"private": {"10.0.0.5:80", "", "127.0.0.1:80", "add 127.0.0.1/32", "169.254.169.254:80", "never",
			"10.0.0.9:5432", "database"},
		"loopback": {"10.0.0.5:80", "not a public", "127.0.0.1:5432", "database", "[::1]:80", ""},
		"private,loopback": {"10.0.0.5:80", "", "127.0.0.1:5432", "database", "0.0.0.0:5432", "unspecified",
			"127.0.0.1:80", ""},
		"private,127.0.0.1/32,10.0.0.9/32":     {"127.0.0.1:5432", "database", "10.0.0.9:5432", "database", "10.0.0.8:5432", ""},
		"private,127.0.0.0/8:5432,10.0.0.9:80": {"127.0.0.1:5432", "", "10.0.0.9:5432", "database", "10.0.0.9:80", ""},
		" 10.0.0.0/24:9000 ": {"10.0.0.5:9000", "", "10.0.0.5:80", "at other ports only; add 10.0.0.5/32:80 to",
			"10.1.0.5:9000", "not a public"},
	} {
		p, err := NewPolicy(list, site)
		if err != nil {
			t.Fatal(err)
		}
		decide(t, p, cases...)
		for i := 0; i < len(cases); i += 2 {
			err, refused := errors.AsType[*Refused](p.Allows(t.Context(), netip.MustParseAddrPort(cases[i])))
			if refused && cases[i+1] == "database" && (err.Remedy() != "" || strings.Contains(err.Error(), "TERRIER_EGRESS_ALLOW")) {
				t.Errorf("%s: the refusal says how to open it: %s", cases[i], err)
			}
		}
	}
	if _, err := NewPolicy("all", site); err == nil {
		t.Error("an unknown word is accepted")
	}
}
