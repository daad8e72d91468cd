package web

import (
	"cmp"
	"fmt"
	"slices"

	"terrier/internal/record"
)

// drawing is a picture and the same data as a table, for people who can't see the picture.
type drawing struct {
	Label         string // what the picture shows, in words
	Width, Height int64
	Shapes        []shape
	Heads         []string
	Rows          [][]Cell
}

// shape is a rectangle of a drawing and the text in it.
type shape struct {
	Class         string // of its style
	X, Y          int64
	Width, Height int64
	Text          string
}

// drawings are the drawings that a panel can name. Each takes what the panel's Data returns.
var drawings = map[string]func(label string, data any) (*drawing, error){
	"slots": drawSlots,
}

// The sizes of slots, in units of the drawing, and how many are drawn at most.
const (
	slotWidth  = 240
	slotHeight = 22
	slotGutter = 32 // for the number
	mostSlots  = 200
)

// drawSlots draws numbered places, and over them what is in them. What is outside of the places is in the table alone.
func drawSlots(label string, data any) (*drawing, error) {
	slots, ok := data.(record.Slots)
	if !ok {
		return nil, fmt.Errorf(`panel %q: the drawing "slots" takes record.Slots, not %T`, label, data)
	}
	count := min(max(slots.Count, 0), mostSlots)
	d := &drawing{Label: fmt.Sprintf("%s: %d of %d shown as taken. The table names them.", label, takenOf(slots), slots.Count),
		Width: slotGutter + slotWidth, Height: max(1, count) * slotHeight, Heads: []string{"Place", "Record"}}
	place := func(class string, at, size int64, text string) {
		d.Shapes = append(d.Shapes, shape{class, slotGutter, (at - 1) * slotHeight, slotWidth, size * slotHeight, text})
	}
	for n := int64(1); n <= count; n++ {
		d.Shapes = append(d.Shapes, shape{"slot-number", 0, (n - 1) * slotHeight, slotGutter, slotHeight, fmt.Sprint(n)})
		place("slot", n, 1, "")
	}
	slices.SortStableFunc(slots.Taken, func(a, b record.Slot) int { return cmp.Compare(a.At, b.At) })
	for _, s := range slots.Taken {
		size, text := max(s.Size, 1), fmt.Sprint(s.At)
		if size > 1 {
			text = fmt.Sprintf("%d–%d", s.At, s.At+size-1)
		}
		t := s.Record.Type()
		d.Rows = append(d.Rows, []Cell{{Kind: TextCell, Text: text},
			{Kind: LinkCell, Text: s.Record.Display(), Href: RecordPath(t, s.Record.ID())}})
		if s.At >= 1 && s.At+size-1 <= count {
			place("slot taken", s.At, size, s.Record.Display())
		}
	}
	return d, nil
}

// takenOf returns how many places are taken.
func takenOf(slots record.Slots) int {
	taken := map[int64]bool{}
	for _, s := range slots.Taken {
		for at := max(s.At, 1); at < min(s.At+max(s.Size, 1), slots.Count+1); at++ {
			taken[at] = true
		}
	}
	return len(taken)
}
