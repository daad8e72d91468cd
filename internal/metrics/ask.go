package metrics

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Ask adds samples that are asked for at each scrape, until stop is called: what a part of the process knows without waiting.
func (m *Metrics) Ask(samples func() []Sample) (stop func()) {
	return m.asked.add(&samples)
}

// asked is a collector of what Ask adds.
type asked struct {
	mu  sync.Mutex
	all map[*func() []Sample]bool
}

func (a *asked) add(samples *func() []Sample) (stop func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all[samples] = true
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.all, samples)
	}
}

func (a *asked) Describe(chan<- *prometheus.Desc) {}

func (a *asked) Collect(to chan<- prometheus.Metric) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for samples := range a.all {
		for _, s := range (*samples)() {
			to <- s.metric()
		}
	}
}
