package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

const interfacesPath = "/api/dcim/interfaces/"

// fleet is a register with a server of its own: of devices with 50 interfaces each, or of what a case needs.
type fleet struct {
	devices int
	serving settings
	server  *gauge.Process
	side    *gauge.Side
	browser *gauge.Side
	asked   int64             // requests that need a new record or name
	deepAt  map[string]string // the current addresses of walks, by where they began
}

// makeFleet makes a register with so many devices.
func (b *bench) makeFleet(ctx context.Context, devices int) (*fleet, error) {
	f, err := b.openFilled(ctx, fmt.Sprintf("fleet_%d", devices), func(r *register) error {
		if err := r.addSites(ctx, least); err != nil {
			return err
		}
		return r.Fleet(ctx, devices)
	})
	if err == nil {
		f.devices = devices
	}
	return f, err
}

// openFilled makes a database, fills it and starts a server for it.
func (b *bench) openFilled(ctx context.Context, purpose string, fill func(*register) error) (*fleet, error) {
	began := time.Now()
	f := &fleet{serving: b.serving(), deepAt: map[string]string{}}
	database, drop, err := newDatabase(ctx, purpose, migrateTerrier)
	if err != nil {
		return nil, err
	}
	b.cleanups = append(b.cleanups, drop)
	f.serving.Database = database
	r, err := newRegister(ctx, database)
	if err != nil {
		return nil, err
	}
	defer r.store.Close()
	if err := fill(r); err != nil {
		return nil, err
	}
	if err := execute(ctx, database, "CHECKPOINT"); err != nil { // and not during a measurement
		return nil, err
	}
	if f.server, err = b.launch(ctx, "server", f.serving); err != nil {
		return nil, err
	}
	key, err := newToken(ctx, f.serving, superuser)
	if err != nil {
		return nil, err
	}
	f.side = &gauge.Side{Name: purpose, Address: f.server.Address, Headers: "Authorization: Token " + key + "\r\n"}
	cookie, err := session(ctx, f.server.Address, userName)
	if err != nil {
		return nil, err
	}
	f.browser = &gauge.Side{Name: f.side.Name, Address: f.server.Address, Headers: browserHeaders(cookie)}
	b.cleanups = append(b.cleanups, func() error { f.side.Close(); f.browser.Close(); return nil })
	b.note("the register %s is filled, after %.0f s", purpose, time.Since(began).Seconds())
	return f, nil
}

// makeFleets makes a large and a small register, once.
func (b *bench) makeFleets(ctx context.Context) (err error) {
	for i, devices := range []int{b.o.devices, b.o.smallFleet()} {
		if b.fleets[i] == nil {
			if b.fleets[i], err = b.makeFleet(ctx, devices); err != nil {
				return err
			}
		}
	}
	return nil
}

// fleetLists are compared with the bare program.
var fleetLists = []struct {
	row           figures.Row
	terrier, bare string
}{
	{figures.Row{Case: "fleet-devices", What: "list of 50 devices with references and count", Goal: figures.AtLeast(0.7)},
		devicesPath + "?limit=50", "/bare/devices"},
	{figures.Row{Case: "fleet-interfaces", What: "list of 1,000 interfaces with references and count", Goal: figures.AtLeast(0.7)},
		interfacesPath + "?limit=1000", "/bare/interfaces"},
}

// measureFleetLists compares lists of devices and interfaces with those of the bare program, in the large register.
func (b *bench) measureFleetLists(ctx context.Context) (rows []figures.Row, err error) {
	if err := b.makeFleets(ctx); err != nil {
		return nil, err
	}
	f := b.fleets[0]
	server, err := gauge.Launch(ctx, "bare server", f.serving)
	if err != nil {
		return nil, err
	}
	other := &gauge.Side{Name: "bare", Address: server.Address}
	defer func() {
		other.Close()
		if e := server.End(); err == nil {
			err = e
		}
	}()
	for _, c := range fleetLists {
		if err := sameAnswers(f.side, other, [][2]string{{c.terrier, c.bare}}); err != nil {
			return nil, err
		}
		rounds, err := b.compete(ctx,
			gauge.Asking{Side: f.side, Processes: []*gauge.Process{f.server}, Request: same(f.side.Get(c.terrier)), Status: http.StatusOK,
				Connections: b.o.connections},
			gauge.Asking{Side: other, Processes: []*gauge.Process{server}, Request: same(other.Get(c.bare)), Status: http.StatusOK,
				Connections: b.o.connections})
		if err != nil {
			return nil, err
		}
		row := c.row
		rounds.judge(&row)
		rows = append(rows, row)
	}
	return rows, nil
}

// measureFleet compares what single requests take in the large register with what they take in the small one, in turns.
func (b *bench) measureFleet(ctx context.Context) (rows []figures.Row, err error) {
	if err := b.makeFleets(ctx); err != nil {
		return nil, err
	}
	for _, c := range fleetCosts {
		r := figures.Row{Case: c.name, What: c.what, Goal: c.goal, Unit: "ms", Against: fmt.Sprintf("with %d devices", b.fleets[1].devices)}
		large := func() (float64, error) { return c.ask(b.fleets[0]) }
		small := func() (float64, error) { return c.ask(b.fleets[1]) }
		if err := b.judgeTurns(&r, large, small); err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// judgeTurns measures how many times as long one request takes as another, in turns.
func (b *bench) judgeTurns(r *figures.Row, asks ...func() (float64, error)) (err error) {
	var took [2][]float64
	var ratios []float64
	warmUp := min(1, b.o.rounds-1) // rounds for plans and caches; none if there is only one, which measures nothing well
	for n := range warmUp + b.o.rounds {
		var medians [2]float64
		for i := range medians {
			which := (i + n) % 2
			if medians[which], err = b.askRound(cost{ask: func(*bench) (float64, error) { return asks[which]() }}); err != nil {
				return fmt.Errorf("%s: %w", r.Case, err)
			}
		}
		if n < warmUp {
			continue
		}
		took[0], took[1] = append(took[0], medians[0]), append(took[1], medians[1])
		ratios = append(ratios, medians[0]/medians[1])
	}
	r.Terrier.Figure, r.Bare.Figure = figures.Median(took[0]), figures.Median(took[1])
	r.Judge(ratios)
	b.note("%s: %.3g ms; %.3g ms", r.Case, r.Terrier.Figure, r.Bare.Figure)
	return nil
}

// timed sends a request and returns how many milliseconds the answer took.
func (f *fleet) timed(request []byte, status int) (raw []byte, milliseconds float64, err error) {
	began := time.Now()
	raw, err = f.side.Do(request, status)
	return raw, time.Since(began).Seconds() * 1000, err
}

// next returns a number that no other call has returned, and one of the devices, from 1, scattered over the register.
func (f *fleet) next() (n, device int64) {
	f.asked++
	return f.asked, f.asked*7919%int64(f.devices) + 1
}

// get requests an address. %d in it is the id of another device each time.
func get(address string) func(*fleet) (float64, error) {
	return func(f *fleet) (float64, error) {
		at := address
		if strings.Contains(at, "%d") {
			_, device := f.next()
			at = fmt.Sprintf(at, device)
		}
		_, took, err := f.timed(f.side.Get(at), http.StatusOK)
		if tooSlow(err) { // what it took until then counts
			err = nil
		}
		return took, err
	}
}

// deep requests pages after the middle of a list by following next. It is another page each time.
func deep(list string, size func(*fleet) int) func(*fleet) (float64, error) {
	return func(f *fleet) (float64, error) {
		at := f.deepAt[list]
		if at == "" { // one offset is skipped row by row, and all other pages follow a cursor
			at = fmt.Sprintf("%s?limit=%d&offset=%d", list, pageLimit, size(f)/2)
			l, _, err := f.page(at)
			if err != nil {
				return 0, err
			}
			if l.Next == nil {
				return 0, fmt.Errorf("%s ends at its middle", list)
			}
			at = *l.Next
		}
		l, took, err := f.page(at)
		f.deepAt[list] = ""
		if l.Next != nil { // a small register may end here
			f.deepAt[list] = *l.Next
		}
		return took, err
	}
}

// page requests a list.
func (f *fleet) page(address string) (l links, took float64, err error) {
	raw, took, err := f.timed(f.side.Get(strings.TrimPrefix(address, base)), http.StatusOK)
	if err != nil {
		return l, took, err
	}
	return l, took, json.Unmarshal(raw, &l)
}
