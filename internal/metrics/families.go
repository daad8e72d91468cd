package metrics

import "github.com/prometheus/client_golang/prometheus"

// Family is a metric: all series of one name.
type Family struct {
	Name    string
	Kind    Kind
	Help    string
	Labels  []string
	Buckets []float64 // of a histogram
	From    From
}

// Kind is what Prometheus calls the type of a metric.
type Kind string

// The kinds in use.
const (
	Counter   Kind = "counter"
	Gauge     Kind = "gauge"
	Histogram Kind = "histogram"
)

// From says which processes have a family.
type From string

// The processes.
const (
	everywhere From = "serve, worker"
	servers    From = "serve"
	workers    From = "worker"
)

// Other is the value of a label for whatever has none of its own.
const Other = "other"

// Sample is one series of a family and its value.
type Sample struct {
	Family Family
	Value  float64
	Labels []string
}

// At makes a sample.
func (f Family) At(value float64, labels ...string) Sample { return Sample{f, value, labels} }

// Is makes a sample that is 1 for yes and 0 for no.
func (f Family) Is(yes bool, labels ...string) Sample {
	if yes {
		return f.At(1, labels...)
	}
	return f.At(0, labels...)
}

func (s Sample) metric() prometheus.Metric {
	kind := prometheus.GaugeValue
	if s.Family.Kind == Counter {
		kind = prometheus.CounterValue
	}
	desc := prometheus.NewDesc(s.Family.Name, s.Family.Help, s.Family.Labels, nil)
	return prometheus.MustNewConstMetric(desc, kind, s.Value, s.Labels...)
}

func (m *Metrics) gauge(f Family) *prometheus.GaugeVec {
	return register(m, prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: f.Name, Help: f.Help}, f.Labels))
}

func (m *Metrics) counter(f Family) *prometheus.CounterVec {
	return register(m, prometheus.NewCounterVec(prometheus.CounterOpts{Name: f.Name, Help: f.Help}, f.Labels))
}

func (m *Metrics) histogram(f Family) *prometheus.HistogramVec {
	return register(m, prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: f.Name, Help: f.Help, Buckets: f.Buckets}, f.Labels))
}

func register[C prometheus.Collector](m *Metrics, c C) C {
	m.registry.MustRegister(c)
	return c
}
