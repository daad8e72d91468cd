package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"terrier/internal/limit"
)

const (
	readyFor     = time.Second      // one check of the database serves everybody who asks within this time
	readyTimeout = 10 * time.Second // for one check
)

// readiness shares checks of the database between all who ask whether the process is ready. Asking needs no login.
type readiness struct {
	mu   sync.Mutex
	last *look

	keep, limit time.Duration // instead of readyFor and readyTimeout, where they are set
}

type look struct {
	done chan struct{}
	err  error
	at   time.Time // when it was done
}

// share returns the result of the last check if it is recent. Otherwise one caller's check serves all who wait.
func (r *readiness) share(ctx context.Context, check func(context.Context) error) error {
	r.mu.Lock()
	l := r.last
	if l == nil || l.isOld(cmp.Or(r.keep, readyFor)) {
		l = &look{done: make(chan struct{}), err: errors.New("the check did not end")}
		r.last = l
		r.mu.Unlock()
		l.run(ctx, cmp.Or(r.limit, readyTimeout), check)
		return l.err
	}
	r.mu.Unlock()
	select {
	case <-l.done:
		return l.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run does the check that all wait for.
func (l *look) run(ctx context.Context, limit time.Duration, check func(context.Context) error) {
	defer close(l.done)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	l.err, l.at = check(ctx), time.Now()
}

func (l *look) isOld(keep time.Duration) bool {
	select {
	case <-l.done:
		return time.Since(l.at) >= keep
	default:
		return false
	}
}

// ready returns why the process should get no requests, or nil.
func (a *App) ready(ctx context.Context) error {
	if a.stopping.Load() {
		return errors.New("the process is stopping")
	}
	return a.readiness.share(ctx, a.checkReady)
}

func (a *App) checkReady(ctx context.Context) error {
	if err := a.Store.CheckWritable(ctx); err != nil {
		return err
	}
	if err := a.checkMigrated(ctx); err != nil {
		return err
	}
	table, err := a.Store.PartitionsLow(ctx, a.now())
	if err != nil {
		return err
	}
	if table != "" {
		return fmt.Errorf("table %s is running out of partitions: the log says why none are made", table)
	}
	return nil
}

// waiting names the budgets of docs/limits.md that requests wait for, and how many wait.
func (a *App) waiting() (all []string) {
	for _, budget := range a.budgets() {
		if budget.Waiting > 0 {
			all = append(all, fmt.Sprintf("%s: %d", budget.Name, budget.Waiting))
		}
	}
	return all
}

// budgets returns what requests share, and how many wait.
func (a *App) budgets() []limit.State { return append(a.Store.Budgets(), a.Feed.Budgets()...) }
