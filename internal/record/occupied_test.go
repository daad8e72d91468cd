package record

import (
	"net/netip"
	"testing"
)

// TestCells holds that a run is cut into the smallest networks of which there are at most 256, without a gap.
func TestCells(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		first, last string
		cells       int
		second      string
	}{
		{"10.0.0.0", "10.255.255.255", 256, "10.1.0.0/16"},
		{"192.0.2.0", "192.0.2.255", 256, "192.0.2.1"},
		{"192.0.2.10", "192.0.2.19", 10, "192.0.2.11"},
		{"10.0.0.250", "10.0.1.255", 131, "10.0.0.252/31"},
		{"2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", 256, "2001:db8:100::/40"},
		{"0.0.0.0", "255.255.255.255", 256, "1.0.0.0/8"},
		{"255.255.255.254", "255.255.255.255", 2, "255.255.255.255"},
	} {
		run := AddressRun{netip.MustParseAddr(c.first), netip.MustParseAddr(c.last)}
		cells := run.Cells(GridCells)
		if len(cells) != c.cells || cells[1].String() != c.second || cells[0].First != run.First || cells[len(cells)-1].Last != run.Last {
			t.Errorf("%s: %d cells, the second is %s", run, len(cells), cells[1])
		}
		for i := 1; i < len(cells); i++ {
			if cells[i].First != cells[i-1].Last.Next() {
				t.Errorf("%s: there is a gap before %s", run, cells[i])
			}
		}
	}
}
