// Package metrics owns what Terrier tells Prometheus: the families with their names, help and labels, the registry of a
// process, and the handler that prints it.
//
// It imports nothing of ours. Other packages report what happens through small functions that app binds to the
// instruments here, and know nothing of Prometheus. What is measured elsewhere, such as in the database, is given to
// Read as a Source.
package metrics

import (
	"log/slog"
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are the instruments of a process, in a registry of their own.
type Metrics struct {
	registry *prometheus.Registry
}

// New makes the instruments.
func New(version string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.gauge(BuildInfo).WithLabelValues(version, runtime.Version()).Set(1)
	return m
}

// How long one scrape may take, and how many may be under way at once. A second Prometheus is usual; more wait for nobody.
const (
	scrapeTimeout  = 15 * time.Second
	scrapesAtATime = 4
)

// Handler prints the metrics.
func (m *Metrics) Handler(log *slog.Logger) http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog:            slog.NewLogLogger(log.Handler(), slog.LevelError),
		ErrorHandling:       promhttp.ContinueOnError, // a family that can't be printed must not hide the others
		MaxRequestsInFlight: scrapesAtATime,
		Timeout:             scrapeTimeout,
	})
}

func (m *Metrics) gauge(f Family) *prometheus.GaugeVec {
	vec := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: f.Name, Help: f.Help}, f.Labels)
	m.registry.MustRegister(vec)
	return vec
}
