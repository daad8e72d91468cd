package api_test

import (
	"flag"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"terrier/internal/app"
	"terrier/test/apitest"
)

// TestSpaceHistory creates, changes and deletes prefixes, addresses, ranges and aggregates in any order, in the global table and in VRFs
// with and without duplicates, and takes free addresses and networks. After each step the server must agree with the model: which
// requests are refused and on which field, where prefixes are in the tree, what is free, how full it is, and what filters find.
// -rapid.checks=500 runs that many histories for each setting.
func TestSpaceHistory(t *testing.T) {
	t.Parallel()
	for name, unique := range map[string]bool{"duplicates allowed": false, "global table unique": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apitest.New(t, func(c *app.Config) { c.EnforceGlobalUnique = unique })
			h := &historian{actor: adminOf(s), tb: t}
			tables := []any{nil}
			for _, enforced := range []bool{true, false} {
				tables = append(tables, h.create(t, "/api/ipam/vrfs/", obj{"name": fmt.Sprint(enforced), "enforce_unique": enforced}))
			}
			h.tables, h.rir = tables, h.create(t, "/api/ipam/rirs/", obj{"name": "RIR", "slug": "rir"})
			begun, failed := 0, false
			rapid.Check(t, func(t *rapid.T) {
				if begun++; begun > histories() && !failed {
					return
				}
				failed = true
				h.begin(t, unique)
				t.Repeat(h.actions())
				h.compareFree(t)
				failed = false
			})
		})
	}
}

// histories is how many histories there are for each setting: few, unless asked for.
func histories() (n int) {
	const few, unasked = 5, 100
	if _, err := fmt.Sscan(flag.Lookup("rapid.checks").Value.String(), &n); err != nil || n == unasked {
		return few
	}
	return n
}

// historian is a server with the model beside it.
type historian struct {
	actor
	tb     testing.TB
	tables []any // null and the ids of VRFs
	rir    int64
	*space
}

func (h *historian) begin(t *rapid.T, unique bool) {
	h.space = &space{unique: []bool{unique, true, false}}
	for _, table := range []string{"ipam_prefix", "ipam_ipaddress", "ipam_iprange", "ipam_aggregate"} {
		if _, err := h.s.DB.Exec(h.tb.Context(), "DELETE FROM "+table); err != nil {
			t.Fatal(err)
		}
	}
	h.patch(h.tb, "/api/ipam/vrfs/", h.tables[2].(int64), obj{"enforce_unique": false})
	h.fill(t, aPrefix, 10)
	h.fill(t, anAddress, 20)
	h.share(t)
	h.fill(t, aRange, 6)
	h.fill(t, aBlock, 2)
}

// fill creates some records, so that a history begins with a few that have to do with each other.
func (h *historian) fill(t *rapid.T, kind string, n int) {
	drawn := make([]place, n)
	for i := range drawn {
		drawn[i] = drawPlace(t, kind)
	}
	h.put(t, kind, drawn)
}

// put creates those of some records that the model allows.
func (h *historian) put(t *rapid.T, kind string, drawn []place) {
	after := h.clone()
	bodies := []obj{}
	for i, p := range drawn {
		p.id = int64(-1 - i)
		if after.places = append(after.places, p); len(after.refused(p)) > 0 {
			after.places = after.places[:len(after.places)-1]
			continue
		}
		bodies = append(bodies, h.body(p))
	}
	if len(bodies) == 0 {
		return
	}
	made := after.places[len(h.places):]
	rows, _ := h.send(t, "POST", list(kind), bodies, after, made)
	for i, row := range rows {
		made[i].id = apitest.ID(row)
	}
	h.space = after
}

// actions are named in the order of how often they are wanted, because rapid prefers the first and the last.
func (h *historian) actions() map[string]func(*rapid.T) {
	all := map[string]func(*rapid.T){"": h.compare}
	for i, action := range []struct {
		name string
		do   func(*rapid.T)
	}{
		{"create", h.add}, {"take addresses", h.takeAddresses}, {"take prefixes", h.takePrefixes}, {"change", h.change},
		{"filter", h.filter}, {"change a field", h.changeField}, {"allow duplicates or not", h.toggle}, {"create", h.add}, {"delete", h.remove},
		{"take addresses", h.takeAddresses}, {"free", h.askFree}, {"filter", h.filter}, {"change", h.change},
		{"change a field", h.changeField}, {"create", h.add},
	} {
		all[fmt.Sprintf("%02d %s", i, action.name)] = action.do
	}
	return all
}

func list(kind string) string { return "/api/ipam/" + kind + "/" }

// send sends a write, and compares how it was answered. after is the model with the write done, written are the records it is about.
// It returns whether the write was accepted.
func (h *historian) send(t *rapid.T, method, path string, body any, after *space, written []place) ([]obj, bool) {
	var refused []string
	for _, p := range written {
		refused = append(refused, after.refused(p)...)
	}
	a := h.do(h.tb, method, path, body)
	if len(refused) > 0 {
		got := errorFields(h.tb, a)
		wrong := slices.ContainsFunc(got, func(f string) bool { return !slices.Contains(refused, f) })
		if a.Status != http.StatusBadRequest || len(got) == 0 || wrong {
			t.Fatalf("%s %s %v: %d %s, want 400 on %v", method, path, body, a.Status, a.Raw, refused)
		}
		return nil, false
	}
	if a.Status != http.StatusOK && a.Status != http.StatusCreated {
		t.Fatalf("%s %s %v: %d %s, want it done", method, path, body, a.Status, a.Raw)
	}
	if _, many := body.([]obj); many {
		return a.List(h.tb), true
	}
	return []obj{a.Object(h.tb)}, true
}

// errorFields lists the fields with errors of an answer, which is an object or a list of them.
func errorFields(tb testing.TB, a apitest.Answer) (fields []string) {
	tb.Helper()
	errors := []obj{}
	if len(a.Raw) > 0 && a.Raw[0] == '[' {
		errors = a.List(tb)
	} else {
		errors = append(errors, a.Object(tb))
	}
	for _, e := range errors {
		for field := range e {
			fields = append(fields, field)
		}
	}
	return fields
}

// alone returns the only body of a list alone, sometimes.
func alone(t *rapid.T, bodies []obj) any {
	if len(bodies) == 1 && rapid.Bool().Draw(t, "alone") {
		return bodies[0]
	}
	return bodies
}

// body is what a client sends for a record.
func (h *historian) body(p place) obj {
	switch p.kind {
	case aPrefix:
		return obj{"prefix": p.net.String(), "vrf": h.tables[p.table], "status": p.status, "is_pool": p.pool, "mark_utilized": p.full}
	case anAddress:
		return obj{"address": p.net.String(), "vrf": h.tables[p.table], "status": p.status, "role": nullable(p.role)}
	case aRange:
		return obj{"start_address": p.net.String(), "end_address": p.end.String(), "vrf": h.tables[p.table], "mark_utilized": p.full}
	}
	return obj{"prefix": p.net.String(), "rir": h.rir}
}

func nullable(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func (h *historian) add(t *rapid.T) {
	kind := drawKind(t)
	after := h.clone()
	var made []place
	var bodies []obj
	for i := range rapid.IntRange(1, 3).Draw(t, "records") {
		p := h.drawNear(t, kind)
		p.id = int64(-1 - i)
		made, bodies = append(made, p), append(bodies, h.body(p))
	}
	after.places = append(after.places, made...)
	rows, done := h.send(t, "POST", list(kind), alone(t, bodies), after, made)
	for i := range rows {
		made[i].id = apitest.ID(rows[i])
	}
	if done {
		h.places = append(h.places, made...)
	}
}

// drawNear draws a record that is often where another one is.
func (h *historian) drawNear(t *rapid.T, kind string) place {
	p, there := drawPlace(t, kind), h.of(kind)
	if len(there) == 0 || kind == aRange || rapid.Bool().Draw(t, "elsewhere") {
		return p
	}
	o := there[rapid.IntRange(0, len(there)-1).Draw(t, "where")]
	if p.table = o.table; kind == anAddress {
		p.net = netip.PrefixFrom(o.net.Addr(), o.net.Bits()-rapid.IntRange(0, 1).Draw(t, "shorter"))
	} else {
		p.net = o.net
	}
	if p.status == "slaac" {
		p.status = "active"
	}
	return p
}

func (h *historian) remove(t *rapid.T) {
	kind := drawKind(t)
	there := h.of(kind)
	if len(there) == 0 {
		t.Skip("none of this kind")
	}
	var ids []int64
	bodies := []obj{}
	for range min(len(there), rapid.IntRange(1, 3).Draw(t, "records")) {
		i := rapid.IntRange(0, len(there)-1).Draw(t, "record")
		ids, bodies = append(ids, there[i].id), append(bodies, obj{"id": there[i].id})
		there = slices.Delete(there, i, i+1)
	}
	path, body := list(kind), any(bodies)
	if len(ids) == 1 && rapid.Bool().Draw(t, "alone") {
		path, body = at(path, ids[0]), nil
	}
	if a := h.do(h.tb, "DELETE", path, body); a.Status != http.StatusNoContent {
		t.Fatalf("DELETE %s %v: %d %s", path, body, a.Status, a.Raw)
	}
	h.places = slices.DeleteFunc(h.places, func(p place) bool { return p.kind == kind && slices.Contains(ids, p.id) })
}

// toggle changes whether the second VRF allows duplicates. Those that are there stay.
func (h *historian) toggle(t *rapid.T) {
	h.unique[2] = !h.unique[2]
	h.patch(h.tb, "/api/ipam/vrfs/", h.tables[2].(int64), obj{"enforce_unique": h.unique[2]})
}
