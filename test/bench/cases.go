package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

// work is a case: something that is measured. It leaves the databases as they were, except for new records.
type work struct {
	name    string
	measure func(*bench, context.Context) ([]figures.Row, error)
}

// cases returns the cases in the order in which they are measured: those that read come before those that write.
func cases() []work {
	all := []work{{"growth", (*bench).measureGrowth}, {"statements", (*bench).measureStatements}}
	for _, c := range reads {
		all = append(all, c.work())
	}
	all = append(all, work{"search", (*bench).measureSearch}, work{"deep", (*bench).measureDeep}, work{"count", (*bench).measureCount},
		work{"page", (*bench).measureWebPage},
		work{"types", (*bench).measureTypes}, work{"token", (*bench).measureToken},
		work{"login", (*bench).measureLogin}, work{"flood", (*bench).measureFlood}, work{"readers", (*bench).measureReaders})
	for _, c := range writes {
		all = append(all, c.work())
	}
	all = append(all, work{"allocation", (*bench).measureAllocation},
		work{"devices", (*bench).measureDevices}, work{"fleet-lists", (*bench).measureFleetLists},
		work{"fleet", (*bench).measureFleet}, work{"contexts", (*bench).measureContexts},
		work{"prefixes", (*bench).measureNetworks},
		work{"search-writes", (*bench).measureSearchWrites},
		work{"search-mixed", (*bench).measureSearchMixed},
		work{"drip", (*bench).measureDrip}, work{"deliveries", (*bench).measureDeliveries},
		work{"metrics", (*bench).measureMetrics}, work{"sequencer", (*bench).measureSequencer})
	for _, p := range paces {
		all = append(all, p.work())
	}
	return append(all, work{"fairness", (*bench).measureFairness},
		work{"fairness-backlog", (*bench).measureFairnessBacklog}, work{"idle", (*bench).measureIdle},
		work{"queued", (*bench).measureQueued}, work{"kept", (*bench).measureKept})
}

func caseNames() []string {
	var names []string
	for _, w := range cases() {
		names = append(names, w.name)
	}
	return names
}

func (b *bench) measureAll(ctx context.Context) error {
	if err := b.grow(ctx, least); err != nil {
		return err
	}
	if err := b.compareAnswers(ctx); err != nil {
		return err
	}
	for i, w := range cases() {
		if i == 1 { // the register is small if the case growth was not selected
			if err := b.grow(ctx, b.o.records); err != nil {
				return err
			}
		}
		if !b.o.wants(w.name) {
			continue
		}
		rows, err := b.measure(ctx, w)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		b.result.Rows = append(b.result.Rows, rows...)
	}
	return nil
}

// beforeAgain is the wait before a second measurement, in case the machine was busy.
const beforeAgain = 30 * time.Second

// measure runs a case. If --check would count a row as missed, it runs the case once more, and the second result of that row counts. Rows
// that were good enough the first time keep their result. After an error it does not try again.
func (b *bench) measure(ctx context.Context, w work) ([]figures.Row, error) {
	rows, err := b.once(ctx, w)
	if err != nil || !b.o.check || !slices.ContainsFunc(rows, figures.Row.Clear) {
		return rows, err
	}
	b.note("%s is clearly missed: measuring again in %v", w.name, beforeAgain)
	if err := pause(ctx, beforeAgain); err != nil {
		return nil, err
	}
	second, err := b.once(ctx, w)
	if err != nil {
		return nil, err
	}
	for i, row := range rows {
		if row.Clear() {
			rows[i] = second[i]
			rows[i].Again = true
		}
	}
	return rows, nil
}

// once runs a case and prints what it found.
func (b *bench) once(ctx context.Context, w work) ([]figures.Row, error) {
	began := time.Now()
	rows, err := b.profiled(ctx, w)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		b.note("%s: %.3g (%.3g–%.3g) %s, %.0f s", r.Case, r.Value, r.Low, r.High, r.Verdict(), time.Since(began).Seconds())
	}
	return rows, nil
}

// profiled writes processor profiles of Terrier's processes while a case is measured.
func (b *bench) profiled(ctx context.Context, w work) (rows []figures.Row, err error) {
	if b.o.profile == "" {
		return w.measure(b, ctx)
	}
	for name, p := range map[string]*gauge.Process{"server": b.server, "worker": b.worker} {
		if err := p.Do("profile " + filepath.Join(b.o.profile, w.name+"-"+name+".pprof")); err != nil {
			return nil, err
		}
	}
	rows, err = w.measure(b, ctx)
	for _, p := range []*gauge.Process{b.server, b.worker} {
		if e := p.Do("profiled"); err == nil {
			err = e
		}
	}
	return rows, err
}
