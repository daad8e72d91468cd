package metrics

import "github.com/prometheus/client_golang/prometheus"

// Ask adds samples that are asked for at each scrape: what the process knows without waiting.
func (m *Metrics) Ask(samples func() []Sample) { m.registry.MustRegister(asked(samples)) }

type asked func() []Sample

func (a asked) Describe(chan<- *prometheus.Desc) {}

func (a asked) Collect(to chan<- prometheus.Metric) {
	for _, s := range a() {
		to <- s.metric()
	}
}
