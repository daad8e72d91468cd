package record

import (
	"net/netip"
	"slices"
	"sort"
)

// AddressRun is a run of addresses of one family, both ends included.
type AddressRun struct{ First, Last netip.Addr }

// Blocks returns the fewest networks that a run consists of, in their order.
func (r AddressRun) Blocks() (blocks []netip.Prefix) {
	for first := r.First; first.IsValid() && first.Compare(r.Last) <= 0; {
		block := single(first)
		for bits := first.BitLen() - 1; bits >= 0; bits-- {
			wider := netip.PrefixFrom(first, bits)
			if wider != wider.Masked() || LastAddress(wider).Compare(r.Last) > 0 {
				break
			}
			block = wider
		}
		blocks = append(blocks, block)
		first = LastAddress(block).Next()
	}
	return blocks
}

// lowest returns the lowest network of a length that lies in a run.
func (r AddressRun) lowest(length int) (block netip.Prefix, ok bool) {
	block = netip.PrefixFrom(r.First, length).Masked()
	if block.Addr() != r.First {
		next := LastAddress(block).Next()
		if !next.IsValid() {
			return block, false
		}
		block = netip.PrefixFrom(next, length)
	}
	return block, LastAddress(block).Compare(r.Last) <= 0
}

// PlaceBlocks takes a network of each length out of free runs, one after the other: the lowest that is free. The runs are in their order.
// It returns those that it finds before the first for which there is no room.
func PlaceBlocks(free []AddressRun, lengths []int) (blocks []netip.Prefix) {
	free = slices.Clone(free)
	above := map[int]netip.Addr{} // below it there is no room for a network of this length
	for _, length := range lengths {
		from := 0
		if low, ok := above[length]; ok {
			from = sort.Search(len(free), func(i int) bool { return free[i].Last.Compare(low) >= 0 })
		}
		placed := false
		for i := from; i < len(free) && !placed; i++ {
			var block netip.Prefix
			if block, placed = free[i].lowest(length); placed {
				blocks = append(blocks, block)
				above[length] = block.Addr()
				free = slices.Replace(free, i, i+1, free[i].without(block)...)
			}
		}
		if !placed {
			break
		}
	}
	return blocks
}

// without returns what is left of a run when a network in it is taken.
func (r AddressRun) without(block netip.Prefix) (left []AddressRun) {
	if r.First != block.Addr() {
		left = append(left, AddressRun{r.First, block.Addr().Prev()})
	}
	if last := LastAddress(block); last != r.Last {
		left = append(left, AddressRun{last.Next(), r.Last})
	}
	return left
}
