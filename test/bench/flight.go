package main

import (
	"context"
	"sync"
	"time"

	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

// flight is a number of events at a fixed pace. It is open-loop: each event is due at its time, whether or not those before have arrived.
type flight struct {
	perSecond float64 // requests
	length    time.Duration
	send      func(n int) (names []string, err error) // makes the n-th request; returns no names if no event is expected
	processes []*gauge.Process
}

// latencies are the results of a flight, in milliseconds.
type latencies struct {
	fromDue, fromCommit []float64 // the writer sees the commit when it gets the answer
	gauge.Share
}

// fly sends the events and waits for their arrival. The first half second is not counted.
func (b *bench) fly(ctx context.Context, f flight) (l latencies, err error) {
	type moments struct{ due, answered time.Time }
	var mu sync.Mutex
	flown := map[string]moments{}
	var names []string
	used := b.meter.Start(f.processes...)
	err = gauge.OpenLoop(ctx, f.perSecond, f.length, func(n int, due time.Time) error {
		sent, err := f.send(n)
		answered := time.Now()
		mu.Lock()
		defer mu.Unlock()
		for _, name := range sent {
			names = append(names, name)
			if float64(n) >= f.perSecond/2 {
				flown[name] = moments{due, answered}
			}
		}
		return err
	})
	if err != nil {
		return l, err
	}
	arrived, err := b.arrivals(ctx, names)
	if err != nil {
		return l, err
	}
	l.Share = gauge.Share{Usage: used(), Answers: int64(len(names))}
	for name, m := range flown {
		l.fromDue = append(l.fromDue, float64(arrived[name]-m.due.UnixNano())/1e6)
		l.fromCommit = append(l.fromCommit, max(0, float64(arrived[name]-m.answered.UnixNano())/1e6)) // the worker may be faster than the answer
	}
	return l, nil
}

// add adds the events of another round.
func (l *latencies) add(m latencies) {
	l.fromDue, l.fromCommit = append(l.fromDue, m.fromDue...), append(l.fromCommit, m.fromCommit...)
	l.Usage = l.Usage.Add(m.Usage)
	l.Answers += m.Answers
}

// side returns the side of a row. Its figure is a percentile of the latency from the commit.
func (l *latencies) side(part float64) figures.Side {
	return figures.Side{Figure: figures.Percentile(l.fromCommit, part), FromDue: figures.PercentilesOf(l.fromDue),
		FromCommit: figures.PercentilesOf(l.fromCommit),
		Go:         each(l.Go, l.Answers), PostgreSQL: each(l.PostgreSQL, l.Answers)}
}
