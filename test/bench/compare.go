package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"terrier/test/bench/bare"
	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

const (
	sitesPath     = "/api/dcim/sites/"
	provisionPath = "/api/users/tokens/provision/"

	// A creation that webhooks are notified of, on the bare side: with the statements of Terrier, or with River's own insert.
	notifiedPath = "/bare/notified"
	insertedPath = "/bare/inserted"
)

// comparison is a request that both servers answer.
type comparison struct {
	row      figures.Row
	status   int
	webhooks int  // webhooks that are notified of every new site; no worker sends
	alone    bool // one request at a time, and its time is judged
	terrier  func(*bench) func() []byte
	bare     func(*bench) func() []byte
}

var reads = []comparison{
	{
		row:     figures.Row{Case: "list", What: "list of 50 sites with references and count", Goal: figures.AtLeast(0.7)},
		status:  200,
		terrier: func(b *bench) func() []byte { return same(b.terrier.Get(sitesPath + "?limit=50")) },
		bare:    func(b *bench) func() []byte { return same(b.bare.Get("/bare/list")) },
	}, {
		row:    figures.Row{Case: "get", What: "get one site", Goal: figures.AtLeast(0.7)},
		status: 200,
		terrier: func(b *bench) func() []byte {
			return b.scattered(func(n int64) []byte { return b.terrier.Get(fmt.Sprintf("%s%d/", sitesPath, n)) })
		},
		bare: func(b *bench) func() []byte {
			return b.scattered(func(n int64) []byte { return b.bare.Get(fmt.Sprintf("/bare/get/%d", n)) })
		},
	},
}

var writes = []comparison{
	{
		row:     figures.Row{Case: "create", What: "create one site (bare: record and change row)", Goal: figures.AtLeast(0.5)},
		status:  201,
		terrier: func(b *bench) func() []byte { return func() []byte { return b.terrier.Post(sitesPath, b.newSites(0)) } },
		bare: func(b *bench) func() []byte {
			return func() []byte { return b.bare.Post("/bare/create", b.newSites(0)) }
		},
	}, {
		row:    figures.Row{Case: "bulk", What: "create 1,000 sites in one request", Goal: figures.AtMost(1)},
		status: 201,
		alone:  true,
		terrier: func(b *bench) func() []byte {
			return func() []byte { return b.terrier.Post(sitesPath, b.newSites(1000)) }
		},
		bare: func(b *bench) func() []byte {
			return func() []byte { return b.bare.Post("/bare/bulk", b.newSites(1000)) }
		},
	},
	notifiedCreate(figures.Row{Case: "create-1", What: "create one site, 1 matching webhooks (bare: the same statements)",
		Goal: figures.AtLeast(0.85)}, 1, notifiedPath),
	notifiedCreate(figures.Row{Case: "notified", What: "create one, one webhook is notified (bare: the same rows and River's insert)",
		Goal: figures.AtLeast(0.8)}, 1, insertedPath),
	notifiedCreate(figures.Row{Case: "create-10", What: "create one site, 10 matching webhooks (bare: the same statements)"}, 10,
		notifiedPath),
}

func notifiedCreate(row figures.Row, webhooks int, barePath string) comparison {
	return comparison{
		row:      row,
		status:   201,
		webhooks: webhooks,
		terrier:  func(b *bench) func() []byte { return func() []byte { return b.terrier.Post(sitesPath, b.newSites(0)) } },
		bare:     func(b *bench) func() []byte { return func() []byte { return b.bare.Post(barePath, b.newSites(0)) } },
	}
}

func (c comparison) work() work {
	return work{c.row.Case, func(b *bench, ctx context.Context) ([]figures.Row, error) {
		if c.webhooks > 0 {
			if err := b.makeHooks(ctx, c.webhooks, hookForAll); err != nil {
				return nil, err
			}
		}
		connections := b.o.connections
		if c.alone {
			connections = 1
		}
		rounds, err := b.compete(ctx,
			gauge.Asking{Side: b.terrier, Processes: []*gauge.Process{b.server}, Request: c.terrier(b), Status: c.status, Connections: connections},
			gauge.Asking{Side: b.bare, Processes: []*gauge.Process{b.bareServer}, Request: c.bare(b), Status: c.status, Connections: connections})
		if err == nil && c.webhooks > 0 {
			err = b.clear(ctx)
		}
		row := c.row
		rounds.judge(&row)
		if c.alone {
			rounds.judgeTime(&row)
		}
		return []figures.Row{row}, err
	}}
}

// compete measures both sides in rounds.
func (b *bench) compete(ctx context.Context, terrier, other gauge.Asking) (rounds pairs, err error) {
	if _, _, err := b.meter.Compete(ctx, terrier, other, b.o.round/2); err != nil { // warms up plans, caches and connections
		return rounds, err
	}
	for range b.o.rounds {
		x, y, err := b.meter.Compete(ctx, terrier, other, b.o.round)
		if err != nil {
			return rounds, err
		}
		rounds.add(x, y)
	}
	return rounds, nil
}

// pairs collects the rounds of two sides.
type pairs struct {
	ratios         []float64
	terrier, other []gauge.Share
}

func (p *pairs) add(terrier, other gauge.Share) {
	p.ratios = append(p.ratios, terrier.Rate()/other.Rate())
	p.terrier, p.other = append(p.terrier, terrier), append(p.other, other)
}

// judge sets the medians of the rounds in a row of rates.
func (p *pairs) judge(r *figures.Row) {
	r.Unit = "/s"
	r.Terrier, r.Bare = side(p.terrier), side(p.other)
	r.Judge(p.ratios)
}

// judgeProcessor sets the processor times in a row, of Go and PostgreSQL together, and judges their ratio.
func (p *pairs) judgeProcessor(r *figures.Row) {
	cost := func(s gauge.Share) float64 { return each(s.Go+s.PostgreSQL, s.Answers) }
	var ratios []float64
	for i := range p.terrier {
		ratios = append(ratios, cost(p.terrier[i])/cost(p.other[i]))
	}
	r.Unit = "µs"
	r.Terrier, r.Bare = side(p.terrier), side(p.other)
	r.Terrier.Figure, r.Bare.Figure = r.Terrier.Go+r.Terrier.PostgreSQL, r.Bare.Go+r.Bare.PostgreSQL
	r.Judge(ratios)
}

// judgeSlowness judges how many times as long as the other side Terrier takes.
func (p *pairs) judgeSlowness(r *figures.Row) {
	var ratios []float64
	for _, ratio := range p.ratios {
		ratios = append(ratios, 1/ratio)
	}
	r.Judge(ratios)
}

// judgeTime turns the row into one of times, and judges Terrier's.
func (p *pairs) judgeTime(r *figures.Row) {
	var seconds []float64
	for _, s := range p.terrier {
		seconds = append(seconds, 1/s.Rate())
	}
	r.Absolute = true
	r.Unit, r.Terrier.Figure, r.Bare.Figure = "s", 1/r.Terrier.Figure, 1/r.Bare.Figure
	r.Judge(seconds)
}

func side(shares []gauge.Share) figures.Side {
	var rates, own, database []float64
	for _, s := range shares {
		rates, own, database = append(rates, s.Rate()), append(own, each(s.Go, s.Answers)), append(database, each(s.PostgreSQL, s.Answers))
	}
	return figures.Side{Figure: figures.Median(rates), Go: figures.Median(own), PostgreSQL: figures.Median(database)}
}

// each returns the processor time of one operation, in microseconds.
func each(used time.Duration, operations int64) float64 {
	return float64(used.Nanoseconds()) / 1000 / float64(max(1, operations))
}

func same(request []byte) func() []byte { return func() []byte { return request } }

// scattered returns a function that makes requests for rows all over the table, in the same order on both sides.
func (b *bench) scattered(request func(n int64) []byte) func() []byte {
	var n atomic.Int64
	return func() []byte { return request(n.Add(1)*7919%int64(b.o.records) + 1) }
}

// searched returns a text that is in the address of the n-th site.
func searched(n int64) string { return fmt.Sprintf("%d+Harbour", siteNumber(n)) }

// newSite returns a site that does not exist yet.
func (b *bench) newSite() bare.NewSite {
	n := b.made.Add(1)
	region, group, tenant := n%regions+1, n%groups+1, n%tenants+1
	latitude, longitude := float64(n%90)+0.25, float64(n%180)+0.125
	return bare.NewSite{Name: fmt.Sprintf("New site %d", n), Slug: fmt.Sprintf("new-site-%d", n), Status: "active", Region: &region,
		Group: &group, Tenant: &tenant,
		Facility: "DC-1", Description: "Made by the benchmark", PhysicalAddress: fmt.Sprintf("%d Bay Street", n), Latitude: &latitude,
		Longitude: &longitude,
		Comments:  "Opened for the new ring.", Tags: []int64{n%10 + 1, n%10 + 11}}
}

// newSites returns the body of a creation: one site for 0, else a list.
func (b *bench) newSites(n int) []byte {
	if n == 0 {
		return body(b.newSite())
	}
	sites := make([]bare.NewSite, n)
	for i := range sites {
		sites[i] = b.newSite()
	}
	return body(sites)
}

func body(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // can't happen with plain values
	}
	return raw
}
