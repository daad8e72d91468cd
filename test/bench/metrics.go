package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

// measureMetrics measures what counting costs: processor time per read and per delivery, with metrics and without, in turns.
func (b *bench) measureMetrics(ctx context.Context) ([]figures.Row, error) {
	read, err := b.metricsOfReads(ctx)
	if err != nil {
		return nil, err
	}
	sent, err := b.metricsOfDeliveries(ctx)
	return []figures.Row{read, sent}, err
}

func metricsRow(name, what string) figures.Row {
	return figures.Row{Case: name, What: what + ": processor time with metrics", Against: "without",
		Goal: figures.Goal{Value: 1.03, AtMost: true, Gate: 1.15}}
}

// withAndWithout launches two processes, of which the first has metrics, and ends them after fn.
func withAndWithout(ctx context.Context, role string, s settings, fn func(with, without *gauge.Process) error) (err error) {
	s.Metrics = true
	with, err := gauge.Launch(ctx, role, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, with.End()) }()
	s.Metrics = false
	without, err := gauge.Launch(ctx, role, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, without.End()) }()
	return fn(with, without)
}

func (b *bench) metricsOfReads(ctx context.Context) (figures.Row, error) {
	row := metricsRow("metrics-get", "get one site")
	err := withAndWithout(ctx, "server", b.serving(), func(with, without *gauge.Process) error {
		ask := func(p *gauge.Process) gauge.Asking {
			side := &gauge.Side{Name: "terrier", Address: p.Address, Headers: b.terrier.Headers}
			return gauge.Asking{Side: side, Processes: []*gauge.Process{p}, Status: http.StatusOK, Connections: b.o.connections,
				Request: b.scattered(func(n int64) []byte { return side.Get(fmt.Sprintf("%s%d/", sitesPath, n)) })}
		}
		x, y := ask(with), ask(without)
		defer x.Side.Close()
		defer y.Side.Close()
		rounds, err := b.compete(ctx, x, y)
		rounds.judgeProcessor(&row)
		return err
	})
	return row, err
}

func (b *bench) metricsOfDeliveries(ctx context.Context) (figures.Row, error) {
	row := metricsRow("metrics-deliver", "deliver from a full queue")
	if b.o.quick { // it is about a ratio, for which fewer are enough
		jobs := b.o.jobs
		b.o.jobs /= 4
		defer func() { b.o.jobs = jobs }()
	}
	if err := b.makeHooks(ctx, lanes, wide(perLane)); err != nil {
		return row, err
	}
	var rounds pairs
	err := withAndWithout(ctx, "worker", b.settings(), func(with, without *gauge.Process) error {
		for n := range b.o.rounds + 1 {
			workers, shares := []*gauge.Process{with, without}, make([]gauge.Share, 2)
			for i := range workers { // the one that begins changes from round to round
				at := (i + n) % 2
				err := b.fillTerrier(ctx)
				if err == nil {
					shares[at], err = b.drain(ctx, workers[at], b.pool, leftOfTerrier)
				}
				if err != nil {
					return err
				}
			}
			if n > 0 { // the first round warms up
				rounds.add(shares[0], shares[1])
			}
		}
		return nil
	})
	if err != nil {
		return row, err
	}
	rounds.judgeProcessor(&row)
	return row, b.clear(ctx)
}
