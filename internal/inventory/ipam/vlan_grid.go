package ipam

import (
	"fmt"
	"math"
	"strconv"

	"terrier/internal/record"
)

// mostSpans is how many runs of free numbers the table of a VLAN group lists.
const mostSpans = 200

// vlanGrids draws the numbers of VLAN groups, and lists what has them and which are free.
func vlanGrids(c record.Call, of []record.Values) ([]any, error) {
	data := make([]any, len(of))
	for i, group := range of {
		taken, err := c.Taken("ipam.vlan", "vid", map[string]string{"group_id": strconv.FormatInt(group.ID(), 10)})
		if err != nil {
			return nil, err
		}
		vlans, err := c.Referring("ipam.vlan", "group", []record.Values{group}, "vid", "name")
		if err != nil {
			return nil, err
		}
		data[i] = vlanGrid(group, taken, vlans)
	}
	return data, nil
}

// vlanGrid draws the numbers of a group: cells of one number, or of several if there are many.
func vlanGrid(group record.Values, taken []any, vlans []record.Values) record.Grid {
	low, high := group.Int("min_vid"), group.Int("max_vid")
	used, seen := map[int64]bool{}, map[int64]record.Values{}
	cells := vlanCells{group, used, seen}
	for _, vid := range taken {
		if n, ok := vid.(int64); ok && n >= low && n <= high {
			used[n] = true
		}
	}
	for _, v := range vlans {
		seen[v.Int("vid")] = v
	}
	size := int64(1)
	for (high-low)/size+1 > record.GridCells {
		size *= 2
	}
	each := "one VID"
	if size > 1 {
		each = fmt.Sprintf("%d VIDs", size)
	}
	g := record.Grid{Head: "VIDs", Caption: "Each cell is " + each + "."}
	if count, all := cells.count(low, high); all {
		g.Caption = fmt.Sprintf("%d of %d in use. %s", count, high-low+1, g.Caption)
	}
	for first := low; first <= high; first += size {
		last := min(first+size-1, high)
		if g.Cells%record.GridColumns == 0 {
			g.Labels = append(g.Labels, strconv.FormatInt(first, 10))
		}
		g.Spans = append(g.Spans, cells.cell(g.Cells, first, last))
		g.Cells++
	}
	spans := freeVIDs(low, high, used)
	g.Rows = cells.rows(g.Spans, spans[:min(len(spans), mostSpans)], low, size)
	if more := len(spans) - mostSpans; more > 0 {
		g.More = fmt.Sprintf("and %d more that are free", more)
	}
	return g
}

// rows lists the cells with VLANs as they are drawn, and the runs of free numbers, by their first number.
func (c vlanCells) rows(drawn, free []record.Span, low, size int64) (rows []record.Span) {
	next := 0
	freeBefore := func(vid int64) {
		for ; next < len(free) && int64(free[next].From) < vid; next++ {
			s := free[next]
			rows = append(rows, record.Span{Places: vids(int64(s.From), int64(s.To)), Use: record.GridFree, New: newVLAN(c.group, s.From)})
		}
	}
	for i, s := range drawn {
		if s.Use != record.GridFree {
			freeBefore(low + int64(i)*size)
			rows = append(rows, s)
		}
	}
	freeBefore(math.MaxInt64)
	return rows
}

// vlanCells are what the cells of a group's drawing are made from.
type vlanCells struct {
	group record.Values
	used  map[int64]bool
	seen  map[int64]record.Values // the VLANs that the caller may see
}

// cell draws a run of numbers as a cell.
func (c vlanCells) cell(at int, first, last int64) record.Span {
	count, all := c.count(first, last)
	s := record.Span{From: at, To: at, Places: vids(first, last), Use: record.GridUsed, What: "In use"}
	if all {
		s.Share, s.What = float64(count)/float64(last-first+1), fmt.Sprintf("%d of %d in use", count, last-first+1)
	}
	switch {
	case count == 0 && all:
		s.Use, s.New = record.GridFree, newVLAN(c.group, int(first))
	case first == last:
		s.Record, s.Held, s.What = c.seen[first], true, ""
	default:
		s.List = &record.Listing{Of: "ipam.vlan", Filters: map[string]string{"group_id": strconv.FormatInt(c.group.ID(), 10),
			"vid__gte": strconv.FormatInt(first, 10), "vid__lte": strconv.FormatInt(last, 10)}}
	}
	if first == last {
		s.Short = strconv.FormatInt(first, 10)
	}
	return s
}

// count returns how many numbers of a run the VLANs have that the caller may see, and whether these are all.
func (c vlanCells) count(first, last int64) (count int, all bool) {
	all = true
	for n := first; n <= last; n++ {
		_, seen := c.seen[n]
		if seen {
			count++
		}
		all = all && seen == c.used[n]
	}
	return count, all
}

// freeVIDs returns the runs of free numbers.
func freeVIDs(low, high int64, used map[int64]bool) (runs []record.Span) {
	for n := low; n <= high; n++ {
		if used[n] {
			continue
		}
		if last := len(runs) - 1; last >= 0 && runs[last].To == int(n)-1 {
			runs[last].To++
		} else {
			runs = append(runs, record.Span{From: int(n), To: int(n)})
		}
	}
	return runs
}

func newVLAN(group record.Values, vid int) *record.New {
	return &record.New{Of: "ipam.vlan", Fields: map[string]string{"vid": strconv.Itoa(vid)},
		Refs: map[string]record.Pointer{"group": {Type: group.Type(), ID: group.ID(), Display: group.Display()}}}
}

// vids writes a run of numbers as people do.
func vids(first, last int64) string {
	if first == last {
		return strconv.FormatInt(first, 10)
	}
	return fmt.Sprintf("%d–%d", first, last)
}
