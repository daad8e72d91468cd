package api_test

import (
	"slices"

	"pgregory.net/rapid"
)

func (h *historian) change(t *rapid.T) {
	kind := drawKind(t)
	there := h.of(kind)
	if len(there) == 0 {
		t.Skip("none of this kind")
	}
	after := h.clone()
	var changed []place
	var bodies []obj
	for range min(len(there), rapid.IntRange(1, 3).Draw(t, "records")) {
		i := rapid.IntRange(0, len(there)-1).Draw(t, "record")
		p := h.drawNear(t, kind)
		if p.id = there[i].id; rapid.Bool().Draw(t, "stays in place") {
			p.net, p.end, p.table = there[i].net, there[i].end, there[i].table
		}
		at := slices.IndexFunc(after.places, func(o place) bool { return o.id == p.id && o.kind == kind })
		changed = append(changed, p)
		changed[len(changed)-1].kept = p.net == there[i].net && p.end == there[i].end && p.table == there[i].table && p.role == there[i].role
		after.places[at], there = p, slices.Delete(there, i, i+1)
		bodies = append(bodies, merge(h.body(p), []any{"id", p.id}))
	}
	path, body := list(kind), any(bodies)
	if len(bodies) == 1 && rapid.Bool().Draw(t, "alone") {
		path, body = at(path, bodies[0]["id"].(int64)), bodies[0]
	}
	if _, done := h.send(t, "PATCH", path, body, after, changed); done {
		h.space = after
	}
}

// changeField changes the role, the table or the status of a record and nothing else. It takes one whose place another has, if there are
// any: whether both may be there depends on these fields.
func (h *historian) changeField(t *rapid.T) {
	kind := rapid.SampledFrom([]string{anAddress, anAddress, aPrefix}).Draw(t, "kind")
	there := h.twins(kind)
	if len(there) == 0 {
		there = h.of(kind)
	}
	if len(there) == 0 {
		t.Skip("none of this kind")
	}
	before := there[rapid.IntRange(0, len(there)-1).Draw(t, "record")]
	p, fields := before, []string{"vrf", "status"}
	if kind == anAddress {
		fields = []string{"role", "vrf", "role", "status"}
	}
	field := rapid.SampledFrom(fields).Draw(t, "field")
	switch {
	case field == "role":
		p.role = rapid.SampledFrom([]string{"", "vip", "loopback", "anycast"}).Draw(t, "role")
	case field == "vrf":
		p.table = rapid.IntRange(0, 2).Draw(t, "table")
	case kind == anAddress:
		p.status = rapid.SampledFrom([]string{"active", "reserved", "slaac"}).Draw(t, "status")
	default:
		p.status = rapid.SampledFrom([]string{"active", "container", "reserved"}).Draw(t, "status")
	}
	after := h.clone()
	after.places[slices.IndexFunc(after.places, func(o place) bool { return o.id == p.id && o.kind == kind })] = p
	changed := p
	changed.kept = p.table == before.table && p.role == before.role
	if _, done := h.send(t, "PATCH", at(list(kind), p.id), obj{field: h.body(p)[field]}, after, []place{changed}); done {
		h.space = after
	}
}

// twins are the addresses with the host of another, or the prefixes with the network of another, in any table.
func (s *space) twins(kind string) (found []place) {
	all := s.of(kind)
	for _, p := range all {
		if slices.ContainsFunc(all, func(o place) bool {
			return o.id != p.id && (o.net == p.net || kind == anAddress && o.net.Addr() == p.net.Addr())
		}) {
			found = append(found, p)
		}
	}
	return found
}

// share creates a second address beside some that may be shared, and one in another table beside others.
func (h *historian) share(t *rapid.T) {
	var copies []place
	for _, p := range h.of(anAddress) {
		if !slices.Contains(sharedRoles, p.role) {
			p.table = (p.table + 1) % len(h.tables)
		}
		copies = append(copies, p)
	}
	h.put(t, anAddress, copies[:rapid.IntRange(0, len(copies)).Draw(t, "copies")])
}
