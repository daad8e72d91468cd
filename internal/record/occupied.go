package record

import (
	"net/netip"
	"slices"
	"sort"
)

// Occupied is what uses the addresses of a record, cell by cell. However much there is, it has no more than one block, one run and one
// number for each cell.
type Occupied struct {
	Cells  []AddressRun // networks of one length; the first and the last may be cut
	Single bool         // a cell is one address
	// Blocks are the outermost networks, in their order: those that fill cells, and the first in each cell that is not filled.
	Blocks []Occupant
	// Runs are runs of addresses: the first that begins in each cell.
	Runs  []Occupant
	Hosts []HostCount // of each cell that no block fills
}

// Occupant is a record that has addresses.
type Occupant struct {
	AddressRun
	ID     int64
	Record Values // the zero Values if the caller may not see it
}

// HostCount is how many addresses in a cell have records, not more than MostHosts. ID and Record are those of the lowest.
type HostCount struct {
	Cell   int
	Count  int64 // 0 if the caller may not see all of them: then their number is not told
	ID     int64
	Record Values
}

// MostHosts is how far the addresses in a cell are counted.
const MostHosts = 256

// RunOf returns the addresses of a record.
func (u Usage) RunOf(v Values) AddressRun {
	if u.Network != "" {
		network := netip.MustParsePrefix(v.Text(u.Network))
		return AddressRun{network.Addr(), LastAddress(network)}
	}
	return AddressRun{netip.MustParsePrefix(v.Text(u.Start)).Addr(), netip.MustParsePrefix(v.Text(u.End)).Addr()}
}

// Cells cuts a run into the smallest networks of one length of which there are at most so many.
func (r AddressRun) Cells(most int) []AddressRun {
	for length := r.First.BitLen(); ; length-- {
		if cells := r.cut(length, most); cells != nil || length == 0 {
			return cells
		}
	}
}

// cut cuts a run into networks of a length, nil if there are too many.
func (r AddressRun) cut(length, most int) (cells []AddressRun) {
	for first := r.First; ; {
		last := LastAddress(netip.PrefixFrom(first, length))
		if len(cells) == most {
			return nil
		}
		if last.Compare(r.Last) >= 0 {
			return append(cells, AddressRun{first, r.Last})
		}
		cells = append(cells, AddressRun{first, last})
		first = last.Next()
	}
}

// cellOf returns the cell that an address is in, or the nearest.
func (o Occupied) cellOf(addr netip.Addr) int {
	i := sort.Search(len(o.Cells), func(i int) bool { return o.Cells[i].Last.Compare(addr) >= 0 })
	return min(i, len(o.Cells)-1)
}

// fills reports whether an occupant has whole cells, and which ones it touches.
func (o Occupied) fills(x Occupant) (from, to int, whole bool) {
	from, to = o.cellOf(x.First), o.cellOf(x.Last)
	return from, to, x.First.Compare(o.Cells[from].First) <= 0 && x.Last.Compare(o.Cells[to].Last) >= 0
}

// Unfilled returns the cells that no block fills.
func (o Occupied) Unfilled() (cells []int) {
	filled := make([]bool, len(o.Cells))
	for _, x := range o.Blocks {
		if from, to, whole := o.fills(x); whole {
			for i := from; i <= to; i++ {
				filled[i] = true
			}
		}
	}
	for i := range o.Cells {
		if !filled[i] {
			cells = append(cells, i)
		}
	}
	return cells
}

// String writes a run as people do: an address, a network, or its ends.
func (r AddressRun) String() string {
	if r.First == r.Last {
		return r.First.String()
	}
	if blocks := r.Blocks(); len(blocks) == 1 {
		return blocks[0].String()
	}
	return r.First.String() + "–" + r.Last.String()
}

// largest returns the largest network in a run, the lowest of these.
func (r AddressRun) largest() netip.Prefix {
	return slices.MinFunc(r.Blocks(), func(a, b netip.Prefix) int { return a.Bits() - b.Bits() })
}
