package drawing

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"terrier/internal/record"
)

// The sizes of an elevation, where the data has no others.
const (
	unitWidth   = 220
	unitHeight  = 22
	legendWidth = 30
	marginWidth = 15
)

// elevated is an elevation that is being drawn.
type elevated struct {
	record.Elevation
	links Links
	d     *Drawing
	top   int64 // what is above the units
}

// elevation draws numbered units in a column for each face, what is in them, what is reserved and what is free. What is outside of the
// units is in the table alone.
func elevation(label string, data any, links Links) (*Drawing, error) {
	e, ok := data.(record.Elevation)
	if !ok {
		return nil, fmt.Errorf(`%q: the drawing "elevation" takes record.Elevation, not %T`, label, data)
	}
	e.UnitWidth, e.UnitHeight = cmp.Or(e.UnitWidth, unitWidth), cmp.Or(e.UnitHeight, unitHeight)
	e.LegendWidth, e.MarginWidth = cmp.Or(e.LegendWidth, legendWidth), cmp.Or(e.MarginWidth, marginWidth)
	slices.SortStableFunc(e.Mounted, func(a, b record.Mounted) int {
		if e.TopDown {
			a, b = b, a
		}
		return cmp.Compare(b.At, a.At)
	})
	x := &elevated{Elevation: e, links: links, d: &Drawing{Heads: []string{"Units", "Taken by"}}}
	if len(e.Faces) > 1 {
		x.d.Heads = []string{"Units", "Face", "Taken by"}
		x.top = e.UnitHeight
	}
	x.d.Caption = fmt.Sprintf("%s of %d units in use", percent(e.Used()), e.Units)
	x.d.Label = label + ": " + x.d.Caption
	faces := int64(len(e.Faces))
	x.d.Width, x.d.Height = e.LegendWidth+faces*(e.UnitWidth+e.MarginWidth), x.top+max(1, e.Units)*e.UnitHeight
	x.numbers()
	for i, face := range e.Faces {
		x.face(face, e.LegendWidth+int64(i)*(e.UnitWidth+e.MarginWidth))
	}
	x.table()
	return x.d, nil
}

// percent returns a share with at most one digit behind the point: "37.5 %".
func percent(share float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(share, 'f', 1, 64), ".0") + " %"
}

// unit returns how people write a unit: "U7", "U7.5".
func unit(at float64) string { return "U" + strconv.FormatFloat(at, 'f', -1, 64) }

// units returns how people write the units that a height from at upwards takes, whole or in part: "U7", "U7–U8".
func units(at, height float64) string {
	last := math.Floor(at + height - 0.5)
	if last <= at {
		return unit(at)
	}
	return unit(at) + "–" + unit(last)
}

// y returns where the units from at upwards begin, and how high they are.
func (x *elevated) y(at, height float64) (top, size int64) {
	size = int64(height * float64(x.UnitHeight))
	if x.TopDown {
		return x.top + int64((at-1)*float64(x.UnitHeight)), size
	}
	return x.top + int64((float64(x.Units)+1-at-height)*float64(x.UnitHeight)), size
}

func (x *elevated) add(s Shape) { x.d.Shapes = append(x.d.Shapes, s) }

// half marks a shape that is too low for a text of the usual size.
const half = " half"

// numbers draws the numbers of the units.
func (x *elevated) numbers() {
	for n := int64(1); n <= x.Units; n++ {
		y, height := x.y(float64(n), 1)
		x.add(Shape{Class: "unit-number", Y: y, Width: x.LegendWidth, Height: height, Text: strconv.FormatInt(n, 10)})
	}
}

// face draws one side: its free and reserved units, and over them what is mounted.
func (x *elevated) face(face record.Option, left int64) {
	if x.top > 0 {
		x.add(Shape{Class: "face-name", X: left, Width: x.UnitWidth, Height: x.top, Text: face.Label})
	}
	for n := int64(1); n <= x.Units; n++ {
		lower, upper := float64(n), float64(n)+0.5
		switch lowerFree, upperFree := x.In(lower, face.Value) == nil, x.In(upper, face.Value) == nil; {
		case lowerFree && upperFree:
			x.free(face, left, lower, 1)
		case lowerFree:
			x.free(face, left, lower, 0.5)
		case upperFree:
			x.free(face, left, upper, 0.5)
		}
	}
	for _, m := range x.Mounted {
		if !m.Takes(m.At, face.Value) || m.At < 1 || m.At+m.Height > float64(x.Units)+1 {
			continue
		}
		y, height := x.y(m.At, m.Height)
		s := Shape{Class: "mounted", X: left, Y: y, Width: x.UnitWidth, Height: height, Fill: m.Color, Text: x.name(m)}
		s.Title = units(m.At, m.Height) + ", " + x.faceOf(m) + ": " + s.Text
		switch {
		case m.Record.Type() == nil:
			s.Class, s.Fill = "mounted hidden-record", ""
		case m.Marked:
			s.Class, s.Href = "mounted marked", x.link(m.Record)
		case m.Face != face.Value:
			s.Class, s.Href = "mounted from-behind", x.link(m.Record)
		default:
			s.Href = x.link(m.Record)
		}
		if m.Height < 1 {
			s.Class += half
		}
		x.add(s)
	}
}

// free draws a unit, or half of one, that nothing is mounted in.
func (x *elevated) free(face record.Option, left int64, at, height float64) {
	y, size := x.y(at, height)
	s := Shape{Class: "unit", X: left, Y: y, Width: x.UnitWidth, Height: size, Title: units(at, height) + ": free"}
	if x.links.Add != nil {
		s.Href = x.links.Add(strconv.FormatFloat(at, 'f', -1, 64), face.Value)
	}
	if s.Href != "" {
		s.Title += ", add here"
	}
	if r := x.ReservedFor(at); r != nil {
		s.Class, s.Text = "unit reserved", r.Text
		s.Title = units(at, height) + ": reserved, " + r.Text
		for across := int64(0); across < x.UnitWidth+size; across += 8 {
			s.Hatch += fmt.Sprintf("M%d 0L%d %d", across, across-size, size)
		}
	}
	x.add(s)
}

func (x *elevated) name(m record.Mounted) string {
	if m.Record.Type() == nil {
		return "Taken"
	}
	return m.Record.Display()
}

// link returns the address of a record.
func (x *elevated) link(v record.Values) string {
	if x.links.Record == nil || v.Type() == nil {
		return ""
	}
	return x.links.Record(v)
}

// faceOf returns the faces that a record takes, for people.
func (x *elevated) faceOf(m record.Mounted) string {
	var labels []string
	for _, face := range x.Faces {
		if m.Face == face.Value || m.Through {
			labels = append(labels, face.Label)
		}
	}
	return strings.Join(labels, " and ")
}

// table lists what is mounted, what is reserved and what is free.
func (x *elevated) table() {
	row := func(units, face string, what Cell) {
		if cells := []Cell{{Text: units}, {Text: face}, what}; len(x.d.Heads) == len(cells) {
			x.d.Rows = append(x.d.Rows, cells)
		} else {
			x.d.Rows = append(x.d.Rows, []Cell{{Text: units}, what})
		}
	}
	for _, m := range x.Mounted {
		row(units(m.At, m.Height), x.faceOf(m), Cell{x.name(m), x.link(m.Record)})
	}
	for _, r := range x.Reserved {
		row(x.listed(r.Units), "", Cell{"Reserved: " + r.Text, x.link(r.Record)})
	}
	for _, face := range x.Faces {
		for _, run := range x.freeRuns(face.Value) {
			what := Cell{Text: "Free"}
			if x.links.Add != nil {
				if href := x.links.Add(strconv.FormatFloat(run.at, 'f', -1, 64), face.Value); href != "" {
					what = Cell{"Free: add at " + unit(run.at), href}
				}
			}
			row(units(run.at, run.height), face.Label, what)
		}
	}
}

// listed returns units for people: "U1–U3, U7".
func (x *elevated) listed(numbers []int64) string {
	numbers = slices.Clone(numbers)
	slices.Sort(numbers)
	var parts []string
	for i := 0; i < len(numbers); {
		n := 1
		for i+n < len(numbers) && numbers[i+n] == numbers[i]+int64(n) {
			n++
		}
		parts = append(parts, units(float64(numbers[i]), float64(n)))
		i += n
	}
	return strings.Join(parts, ", ")
}

// run is free space.
type run struct{ at, height float64 }

// freeRuns returns the free space of a face, in the order of the units from the top.
func (x *elevated) freeRuns(face string) []run {
	var runs []run
	slots := x.Slots()
	if !x.TopDown {
		slices.Reverse(slots)
	}
	for _, slot := range slots { // upwards
		if x.In(slot, face) != nil {
			continue
		}
		if last := len(runs) - 1; last >= 0 && runs[last].at+runs[last].height == slot {
			runs[last].height += 0.5
		} else {
			runs = append(runs, run{slot, 0.5})
		}
	}
	if !x.TopDown {
		slices.Reverse(runs)
	}
	return runs
}
