package dcim

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"terrier/internal/record"
)

// The units of a rack are halved into slots: slot 2 is the lower half of unit 1 and slot 3 the upper one, so slot n is at position n/2. A
// device takes the slots from its position upwards, on one face of the rack or on both.

// slotAt returns the slot at a position.
func slotAt(position float64) int { return int(math.Round(2 * position)) }

// positionOf returns the position of a slot.
func positionOf(slot int) float64 { return float64(slot) / 2 }

// slotsOf returns the first slot of a rack with so many units, and the one after its last.
func slotsOf(units int64) (first, end int) { return slotAt(1), slotAt(float64(units) + 1) }

// mount is the space that a device takes in a rack.
type mount struct {
	device      int64
	first, end  int // its first slot, and the one after its last
	front, rear bool
}

// newMount returns the space of a device with this position, height and depth.
func newMount(device int64, position, height float64, face string, isFullDepth bool) mount {
	return mount{device, slotAt(position), slotAt(position + height), isFullDepth || face == "front", isFullDepth || face == "rear"}
}

// rackSpace allows each device only in slots that the rack has and that no other device takes on the same face.
var rackSpace = record.Together{
	Of:         "rack",
	Reads:      []string{"position", "face", "device_type.u_height", "device_type.is_full_depth", "device_type.subdevice_role"},
	OwnerReads: []string{"u_height"},
	Check:      checkRackSpace,
}

func checkRackSpace(rack record.Member, devices []record.Member) (clashes []record.Clash) {
	first, end := slotsOf(rack.Int("u_height"))
	taken := map[[2]int]int64{} // by face and slot
	for _, d := range devices {
		if field, why := notMountable(d); why != "" {
			clashes = append(clashes, record.Clash{Member: d.ID(), Field: field, Message: why})
			continue
		}
		if d.Get("position") == nil {
			continue
		}
		m := mountOf(d)
		if m.first < first || m.end > end {
			clashes = append(clashes, record.Clash{Member: d.ID(), Field: "position",
				Message: fmt.Sprintf("A device of %gU at unit %g does not fit into a rack of %d units.", d.Float("device_type.u_height"),
					d.Float("position"), rack.Int("u_height"))})
		}
		clashes = append(clashes, m.take(taken)...)
	}
	for i, c := range clashes {
		if c.Other == "" {
			continue
		}
		at := slices.IndexFunc(devices, func(d record.Member) bool { return d.ID() == c.Member })
		clashes[i].Message += " " + mountOf(devices[at]).freeUnits(taken, rack.Int("u_height"))
	}
	return clashes
}

// freeUnits says which units are free on the faces that a device takes, if it is elsewhere.
func (m mount) freeUnits(taken map[[2]int]int64, units int64) string {
	var runs []string
	var from int64
	for unit := int64(1); unit <= units+1; unit++ {
		free := unit <= units
		for face, takes := range []bool{m.front, m.rear} {
			for slot := slotAt(float64(unit)); takes && slot < slotAt(float64(unit+1)); slot++ {
				by := taken[[2]int{face, slot}]
				free = free && (by == 0 || by == m.device)
			}
		}
		switch {
		case free && from == 0:
			from = unit
		case !free && from != 0:
			run := fmt.Sprint(from)
			if from != unit-1 {
				run += fmt.Sprintf("–%d", unit-1)
			}
			runs, from = append(runs, run), 0
		}
	}
	if len(runs) == 0 {
		return "No unit is free."
	}
	return "Free units: " + strings.Join(runs, ", ") + "."
}

// notMountable returns why a device can't have the position or the face that it has, and which of them it is.
func notMountable(d record.Member) (field, why string) {
	switch isChild := d.Text("device_type.subdevice_role") == "child"; {
	case isChild && d.Get("position") != nil:
		return "position", "A child device is in a bay of its parent and has no position in the rack."
	case isChild && d.Get("face") != nil:
		return "face", "A child device is in a bay of its parent and has no face of the rack."
	case d.Get("position") != nil && d.Float("device_type.u_height") == 0:
		return "position", "A device of 0U takes no unit of the rack and has no position in it."
	}
	return "", ""
}

// mountOf returns the space of a device that has a position.
func mountOf(d record.Member) mount {
	return newMount(d.ID(), d.Float("position"), d.Float("device_type.u_height"), d.Text("face"), d.Bool("device_type.is_full_depth"))
}

// take marks the slots of a device as taken, and returns a clash for each other device that has one of them already.
func (m mount) take(taken map[[2]int]int64) (clashes []record.Clash) {
	for slot := m.first; slot < m.end; slot++ {
		for face, takes := range []bool{m.front, m.rear} {
			at := [2]int{face, slot}
			switch other := taken[at]; {
			case !takes || other == m.device:
			case other == 0:
				taken[at] = m.device
			case !slices.ContainsFunc(clashes, func(c record.Clash) bool { return c.With == other }):
				clashes = append(clashes, record.Clash{Member: m.device, With: other, Field: "position", Other: "Another device",
					Message: fmt.Sprintf("Another device takes unit %g of the rack.", positionOf(slot))})
			}
		}
	}
	return clashes
}

// rackUnits allows a reservation only units that the rack has and that no other reservation has.
var rackUnits = record.Together{Of: "rack", Reads: []string{"units"}, OwnerReads: []string{"u_height"}, Check: checkRackUnits}

func checkRackUnits(rack record.Member, reservations []record.Member) (clashes []record.Clash) {
	reserved := map[int64]int64{}
	for _, r := range reservations {
		missing, shared := []int64(nil), map[int64][]int64{} // by the other reservation
		var others []int64
		for _, unit := range r.Ints("units") {
			if unit < 1 || unit > rack.Int("u_height") {
				missing = append(missing, unit)
			}
			other, taken := reserved[unit]
			if taken && other != r.ID() {
				if shared[other] == nil {
					others = append(others, other)
				}
				shared[other] = append(shared[other], unit)
				continue
			}
			reserved[unit] = r.ID()
		}
		if missing != nil {
			clashes = append(clashes, record.Clash{Member: r.ID(), Field: "units",
				Message: fmt.Sprintf("The rack has the units 1 to %d, and not %s.", rack.Int("u_height"), listed(missing))})
		}
		for _, other := range others {
			clashes = append(clashes, record.Clash{Member: r.ID(), With: other, Field: "units",
				Message: fmt.Sprintf("Another reservation has these units: %s.", listed(shared[other]))})
		}
	}
	return clashes
}

// listed returns numbers as a text.
func listed(numbers []int64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
}
