package record

import (
	"fmt"
	"net/netip"
	"strings"
)

// AddressGrid returns the Data of a panel that draws what uses the addresses of a record: networks and addresses in it, runs that are kept,
// and what is free, as a field of the kind Utilization declares.
func AddressGrid(field string) func(c Call, of []Values) ([]any, error) {
	return func(c Call, of []Values) ([]any, error) {
		data := make([]any, len(of))
		for i, v := range of {
			f, ok := v.Type().Field(field).(Utilization)
			if !ok {
				return nil, fmt.Errorf("%s has no field %q of the kind Utilization", v.Type().Key(), field)
			}
			found, err := c.Occupied(v, f.Usage)
			if err != nil {
				return nil, err
			}
			data[i] = newAddressGrid(v, f.Usage, found).grid()
		}
		return data, nil
	}
}

// addressGrid makes a grid of what uses the addresses of a record.
type addressGrid struct {
	Occupied
	of    Values
	usage Usage
	spans []Span // one for each cell, and one for cells that a record has together
}

func newAddressGrid(of Values, u Usage, found Occupied) *addressGrid {
	return &addressGrid{Occupied: found, of: of, usage: u}
}

func (g *addressGrid) grid() Grid {
	cells := make([]Span, len(g.Cells))
	for i := range cells {
		cells[i] = Span{From: i, To: i, Use: GridFree}
	}
	for _, h := range g.Hosts {
		cells[h.Cell] = g.hosts(h)
	}
	for _, x := range g.Runs {
		g.keep(x, cells)
	}
	for _, x := range g.Blocks {
		from, to, whole := g.fills(x)
		for i := from; i <= to; i++ {
			if whole {
				cells[i] = Span{From: from, To: to, Use: GridTaken, Held: true, Record: x.Record}
			} else {
				cells[i] = Span{From: i, To: i, Use: GridPart, What: "Smaller " + g.usage.Foreign(g.usage.Blocks).Of.Plural,
					List: g.list(g.usage.Blocks, NetContained, g.Cells[i])}
			}
		}
	}
	g.keepEnds(cells)
	g.keepFull(cells)
	g.join(cells)
	out := Grid{Cells: len(g.Cells), Caption: g.caption(), Head: "Addresses", Spans: g.spans, Rows: g.rows()}
	for i := 0; i < len(g.Cells); i += GridColumns {
		out.Labels = append(out.Labels, g.Cells[i].First.String())
	}
	return out
}

// keep marks the cells that a run has whole. A cell that it has in part keeps its use, and is not free.
func (g *addressGrid) keep(x Occupant, cells []Span) {
	from, to, _ := g.fills(x)
	for i := from; i <= to; i++ {
		whole := x.First.Compare(g.Cells[i].First) <= 0 && x.Last.Compare(g.Cells[i].Last) >= 0
		switch {
		case whole && (cells[i].Use == GridFree || !g.Single):
			cells[i] = Span{From: from, To: to, Use: GridRange, Held: true, Record: x.Record, What: "Range"}
		case cells[i].Use == GridFree:
			cells[i] = Span{From: i, To: i, Use: GridPart, What: "Part of a range", Record: x.Record}
		}
	}
}

// hosts returns the use of a cell with addresses.
func (g *addressGrid) hosts(h HostCount) Span {
	s := Span{From: h.Cell, To: h.Cell, Use: GridUsed, What: fmt.Sprintf("%d addresses", h.Count)}
	size := 1 << min(g.Cells[h.Cell].First.BitLen()-g.Cells[h.Cell].largest().Bits(), 30)
	s.Share = min(float64(h.Count)/float64(size), 1)
	switch {
	case h.Count == 0:
		s.What = "In use"
	case h.Count == 1:
		s.Record, s.Held, s.What = h.Record, true, ""
	case h.Count >= MostHosts && size > MostHosts:
		s.What = fmt.Sprintf("%d addresses or more", h.Count)
	}
	if h.Count != 1 {
		s.List = g.list(g.usage.Hosts, NetHostContained, g.Cells[h.Cell])
	}
	return s
}

// keepEnds marks the addresses of a network that nobody can use.
func (g *addressGrid) keepEnds(cells []Span) {
	run := g.usage.RunOf(g.of)
	if g.usage.Pool == "" || g.of.Bool(g.usage.Pool) || !g.Single || len(cells) <= 2 {
		return
	}
	ends := []int{0}
	if run.First.Is4() {
		ends = append(ends, len(cells)-1)
	}
	for n, i := range ends {
		if cells[i].Use == GridFree {
			cells[i].Use, cells[i].What = GridUnused, []string{"The network itself", "Broadcast"}[n]
		}
	}
}

// keepFull marks what would be free in a record that counts as full: nothing is given out there.
func (g *addressGrid) keepFull(cells []Span) {
	if g.usage.Full == "" || !g.of.Bool(g.usage.Full) {
		return
	}
	for i := range cells {
		if cells[i].Use == GridFree {
			cells[i].Use, cells[i].What = GridUnused, "Counts as full"
		}
	}
}

// join puts the cells of one record together, and completes each span.
func (g *addressGrid) join(cells []Span) {
	for i := 0; i < len(cells); {
		s, first := cells[i], i
		for i++; i < len(cells) && s.Held && cells[i].Held && cells[i].Use == s.Use && cells[i].From == s.From; i++ {
			continue
		}
		s.From, s.To = first, i-1
		run := AddressRun{g.Cells[s.From].First, g.Cells[s.To].Last}
		s.Places, s.Short = run.String(), g.short(run)
		if s.Use == GridFree {
			s.New = g.free(run)
		}
		g.spans = append(g.spans, s)
	}
}

// rows joins cells that follow each other and are free, or would be in a record that does not count as full.
func (g *addressGrid) rows() (rows []Span) {
	for _, s := range g.spans {
		last := len(rows) - 1
		if (s.Use == GridFree || s.Use == GridUnused) && last >= 0 && rows[last].Use == s.Use && rows[last].What == s.What {
			rows[last].To = s.To
			run := AddressRun{g.Cells[rows[last].From].First, g.Cells[s.To].Last}
			rows[last].Places = run.String()
			if s.New != nil {
				rows[last].New = g.free(run)
			}
			continue
		}
		rows = append(rows, s)
	}
	return rows
}

// short returns the end of an address, if a cell is one.
func (g *addressGrid) short(run AddressRun) string {
	if !g.Single {
		return ""
	}
	text := run.First.String()
	return text[strings.LastIndexAny(text, ".:")+1:]
}

// free returns what can be added in a free run: a network where cells are networks, or else an address.
func (g *addressGrid) free(run AddressRun) *New {
	n := &New{Fields: map[string]string{}}
	path, text := g.usage.Hosts, ""
	if g.usage.Blocks != "" && !g.Single {
		path, text = g.usage.Blocks, run.largest().String()
	} else if path != "" {
		mask := g.usage.Network
		if mask == "" {
			mask = g.usage.Start
		}
		text = netip.PrefixFrom(run.First, netip.MustParsePrefix(g.of.Text(mask)).Bits()).String()
	}
	if path == "" {
		return nil
	}
	at := strings.LastIndex(path, ".")
	n.Of, n.Fields[path[at+1:]] = path[:at], text
	if g.usage.Within != "" && g.of.Link(g.usage.Within).ID != 0 {
		target, link := TargetOf(g.of.Type().Field(g.usage.Within)), g.of.Link(g.usage.Within)
		n.Refs = map[string]Pointer{g.usage.Within: {Type: target, ID: link.ID, Display: target.DisplayLink(link)}}
	}
	return n
}

// list returns the list of what is in a cell, nil if the type has no filter for it.
func (g *addressGrid) list(path string, by Lookup, cell AddressRun) *Listing {
	blocks := cell.Blocks()
	if len(blocks) != 1 {
		return nil
	}
	of := g.usage.Foreign(path)
	field := path[strings.LastIndex(path, ".")+1:]
	for _, f := range of.Of.Filters {
		if f.Field == field && f.Lookup == by {
			l := &Listing{Of: of.Of.Key(), Filters: map[string]string{f.Name: blocks[0].String()}}
			if g.usage.Within != "" && !(path == g.usage.Hosts && g.usage.HostsOfAll(g.of)) {
				l.Filters[g.usage.Within+"_id"] = "null"
				if id := g.of.Link(g.usage.Within).ID; id != 0 {
					l.Filters[g.usage.Within+"_id"] = fmt.Sprint(id)
				}
			}
			return l
		}
	}
	return nil
}

// caption says how much a cell is.
func (g *addressGrid) caption() string {
	if g.Single {
		return "Each cell is one address."
	}
	return fmt.Sprintf("Each cell is a /%d.", g.Cells[len(g.Cells)/2].largest().Bits())
}
