package record

import "math"

// Elevation is the input of the drawing "elevation": a column of numbered units, seen from one side or several, and what is in them. Half
// units count.
type Elevation struct {
	Units    int64
	TopDown  bool    // unit 1 is at the top
	Faces    Choices // the sides that it is seen from
	Mounted  []Mounted
	Reserved []Reserved

	// The sizes of a picture. 0 means the default.
	UnitWidth, UnitHeight, LegendWidth, MarginWidth int64
}

// Mounted is a record that takes the units from At up to At + Height.
type Mounted struct {
	Record     Values // the zero Values if the caller may not see it
	At, Height float64
	Face       string
	Through    bool   // it takes the other faces too
	Color      string // six hexadecimal digits, "" for none
	Marked     bool   // to be pointed out
}

// Reserved is a record that keeps units for somebody, on all faces.
type Reserved struct {
	Record Values
	Units  []int64
	Text   string
}

// Picture is what an action answers with if the answer is a drawing. Drawing is its name, and Data its input.
type Picture struct {
	Drawing, Label string
	Data           any
}

// halfUnit is the size of a slot.
const halfUnit = 0.5

// Slots returns the half units, from the top: 42.5, 42, 41.5 … 1, or the other way round.
func (e Elevation) Slots() []float64 {
	slots := make([]float64, 0, max(0, 2*e.Units))
	for n := int64(2); n < 2*e.Units+2; n++ {
		slot := float64(n) * halfUnit
		if !e.TopDown {
			slot = float64(2*e.Units+3-n) * halfUnit
		}
		slots = append(slots, slot)
	}
	return slots
}

// Takes reports whether a record takes a half unit of a face.
func (m Mounted) Takes(slot float64, face string) bool {
	return (m.Face == face || m.Through) && slot >= m.At && slot < m.At+m.Height
}

// In returns what takes a half unit of a face, nil for nothing.
func (e Elevation) In(slot float64, face string) *Mounted {
	for i := range e.Mounted {
		if e.Mounted[i].Takes(slot, face) {
			return &e.Mounted[i]
		}
	}
	return nil
}

// ReservedFor returns the reservation of a half unit, nil for none.
func (e Elevation) ReservedFor(slot float64) *Reserved {
	for i, r := range e.Reserved {
		for _, unit := range r.Units {
			if float64(unit) == math.Floor(slot) {
				return &e.Reserved[i]
			}
		}
	}
	return nil
}

// Used returns the share of the half units that are taken on any face or reserved, in percent.
func (e Elevation) Used() float64 {
	slots := e.Slots()
	used := 0
	for _, slot := range slots {
		taken := e.ReservedFor(slot) != nil
		for _, face := range e.Faces {
			taken = taken || e.In(slot, face.Value) != nil
		}
		if taken {
			used++
		}
	}
	return 100 * float64(used) / float64(max(1, len(slots)))
}
