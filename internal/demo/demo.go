// Package demo owns the demo network: it fills an empty register with sites, racks, devices, addresses and people, with 90 days of
// changes, and with five webhooks in different states.
//
// Records are written through the ledger, whose clock is set to the past. So validation, counts, change log and deliveries are those of
// real use. The outcomes of the deliveries are made up, and written as a worker would write them. Nothing is sent until somebody makes a
// change: then to the test listener of this machine. The same size in the same hour makes the same records, except for passwords and token
// keys, which nobody knows.
package demo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// Days is how many days of changes there are.
const Days = 90

const day = 24 * time.Hour

// What happens how many days ago: the last day is 1. Deliveries are kept for 30 days by default.
const (
	racksUntil    = 36
	machinesOn    = 35
	servicesOn    = 34
	editsFrom     = 85
	webhooksSince = 28
)

// Size says how large the network is. It has at least two sites.
type Size struct {
	Sites int
	Racks int // of each site
	Edits int // on each day
}

// Sizes are the sizes by name.
var Sizes = map[string]Size{
	"small":  {Sites: 3, Racks: 4, Edits: 8},
	"medium": {Sites: 8, Racks: 6, Edits: 20},
	"large":  {Sites: 24, Racks: 14, Edits: 50},
}

// Run fills an empty register with the history of the 90 days before a moment. It reports how many days are done. Nobody else may use
// the ledger in the meantime.
func Run(ctx context.Context, l *ledger.Ledger, size Size, moment time.Time, report func(days int)) error {
	if err := checkEmpty(ctx, l); err != nil {
		return err
	}
	end := moment.UTC().Add(-5 * time.Minute).Truncate(time.Hour) // the last changes are some minutes after it, and never in the future
	first := end.Add(-Days * day)
	for at := first; at.Before(end); at = at.Add(4 * 7 * day) { // each call makes the partitions of four weeks
		if err := l.Store.MakePartitions(ctx, at); err != nil {
			return fmt.Errorf("make the partitions of the past: %w", err)
		}
	}
	w := newWriter(ctx, l, first)
	defer func(now func() time.Time) { l.Now = now }(l.Now)
	l.Now = func() time.Time { return w.now }
	n := &network{writer: w, size: size, end: end}
	for ago := Days; ago > 0 && w.err == nil; ago-- {
		w.reach(end.Add(-time.Duration(ago) * day))
		n.live(ago)
		report(Days - ago + 1)
	}
	w.reach(end)
	n.deliver()
	if w.err != nil {
		return fmt.Errorf("the demo network is incomplete: create another database and start again: %w", w.err)
	}
	return nil
}

// live does what happened on one day, up to the first error.
func (n *network) live(ago int) {
	var events []func()
	switch ago {
	case Days:
		events = []func(){n.addPeople, n.addLabels, n.addTenants, n.addModels, n.addPlaces, n.addNetworks}
	case machinesOn:
		events = []func(){n.addMachines}
	case servicesOn:
		events = []func(){n.addServices, n.addParts}
	case webhooksSince:
		events = []func(){n.addWebhooks}
	}
	events = append(events, func() { n.installRacks(ago) })
	if ago <= editsFrom {
		events = append(events, func() { n.edit(ago) })
	}
	events = append(events, func() { n.stopWebhooks(ago) })
	for _, happen := range events {
		if n.err == nil {
			happen()
		}
	}
}

// checkEmpty refuses a register that has any records but users and their tokens: somebody has to be able to log in.
func checkEmpty(ctx context.Context, l *ledger.Ledger) error {
	for _, t := range l.Store.Types() {
		if t.ReadOnly || slices.Contains([]string{"users.user", "users.token"}, t.Key()) {
			continue
		}
		page, err := l.List(ctx, ledger.Caller{Subject: builder}, t, store.Query{Limit: 1, Count: store.CountNone})
		if err != nil {
			return err
		}
		if len(page.Rows) > 0 {
			return notEmpty(t)
		}
	}
	return nil
}

func notEmpty(t *record.Type) error {
	return fmt.Errorf("the register is not empty: it has records of the type %s. Create another database, set TERRIER_DATABASE_URL to it, "+
		"run `terrier migrate`, and then this command", t.Key())
}
