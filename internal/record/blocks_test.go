package record_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"terrier/internal/record"
)

func runOf(text string) record.AddressRun {
	first, last, _ := strings.Cut(text, "-")
	return record.AddressRun{First: netip.MustParseAddr(first), Last: netip.MustParseAddr(last)}
}

// TestBlocks states which networks a run of addresses consists of.
func TestBlocks(t *testing.T) {
	t.Parallel()
	for run, want := range map[string]string{
		"10.0.0.0-10.0.0.255":                         "[10.0.0.0/24]",
		"10.0.0.1-10.0.0.6":                           "[10.0.0.1/32 10.0.0.2/31 10.0.0.4/31 10.0.0.6/32]",
		"10.0.4.0-10.0.6.255":                         "[10.0.4.0/23 10.0.6.0/24]",
		"10.0.0.7-10.0.0.7":                           "[10.0.0.7/32]",
		"255.255.255.254-255.255.255.255":             "[255.255.255.254/31]",
		"128.0.0.0-255.255.255.255":                   "[128.0.0.0/1]",
		"2001:db8::-2001:db8:0:2:ffff:ffff:ffff:ffff": "[2001:db8::/63 2001:db8:0:2::/64]",
		"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff": "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128]",
		"10.0.0.1-10.0.0.0": "[]",
	} {
		if got := fmt.Sprint(runOf(run).Blocks()); got != want {
			t.Errorf("%s: %s, want %s", run, got, want)
		}
	}
}

// TestPlaceBlocks states where networks are placed: each at the lowest place that has room for it.
func TestPlaceBlocks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		free    []string
		lengths []int
		want    string
	}{
		{[]string{"10.0.0.0-10.0.0.255"}, []int{26, 25, 26, 27}, "[10.0.0.0/26 10.0.0.128/25 10.0.0.64/26]"},
		{[]string{"10.0.0.1-10.0.0.8", "10.0.0.64-10.0.0.127"}, []int{30, 29, 32, 26}, "[10.0.0.4/30 10.0.0.64/29 10.0.0.1/32]"},
		{[]string{"255.255.255.250-255.255.255.255"}, []int{30, 31, 31}, "[255.255.255.252/30 255.255.255.250/31]"},
		{[]string{"2001:db8::-2001:db8::ffff"}, []int{128, 120}, "[2001:db8::/128 2001:db8::100/120]"},
		{nil, []int{24}, "[]"},
		{[]string{"10.0.0.0-10.0.0.255"}, []int{23}, "[]"},
	} {
		var free []record.AddressRun
		for _, text := range c.free {
			free = append(free, runOf(text))
		}
		if got := fmt.Sprint(record.PlaceBlocks(free, c.lengths)); got != c.want {
			t.Errorf("%v in %v: %s, want %s", c.lengths, c.free, got, c.want)
		}
	}
}

// TestPlaceBlocksIsASearch compares the places with those that a search over all addresses of a network finds, and what is left with the
// free addresses.
func TestPlaceBlocksIsASearch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		bases := []string{"10.0.0.0", "255.255.255.192", "2001:db8::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffc0"}
		base := netip.MustParseAddr(rapid.SampledFrom(bases).Draw(t, "base"))
		const size = 64
		var hosts []netip.Addr
		for at := base; len(hosts) < size; at = at.Next() {
			hosts = append(hosts, at)
		}
		used := rapid.SliceOfN(rapid.Bool(), size, size).Draw(t, "used")
		var free []record.AddressRun
		for i, host := range hosts {
			if n := len(free); !used[i] && n > 0 && free[n-1].Last.Next() == host {
				free[n-1].Last = host
			} else if !used[i] {
				free = append(free, record.AddressRun{First: host, Last: host})
			}
		}
		for _, run := range free {
			var covered []netip.Addr
			blocks := run.Blocks()
			for i, block := range blocks {
				if i > 0 && blocks[i-1].Bits() == block.Bits() && netip.PrefixFrom(block.Addr(), block.Bits()-1).Masked().Addr() == blocks[i-1].Addr() {
					t.Fatalf("%v could be fewer", blocks)
				}
				for at := block.Addr(); at.IsValid() && block.Contains(at); at = at.Next() {
					covered = append(covered, at)
				}
			}
			first, last := slices.Index(hosts, run.First), covered[len(covered)-1]
			if !slices.Equal(covered, hosts[first:first+len(covered)]) || last != run.Last {
				t.Fatalf("%v are not %v", blocks, run)
			}
		}
		full := base.BitLen()
		lengths := rapid.SliceOfN(rapid.IntRange(full-7, full), 0, 20).Draw(t, "lengths")
		var want []netip.Prefix
	next:
		for _, length := range lengths {
			room := 1 << (full - length)
			for at := 0; at+room <= size; at += room {
				if !slices.Contains(used[at:at+room], true) {
					want = append(want, netip.PrefixFrom(hosts[at], length))
					for i := range room {
						used[at+i] = true
					}
					continue next
				}
			}
			break
		}
		if got := record.PlaceBlocks(free, lengths); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
