package api_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"terrier/internal/app"
	"terrier/test/apitest"
)

// How many do what in the tests of rack space.
const (
	placers     = 16
	placedRacks = 10
	perRack     = 50 // devices that want a place in it
	growers     = 4  // clients that raise types
	perJob      = 4  // devices that a client places one after the other, or in one list
)

// TestRackSpace lets 16 clients place 500 devices into the same 10 racks at once: on the front, on the rear and on both, at half units,
// in single requests and in lists, new devices and moved ones. What they leave is read from the database by SQL of its own.
func TestRackSpace(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, func(c *app.Config) { c.DatabaseURL += "&pool_max_conns=20" }) // clients must not wait for connections alone
	h := &hardware{actor: adminOf(s)}
	t.Run("at once", func(t *testing.T) { placedAtOnce(t, h) })
	t.Run("while types grow", func(t *testing.T) { placedWhileTypesGrow(t, h) })
}

// placedAtOnce compares 16 clients with one that sends the same requests alone.
//
// Which device wins a place depends on the order, so the devices cannot be compared. How full the racks are can be, because of what is
// wanted (see wantedOf):
//   - Of the lower units, as many devices of one size want places as there are places, and each tries them all. Whatever the order, all
//     of these devices are placed, and the set of half units that they take is the same.
//   - Each cell of the upper units is wanted by four or five devices of different sizes. Any two of them collide, and all take the same
//     number of half units. Whatever the order, one of them is placed: the number of half units is the same, but not the set.
//
// Nothing that is placed leaves. So a refusal that was right stays right, and the database shows afterwards what was in the way.
func placedAtOnce(t *testing.T, h *hardware) {
	serial, parallel := newRoom(t, h), newRoom(t, h)
	serial.want(t, serial.wantedOf)
	parallel.want(t, parallel.wantedOf)
	serial.place(t, 1)
	parallel.place(t, placers)
	parallel.check(t)
	alone, together := serial.fill(t), parallel.fill(t)
	for i := range placedRacks {
		want(t, fmt.Sprintf("rack %d, compared with a serial run", i), together[i], alone[i])
	}
	// 8 + 8 of 1U on one face, 5 of 2U and 8 of half a unit on both, and 5 cells of 8 half units
	if alone[0].devices != 34 || alone[0].upper != 5*8 || len(alone[0].lower) == 0 {
		t.Errorf("a serial run leaves %+v", alone[0])
	}
	want(t, "placed", parallel.placed(), 34*placedRacks)
}

// placedWhileTypesGrow raises the height and the depth of the types meanwhile. Types only grow and devices stay, so that what was
// refused once would be refused at the end too.
func placedWhileTypesGrow(t *testing.T, h *hardware) {
	r := newRoom(t, h)
	types := make([]*growingType, perRack-2) // a rack gets one device or two of each, so that some can grow for a while
	for i := range types {
		types[i] = &growingType{height: 0.5 + float64(i%3)/2}
		types[i].id = h.sized(t, types[i].height, false)
	}
	r.want(t, func(rack int64) (all []*wantedPlace) {
		for n := range perRack {
			w := &wantedPlace{typ: types[n%len(types)].id, rack: rack, face: []string{"front", "rear"}[rand.IntN(2)]}
			for range 3 {
				w.positions = append(w.positions, 1+float64(rand.IntN(80))/2)
			}
			all = append(all, w)
		}
		return all
	})
	var growing sync.WaitGroup
	var raised, refused atomic.Int64
	r.done = make(chan struct{}, 10*len(r.wanted))
	for types := range slices.Chunk(types, len(types)/growers) {
		growing.Go(func() { r.grow(t, types, &raised, &refused) })
	}
	r.place(t, placers)
	close(r.done)
	growing.Wait()
	r.check(t)
	t.Logf("types: raised %d times, refused %d times", raised.Load(), refused.Load())
	if raised.Load() < growers || refused.Load() < growers || r.placed() < 5*placedRacks {
		t.Errorf("raised %d times, refused %d times, %d devices placed: the test shows nothing", raised.Load(), refused.Load(), r.placed())
	}
	for _, typ := range types[:5] { // there is room for none of this height
		h.write(t, "devicetype", typ.id, "u_height", 42.5).Want(t, http.StatusBadRequest)
	}
	for i, row := range h.find(t, "devicetype", "id__gte=%d&ordering=id", types[0].id) { // what is refused leaves a type as it was
		want(t, "height", row["u_height"], any(types[i].height))
		want(t, "full depth", row["is_full_depth"], any(types[i].deep))
	}
}

// growingType is a device type that is raised.
type growingType struct {
	id     int64
	height float64
	deep   bool
}

// grow raises types, one at a time and two in a list: once at the start, and then after every second request of the others.
func (r *placingRoom) grow(t *testing.T, types []*growingType, raised, refused *atomic.Int64) {
	list, n := r.list("devicetype"), 0
	for ok := true; ok; _, ok = <-r.done {
		grown := types[n%len(types):][:1]
		body := obj{"id": grown[0].id, "u_height": grown[0].height + 0.5, "is_full_depth": grown[0].deep || n%3 == 0}
		n++
		var answer apitest.Answer
		if next := n % len(types); n%3 == 0 && next > 0 {
			grown = types[next-1 : next+1]
			answer = r.do(t, "PATCH", list, []obj{body, {"id": grown[1].id, "u_height": grown[1].height + 0.5}})
		} else {
			answer = r.do(t, "PATCH", at(list, grown[0].id), body)
		}
		if answer.Status != http.StatusOK {
			refused.Add(1)
			r.explained(t, answer, len(grown), grownReason, "u_height", "is_full_depth")
			continue
		}
		raised.Add(1)
		grown[0].deep = body["is_full_depth"] == true
		for _, typ := range grown {
			typ.height += 0.5
		}
	}
}

// wantedOf returns the devices that want a place in a rack of 42 units.
func (r *placingRoom) wantedOf(rack int64) (all []*wantedPlace) {
	// hunt adds as many devices as there are positions. Each begins at another one.
	hunt := func(typ int64, positions []float64, faces ...string) {
		for i := range positions {
			all = append(all, &wantedPlace{typ: typ, rack: rack, face: faces[i%len(faces)],
				positions: slices.Concat(positions[i:], positions[:i])})
		}
		for i := range positions { // half of them begin where another one does, so that they meet
			if w := all[len(all)-1-i]; i%2 == 0 {
				w.positions = append(w.positions[1:], w.positions[0])
			}
		}
	}
	hunt(r.flat, upwards(1, 8, 1), "front")
	hunt(r.flat, upwards(1, 8, 1), "rear")
	hunt(r.deep, upwards(9, 5, 2), "front", "rear")
	hunt(r.half, upwards(19, 8, 0.5), "rear", "front")
	for cell := range 5 {
		low := firstCell + 4*float64(cell)
		one := func(typ int64, face string, position float64) {
			all = append(all, &wantedPlace{typ: typ, rack: rack, face: face, positions: []float64{position}})
		}
		one(r.tall, []string{"front", "rear"}[cell%2], low)
		one(r.deep, "front", low+0.5)
		one(r.deep, "front", low+1)
		one(r.deep, "rear", low+1.5)
		if cell == 0 {
			one(r.deep, "rear", low+1)
		}
	}
	return all
}

// firstCell is the unit at which the cells begin.
const firstCell = 23

// upwards returns positions from one upwards.
func upwards(from float64, n int, step float64) (positions []float64) {
	for i := range n {
		positions = append(positions, from+float64(i)*step)
	}
	return positions
}
