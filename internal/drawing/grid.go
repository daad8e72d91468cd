package drawing

import (
	"fmt"
	"math"

	"terrier/internal/record"
)

// The sizes of a grid.
const (
	cellWidth  = 34
	cellHeight = 24
	letter     = 8 // the width of a letter beside the rows
	edge       = 1 // beside the last cells, whose lines would be cut off
)

// gridKeys explain the uses and how much of a cell is used, in this order.
var gridKeys = []struct {
	span record.Span
	text string
}{
	{record.Span{Use: record.GridTaken}, "Taken as a whole"},
	{record.Span{Use: record.GridPart}, "Taken in part"},
	{record.Span{Use: record.GridUsed, Share: 1}, "In use"},
	{record.Span{Use: record.GridUsed, Share: 0.75}, "Up to three quarters in use"},
	{record.Span{Use: record.GridUsed, Share: 0.5}, "Up to half in use"},
	{record.Span{Use: record.GridUsed, Share: 0.25}, "Up to a quarter in use"},
	{record.Span{Use: record.GridRange}, "Reserved"},
	{record.Span{Use: record.GridUnused}, "Not usable"},
	{record.Span{Use: record.GridFree}, "Free"},
}

// grid draws cells in rows, and what has them. The table has the same, with free cells that follow each other as one.
func grid(label string, data any, links Links) (*Drawing, error) {
	g, ok := data.(record.Grid)
	if !ok {
		return nil, fmt.Errorf(`%q: the drawing "grid" takes record.Grid, not %T`, label, data)
	}
	d := &Drawing{Label: label + ": " + g.Caption, Caption: g.Caption, Heads: []string{g.Head, "Used by"}}
	left := int64(0)
	for _, text := range g.Labels {
		left = max(left, int64(letter*len(text)+letter))
	}
	columns := int64(min(g.Cells, record.GridColumns))
	d.Width, d.Height = left+columns*cellWidth+edge, int64(len(g.Labels))*cellHeight+edge
	for i, text := range g.Labels {
		d.Shapes = append(d.Shapes, Shape{Class: "row-label", Y: int64(i) * cellHeight, Width: left, Height: cellHeight, Text: text})
	}
	used := map[string]bool{} // by class
	for _, s := range g.Spans {
		used[classOf(s)] = true
		d.Shapes = append(d.Shapes, gridShapes(s, left, links)...)
	}
	for _, key := range gridKeys {
		if class := classOf(key.span); used[class] {
			d.Keys = append(d.Keys, Shape{Class: class, Text: key.text, Hatch: hatched(key.span.Use, cellHeight, cellHeight)})
		}
	}
	for _, s := range g.Rows {
		text, href := gridText(s, links)
		if s.Use == record.GridFree {
			text = "Free"
			if href != "" {
				text = "Free: add here"
			}
		}
		d.Rows = append(d.Rows, []Cell{{Text: s.Places}, {text, href}})
	}
	if g.More != "" {
		d.Rows = append(d.Rows, []Cell{{Text: g.More}, {}})
	}
	return d, nil
}

// gridText returns what a span is used by, and where that leads.
func gridText(s record.Span, links Links) (text, href string) {
	switch {
	case s.Record.Type() != nil:
		if text = s.Record.Display(); s.What != "" {
			text = s.What + ": " + text
		}
		if links.Record != nil {
			href = links.Record(s.Record)
		}
	case s.New != nil:
		if links.New != nil {
			href = links.New(*s.New)
		}
	case s.List != nil:
		if text = s.What; links.List != nil {
			href = links.List(*s.List)
		}
	case s.Held:
		text = "Taken"
	default:
		text = s.What
	}
	return text, href
}

// classOf returns the style of a span. What is used in part is the darker the more of it is.
func classOf(s record.Span) string {
	class := "cell " + string(s.Use)
	if s.Use == record.GridUsed {
		class += fmt.Sprintf(" level-%d", max(1, int(math.Ceil(4*s.Share))))
	}
	return class
}

// gridShapes returns a span as rectangles: its part of the first row, whole rows, and its part of the last. The largest has its name.
func gridShapes(s record.Span, left int64, links Links) (shapes []Shape) {
	text, href := gridText(s, links)
	shape := Shape{Class: classOf(s), Href: href, Title: s.Places + ": " + text}
	if s.Use == record.GridFree {
		if shape.Title = s.Places + ": free"; href != "" {
			shape.Title += ", add here"
		}
	}
	if s.Held && s.Record.Type() == nil {
		shape.Class += " hidden-record"
	}
	largest := 0
	for from := int64(s.From); from <= int64(s.To); {
		row, column, rows := from/record.GridColumns, from%record.GridColumns, int64(1)
		count := min(record.GridColumns-column, int64(s.To)-from+1)
		if whole := (int64(s.To) - from + 1) / record.GridColumns; column == 0 && whole > 1 {
			count, rows = record.GridColumns, whole
		}
		shape.X, shape.Y, shape.Width, shape.Height = left+column*cellWidth, row*cellHeight, count*cellWidth, rows*cellHeight
		shape.Hatch = hatched(s.Use, shape.Width, shape.Height)
		if shapes = append(shapes, shape); shape.Width*shape.Height > shapes[largest].Width*shapes[largest].Height {
			largest = len(shapes) - 1
		}
		from += count * rows
	}
	switch name := s.Short; {
	case s.From != s.To && s.Held && s.Record.Type() != nil && int64(letter*len(s.Record.Display())) < shapes[largest].Width:
		shapes[largest].Text = s.Record.Display()
	case s.From == s.To && letter*len(name) <= cellWidth:
		shapes[largest].Text = name
	}
	return shapes
}

// hatched returns the lines across what is kept for a purpose.
func hatched(use record.GridUse, width, height int64) (path string) {
	if use != record.GridRange {
		return ""
	}
	for across := int64(0); across < width+height; across += 8 {
		path += fmt.Sprintf("M%d 0L%d %d", across, across-height, height)
	}
	return path
}
