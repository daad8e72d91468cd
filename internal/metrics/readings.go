package metrics

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Source is what is read together at a scrape.
type Source struct {
	Name string

	// Read returns what it could read, also beside an error. What is missing has no series: 0 would be a lie.
	Read func(context.Context) ([]Sample, error)
}

var (
	readingUp = Family{Name: "terrier_reading_up", Kind: Gauge, From: everywhere,
		Help:   "1 if what was last read of the database for a scrape could be read, 0 if its metrics are missing.",
		Labels: []string{"reading"}}
	readingSeconds = Family{Name: "terrier_reading_seconds", Kind: Gauge, From: everywhere,
		Help: "How long that reading took.", Labels: []string{"reading"}}
)

// Reading takes time from the database, so it is not done for every scrape: what was read is kept for keepAtLeast, and
// for keepFactor times as long as it took, so that a slow database is not kept busy by its monitoring.
const (
	keepAtLeast  = 5 * time.Second
	keepFactor   = 10
	readDeadline = 2 * time.Second
	readTogether = 5 * time.Second // for all readings of a scrape: Prometheus gives up after ten
)

// Read adds sources of the database. They are read one after the other, so that a scrape takes one connection. The
// first one says whether the database answers: while it fails, the others are not tried.
func (m *Metrics) Read(log *slog.Logger, sources ...Source) {
	r := &readings{log: log}
	for _, s := range sources {
		r.all = append(r.all, &reading{Source: s})
	}
	m.registry.MustRegister(r)
}

// readings is a collector. It describes no families, which makes Prometheus's library check each scrape instead.
type readings struct {
	log *slog.Logger

	mu  sync.Mutex // one scrape reads; the others wait, and find it fresh
	all []*reading
}

type reading struct {
	Source
	samples []Sample
	err     error
	took    time.Duration
	until   time.Time // when it must be read again
}

func (r *readings) Describe(chan<- *prometheus.Desc) {}

func (r *readings) Collect(to chan<- prometheus.Metric) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), readTogether)
	defer cancel()
	for i, one := range r.all {
		if time.Now().After(one.until) {
			one.refresh(ctx, r.log, r.all[0].err != nil && i > 0)
		}
		for _, s := range one.samples {
			to <- s.metric()
		}
		to <- readingUp.Is(one.err == nil, one.Name).metric()
		to <- readingSeconds.At(one.took.Seconds(), one.Name).metric()
	}
}

// refresh reads, unless the database is away.
func (r *reading) refresh(ctx context.Context, log *slog.Logger, away bool) {
	before := r.err
	if away {
		r.samples, r.err, r.took = nil, context.Canceled, 0
		return
	}
	ctx, cancel := context.WithTimeout(ctx, readDeadline)
	defer cancel()
	start := time.Now()
	r.samples, r.err = r.Read(ctx)
	r.took = time.Since(start)
	r.until = time.Now().Add(max(keepAtLeast, keepFactor*r.took))
	if r.err != nil && before == nil {
		log.Warn("part of the metrics can't be read", "reading", r.Name, "error", r.err)
	}
}
