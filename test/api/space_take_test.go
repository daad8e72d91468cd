package api_test

import (
	"fmt"
	"net/http"

	"pgregory.net/rapid"

	"terrier/test/apitest"
)

func (h *historian) takeAddresses(t *rapid.T) {
	parent := h.drawParent(t, aPrefix, aRange)
	after := h.clone()
	n := rapid.IntRange(1, 4).Draw(t, "wanted")
	if free := len(h.freeAddresses(parent, 16)); free < 15 && rapid.Bool().Draw(t, "the last") {
		n = free + rapid.IntRange(0, 1).Draw(t, "and one more")
	}
	given := h.freeAddresses(parent, n)
	var bodies []obj
	for i := range n {
		p := drawPlace(t, anAddress)
		p.status = "active"
		bodies = append(bodies, h.body(p)) // its address and VRF are overwritten
		if p.id, p.table = int64(-1-i), parent.table; i < len(given) {
			p.net = given[i]
			after.places = append(after.places, p)
		}
	}
	h.take(t, list(parent.kind)+fmt.Sprint(parent.id)+"/available-ips/", "address", bodies, after, len(given) == n)
}

func (h *historian) takePrefixes(t *rapid.T) {
	parent := h.drawParent(t, aPrefix)
	after := h.clone()
	var lengths []int
	var bodies []obj
	most := parent.net.Addr().BitLen()
	for range rapid.IntRange(1, 3).Draw(t, "wanted") {
		length := min(most, parent.net.Bits()+rapid.IntRange(-1, 6).Draw(t, "longer by"))
		lengths = append(lengths, length)
		bodies = append(bodies, merge(h.body(drawPlace(t, aPrefix)), []any{"prefix_length", length}))
	}
	given, room := h.takeNetworks(parent, lengths)
	for i, n := range given {
		p := place{kind: aPrefix, id: int64(-1 - i), table: parent.table, net: n}
		p.status, p.pool, p.full = bodies[i]["status"].(string), bodies[i]["is_pool"].(bool), bodies[i]["mark_utilized"].(bool)
		after.places = append(after.places, p)
	}
	h.take(t, at(list(aPrefix), parent.id)+"available-prefixes/", "prefix", bodies, after, room)
}

// take asks for free places, and compares what was given with the records that the model has more afterwards.
func (h *historian) take(t *rapid.T, path, field string, bodies []obj, after *space, room bool) {
	if len(bodies) == 0 {
		t.Skip("nothing wanted")
	}
	if body := alone(t, bodies); !room {
		if a := h.do(h.tb, "POST", path, body); a.Status != http.StatusConflict {
			t.Fatalf("POST %s %v: %d %s, want 409", path, body, a.Status, a.Raw)
		}
	} else if rows, done := h.send(t, "POST", path, body, after, after.places[len(h.places):]); done {
		for i, row := range rows {
			p := &after.places[len(h.places)+i]
			if p.id = apitest.ID(row); row[field] != p.net.String() {
				t.Fatalf("POST %s %v: given %v, want %v", path, body, row[field], p.net)
			}
		}
		h.space = after
	}
}

func (h *historian) drawParent(t *rapid.T, kinds ...string) place {
	var there []place
	for _, kind := range kinds {
		there = append(there, h.of(kind)...)
	}
	if len(there) == 0 {
		t.Skip("none there")
	}
	return there[rapid.IntRange(0, len(there)-1).Draw(t, "parent")]
}
