package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"terrier/test/apitest"
)

// sized creates a device type of a height and depth.
func (h *hardware) sized(t *testing.T, height float64, full bool) int64 {
	t.Helper()
	return h.make(t, "devicetype", "u_height", height, "is_full_depth", full)
}

// mount sends what creates a device of a type in a rack.
func (h *hardware) mount(t *testing.T, rack, typ int64, position any, face any, more ...any) apitest.Answer {
	t.Helper()
	site := idOf(h.read(t, "rack", rack), "site")
	return h.post(t, "device", append([]any{"site", site, "rack", rack, "device_type", typ, "position", position, "face", face}, more...)...)
}

// mounted creates a device of a type in a rack and returns its id.
func (h *hardware) mounted(t *testing.T, rack, typ int64, position any, face any, more ...any) int64 {
	t.Helper()
	return apitest.ID(h.mount(t, rack, typ, position, face, more...).Want(t, http.StatusCreated).Object(t))
}

// briefCounts asks that the brief form of a list has these counts, and that they are not where the record is nested.
func (h *hardware) briefCounts(t *testing.T, name string, id int64, nested obj, counts obj) {
	t.Helper()
	row := h.first(t, name, "brief=1&id=%d", id)
	for count, value := range counts {
		want(t, count+" in the brief list", row[count], value)
		if _, is := nested[count]; is {
			t.Errorf("%s is in the nested form: %v", count, nested)
		}
	}
	if len(row) != len(nested)+len(counts) {
		t.Errorf("the brief list shows %v, nested is %v", row, nested)
	}
}

// elevation returns the names of the units of a face that hold a device, and of all units.
func (h *hardware) elevation(t *testing.T, rack int64, query string) (occupied, all []string) {
	t.Helper()
	for _, unit := range h.page(t, at(h.list("rack"), rack)+"elevation/?limit=0&"+query).Results {
		all = append(all, fmt.Sprint(unit["id"]))
		if unit["occupied"] == true {
			occupied = append(occupied, fmt.Sprint(unit["id"]))
		}
	}
	return occupied, all
}

func rackRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			want(t, "display", h.made(t, "rack", "name", "A1", "facility_id", "F1")["display"], any("A1 (F1)"))
			want(t, "display", h.made(t, "rack", "name", "A1")["display"], any("A1"))
		},
		2: func(t *testing.T, h *hardware) {
			site := h.make(t, "site")
			one, two := h.make(t, "location", "site", site), h.make(t, "location", "site", site)
			h.make(t, "rack", "site", site, "location", one, "name", "A", "facility_id", "F")
			wantErrors(t, h.post(t, "rack", "site", site, "location", one, "name", "A", "facility_id", "G"), "location")
			wantErrors(t, h.post(t, "rack", "site", site, "location", one, "name", "B", "facility_id", "F"), "location")
			h.make(t, "rack", "site", site, "location", two, "name", "A", "facility_id", "F")
			h.make(t, "rack", "site", site, "name", "A", "facility_id", "F")
			h.make(t, "rack", "site", site, "name", "A", "facility_id", "F")
		},
		3: func(t *testing.T, h *hardware) {
			first, second := h.make(t, "site"), h.make(t, "site")
			upper, lower := h.make(t, "location", "site", first), h.make(t, "location", "site", first)
			h.make(t, "rack", "site", second, "name", "A")
			h.make(t, "rack", "site", first, "name", "B")
			h.make(t, "rack", "site", first, "location", lower, "name", "C")
			h.make(t, "rack", "site", first, "location", upper, "name", "D 10")
			h.make(t, "rack", "site", first, "location", upper, "name", "D 9")
			want(t, "order", names(h.find(t, "rack", "site_id=%d&site_id=%d", first, second), "name"), "D 9 D 10 C B A")
		},
		4: func(t *testing.T, h *hardware) {
			elsewhere := h.make(t, "location")
			h.refused(t, "location", "rack", "location", elsewhere)
			rack := h.made(t, "rack")
			h.unset(t, "location", "rack", apitest.ID(rack), "location", elsewhere)
			h.set(t, "rack", apitest.ID(rack), "location", h.make(t, "location", "site", idOf(rack, "site")))
		},
		5: func(t *testing.T, h *hardware) {
			h.refused(t, "outer_unit", "rack", "outer_width", 600)
			h.refused(t, "outer_unit", "rack", "outer_depth", 600)
			id := h.make(t, "rack", "outer_width", 600, "outer_unit", "mm")
			h.unset(t, "outer_unit", "rack", id, "outer_unit", nil)
			want(t, "unit", h.set(t, "rack", id, "outer_width", nil)["outer_unit"], nil)
			want(t, "unit", h.made(t, "rack", "outer_unit", "in")["outer_unit"], nil)
		},
		6: func(t *testing.T, h *hardware) {
			h.refused(t, "weight_unit", "rack", "weight", 5)
			h.refused(t, "weight_unit", "rack", "max_weight", 5)
			h.grams(t, "rack")
		},
		7: func(t *testing.T, h *hardware) {
			rack := h.make(t, "rack", "u_height", 20)
			h.mounted(t, rack, h.sized(t, 1, false), 11, "front")
			h.mounted(t, rack, h.sized(t, 4, false), 9, "rear")
			h.unset(t, "u_height", "rack", rack, "u_height", 11)
			h.set(t, "rack", rack, "u_height", 12)
		},
		8: func(t *testing.T, h *hardware) {
			rack := h.make(t, "rack", "u_height", 2)
			wantErrors(t, h.mount(t, rack, h.sized(t, 1, true), 2.5, "front"), "position")
			half := h.sized(t, 0.5, true)
			h.mounted(t, rack, half, 2.5, "front")
			wantErrors(t, h.mount(t, rack, half, 3, "front"), "position")
			tall := h.sized(t, 1.5, true)
			wantErrors(t, h.mount(t, rack, tall, 1.5, "front"), "position")
			id := h.mounted(t, rack, tall, 1, "front")
			h.write(t, "device", id, "position", nil).Want(t, http.StatusOK)
			h.mounted(t, rack, h.sized(t, 1, true), 1, "front")
			taken, all := h.elevation(t, rack, "face=front")
			want(t, "slots", fmt.Sprint(all), "[2.5 2 1.5 1]")
			want(t, "taken", fmt.Sprint(taken), "[2.5 1.5 1]")
			h.set(t, "rack", rack, "desc_units", true)
			taken, all = h.elevation(t, rack, "face=front")
			want(t, "slots", fmt.Sprint(all), "[1 1.5 2 2.5]")
			want(t, "taken", fmt.Sprint(taken), "[1 1.5 2.5]")
		},
		9: func(t *testing.T, h *hardware) {
			full, half := h.sized(t, 1, true), h.sized(t, 1, false)
			for _, c := range []struct {
				there, added           int64
				thereFace, addedFace   string
				therePosition, refused any
			}{
				{half, half, "front", "front", 1, true},
				{half, half, "front", "rear", 1, nil},
				{half, full, "front", "rear", 1, true},
				{full, half, "front", "rear", 1, true},
				{full, full, "front", "front", 1, true},
				{full, full, "front", "front", nil, nil},
			} {
				rack := h.make(t, "rack")
				h.make(t, "rackreservation", "rack", rack, "units", []int{1})
				h.mounted(t, rack, c.there, c.therePosition, c.thereFace)
				if a := h.mount(t, rack, c.added, 1, c.addedFace); c.refused != nil {
					wantErrors(t, a, "position")
				} else {
					a.Want(t, http.StatusCreated)
				}
			}
		},
		10: func(t *testing.T, h *hardware) {
			rack := h.made(t, "rack")
			device := h.mounted(t, apitest.ID(rack), h.make(t, "devicetype"), 1, "front")
			site := h.make(t, "site")
			location := h.make(t, "location", "site", site)
			moved := h.write(t, "rack", apitest.ID(rack), "site", site, "location", location).Want(t, http.StatusOK)
			h.changed(t, moved, "update rack", "update device")
			wantRef(t, h.read(t, "device", device), "site", site)
			wantRef(t, h.read(t, "device", device), "location", location)
			h.changed(t, h.write(t, "rack", apitest.ID(rack), "location", nil), "update rack", "update device")
			wantRef(t, h.read(t, "device", device), "location", 0)
		},
		11: func(t *testing.T, h *hardware) {
			from, to := h.make(t, "site"), h.make(t, "site")
			top := h.make(t, "location", "site", from)
			below := h.make(t, "location", "site", from, "parent", top)
			rack := h.make(t, "rack", "site", from, "location", below)
			device := h.mounted(t, rack, h.make(t, "devicetype"), 1, "front")
			loose := h.make(t, "device", "site", from, "location", top)
			h.set(t, "location", top, "site", to)
			wantRef(t, h.read(t, "location", below), "site", to)
			wantRef(t, h.read(t, "rack", rack), "site", to)
			wantRef(t, h.read(t, "device", device), "site", to)
			wantRef(t, h.read(t, "device", loose), "site", to)
		},
		12: func(t *testing.T, h *hardware) {
			site := h.make(t, "site")
			location := h.make(t, "location", "site", site)
			rack := h.make(t, "rack", "site", site, "location", location)
			reservation := h.make(t, "rackreservation", "rack", rack)
			h.remove(t, "location", location)
			wantRef(t, h.read(t, "rack", rack), "location", 0)
			device := h.mounted(t, rack, h.make(t, "devicetype"), 1, "front")
			h.held(t, "rack", rack)
			h.remove(t, "device", device)
			h.remove(t, "rack", rack)
			h.gone(t, "rackreservation", reservation)
		},
		14: func(t *testing.T, h *hardware) {
			rack := h.make(t, "rack")
			device := h.read(t, "device", h.mounted(t, rack, h.make(t, "devicetype"), 1, "front"))
			h.briefCounts(t, "rack", rack, nestedIn(device, "rack"), obj{"device_count": 1.0})
		},
	}
}

// grams asks that records are ordered by what they weigh, whatever the unit.
func (h *hardware) grams(t *testing.T, name string) {
	t.Helper()
	var ids []any
	for _, w := range []struct {
		weight any
		unit   any
	}{{0.5, "kg"}, {453.6, "g"}, {1, "lb"}, {453.59, "g"}, {28.35, "g"}, {1, "oz"}, {28.34, "g"}, {nil, "kg"}} {
		ids = append(ids, h.make(t, name, "weight", w.weight, "weight_unit", w.unit))
	}
	var got []any
	for _, row := range h.find(t, name, "ordering=-weight&id__gte=%d", ids[0]) {
		got = append(got, apitest.ID(row))
	}
	if len(got) == len(ids) && got[0] == ids[len(ids)-1] { // the place of those without a weight does not matter
		got = append(got[1:], got[0])
	}
	want(t, "order by weight", fmt.Sprint(got), fmt.Sprint(ids))
}

func reservationRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			rack := h.make(t, "rack", "name", "A1", "facility_id", "F")
			want(t, "display", h.made(t, "rackreservation", "rack", rack)["display"], any("Reservation for rack A1 (F)"))
		},
		2: func(t *testing.T, h *hardware) {
			rack := h.make(t, "rack", "u_height", 10)
			for _, units := range [][]any{{}, {0}, {1.5}, {11}, {10, 11}} {
				h.refused(t, "units", "rackreservation", "rack", rack, "units", units)
			}
			h.make(t, "rackreservation", "rack", rack, "units", []int{1, 10})
			h.unset(t, "u_height", "rack", rack, "u_height", 9)
		},
		3: func(t *testing.T, h *hardware) {
			rack := h.make(t, "rack")
			h.make(t, "rackreservation", "rack", rack, "units", []int{1, 2, 3})
			a := h.post(t, "rackreservation", "rack", rack, "units", []int{3, 4})
			wantErrors(t, a, "units")
			if message := fmt.Sprint(a.Object(t)["units"]); !containsWord(message, "3") || containsWord(message, "4") {
				t.Errorf("the message does not name the unit: %s", message)
			}
			other := h.make(t, "rackreservation", "rack", rack, "units", []int{4})
			h.unset(t, "units", "rackreservation", other, "units", []int{1})
			h.set(t, "rackreservation", other, "units", []int{4, 5})
			h.make(t, "rackreservation", "units", []int{3})
		},
		4: func(t *testing.T, h *hardware) {
			rack := h.make(t, "rack")
			h.make(t, "rackreservation", "rack", rack, "units", []int{1})
			h.mounted(t, rack, h.make(t, "devicetype"), 1, "front")
		},
		5: func(t *testing.T, h *hardware) {
			h.refused(t, "description", "rackreservation", "description", "")
			body := h.body(t, "rackreservation")
			delete(body, "user")
			wantErrors(t, h.do(t, http.MethodPost, h.list("rackreservation"), body), "user")
		},
		6: func(t *testing.T, h *hardware) {
			id := h.make(t, "rackreservation")
			want(t, "user", h.first(t, "rackreservation", "brief=1&id=%d", id)["user"], any("admin"))
			if _, nested := h.read(t, "rackreservation", id)["user"].(obj); !nested {
				t.Error("the user is not nested in the whole record")
			}
		},
	}
}
