package app

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"terrier/internal/background"
	"terrier/internal/delivery"
	"terrier/internal/fault"
	"terrier/internal/store"
)

// present records that this process runs, and with which settings, until ctx ends. `terrier doctor` compares them.
func (a *App) present(ctx context.Context, kind string) {
	host, _ := os.Hostname() // a process without a name works too
	me := store.Process{ID: fmt.Sprintf("%s-%d-%s", host, os.Getpid(), rand.Text()), Kind: kind, Host: host, Program: a.cfg.Version,
		KeyIDs: a.keys.IDs(), Changes: a.cfg.ChangelogRetention, Deliveries: a.cfg.DeliveryRetention}
	say := func() { a.task(ctx, "presence", func(ctx context.Context) error { return a.sayPresent(ctx, &me) }) }
	say()
	say() // the first answer has shown how far our clock is off
	every(ctx, store.PresentEvery, say)
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second) // the process is about to end
	defer cancel()
	a.note(leaving, "presence", a.Store.Absent(leaving, me.ID))
}

// sayPresent records once that this process runs, and compares its clock with the database's.
func (a *App) sayPresent(ctx context.Context, me *store.Process) error {
	me.Panics, me.Panicked = panicked()
	me.Waiting = strings.Join(a.waiting(), ", ")
	before := a.now()
	clock, err := a.Store.Present(ctx, *me)
	if err != nil {
		return err
	}
	offset := delivery.ClockOffset(clock, before, a.now())
	me.ClockOffset = &offset
	a.ahead.Store(int64(-offset))
	return nil
}

// mostAhead is how far the clock of a process may be ahead of the database's. Changes have its time, and no later change of the same record
// has an earlier one: a clock that is days ahead would make the changes of all servers as late, for ever.
const mostAhead = time.Minute

// refuseAhead returns an error while the clock of this process was too far ahead when it was last compared.
func (a *App) refuseAhead() error {
	ahead := time.Duration(a.ahead.Load())
	if ahead <= mostAhead {
		return nil
	}
	refused := fault.New(fault.Unavailable, "Nothing was changed: the clock of this server is %s ahead of the database's. Correct the one "+
		"that is wrong with a time service. The server accepts changes again %s later.", ahead.Round(time.Second), store.PresentEvery)
	refused.RetryAfter = store.PresentEvery
	return refused
}

// panicked returns how often goroutines of this process have panicked, and which.
func panicked() (n int64, names string) {
	var where []string
	for name, times := range background.Panics() {
		if times > 0 {
			n += times
			where = append(where, name)
		}
	}
	slices.Sort(where)
	return n, strings.Join(where, ", ")
}
