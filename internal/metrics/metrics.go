// Package metrics owns what Terrier tells Prometheus: the families with their names, help and labels, the registry of a
// process, and the handler that prints it.
//
// It imports nothing of ours. Other packages report what happens to small interfaces of their own, which the
// instruments here implement, and know nothing of Prometheus. What is known elsewhere, such as in the database, is
// given to Read as a Source.
package metrics

import (
	"log/slog"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// The families of the process itself.
var buildInfo = Family{Name: "terrier_build_info", Kind: Gauge, From: everywhere,
	Help: "1, with the version of the program and of Go.", Labels: []string{"version", "go_version"}}

// Metrics are the instruments of a process, in a registry of their own.
type Metrics struct {
	HTTP   *HTTP
	Logins *Logins
	Upkeep *Upkeep

	registry *prometheus.Registry
	webhooks *webhooks
	asked    *asked
	sends    func() *Deliveries
}

// New makes the instruments that every process has. Those that it does not use show nothing.
func New(version string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), webhooks: newWebhooks()}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.gauge(buildInfo).WithLabelValues(version, runtime.Version()).Set(1)
	m.asked = register(m, &asked{all: map[*func() []Sample]bool{}})
	m.sends = sync.OnceValue(m.newDeliveries)
	m.HTTP, m.Logins, m.Upkeep = m.newHTTP(), m.newLogins(), m.newUpkeep()
	return m
}

// How long one scrape may take, and how many may be under way at once. A second Prometheus is usual; more get 503.
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
