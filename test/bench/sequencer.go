package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

// measureSequencer measures what the positions of changes cost: processor time per write with the sequencer and without, in turns. The
// sequencer of the server stands still while the benchmark holds the row that it counts in.
func (b *bench) measureSequencer(ctx context.Context) ([]figures.Row, error) {
	row := figures.Row{Case: "sequencer", What: "create one site: processor time with the sequencer", Against: "without",
		Goal: figures.Goal{Value: 1.05, AtMost: true, Gate: 1.2}}
	write := gauge.Asking{Side: b.terrier, Processes: []*gauge.Process{b.server}, Status: http.StatusCreated, Connections: b.o.connections,
		Request: func() []byte { return b.terrier.Post(sitesPath, b.newSites(0)) }}
	var rounds pairs
	if _, err := b.sequenced(ctx, write); err != nil { // warms up
		return nil, err
	}
	for n := range b.o.rounds {
		turns := []func(context.Context, gauge.Asking) (gauge.Share, error){b.sequenced, b.unsequenced}
		var shares [2]gauge.Share
		for i := range turns { // the one that begins changes from round to round
			at := (i + n) % 2
			var err error
			if shares[at], err = turns[at](ctx, write); err != nil {
				return nil, err
			}
		}
		rounds.add(shares[0], shares[1])
	}
	rounds.judgeProcessor(&row)
	return []figures.Row{row}, b.numbered(ctx)
}

// sequenced writes for a round, until each of the changes has its position.
func (b *bench) sequenced(ctx context.Context, write gauge.Asking) (gauge.Share, error) {
	if err := b.numbered(ctx); err != nil { // what was written before
		return gauge.Share{}, err
	}
	used := b.meter.Start(write.Processes...)
	answers, err := write.Ask(ctx, b.o.round)
	if err == nil {
		err = b.numbered(ctx)
	}
	return gauge.Share{Usage: used(), Answers: answers}, err
}

// unsequenced writes for a round while nobody numbers changes.
func (b *bench) unsequenced(ctx context.Context, write gauge.Asking) (share gauge.Share, err error) {
	hold, err := b.pool.Begin(ctx)
	if err != nil {
		return share, err
	}
	defer func() { err = errors.Join(err, hold.Rollback(context.WithoutCancel(ctx))) }()
	if _, err := hold.Exec(ctx, "SELECT FROM extras_sequencer FOR UPDATE"); err != nil {
		return share, err
	}
	used := b.meter.Start(write.Processes...)
	answers, err := write.Ask(ctx, b.o.round)
	return gauge.Share{Usage: used(), Answers: answers}, err
}

// numbered waits until every change has its position.
func (b *bench) numbered(ctx context.Context) error {
	for {
		_, lag, err := b.register.store.Watch().Feed(ctx)
		if err != nil || lag == 0 {
			return err
		}
		if err := pause(ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
}
