package main

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

// counted is a request whose statements are counted, on either side.
type counted struct {
	what     string
	status   int
	webhooks int
	terrier  func(*bench, *gauge.Side) []byte
	bare     func(*bench, *gauge.Side) []byte // nil for none
}

var countedRequests = []counted{
	{"list of 50", http.StatusOK, 0, func(_ *bench, s *gauge.Side) []byte { return s.Get(sitesPath + "?limit=50") },
		func(_ *bench, s *gauge.Side) []byte { return s.Get("/bare/list") }},
	{"list of 1,000", http.StatusOK, 0, func(_ *bench, s *gauge.Side) []byte { return s.Get(sitesPath + "?limit=1000") }, nil},
	{"get", http.StatusOK, 0, func(_ *bench, s *gauge.Side) []byte { return s.Get(sitesPath + "1/") }, func(_ *bench, s *gauge.Side) []byte {
		return s.Get("/bare/get/1")
	}},
	{"create", http.StatusCreated, 0, func(b *bench, s *gauge.Side) []byte { return s.Post(sitesPath, b.newSites(0)) },
		func(b *bench, s *gauge.Side) []byte { return s.Post("/bare/create", b.newSites(0)) }},
	{"create 1,000", http.StatusCreated, 0, func(b *bench, s *gauge.Side) []byte { return s.Post(sitesPath, b.newSites(1000)) },
		func(b *bench, s *gauge.Side) []byte { return s.Post("/bare/bulk", b.newSites(1000)) }},
	{"create, 1 webhook", http.StatusCreated, 1, func(b *bench, s *gauge.Side) []byte { return s.Post(sitesPath, b.newSites(0)) },
		func(b *bench, s *gauge.Side) []byte { return s.Post(notifiedPath, b.newSites(0)) }},
	{"create, 10 webhooks", http.StatusCreated, 10, func(b *bench, s *gauge.Side) []byte { return s.Post(sitesPath, b.newSites(0)) },
		func(b *bench, s *gauge.Side) []byte { return s.Post(notifiedPath, b.newSites(0)) }},
}

// measureStatements counts the statements and round trips of one request of each kind. It starts both servers once more, each with a single
// connection that goes through a counter.
func (b *bench) measureStatements(ctx context.Context) (_ []figures.Row, err error) {
	terrier, closeTerrier, err := b.counting(ctx, "server", b.terrier.Headers)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeTerrier()) }()
	other, closeOther, err := b.counting(ctx, "bare server", "")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeOther()) }()
	b.result.Statements = nil
	for _, c := range countedRequests {
		if c.webhooks > 0 {
			if err := b.makeHooks(ctx, c.webhooks, hookForAll); err != nil {
				return nil, err
			}
		}
		s := figures.Statements{What: c.what}
		if s.Statements, s.Trips, err = terrier.count(func() []byte { return c.terrier(b, terrier.side) }, c.status); err != nil {
			return nil, err
		}
		if c.bare != nil {
			if s.BareStatements, s.BareTrips, err = other.count(func() []byte { return c.bare(b, other.side) }, c.status); err != nil {
				return nil, err
			}
		}
		if c.webhooks > 0 {
			if err := b.clear(ctx); err != nil {
				return nil, err
			}
		}
		b.result.Statements = append(b.result.Statements, s)
	}
	return nil, nil
}

// counter is a server whose connection to the database is counted.
type counter struct {
	wire *gauge.Wire
	side *gauge.Side
}

func (b *bench) counting(ctx context.Context, role, headers string) (*counter, func() error, error) {
	u, err := url.Parse(b.database)
	if err != nil {
		return nil, nil, err
	}
	wire, err := gauge.NewWire(u.Host)
	if err != nil {
		return nil, nil, err
	}
	u.Host = wire.Address()
	s := b.settings()
	s.Database, s.Pool = u.String(), 4 // the least there may be: few connections have all statements prepared soon
	p, err := gauge.Launch(ctx, role, s)
	if err != nil {
		return nil, nil, errors.Join(err, wire.Close())
	}
	side := &gauge.Side{Name: role, Address: p.Address, Headers: headers}
	return &counter{wire, side}, func() error {
		side.Close()
		return errors.Join(p.End(), wire.Close())
	}, nil
}

// count returns the median of some requests, because from time to time the server's own background work makes statements too.
func (c *counter) count(request func() []byte, status int) (statements, trips int64, err error) {
	var allStatements, allTrips []float64
	for n := range 11 {
		c.wire.Statements.Store(0)
		c.wire.Trips.Store(0)
		if _, err := c.side.Do(request(), status); err != nil {
			return 0, 0, err
		}
		if n > 5 { // the first requests prepare the statements
			allStatements, allTrips = append(allStatements, float64(c.wire.Statements.Load())), append(allTrips, float64(c.wire.Trips.Load()))
		}
	}
	return int64(figures.Median(allStatements)), int64(figures.Median(allTrips)), nil
}
