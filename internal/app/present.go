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
	"terrier/internal/store"
)

// present records that this process runs, and with which settings, until ctx ends. `terrier doctor` compares them.
func (a *App) present(ctx context.Context, kind string) {
	host, _ := os.Hostname() // a process without a name works too
	me := store.Process{ID: fmt.Sprintf("%s-%d-%s", host, os.Getpid(), rand.Text()), Kind: kind, Host: host, Program: a.cfg.Version,
		KeyIDs: a.keys.IDs(), Changes: a.cfg.ChangelogRetention, Deliveries: a.cfg.DeliveryRetention}
	say := func() {
		me.Panics, me.Panicked = panicked()
		a.task(ctx, "presence", func(ctx context.Context) error {
			before := a.now()
			clock, err := a.Store.Present(ctx, me)
			if err == nil {
				me.ClockOffset = new(delivery.ClockOffset(clock, before, a.now()))
			}
			return err
		})
	}
	say()
	say() // the first answer has shown how far our clock is off
	every(ctx, store.PresentEvery, say)
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second) // the process is about to end
	defer cancel()
	a.note(leaving, "presence", a.Store.Absent(leaving, me.ID))
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
