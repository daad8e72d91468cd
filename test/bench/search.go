package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/fill"
	"terrier/internal/store"
	"terrier/test/bench/bare"
	"terrier/test/bench/figures"
)

// twoLetters are too few for an index of trigrams. The first are in no site, the others in most.
var twoLetters = []struct{ name, what, text string }{{"none", "in no site", "zy"}, {"many", "in most sites", "ar"}}

// searches returns what the search box asks of the sites. Each is a request, with no other at the same time.
func (b *bench) searches() []cost {
	limit := 20.0
	if b.o.records > 1_000_000 {
		limit = 30
	}
	ask := func(query string) func(*bench) (float64, error) {
		return func(b *bench) (float64, error) {
			_, took, err := b.page(fmt.Sprintf("%s?limit=%d&%s", sitesPath, pageLimit, query))
			if tooSlow(err) { // what it took until then counts
				err = nil
			}
			return took, err
		}
	}
	return []cost{
		{row: figures.Row{Case: "search-rare", What: "search for a word in three sites", Goal: figures.AtMost(limit)},
			ask: ask("q=" + fill.RareWord)},
		{row: figures.Row{Case: "search-none", What: "search for a word in no site", Goal: figures.AtMost(limit)}, ask: ask("q=" + fill.NoWord)},
		{row: figures.Row{Case: "search-one", What: "search for an address, another one each time"}, ask: func(b *bench) (float64, error) {
			return ask("q=" + searched(b.made.Add(1)*7919%int64(b.loaded)+1))(b)
		}},
		{row: figures.Row{Case: "search-common", What: "search for a word in 8 % of the sites, count=capped", Goal: figures.AtMost(150)},
			ask: ask("count=capped&q=" + fill.CommonWord)},
		{row: figures.Row{Case: "search-exact", What: "search for a word in 8 % of the sites, with the exact count"},
			ask: ask("q=" + fill.CommonWord)},
		{row: figures.Row{Case: "search-status", What: "list of the 10 % that are planned, with the exact count", Goal: figures.AtMost(50)},
			ask: ask("status=planned")},
	}
}

// measureSearch measures searches in rounds, each of which asks for everything once.
func (b *bench) measureSearch(ctx context.Context) ([]figures.Row, error) {
	page, err := b.pageOfCommon(ctx)
	if err != nil {
		return nil, err
	}
	costs := append(b.searches(), page)
	took := make([][]float64, len(costs))
	for n := range b.o.rounds + 1 {
		for i, c := range costs {
			ms, err := b.askRound(c)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.row.Case, err)
			}
			if n > 0 { // the first round warms up plans and caches
				took[i] = append(took[i], ms)
			}
		}
	}
	var rows []figures.Row
	for i, c := range costs {
		r := c.row
		r.Unit, r.Absolute, r.Terrier.Figure = "ms", true, figures.Median(took[i])
		r.Judge(took[i])
		rows = append(rows, r)
	}
	for _, letters := range twoLetters {
		r, err := b.compareScans(ctx, figures.Row{Case: "search-two-" + letters.name, Unit: "ms", Against: "scan with ILIKE",
			What: "statements of a search for two letters " + letters.what, Goal: figures.Goal{Value: 1, AtMost: true, Gate: 3}}, letters.text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Case, err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// pageOfCommon returns what runs the statement that reads a page of the common word, as the store sends it.
func (b *bench) pageOfCommon(ctx context.Context) (cost, error) {
	statements, err := b.statementsOf(ctx, store.Query{Search: fill.CommonWord, Limit: pageLimit, Count: store.CountNone})
	if err != nil {
		return cost{}, err
	}
	last := statements[len(statements)-1]
	if !strings.Contains(last.SQL, "ORDER BY") {
		return cost{}, fmt.Errorf("the last statement of a search reads no page: %s", last.SQL)
	}
	return cost{row: figures.Row{Case: "search-page", What: "the statement of its page alone", Goal: figures.AtMost(30)},
		ask: func(b *bench) (float64, error) { return b.timeStatements(ctx, last) }}, nil
}

// compareScans compares the statements of a search with those of one that reads all rows. Neither ends when the time for a list is over.
func (b *bench) compareScans(ctx context.Context, r figures.Row, text string) (figures.Row, error) {
	ours, err := b.statementsOf(ctx, store.Query{Search: text, Limit: pageLimit})
	if err != nil {
		return r, err
	}
	theirs := []*pgx.QueuedQuery{{SQL: bare.CountFound, Arguments: []any{"%" + text + "%"}},
		{SQL: bare.ListFound, Arguments: []any{"%" + text + "%"}}}
	var ratios []float64
	var took [2][]float64
	for n := range b.o.rounds {
		for i := range took {
			which := (i + n) % 2
			ms, err := b.timeStatements(ctx, [][]*pgx.QueuedQuery{ours, theirs}[which]...)
			if err != nil {
				return r, err
			}
			took[which] = append(took[which], ms)
		}
		ratios = append(ratios, took[0][n]/took[1][n])
	}
	r.Terrier.Figure, r.Bare.Figure = figures.Median(took[0]), figures.Median(took[1])
	r.Judge(ratios)
	return r, nil
}

// sent keeps the statements of the batches that a store sends.
type sent struct{ queries []*pgx.QueuedQuery }

// TraceQueryStart implements pgx.QueryTracer.
func (s *sent) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (s *sent) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart implements pgx.BatchTracer.
func (s *sent) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	s.queries = append(s.queries, data.Batch.QueuedQueries...)
	return ctx
}

// TraceBatchQuery implements pgx.BatchTracer.
func (s *sent) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (s *sent) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// statementsOf returns the statements that the store sends for a list of sites.
func (b *bench) statementsOf(ctx context.Context, q store.Query) ([]*pgx.QueuedQuery, error) {
	b.register.sent.queries = nil
	q.Scope = access.Machine()
	_, err := b.register.store.List(ctx, b.register.store.Type("dcim.site"), q)
	if len(b.register.sent.queries) == 0 { // one that took too long was sent too
		return nil, errors.Join(errors.New("the store sent no batch"), err)
	}
	return b.register.sent.queries, nil
}

// timeStatements runs statements as the connections for lists do, but with no limit of time, and returns the milliseconds they took.
func (b *bench) timeStatements(ctx context.Context, statements ...*pgx.QueuedQuery) (float64, error) {
	conn, err := b.pool.Acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Release()
	if err := executeOn(ctx, conn.Conn(), "SET jit = off", "SET max_parallel_workers_per_gather = 0"); err != nil {
		return 0, err
	}
	began := time.Now()
	for _, x := range statements {
		if _, err := conn.Exec(ctx, x.SQL, x.Arguments...); err != nil {
			return 0, err
		}
	}
	return time.Since(began).Seconds() * 1000, nil
}
