package egress

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// door is a listener on every address of the machine that counts connections.
type door struct {
	port    string
	entered atomic.Int64
}

func openDoor(t *testing.T) *door {
	t.Helper()
	listener, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	d := &door{port: strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			d.entered.Add(1)
			_ = conn.Close()
		}
	}()
	return d
}

// hosts that must not be reached, each with a part of the refusal where it matters. Go looks up everything that is
// not an address to it, and the test's name server answers every name with 127.0.0.1 and ::1, as a lenient resolver
// would read these.
var hosts = []struct{ host, want string }{
	// Loopback and its spellings.
	{"127.0.0.1", "127.0.0.1/32 (or its network)"},
	{"127.0.0.2", "not a public address"},
	{"127.255.255.254", "not a public address"},
	{"127.1", ""},
	{"127.0.1", ""},
	{"127.0.0.1.", ""},
	{"2130706433", ""},
	{"0x7f000001", ""},
	{"0X7F.0.0.1", ""},
	{"0x7f.1", ""},
	{"017700000001", ""},
	{"0177.0.0.1", ""},
	{"0177.0.0.01", ""},
	{"127.0.0.01", ""},
	{"000127.0.0.1", ""},
	{"00000000177.0.0.1", ""},
	{"127.0.0.0x1", ""},
	{"6425673729", ""}, // overflows to 127.0.0.1
	{"127%2e0%2e0%2e1", ""},
	{"%31%32%37.0.0.1", ""},
	{"１２７.0.0.1", ""},
	{"①②⑦.⓪.⓪.①", ""},
	{"127。0。0。1", ""},
	{"127．0．0．1", ""},
	{"127｡0｡0｡1", ""},
	{"١٢٧.0.0.1", ""},
	{"localhost", "not a public address"},
	{"LOCALHOST", "not a public address"},
	{"LocalHost.", "not a public address"},
	{"ｌocalhost", ""},
	{"localhost.localdomain", ""},
	{"loop.example", "not a public address"},
	{"0", ""},
	{"0.0.0.0", "unspecified"},
	{"0.0", ""},
	{"0x0", ""},
	{"0.1.2.3", "not a public address"},
	{"[::]", "unspecified"},
	{"[0:0:0:0:0:0:0:0]", "unspecified"},
	{"[::1]", "::1/128"},
	{"[0000:0000:0000:0000:0000:0000:0000:0001]", "not a public address"},
	{"[::1%25lo]", "zone"},
	{"[::ffff:127.0.0.1]", "not a public address"},
	{"[::FFFF:7F00:1]", "not a public address"},
	{"[0:0:0:0:0:ffff:127.0.0.1]", "not a public address"},
	{"[::ffff:0.0.0.0]", "unspecified"},
	{"[::127.0.0.1]", "IPv4-compatible"},
	{"[::7f00:1]", "IPv4-compatible"},
	{"[::ffff:0:127.0.0.1]", "IPv4-translated"},
	{"[64:ff9b::127.0.0.1]", "not a public address"},
	{"[64:ff9b::7f00:1]", "means 127.0.0.1"},
	{"[64:ff9b:1::7f00:1]", "not a public address"},
	{"[64:ff9b:1:7f00:0:100::]", "not a public address"},
	{"[2002:7f00:1::]", "6to4"},
	{"[2002:7f00:0001::1]", "6to4"},
	{"[2001:0:7f00:1::]", "Teredo"},
	{"[2001:0:0:0:0:0:80ff:fffe]", "Teredo"},

	// Other special networks.
	{"10.0.0.1", "not a public address"},
	{"10.255.255.255", "not a public address"},
	{"172.16.0.1", "not a public address"},
	{"172.31.255.255", "not a public address"},
	{"192.168.1.1", "not a public address"},
	{"100.64.0.1", "not a public address"},
	{"100.127.255.255", "not a public address"},
	{"192.0.0.1", "not a public address"},
	{"192.0.2.1", "not a public address"},
	{"192.88.99.1", "not a public address"},
	{"198.18.0.1", "not a public address"},
	{"198.19.255.255", "not a public address"},
	{"198.51.100.1", "not a public address"},
	{"203.0.113.1", "not a public address"},
	{"224.0.0.1", "multicast"},
	{"239.255.255.250", "multicast"},
	{"240.0.0.1", "not a public address"},
	{"255.255.255.255", "broadcast"},
	{"169.254.1.1", "link-local"},
	{"[::ffff:10.0.0.1]", "not a public address"},
	{"[64:ff9b::10.0.0.1]", "means 10.0.0.1"},
	{"[2002:0a00:0001::]", "6to4"},
	{"[fe80::1]", "link-local"},
	{"[fe80::1%25eth0]", "zone"},
	{"[febf::1]", "link-local"},
	{"[fec0::1]", "not a public address"},
	{"[fc00::1]", "not a public address"},
	{"[fdff:ffff::1]", "not a public address"},
	{"[ff02::1]", "multicast"},
	{"[ff0e::1]", "multicast"},
	{"[100::1]", "not a public address"},
	{"[5f00::1]", "not a public address"},
	{"[2001:db8::1]", "not a public address"},
	{"[3fff::1]", "not a public address"},
	{"[2001:10::1]", "not a public address"},
	{"private.example", "not a public address"},

	// Metadata.
	{"169.254.169.254", "cloud metadata address and never allowed"},
	{"169.254.169.254.", ""},
	{"2852039166", ""},
	{"0xa9fea9fe", ""},
	{"0251.0376.0251.0376", ""},
	{"169.254.43518", ""},
	{"１６９.254.169.254", "cloud metadata"},
	{"169。254。169。254", "cloud metadata"},
	{"[::ffff:169.254.169.254]", "cloud metadata"},
	{"[::ffff:a9fe:a9fe]", "cloud metadata"},
	{"[::169.254.169.254]", "cloud metadata"},
	{"[64:ff9b::a9fe:a9fe]", "cloud metadata"},
	{"[64:ff9b:1::a9fe:a9fe]", "cloud metadata"},
	{"[64:ff9b:1:a9fe:a9:fe00::]", "cloud metadata"},
	{"[2002:a9fe:a9fe::]", "cloud metadata"},
	{"[2001:0:a9fe:a9fe::]", "cloud metadata"},
	{"[2001:0:0:0:0:0:5601:5601]", "cloud metadata"},
	{"169.254.170.2", "cloud metadata"},
	{"169.254.169.123", "link-local"},
	{"100.100.100.200", "cloud metadata"},
	{"168.63.129.16", "cloud metadata"},
	{"192.0.0.192", "cloud metadata"},
	{"[fd00:ec2::254]", "cloud metadata"},
	{"[FD00:0EC2:0::254]", "cloud metadata"},
	{"[fd20:ce::254]", "cloud metadata"},
	{"[fe80::a9fe:a9fe]", "cloud metadata"},
	{"metadata.example", "cloud metadata"},
}

// urls that hide the host; PORT is the door's.
var urls = []string{
	"http://8.8.8.8@127.0.0.1:PORT/",
	"http://8.8.8.8:80@127.0.0.1:PORT/",
	"http://8.8.8.8%40127.0.0.1:PORT/",
	"http://127.0.0.1:PORT@8.8.8.8/",
	"http://8.8.8.8#@127.0.0.1:PORT/",
	"http://8.8.8.8?@127.0.0.1:PORT/#x",
	"http://127.0.0.1:PORT\\@8.8.8.8/",
	"http://8.8.8.8\\@127.0.0.1:PORT/",
	"http:\\\\127.0.0.1:PORT\\",
	"http:/\\127.0.0.1:PORT/",
	"http:127.0.0.1:PORT/",
	"http:///127.0.0.1:PORT/",
	"//127.0.0.1:PORT/",
	"127.0.0.1:PORT",
	"http://127.0.0.1\t:PORT/",
	"http://127.0.\n0.1:PORT/",
	"http://127.0.0.1:PORT\r\nHost: x/",
	"\thttp://127.0.0.1:PORT/",
	" http://127.0.0.1:PORT/",
	"http://127.0.0.1 :PORT/",
	"http://127.0.0.1\x00.example:PORT/",
	"http://[127.0.0.1]:PORT/",
	"http://[::1:PORT/",
	"http://[::ffff:127.0.0.1%25]:PORT/",
	"HTTP://127.0.0.1:PORT/",
	"hTTps://127.0.0.1:PORT/",
	"https://localhost:PORT/",
	"http://127.0.0.1:0PORT/",
	"http://127.0.0.1:-1/",
	"http://127.0.0.1:0/",
	"http://127.0.0.1:65536/",
	"http://127.0.0.1:PORT:80/",
	"http://127.0.0.1:8a/",
	"ftp://127.0.0.1:PORT/",
	"gopher://127.0.0.1:PORT/_x",
	"file:///etc/passwd",
	"unix:///run/docker.sock",
	"javascript:alert(1)",
	"http://",
	"http://:PORT/",
	"",
}

func lookupHostile(name string) []string {
	switch name {
	case "private.example":
		return []string{"10.0.0.1", "fd00::1"}
	case "metadata.example":
		return []string{"169.254.169.254", "fd00:ec2::254"}
	}
	return []string{"127.0.0.1", "::1"}
}

// privateHosts are those of hosts that the word private allows.
var privateHosts = []string{"10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.127.255.255",
	"[::ffff:10.0.0.1]", "[64:ff9b::10.0.0.1]", "[fc00::1]", "[fdff:ffff::1]", "private.example"}

// inForce are the policies that refused addresses are tested under.
func inForce(t testing.TB) map[string]Policy {
	return map[string]Policy{"none": mustPolicy("none"), "private": mustPolicy("private"),
		"unset": mustDefault(t, Site{BaseURL: "https://terrier.example"})}
}

func mustDefault(t testing.TB, site Site) Policy {
	t.Helper()
	p, err := NewPolicy(" ", site)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestForbiddenAddressesAreNotDialled: whatever the setting, nothing reaches the machine itself by any spelling, and what the policy
// allows passes it.
func TestForbiddenAddressesAreNotDialled(t *testing.T) {
	for name, policy := range inForce(t) {
		t.Run(name, func(t *testing.T) {
			door := openDoor(t)
			var allowed []string
			if name != none {
				allowed = privateHosts
			}
			refuseHosts(t, policy, door, allowed)
		})
	}
}

// TestOwnAddressesAreNotDialled: in a trial on one's own machine loopback is allowed, but Terrier itself is reached by no spelling.
func TestOwnAddressesAreNotDialled(t *testing.T) {
	for _, host := range []string{"127.0.0.1", "::1", "localhost", "/run/postgresql", "", "0.0.0.0", "::"} {
		t.Run(host, func(t *testing.T) {
			door := openDoor(t)
			policy := mustDefault(t, Site{BaseURL: "http://localhost:8000", Endpoints: []Endpoint{{"Terrier's metrics", host, door.port}}})
			allowed := privateHosts
			if host == "0.0.0.0" || host == "::" || host == "" { // it may be in another container
				allowed = nil
			}
			refuseHosts(t, policy, door, allowed)
		})
	}
}

// refuseHosts sends to all hosts, at the door's port. Under the policy only those that are allowed pass.
func refuseHosts(t *testing.T, policy Policy, door *door, allowed []string) {
	var passed gate
	c := newClient(t, func(config *Config) {
		config.Policy = policy
		config.Resolver = resolve(t, lookupHostile)
	})
	passed.install(c)
	try := func(url, want string) {
		t.Helper()
		answer, err := c.Send(context.Background(), post(url))
		if err == nil || !strings.Contains(err.Error(), want) || answer.Status != 0 || answer.Remote.IsValid() {
			t.Errorf("%q: answer %+v, error %v, want %q", url, answer, err, want)
		}
		if passed.passed.Swap(0) != 0 || door.entered.Swap(0) != 0 {
			t.Errorf("%q was dialled", url)
		}
	}
	for _, h := range hosts {
		url := "http://" + h.host + ":" + door.port + "/latest/meta-data/"
		if slices.Contains(allowed, h.host) {
			_, err := c.Send(context.Background(), post(url))
			if wantError(t, err, Unreachable, "cannot be reached"); passed.passed.Swap(0) == 0 || door.entered.Load() != 0 {
				t.Errorf("%s did not pass: %v", h.host, err)
			}
			continue
		}
		want := h.want
		if len(policy.own) > 0 && strings.Contains(want, "public") || h.host == "127.0.0.1" || h.host == "[::1]" {
			want = "" // some are refused because Terrier is there
		}
		try(url, want)
	}
	for _, url := range urls {
		try(strings.ReplaceAll(url, "PORT", door.port), "")
	}
	t.Logf("%d hosts, %d URLs", len(hosts), len(urls))
}

// The door and the gate do count connections that are allowed.
func TestForbiddenAddressesProbe(t *testing.T) {
	door := openDoor(t)
	var passed gate
	c := newClient(t, func(config *Config) { config.Resolver = resolve(t, lookupHostile) })
	passed.install(c)
	for _, host := range []string{"127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "localhost", "loop.example", "0x7f000001", "１２７.0.0.1"} {
		_, err := c.Send(context.Background(), post("http://"+host+":"+door.port+"/"))
		if wantError(t, err, Broken, "connection"); passed.passed.Swap(0) == 0 || door.entered.Swap(0) == 0 {
			t.Errorf("%s was not dialled: %v", host, err)
		}
	}
}

// A public address passes at any port; the gate stops it.
func TestPublicAddressesAreDialled(t *testing.T) {
	var passed gate
	c := newClient(t, func(config *Config) { config.Policy = Policy{} })
	passed.install(c)
	for _, host := range []string{"8.8.8.8", "8.8.8.8:9000", "[2606:4700::1111]:22", "[::ffff:8.8.8.8]", "[64:ff9b::808:808]:81"} {
		_, err := c.Send(context.Background(), post("http://"+host+"/"))
		if wantError(t, err, Unreachable, "cannot be reached"); passed.passed.Swap(0) != 1 {
			t.Errorf("%s did not pass: %v", host, err)
		}
	}
}

// A name that was public when it was checked is judged again when it is dialled.
func TestRebinding(t *testing.T) {
	for name, policy := range inForce(t) {
		t.Run(name, func(t *testing.T) {
			door := openDoor(t)
			var lookups atomic.Int64
			var passed gate
			c := newClient(t, func(config *Config) {
				config.Policy = policy
				config.Resolver = resolve(t, func(string) []string {
					// A and AAAA are asked for together, so the first two are one lookup.
					if lookups.Add(1) <= 2 {
						return []string{"8.8.8.8"}
					}
					return []string{"127.0.0.1"}
				})
			})
			passed.install(c)
			url := "http://rebind.example:" + door.port + "/"
			_, err := c.Send(context.Background(), post(url))
			if wantError(t, err, Unreachable, "8.8.8.8"); passed.passed.Load() != 1 {
				t.Errorf("the public address did not pass: %v", err)
			}
			for range 5 {
				_, err = c.Send(context.Background(), post(url))
				wantError(t, err, Denied, "127.0.0.1 is not a public address")
			}
			if passed.passed.Load() != 1 || door.entered.Load() != 0 {
				t.Error("the rebound address was dialled")
			}
		})
	}
}

// Of several addresses only the allowed ones are dialled.
func TestMixedAnswer(t *testing.T) {
	for name, policy := range inForce(t) {
		t.Run(name, func(t *testing.T) {
			door := openDoor(t)
			var passed gate
			c := newClient(t, func(config *Config) {
				config.Policy = policy
				config.Resolver = resolve(t, func(string) []string { return []string{"127.0.0.1", "::1", "8.8.8.8"} })
			})
			passed.install(c)
			if _, err := c.Send(context.Background(), post("http://mixed.example:"+door.port+"/")); err == nil {
				t.Error("no error")
			}
			if passed.passed.Load() != 1 || door.entered.Load() != 0 {
				t.Errorf("%d passed, %d entered", passed.passed.Load(), door.entered.Load())
			}
		})
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://169.254.169.254/latest/meta-data/")
			w.WriteHeader(status)
		})
		var passed gate
		c := newClient(t)
		passed.install(c)
		answer := mustSend(t, c, post(server.URL))
		if answer.Status != status || server.requests.Load() != 1 || passed.passed.Load() != 1 {
			t.Errorf("status %d after %d requests, %d dials", answer.Status, server.requests.Load(), passed.passed.Load())
		}
	}
}

// net/http reads the environment once, so this runs in its own process.
func TestNoProxyFromTheEnvironment(t *testing.T) {
	const port = "EGRESS_TEST_PROXY"
	if os.Getenv(port) == "" {
		proxy := openDoor(t)
		child := exec.Command(os.Args[0], "-test.run", "^TestNoProxyFromTheEnvironment$")
		child.Env = append(os.Environ(), port+"="+proxy.port)
		for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
			child.Env = append(child.Env, name+"=http://127.0.0.1:"+proxy.port)
		}
		if out, err := child.CombinedOutput(); err != nil || proxy.entered.Load() != 0 {
			t.Errorf("%d entered, %v\n%s", proxy.entered.Load(), err, out)
		}
		return
	}
	var passed gate
	c := newClient(t)
	passed.install(c)
	for _, url := range []string{"http://8.8.8.8/", "https://8.8.8.8/"} {
		_, err := c.Send(context.Background(), post(url))
		wantError(t, err, Unreachable, "8.8.8.8")
	}
}
