package record_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"terrier/internal/record"
)

// TestNetworks checks which networks and addresses are taken, and how they are shown.
func TestNetworks(t *testing.T) {
	wrong, whole := "Enter an IP network, such as 192.0.2.0/24 or 2001:db8::/32.", "The length 0 is refused: it means every address there is."
	checkForms(t, record.Network{Name: "n"}, []form{
		{"192.0.2.0/24", `"192.0.2.0/24"`, ""}, {" 2001:DB8:0:0::/32 ", `"2001:db8::/32"`, ""}, {"192.0.2.7", `"192.0.2.7/32"`, ""},
		{"2001:db8::7", `"2001:db8::7/128"`, ""},
		{"192.0.2.7/24", "", "192.0.2.7/24 is an address within a network. Did you mean 192.0.2.0/24?"}, {"", "null", ""},
		{"0.0.0.0/0", "", whole}, {"::/0", "", whole}, {"192.0.2.0/33", "", wrong}, {"192.0.2/24", "", wrong},
		{"192.0.2.0/255.255.255.0", "", wrong}, {"192.0.02.0/24", "", wrong},
		{"fe80::1%eth0/64", "", wrong}, {"fe80::1%eth0", "", wrong}, {"x", "", wrong}, {true, "", "Not a valid string."},
	})
	checkForms(t, record.Network{Name: "n", CutHostBits: true},
		[]form{{"192.0.2.7/24", `"192.0.2.0/24"`, ""}, {"2001:db8::7/64", `"2001:db8::/64"`, ""}})
	wrong = "Enter an IP address with the length of its network, such as 192.0.2.7/24 or 2001:db8::7/64."
	checkForms(t, record.Address{Name: "a", Required: true}, []form{
		{"192.0.2.7/24", `"192.0.2.7/24"`, ""}, {"2001:DB8::0007/64", `"2001:db8::7/64"`, ""}, {"192.0.2.7", `"192.0.2.7/32"`, ""},
		{"2001:db8::7", `"2001:db8::7/128"`, ""},
		{"192.0.2.7/0", "", whole}, {"192.0.2.7/33", "", wrong}, {"", "", "This field may not be blank."},
	})
}

// addresses generates addresses of both families that are often close to each other.
func addresses() *rapid.Generator[netip.Prefix] {
	return rapid.Custom(func(t *rapid.T) netip.Prefix {
		raw := rapid.SampledFrom([][]byte{{10, 0, 0, 0}, {10, 1, 2, 3}, {255, 255, 255, 255}, make([]byte, 16),
			netip.MustParseAddr("2001:db8::ff").AsSlice()}).Draw(t, "near")
		raw = append([]byte(nil), raw...)
		raw[len(raw)-1] ^= rapid.Byte().Draw(t, "last")
		addr, _ := netip.AddrFromSlice(raw)
		return netip.PrefixFrom(addr, rapid.IntRange(1, addr.BitLen()).Draw(t, "bits"))
	})
}

// TestNetworksAreShownAsTaken checks that a stored value is shown in a form that is accepted, and stays the same when written back.
func TestNetworksAreShownAsTaken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := addresses().Draw(t, "p")
		shown, ok := record.FormatNet(p.Addr().AsSlice(), p.Bits())
		taken, err := record.Address{}.Parse(shown)
		if !ok || err != nil || taken != shown || record.NormalNet(strings.ToUpper(shown)) != shown {
			t.Fatalf("%s is shown as %s and taken as %v, %v", p, shown, taken, err)
		}
	})
}

// TestNetworkTests compares the predicates of the lookups of networks with their meaning.
func TestNetworkTests(t *testing.T) {
	f := record.Network{Name: "n"}
	rapid.Check(t, func(t *rapid.T) {
		stored, asked := addresses().Draw(t, "stored").Masked(), addresses().Draw(t, "asked")
		within := asked.Contains(stored.Addr()) && stored.Bits() >= asked.Bits()
		around := stored.Contains(asked.Addr()) && asked.Bits() >= stored.Bits()
		equal := stored == asked.Masked()
		for l, want := range map[record.Lookup]bool{
			record.NetContained: within && !equal, record.NetContainedEqual: within, record.NetContains: around &&
				!equal, record.NetContainsEqual: around,
			record.NetCovers: around, record.Exact: stored == asked,
		} {
			p, err := f.Test(l, []string{asked.String(), "no network"})
			if got := passes(stored, p); err != nil || got != want {
				t.Fatalf("%s %s %s: %t, want %t (%v)", stored, l, asked, got, want, err)
			}
		}
		alone, err := f.Test(record.NetCovers, []string{asked.Addr().String()})
		if want := stored.Contains(asked.Addr()) && !stored.IsSingleIP(); err != nil || passes(stored, alone) != want {
			t.Fatalf("%s contains %s: %t, want %t (%v)", stored, asked.Addr(), !want, want, err)
		}
	})
}

// passes reports whether a network passes a test: it is among its values, or in one of its ranges in the order of PostgreSQL, which puts
// a network before what it contains.
func passes(p netip.Prefix, test record.Predicate) bool {
	for _, v := range test.Values {
		r, isRange := v.(record.Range)
		if !isRange {
			if v == p.String() {
				return true
			}
			continue
		}
		from, to := netip.MustParsePrefix(r.From.(string)), netip.MustParsePrefix(r.To.(string))
		if c := compareNets(p, from); (c > 0 || c == 0 && !r.After) && compareNets(p, to) <= 0 {
			return true
		}
	}
	return false
}

func compareNets(a, b netip.Prefix) int {
	if a.Addr().BitLen() != b.Addr().BitLen() {
		return a.Addr().BitLen() - b.Addr().BitLen()
	}
	bits := min(a.Bits(), b.Bits())
	x, y := netip.PrefixFrom(a.Addr(), bits).Masked().Addr(), netip.PrefixFrom(b.Addr(), bits).Masked().Addr()
	if c := x.Compare(y); c != 0 {
		return c
	}
	if a.Bits() != b.Bits() {
		return a.Bits() - b.Bits()
	}
	return a.Addr().Compare(b.Addr())
}

// TestNetworkConstraints checks that networks can limit a permission. A text that is not a network is refused: it would allow nothing.
func TestNetworkConstraints(t *testing.T) {
	reg, err := record.NewRegistry(withFields(record.Network{Name: "net"}, record.Address{Name: "host"})...)
	if err != nil {
		t.Fatal(err)
	}
	for raw, want := range map[string]string{
		`{"net__net_contained_or_equal": "10.0.0.0/8"}`: "", `{"net__family": 4, "net__net_mask_length": [24, 25]}`: "",
		`{"host__net_host_contained": ["10.0.0.0/8", "::/0"]}`: "",
		`{"host": "10.0.0.1"}`:                                 "", `{"net": null}`: "", `{"net__isnull": true}`: "",
		`{"net__in": ["10.0.0.0/8"]}`:   "",
		`{"net__net_contained": "x"}`:   `"x" is not an IP address or network.`,
		`{"net__net_contained": null}`:  "null can only be equal or not equal",
		`{"net": "10.0.0.1/8"}`:         "nothing can be found by 10.0.0.1/8",
		`{"net__net_host": "10.0.0.1"}`: `"net_host" is not a lookup`, `{"net__contains": "10.0.0.1"}`: "can't be compared that way",
		`{"net__family": "x"}`: "A valid integer is required.",
	} {
		_, err := record.ParseConstraints(reg.Type("a.b"), []byte(raw), 1)
		if got := fmt.Sprint(err); (want == "") != (err == nil) || want != "" && !strings.Contains(got, want) {
			t.Errorf("%s: %v, want %q", raw, err, want)
		}
	}
}

// TestAddressConstraintsAreExact holds that an address without a length is one of the longest in a permission, and not a host of any
// length: the permission would grant more than it says. Hosts are granted by a lookup that says so.
func TestAddressConstraintsAreExact(t *testing.T) {
	reg, err := record.NewRegistry(withFields(record.Address{Name: "host"})...)
	if err != nil {
		t.Fatal(err)
	}
	for raw, want := range map[string]string{
		`{"host": "10.0.0.5"}`:           "[host [10.0.0.5/32]]",
		`{"host": ["10.0.0.5", "::A"]}`:  "[host [10.0.0.5/32 ::a/128]]",
		`{"host__in": ["10.0.0.5/24"]}`:  "[host [10.0.0.5/24]]",
		`{"host__n": "10.0.0.5"}`:        "[host [10.0.0.5/32]]",
		`{"host__net_host": "10.0.0.5"}`: "[host_key [10.0.0.5/32]]",
	} {
		all, err := record.ParseConstraints(reg.Type("a.b"), []byte(raw), 1)
		if err != nil {
			t.Fatal(raw, err)
		}
		p := all[0][0]
		if len(p.Any) == 1 {
			p = p.Any[0]
		}
		if got := fmt.Sprint([]any{p.Field.Info().Name, p.Values}); got != want {
			t.Errorf("%s tests %s, want %s", raw, got, want)
		}
	}
}

// TestContainingNetworksAreBounded holds that no more networks can be asked for at once by what they contain than texts can be
// searched for, and that each network that contains them is looked up once.
func TestContainingNetworksAreBounded(t *testing.T) {
	reg, err := record.NewRegistry(withFields(record.Network{Name: "net"})...)
	if err != nil {
		t.Fatal(err)
	}
	for _, lookup := range []string{"net_contains", "net_contains_or_equals", "net_covers"} {
		texts := []string{"192.0.2.0/24", "192.0.2.0/24", "no network"}
		for i := range record.MaxSearched - 1 {
			texts = append(texts, fmt.Sprintf("10.0.%d.0/24", 2*i))
		}
		p, _, err := reg.Type("a.b").ParseFilter("net__"+lookup, texts)
		seen := map[any]bool{}
		for _, v := range p.Values {
			seen[v] = true
		}
		if err != nil || len(seen) != len(p.Values) || !seen["0.0.0.0/0"] || !seen["10.0.0.0/8"] {
			t.Errorf("%s looks up %v, %v", lookup, p.Values, err)
		}
		if _, _, err = reg.Type("a.b").ParseFilter("net__"+lookup, append(texts, "10.1.0.0/24")); err == nil ||
			!strings.Contains(err.Error(), "Search for at most 50 texts at once; 51 were given.") {
			t.Errorf("51 networks by %s: %v", lookup, err)
		}
		raw := fmt.Sprintf(`{"net__%s": ["%s", "10.1.0.0/24"]}`, lookup, strings.Join(texts[3:], `", "`)+`", "192.0.2.0/24`)
		all, err := record.ParseConstraints(reg.Type("a.b"), []byte(raw), 1)
		if err != nil || record.BoundConstraints(all) == nil {
			t.Errorf("51 networks by %s may be written in a permission: %v", lookup, err)
		}
	}
}
