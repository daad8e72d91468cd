package api_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"

	"terrier/test/apitest"
)

// placingRoom is a room with racks of 42 units, and clients that place devices in them.
type placingRoom struct {
	*hardware
	site, role             int64
	flat, deep, half, tall int64 // types: 1U and 4U on one face, 2U and half a unit on both
	racks                  []int64
	wanted                 []*wantedPlace
	done                   chan struct{} // gets a value for every second request, if there is a channel

	mu       sync.Mutex
	refusals []refusal
	requests int
	lists    int // that were refused
}

// wantedPlace is a device with the positions that it tries in turn. It stays at the first one that is free.
type wantedPlace struct {
	name      string
	id        int64 // 0 while it is not created
	typ, rack int64
	face      string
	positions []float64
	inRack    bool // already, so that only its position changes
	placed    bool
}

// refusal is a position that a device did not get, and the unit that was in the way.
type refusal struct {
	of       *wantedPlace
	position float64
	unit     float64
}

func newRoom(t *testing.T, h *hardware) *placingRoom {
	t.Helper()
	r := &placingRoom{hardware: h, site: h.make(t, "site"), role: h.make(t, "devicerole"), flat: h.sized(t, 1, false),
		deep: h.sized(t, 2, true), half: h.sized(t, 0.5, true), tall: h.sized(t, 4, false)}
	for range placedRacks {
		r.racks = append(r.racks, h.make(t, "rack", "site", r.site))
	}
	return r
}

// move returns what puts a device at the next position that it tries.
func (r *placingRoom) move(w *wantedPlace, way string) obj {
	body := obj{"rack": w.rack, "position": w.positions[0], "face": w.face}
	switch {
	case way == "PATCH" && w.inRack:
		body = obj{"position": w.positions[0]}
	case way != "PATCH":
		body["name"], body["device_type"], body["device_role"], body["site"] = w.name, w.typ, r.role, r.site
	}
	if w.id != 0 {
		body["id"] = w.id
	}
	return body
}

// ways are how a job of a few devices is done.
var ways = []struct {
	method string
	list   bool
}{{"POST", false}, {"POST", true}, {"PATCH", false}, {"PATCH", true}, {"PUT", true}}

// want sets which devices want a place in each rack. The devices of a job are of different racks, and rivals are of different jobs.
// Devices that are to be moved are created in no rack, in a rack where nobody else wants a place, and in their rack without a position.
func (r *placingRoom) want(t *testing.T, of func(rack int64) []*wantedPlace) {
	t.Helper()
	order := rand.New(rand.NewPCG(1, 2))
	var byRack [placedRacks][]*wantedPlace
	for i, rack := range r.racks {
		byRack[i] = of(rack)
		order.Shuffle(perRack, func(a, b int) { byRack[i][a], byRack[i][b] = byRack[i][b], byRack[i][a] })
	}
	for n := range perRack {
		for i := range byRack {
			byRack[i][n].name = r.word()
			r.wanted = append(r.wanted, byRack[i][n])
		}
	}
	var moved []*wantedPlace
	var bodies []obj
	apart, room := int64(0), 0
	for n, w := range r.wanted {
		if ways[n/perJob%len(ways)].method == "POST" {
			continue
		}
		body := obj{"name": w.name, "device_type": w.typ, "device_role": r.role, "site": r.site}
		switch n % 3 {
		case 0:
			if room == 0 {
				apart, room = r.make(t, "rack", "site", r.site, "u_height", 100), 20
			}
			room--
			body["rack"], body["face"], body["position"] = apart, "rear", 1+4*room
		case 1:
			body["rack"], body["face"], w.inRack = w.rack, w.face, true
		}
		moved, bodies = append(moved, w), append(bodies, body)
	}
	for i, made := range r.do(t, "POST", r.list("device"), bodies).Want(t, 201).List(t) {
		moved[i].id = apitest.ID(made)
	}
}

// place does all jobs, by so many clients at once.
func (r *placingRoom) place(t *testing.T, clients int) {
	t.Helper()
	var work sync.WaitGroup
	start := make(chan struct{})
	for c := range clients {
		work.Go(func() {
			<-start
			for n := c; n < len(r.wanted)/perJob; n += clients {
				r.job(t, n, r.wanted[n*perJob:(n+1)*perJob])
			}
		})
	}
	close(start)
	work.Wait()
	t.Logf("%d clients: %d requests, %d devices placed, %d places refused, %d lists refused", clients, r.requests, r.placed(), len(r.refusals),
		r.lists)
}

// job places some devices in the way that the job has.
func (r *placingRoom) job(t *testing.T, n int, devices []*wantedPlace) {
	way := ways[n%len(ways)]
	if way.list {
		r.placeList(t, way.method, devices)
		return
	}
	for _, w := range devices {
		for !w.placed && len(w.positions) > 0 {
			path := r.list("device")
			if w.id != 0 {
				path = at(path, w.id)
			}
			answer := r.do(t, way.method, path, r.move(w, way.method))
			r.count(false)
			if w.placed = answer.Status/100 == 2; !w.placed {
				r.refuse(w, r.explained(t, answer, 1, placedReason, "position")[0])
			}
		}
	}
}

// placeList places devices by one request. As long as some of them are refused, it tries again with their next positions.
func (r *placingRoom) placeList(t *testing.T, method string, devices []*wantedPlace) {
	for len(devices) > 0 {
		var bodies []obj
		for _, w := range devices {
			bodies = append(bodies, r.move(w, method))
		}
		answer := r.do(t, method, r.list("device"), bodies)
		ok := answer.Status/100 == 2
		r.count(!ok)
		if ok {
			for _, w := range devices {
				w.placed = true
			}
			return
		}
		reasons := r.explained(t, answer, len(devices), placedReason, "position")
		r.unwritten(t, method, devices)
		for i, w := range devices {
			if reasons[i] != "" {
				r.refuse(w, reasons[i])
			}
		}
		devices = slices.DeleteFunc(slices.Clone(devices), func(w *wantedPlace) bool { return len(w.positions) == 0 })
	}
}

func (r *placingRoom) count(refusedList bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests++
	if r.done != nil && r.requests%2 == 0 {
		r.done <- struct{}{}
	}
	if refusedList {
		r.lists++
	}
}

// refuse notes that a device does not get the position that it tried.
func (r *placingRoom) refuse(w *wantedPlace, reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	unit, _ := strconv.ParseFloat(regexp.MustCompile(`unit (\d+(\.5)?)`).FindStringSubmatch(reason + "unit 0")[1], 64)
	r.refusals = append(r.refusals, refusal{w, w.positions[0], unit})
	w.positions = w.positions[1:]
}

// unwritten asks that a refused list has changed none of its devices.
func (r *placingRoom) unwritten(t *testing.T, method string, devices []*wantedPlace) {
	var names []string
	for _, w := range devices {
		names = append(names, w.name)
	}
	sql := "SELECT count(*) FROM dcim_device WHERE name = ANY($1) AND position IS NOT NULL AND rack_id = ANY($2)"
	if method == "POST" {
		sql = "SELECT count(*) FROM dcim_device WHERE name = ANY($1) AND ($2::bigint[] IS NOT NULL)"
	}
	var written int
	if err := r.s.DB.QueryRow(t.Context(), sql, names, r.racks).Scan(&written); err != nil || written != 0 {
		t.Errorf("a refused %s of a list wrote %d devices (%v)", method, written, err)
	}
}

// What a refusal says.
var (
	noRoom = `([\w ]+ takes unit [\d.]+ of the rack\. (Free units: [\d–, ]+|No unit is free)|` +
		`A device of [\d.]+U at unit [\d.]+ does not fit into a rack of \d+ units)\.$`
	placedReason = regexp.MustCompile("^" + noRoom)
	grownReason  = regexp.MustCompile("^The device .+: " + noRoom)
)

// explained asks that a request was refused with a reason on one of the fields, and returns the reason of each record of it. In a list,
// those without a reason are not at fault.
func (r *placingRoom) explained(t *testing.T, a apitest.Answer, records int, like *regexp.Regexp, fields ...string) []string {
	reasons := make([]string, records)
	var errs []map[string][]string
	raw := a.Raw
	if len(raw) > 0 && raw[0] != '[' {
		raw = slices.Concat([]byte("["), raw, []byte("]"))
	}
	if err := json.Unmarshal(raw, &errs); err != nil || a.Status != 400 || len(errs) != records {
		t.Errorf("%s %s is refused with %d %s (%v)", a.Call.Method, a.Call.Path, a.Status, a.Raw, err)
		reasons[0] = "none"
		return reasons
	}
	found := false
	for i, of := range errs {
		for field, messages := range of {
			if found = true; !slices.Contains(fields, field) || len(messages) != 1 || !like.MatchString(messages[0]) {
				t.Errorf("%s %s is refused on %s: %q", a.Call.Method, a.Call.Path, field, messages)
			}
			reasons[i] = fmt.Sprint(messages)
		}
	}
	if !found {
		t.Errorf("%s %s is refused without a reason", a.Call.Method, a.Call.Path)
		reasons[0] = "none"
	}
	return reasons
}

// placed returns how many devices have a place.
func (r *placingRoom) placed() (n int) {
	for _, w := range r.wanted {
		if w.placed {
			n++
		}
	}
	return n
}

// taken are the half units that the devices of some racks ($1) take: slot n is at position n/2.
const taken = `WITH taken AS (
	SELECT d.rack_id AS rack, d.id AS device, d.name, f.face, slot
	FROM dcim_device d JOIN dcim_devicetype t ON t.id = d.device_type_id CROSS JOIN (VALUES ('front'), ('rear')) f (face)
	CROSS JOIN generate_series((2 * d.position)::int, (2 * (d.position + t.u_height))::int - 1) slot
	WHERE d.rack_id = ANY($1) AND d.position IS NOT NULL AND (t.is_full_depth OR d.face = f.face)) `

// check asks that no two devices overlap, that none is outside its rack, that exactly those are placed whose requests succeeded, and
// that each refused device would be in the way of another one, at the unit that the refusal names.
func (r *placingRoom) check(t *testing.T) {
	t.Helper()
	number := func(what string, wanted int, sql string, args ...any) {
		t.Helper()
		var n int
		if err := r.s.DB.QueryRow(t.Context(), sql, append([]any{r.racks}, args...)...).Scan(&n); err != nil {
			t.Fatal(err)
		}
		want(t, what, n, wanted)
	}
	number("half units that two devices take", 0,
		taken+"SELECT count(*) FROM taken a JOIN taken b USING (rack, face, slot) WHERE a.device < b.device")
	number("devices outside their rack", 0, `SELECT count(*) FROM dcim_device d JOIN dcim_devicetype t ON t.id = d.device_type_id
		JOIN dcim_rack r ON r.id = d.rack_id WHERE r.id = ANY($1) AND (position < 1 OR position + t.u_height > r.u_height + 1)`)
	var names []string
	var racks, types []int64
	var positions, units []float64
	var faces []string
	for _, x := range r.refusals {
		names, racks, types, faces = append(names, x.of.name), append(racks, x.of.rack), append(types, x.of.typ), append(faces, x.of.face)
		positions, units = append(positions, x.position), append(units, x.unit)
	}
	number("refusals of free space", 0, taken+`SELECT count(*)
		FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::float[], $7::float[]) x (name, rack, type, face, position, unit)
		JOIN dcim_devicetype t ON t.id = type
		WHERE x.position + t.u_height <= 43 AND NOT EXISTS (SELECT FROM taken WHERE taken.rack = x.rack AND slot = 2 * unit
		AND slot >= 2 * x.position AND slot < 2 * (x.position + t.u_height) AND (t.is_full_depth OR taken.face = x.face)
		AND taken.name <> x.name)`,
		names, racks, types, faces, positions, units)
	var there, not []string
	for _, w := range r.wanted {
		if w.placed {
			there = append(there, fmt.Sprintf("%s %d %g %s", w.name, w.rack, w.positions[0], w.face))
		} else {
			not = append(not, w.name)
		}
	}
	number("devices that are where the answer says", len(there), `SELECT count(*) FROM dcim_device WHERE rack_id = ANY($1)
		AND name || ' ' || rack_id || ' ' || position || ' ' || face = ANY($2)`, there)
	number("refused devices that are in the rack", 0, "SELECT count(*) FROM dcim_device WHERE rack_id = ANY($1) AND position IS NOT NULL "+
		"AND name = ANY($2)", not)
}

// rackFill says how full a rack is.
type rackFill struct {
	devices int
	lower   string // the half units below the cells, by face
	upper   int    // how many half units of the cells, on both faces
}

// fill returns how full each rack is.
func (r *placingRoom) fill(t *testing.T) (fills []rackFill) {
	t.Helper()
	for _, rack := range r.racks {
		var f rackFill
		err := r.s.DB.QueryRow(t.Context(), taken+`SELECT count(DISTINCT device), count(*) FILTER (WHERE slot >= 2 * $2),
			coalesce(string_agg(DISTINCT face || slot, ' ' ORDER BY face || slot) FILTER (WHERE slot < 2 * $2), '') FROM taken`,
			[]int64{rack}, firstCell).Scan(&f.devices, &f.upper, &f.lower)
		if err != nil {
			t.Fatal(err)
		}
		fills = append(fills, f)
	}
	return fills
}
