package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

// work is a case: something that is measured, and leaves the databases as it found them but for new records.
type work struct {
	name    string
	measure func(*bench, context.Context) ([]figures.Row, error)
}

// cases stand in the order in which they are measured: what reads comes before what writes.
func cases() []work {
	all := []work{{"growth", (*bench).measureGrowth}, {"statements", (*bench).measureStatements}}
	for _, c := range reads {
		all = append(all, c.work())
	}
	all = append(all, work{"deep", (*bench).measureDeep}, work{"count", (*bench).measureCount}, work{"page", (*bench).measureWebPage}, work{"token", (*bench).measureToken},
		work{"login", (*bench).measureLogin}, work{"flood", (*bench).measureFlood})
	for _, c := range writes {
		all = append(all, c.work())
	}
	return append(all, work{"deliveries", (*bench).measureDeliveries}, work{"latency", (*bench).measureLatency}, work{"fairness", (*bench).measureFairness},
		work{"fairness-backlog", (*bench).measureFairnessBacklog}, work{"idle", (*bench).measureIdle}, work{"queued", (*bench).measureQueued}, work{"kept", (*bench).measureKept})
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
		if i == 1 { // growth has not grown the register where it was not asked for
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

// measure does a case. What --check would count as missed is measured once more: the machine may have been busy.
func (b *bench) measure(ctx context.Context, w work) ([]figures.Row, error) {
	began := time.Now()
	rows, err := b.profiled(ctx, w)
	if err != nil {
		return nil, err
	}
	b.say(rows, began)
	if !b.o.check || len((&figures.Result{Rows: rows}).Missed()) == 0 {
		return rows, nil
	}
	b.note("%s is clearly missed: measuring again", w.name)
	began = time.Now()
	rows, err = b.profiled(ctx, w)
	for i := range rows {
		rows[i].Again = true
	}
	b.say(rows, began)
	return rows, err
}

func (b *bench) say(rows []figures.Row, began time.Time) {
	for _, r := range rows {
		b.note("%s: %.3g (%.3g–%.3g) %s, %.0f s", r.Case, r.Value, r.Low, r.High, r.Verdict(), time.Since(began).Seconds())
	}
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
