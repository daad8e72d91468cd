// Package background starts every goroutine of Terrier, except those of libraries and of tests. It names each. A panic ends only what
// the goroutine was doing, not the process: it is logged with its stack and counted, and a loop goes on after a pause.
package background

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Panic is the error of a function that panicked.
type Panic struct {
	In    string // the name of what was being done
	Value any
}

func (p *Panic) Error() string { return fmt.Sprintf("panic in %s: %v", p.In, p.Value) }

// counts are the panics of this process by name: a process has one set of goroutines.
var counts sync.Map // of *atomic.Int64

// Panics returns how often each name has panicked in this process, 0 included.
func Panics() map[string]int64 {
	all := map[string]int64{}
	counts.Range(func(name, n any) bool {
		all[name.(string)] = n.(*atomic.Int64).Load()
		return true
	})
	return all
}

func counter(name string) *atomic.Int64 {
	n, known := counts.Load(name)
	if !known {
		n, _ = counts.LoadOrStore(name, &atomic.Int64{})
	}
	return n.(*atomic.Int64)
}

// Try calls fn and returns its error. If fn panics, it logs the panic with its stack, counts it, and returns a *Panic.
func Try(log *slog.Logger, name string, fn func() error) (err error) {
	panics := counter(name)
	defer func() {
		if value := recover(); value != nil {
			panics.Add(1)
			err = &Panic{name, value}
			log.Error("panic: this is a fault of the program; report it", "in", name, "panic", fmt.Sprint(value),
				"stack", string(debug.Stack()))
		}
	}()
	return fn()
}

// Go starts fn.
func Go(log *slog.Logger, name string, fn func()) {
	go func() {
		_ = Try(log, name, func() error { // a panic has been logged
			fn()
			return nil
		})
	}()
}

// Start starts fn. The returned channel gets its error, or its panic as an error.
func Start(log *slog.Logger, name string, fn func() error) <-chan error {
	ended := make(chan error, 1)
	Go(log, name, func() { ended <- Try(log, name, fn) })
	return ended
}

// Group starts goroutines and waits for them, as sync.WaitGroup does.
type Group struct {
	Log     *slog.Logger
	running sync.WaitGroup
}

// Go starts fn.
func (g *Group) Go(name string, fn func()) {
	g.running.Add(1)
	Go(g.Log, name, func() {
		defer g.running.Done()
		fn()
	})
}

// The pauses after the panics of a loop. They double until a run lasts longer than the longest.
const (
	firstPause = time.Second
	lastPause  = time.Minute
)

// Loop starts fn, which runs until ctx ends. If it panics before, it is called again after a pause.
func (g *Group) Loop(ctx context.Context, name string, fn func(context.Context)) {
	g.Go(name, func() {
		for pause := firstPause; ; pause = min(2*pause, lastPause) {
			began := time.Now()
			if Try(g.Log, name, func() error { fn(ctx); return nil }) == nil {
				return
			}
			if time.Since(began) > lastPause {
				pause = firstPause
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
		}
	})
}

// Wait returns when all have ended.
func (g *Group) Wait() { g.running.Wait() }
