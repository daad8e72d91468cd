package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"terrier/internal/fill"
	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

// plain is a register with the same sites but without the search indexes, and a server of its own.
type plain struct {
	database string
	server   *gauge.Process
	side     *gauge.Side
}

// withoutSearchIndexes drops the indexes of trigrams of a database.
const withoutSearchIndexes = `DO $$ DECLARE name text; BEGIN
	FOR name IN SELECT DISTINCT x.indexrelid::regclass FROM pg_index x JOIN pg_opclass o ON o.oid = ANY(x.indclass)
		WHERE o.opcname = 'gin_trgm_ops'
	LOOP EXECUTE 'DROP INDEX ' || name; END LOOP; END $$`

// makePlain makes the register without search indexes, once.
func (b *bench) makePlain(ctx context.Context) error {
	if b.plain != nil {
		return nil
	}
	database, drop, err := newDatabase(ctx, "plain", func(ctx context.Context, database string) error {
		return errors.Join(migrateTerrier(ctx, database), execute(ctx, database, withoutSearchIndexes))
	})
	if err != nil {
		return err
	}
	b.cleanups = append(b.cleanups, drop)
	r, err := newRegister(ctx, database)
	if err != nil {
		return err
	}
	defer r.store.Close()
	if err := r.addSites(ctx, b.o.records); err != nil {
		return err
	}
	s := b.serving()
	s.Database = database
	server, err := b.launch(ctx, "server", s)
	if err != nil {
		return err
	}
	key, err := newToken(ctx, s, b.o.user)
	if err != nil {
		return err
	}
	b.plain = &plain{database, server, &gauge.Side{Name: "plain", Address: server.Address, Headers: "Authorization: Token " + key + "\r\n"}}
	b.cleanups = append(b.cleanups, func() error { b.plain.side.Close(); return nil })
	return nil
}

// writtenBeside is a write that is compared with the same write without the search indexes.
type writtenBeside struct {
	row     figures.Row
	status  int
	alone   bool // one at a time, and its time is judged
	slower  bool // the goal is how many times as long it takes; otherwise the ratio of the rates
	request func(b *bench, side *gauge.Side, n int64) []byte
}

var writesBeside = []writtenBeside{
	{row: figures.Row{Case: "search-create", What: "create one site", Goal: figures.AtLeast(0.75)}, status: http.StatusCreated,
		request: func(b *bench, s *gauge.Side, _ int64) []byte { return s.Post(sitesPath, b.newSites(0)) }},
	{row: figures.Row{Case: "search-bulk", What: "create 1,000 sites in one request", Goal: figures.AtMost(0.5)}, status: http.StatusCreated,
		alone: true, request: func(b *bench, s *gauge.Side, _ int64) []byte { return s.Post(sitesPath, b.newSites(1000)) }},
	{row: figures.Row{Case: "search-patch", What: "PATCH of the latitude, which is neither searched nor indexed", Goal: figures.AtMost(1.15)},
		status: http.StatusOK, slower: true, request: func(b *bench, s *gauge.Side, n int64) []byte {
			return b.patchSite(s, n, fmt.Sprintf(`{"latitude": %d.%06d}`, n%90, n%1_000_000))
		}},
	{row: figures.Row{Case: "search-patch-status", What: "PATCH of the status", Goal: figures.AtMost(1.5)}, status: http.StatusOK,
		slower: true, request: func(b *bench, s *gauge.Side, n int64) []byte {
			status := []string{"planned", "staging"}[n/int64(b.o.records)%2] // another one in each pass through the register
			return b.patchSite(s, n, fmt.Sprintf(`{"status": %q}`, status))
		}},
	{row: figures.Row{Case: "search-patch-text", What: "PATCH of the description, which is searched"}, status: http.StatusOK, slower: true,
		request: func(b *bench, s *gauge.Side, n int64) []byte {
			return b.patchSite(s, n, fmt.Sprintf(`{"description": "Inspected for the %dth time"}`, n))
		}},
}

// patchSite changes the n-th of scattered sites.
func (b *bench) patchSite(s *gauge.Side, n int64, body string) []byte {
	return s.Patch(fmt.Sprintf("%s%d/", sitesPath, n*7919%int64(b.o.records)+1), []byte(body))
}

// measureSearchWrites compares writes with those of a register without search indexes.
func (b *bench) measureSearchWrites(ctx context.Context) (rows []figures.Row, err error) {
	if err := b.makePlain(ctx); err != nil {
		return nil, err
	}
	for _, c := range writesBeside {
		ask := func(side *gauge.Side, server *gauge.Process) gauge.Asking {
			var n atomic.Int64
			x := gauge.Asking{Side: side, Processes: []*gauge.Process{server}, Status: c.status, Connections: b.o.connections,
				Request: func() []byte { return c.request(b, side, n.Add(1)) }}
			if c.alone {
				x.Connections = 1
			}
			return x
		}
		rounds, err := b.compete(ctx, ask(b.terrier, b.server), ask(b.plain.side, b.plain.server))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.row.Case, err)
		}
		row := c.row
		row.Against = "no search index"
		rounds.judge(&row)
		switch {
		case c.alone:
			rounds.judgeTime(&row)
		case c.slower:
			rounds.judgeSlowness(&row)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// The load of the case search-mixed: half of the writes are new sites, half change a searched text.
const (
	mixedWrites   = 60 // a second
	mixedSearches = 6
)

// measureSearchMixed measures the slowest writes beside searches, with the search indexes and without them, in turns. The searches are
// always those of the register with indexes: without them, the searches would slow the writes down.
func (b *bench) measureSearchMixed(ctx context.Context) ([]figures.Row, error) {
	if err := b.makePlain(ctx); err != nil {
		return nil, err
	}
	r := figures.Row{Case: "search-mixed", What: fmt.Sprintf("%d writes/s beside %d searches/s for %v: p99.9 of the writes", mixedWrites,
		mixedSearches, b.o.mixed), Unit: "ms", Against: "no search index", Goal: figures.AtMost(2)}
	var took [2][]float64
	var ratios []float64
	length := b.o.mixed / mixedTurns
	for n := range mixedTurns / 2 {
		var this [2][]float64
		for i := range this {
			which := (i + n) % 2
			ms, err := b.mixed(ctx, []*gauge.Side{b.terrier, b.plain.side}[which], length)
			if err != nil {
				return nil, err
			}
			this[which] = ms
			took[which] = append(took[which], ms...)
		}
		ratios = append(ratios, figures.Percentile(this[0], 0.999)/figures.Percentile(this[1], 0.999))
	}
	r.Judge(ratios)
	for i, side := range []*figures.Side{&r.Terrier, &r.Bare} {
		side.Figure, side.FromDue = figures.Percentile(took[i], 0.999), figures.PercentilesOf(took[i])
	}
	r.Value = r.Terrier.Figure / r.Bare.Figure // of all writes, because a turn has too few for this percentile
	r.Low, r.High = min(r.Low, r.Value), max(r.High, r.Value)
	return []figures.Row{r}, nil
}

// mixedTurns is into how many turns the time is divided.
const mixedTurns = 10

// mixed writes at a steady pace beside searches, and returns how many milliseconds each write took from when it was due.
func (b *bench) mixed(ctx context.Context, side *gauge.Side, length time.Duration) (took []float64, err error) {
	var mu sync.Mutex
	searches := make(chan error, 1)
	go func() {
		searches <- gauge.OpenLoop(ctx, mixedSearches, length, func(n int, _ time.Time) error {
			word := []string{fill.RareWord, fill.NoWord, fill.CommonWord}[n%3]
			_, err := b.terrier.Do(b.terrier.Get(fmt.Sprintf("%s?limit=%d&count=capped&q=%s", sitesPath, pageLimit, word)), http.StatusOK)
			return err
		})
	}()
	err = gauge.OpenLoop(ctx, mixedWrites, length, func(n int, due time.Time) error {
		request, status := side.Post(sitesPath, b.newSites(0)), http.StatusCreated
		if n%2 == 0 {
			at := b.made.Add(1)
			request, status = b.patchSite(side, at, fmt.Sprintf(`{"description": "Inspected for the %dth time"}`, at)), http.StatusOK
		}
		_, err := side.Do(request, status)
		mu.Lock()
		defer mu.Unlock()
		took = append(took, time.Since(due).Seconds()*1000)
		return err
	})
	return took, errors.Join(err, <-searches)
}
