package account

import (
	"testing"

	"pgregory.net/rapid"
)

func TestClientAddr(t *testing.T) {
	for _, tc := range []struct {
		name, remote string
		forwarded    []string
		want         string
	}{
		{"direct", "192.0.2.1:4711", nil, "192.0.2.1"},
		{"direct without a port", "192.0.2.1", nil, "192.0.2.1"},
		{"direct IPv6", "[2001:db8::1]:4711", nil, "2001:db8::1"},
		{"direct, mapped", "[::ffff:192.0.2.1]:4711", nil, "192.0.2.1"},
		{"direct with a zone", "[fe80::1%eth0]:4711", nil, "fe80::1"},
		{"spoofed by a stranger", "192.0.2.1:4711", []string{"198.51.100.7"}, "192.0.2.1"},

		{"Unix socket", "@", []string{"198.51.100.7"}, "198.51.100.7"},
		{"Unix socket with a name", "/run/proxy.sock", []string{"198.51.100.7"}, "198.51.100.7"},
		{"Unix socket without the header", "@", nil, "127.0.0.1"},
		{"Unix socket, garbage", "@", []string{"unknown"}, "127.0.0.1"},
		{"Unix socket, spoofed", "@", []string{"203.0.113.9, 198.51.100.7"}, "198.51.100.7"},
		{"Unix socket, two proxies", "@", []string{"198.51.100.7, 10.0.0.2"}, "198.51.100.7"},

		{"one proxy", "10.0.0.1:80", []string{"198.51.100.7"}, "198.51.100.7"},
		{"one proxy, mapped peer", "[::ffff:10.0.0.1]:80", []string{"198.51.100.7"}, "198.51.100.7"},
		{"mapped client", "10.0.0.1:80", []string{"::ffff:198.51.100.7"}, "198.51.100.7"},
		{"client with a port", "10.0.0.1:80", []string{"198.51.100.7:999"}, "198.51.100.7"},
		{"IPv6 client with a port", "10.0.0.1:80", []string{"[2001:db8::7]:999"}, "2001:db8::7"},
		{"IPv6 proxy", "[fd00::5]:80", []string{"2001:db8::7"}, "2001:db8::7"},
		{"two proxies", "10.0.0.1:80", []string{"198.51.100.7, 10.0.0.2"}, "198.51.100.7"},
		{"two headers", "10.0.0.1:80", []string{"198.51.100.7", "10.0.0.2"}, "198.51.100.7"},
		{"spoofed through a proxy", "10.0.0.1:80", []string{"203.0.113.9, 198.51.100.7"}, "198.51.100.7"},
		{"spoofed in a header of its own", "10.0.0.1:80", []string{"203.0.113.9", "198.51.100.7"}, "198.51.100.7"},
		{"spoofed as a proxy", "10.0.0.1:80", []string{"10.0.0.9, 198.51.100.7"}, "198.51.100.7"},
		{"only proxies", "10.0.0.1:80", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		{"proxy without the header", "10.0.0.1:80", nil, "10.0.0.1"},
		{"empty header", "10.0.0.1:80", []string{""}, "10.0.0.1"},
		{"garbage", "10.0.0.1:80", []string{"unknown"}, "10.0.0.1"},
		{"garbage further left", "10.0.0.1:80", []string{"<script>, 198.51.100.7"}, "198.51.100.7"},
		{"garbage behind a proxy", "10.0.0.1:80", []string{"198.51.100.7, x, 10.0.0.2"}, "10.0.0.2"},
		{"trailing comma", "10.0.0.1:80", []string{"198.51.100.7,"}, "10.0.0.1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			proxies, err := ParseProxies([]string{"10.0.0.0/8", "fd00::5"})
			if err != nil {
				t.Fatal(err)
			}
			if got := proxies.ClientAddr(tc.remote, tc.forwarded).String(); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

// TestPeer: the peer that ClientAddr trusts is the one that is said to be trusted.
func TestPeer(t *testing.T) {
	proxies, err := ParseProxies([]string{"10.0.0.0/8"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		remote, peer string
		trusted      bool
	}{
		{"192.0.2.1:4711", "192.0.2.1", false},
		{"10.0.0.1:80", "10.0.0.1", true},
		{"@", "127.0.0.1", true},
		{"", "127.0.0.1", true},
		{"127.0.0.1:80", "127.0.0.1", false},
	} {
		peer, trusted := proxies.Peer(c.remote)
		if peer.String() != c.peer || trusted != c.trusted {
			t.Errorf("%q: %s, trusted: %t", c.remote, peer, trusted)
		}
		if client := proxies.ClientAddr(c.remote, []string{"198.51.100.7"}); (client.String() == "198.51.100.7") != trusted {
			t.Errorf("%q: the client is %s, but trusted: %t", c.remote, client, trusted)
		}
	}
}

// Whatever a client writes into the header, its proxy appends the true address.
func TestClientAddrCannotBeChosen(t *testing.T) {
	proxies, _ := ParseProxies([]string{"10.0.0.1"})
	rapid.Check(t, func(t *rapid.T) {
		forged := rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"10.0.0.1", "127.0.0.1", "::1"}))).Draw(t, "forged")
		if got := proxies.ClientAddr("10.0.0.1:80", append(forged, "198.51.100.7")).String(); got != "198.51.100.7" {
			t.Fatalf("through the proxy: %s", got)
		}
		if got := proxies.ClientAddr("198.51.100.7:80", forged).String(); got != "198.51.100.7" {
			t.Fatalf("directly: %s", got)
		}
	})
}

func TestParseProxies(t *testing.T) {
	for _, tc := range []struct {
		text, want string // want is empty where it is refused
	}{
		{"10.0.0.1", "10.0.0.1/32"},
		{"10.1.2.3/8", "10.0.0.0/8"},
		{"::ffff:10.0.0.1", "10.0.0.1/32"},
		{"fd00::5", "fd00::5/128"},
		{"::ffff:10.0.0.0/104", ""},
		{"10.0.0.0/33", ""},
		{"proxy.example.org", ""},
		{"", ""},
	} {
		got, err := ParseProxies([]string{tc.text})
		if (err != nil) != (tc.want == "") || (err == nil && got[0].String() != tc.want) {
			t.Errorf("%q: %v, %v", tc.text, got, err)
		}
	}
}
