package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"terrier/test/bench/bare"
	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

// measureToken measures what authentication costs: the same server is called with a token and without, for records that anyone may view.
func (b *bench) measureToken(ctx context.Context) (rows []figures.Row, err error) {
	r := figures.Row{Case: "token", What: "get one site with a token", Against: "anonymous"}
	s := b.serving()
	s.Exempt = []string{"dcim.site"}
	open, err := gauge.Launch(ctx, "server", s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, open.End()) }()
	known := &gauge.Side{Name: "terrier", Address: open.Address, Headers: b.terrier.Headers}
	defer known.Close()
	anonymous := &gauge.Side{Name: "terrier without a token", Address: open.Address}
	defer anonymous.Close()
	asking := func(side *gauge.Side) gauge.Asking {
		return gauge.Asking{Side: side, Processes: []*gauge.Process{open}, Status: http.StatusOK, Connections: b.o.connections,
			Request: b.scattered(func(n int64) []byte { return side.Get(fmt.Sprintf("%s%d/", sitesPath, n)) })}
	}
	rounds, err := b.compete(ctx, asking(known), asking(anonymous))
	rounds.judge(&r)
	return []figures.Row{r}, err
}

// measureLogin measures logins that create tokens, one at a time, because Terrier hashes one password at a time anyway.
func (b *bench) measureLogin(ctx context.Context) ([]figures.Row, error) {
	r := figures.Row{Case: "login", What: "provision a token (bare: hash, token row)"}
	in := body(bare.Credentials{Username: userName, Password: password})
	expired := body(map[string]string{"username": userName, "password": password, "expires": "2020-01-01T00:00:00Z"}) // or a user has too many
	stranger := &gauge.Side{Name: "terrier", Address: b.server.Address}
	defer stranger.Close()
	rounds, err := b.compete(ctx,
		gauge.Asking{Side: stranger, Processes: []*gauge.Process{b.server}, Request: same(stranger.Post(provisionPath, expired)),
			Status: http.StatusCreated, Connections: 1},
		gauge.Asking{Side: b.bare, Processes: []*gauge.Process{b.bareServer}, Request: same(b.bare.Post("/bare/login", in)),
			Status: http.StatusCreated, Connections: 1})
	rounds.judge(&r)
	return []figures.Row{r}, err
}

const (
	readsPerSecond = 200
	floodLogins    = 16 // logins at once
)

// measureFlood measures reads at a steady pace, with and without a flood of wrong passwords from ever new addresses.
func (b *bench) measureFlood(ctx context.Context) ([]figures.Row, error) {
	var address atomic.Int64
	row, err := b.beside(ctx, figures.Row{Case: "flood", What: "get one site beside a flood of logins: p99"}, 4*b.o.round,
		func() (stop func() error) { return b.flood(&address) })
	return []figures.Row{row}, err
}

// beside measures reads at a steady pace, with and without a disturbance, in turns of a length.
func (b *bench) beside(ctx context.Context, r figures.Row, length time.Duration, disturb func() (stop func() error)) (figures.Row, error) {
	r.Unit, r.Against, r.Goal = "ms", "idle", b.o.besideOthers()
	var ratios, idle, disturbed []float64
	read := func(into *[]float64) (p99 float64, err error) {
		took, err := b.steadyReads(ctx, length)
		*into = append(*into, took...)
		return figures.Percentile(took, 0.99), err
	}
	if _, err := b.steadyReads(ctx, b.o.round); err != nil { // warms up
		return r, err
	}
	before, err := read(&idle)
	if err != nil {
		return r, err
	}
	for range b.o.rounds {
		stop := disturb()
		during, err := read(&disturbed)
		if err := errors.Join(err, stop()); err != nil {
			return r, err
		}
		after, err := read(&idle)
		if err != nil {
			return r, err
		}
		ratios = append(ratios, during/((before+after)/2))
		before = after
	}
	r.Terrier = figures.Side{Figure: figures.Percentile(disturbed, 0.99), FromDue: figures.PercentilesOf(disturbed)}
	r.Bare = figures.Side{Figure: figures.Percentile(idle, 0.99), FromDue: figures.PercentilesOf(idle)}
	r.Judge(ratios)
	return r, nil
}

// steadyReads reads sites, open-loop, and returns for each the milliseconds since it was due.
func (b *bench) steadyReads(ctx context.Context, length time.Duration) ([]float64, error) {
	var mu sync.Mutex
	var all []float64
	err := gauge.OpenLoop(ctx, readsPerSecond, length, func(n int, due time.Time) error {
		_, err := b.terrier.Do(b.terrier.Get(fmt.Sprintf("%s%d/", sitesPath, n*7919%b.o.records+1)), http.StatusOK)
		took := time.Since(due).Seconds() * 1000
		mu.Lock()
		defer mu.Unlock()
		all = append(all, took)
		return err
	})
	return all, err
}

// turnedAway reports whether a login was refused before its password was checked, as a flood may be.
func turnedAway(err error) bool {
	answer, ok := errors.AsType[*gauge.StatusError](err)
	return ok && (answer.Status == http.StatusTooManyRequests || answer.Status == http.StatusServiceUnavailable)
}

// flood tries wrong passwords as fast as they are answered, until it is stopped. It returns when the first one was checked.
func (b *bench) flood(address *atomic.Int64) (stop func() error) {
	stranger := &gauge.Side{Name: "terrier", Address: b.server.Address}
	ctx, cancel := context.WithCancel(context.Background())
	judged, failed := make(chan struct{}, floodLogins), make(chan error, floodLogins)
	var wg sync.WaitGroup
	for range floodLogins {
		wg.Go(func() {
			for ctx.Err() == nil {
				n := address.Add(1)
				from := fmt.Sprintf("X-Forwarded-For: 203.%d.%d.%d\r\n", n>>16&255, n>>8&255, n&255)
				_, err := stranger.Do(stranger.Post(provisionPath,
					body(bare.Credentials{Username: fmt.Sprint("user", n), Password: "wrong password"}), from), http.StatusForbidden)
				if err != nil && !turnedAway(err) && ctx.Err() == nil {
					failed <- err
					return
				}
				select {
				case judged <- struct{}{}:
				default:
				}
			}
		})
	}
	var err error
	select {
	case <-judged:
	case err = <-failed:
	}
	return func() error {
		cancel()
		stranger.Close() // waiting logins give up
		wg.Wait()
		select {
		case err = <-failed:
		default:
		}
		return err
	}
}
