package metrics

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

var (
	httpRequests = Family{Name: "terrier_http_requests_total", Kind: Counter, From: servers,
		Help:   "Requests answered. The route is a pattern such as /api/dcim/sites/{id}/{$}, or other for late ones, once there are many.",
		Labels: []string{"route", "method", "code"}}
	httpDuration = Family{Name: "terrier_http_request_duration_seconds", Kind: Histogram, From: servers,
		Help: "How long requests took.", Labels: []string{"route", "method", "code"}, Buckets: []float64{.005, .025, .1, .5, 2.5, 10}}
	httpInFlight = Family{Name: "terrier_http_requests_in_flight", Kind: Gauge, From: servers,
		Help: "Requests that are being answered.", Labels: []string{"route", "method"}}
)

// HTTP measures requests.
type HTTP struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	inFlight *prometheus.GaugeVec

	answers  *limit[answer]
	refusals *limit[answer]
	begun    *limit[begun]
}

type (
	answer struct {
		begun
		code int
	}
	begun struct{ route, method string }
)

func (m *Metrics) newHTTP() *HTTP {
	return &HTTP{m.counter(httpRequests), m.histogram(httpDuration), m.gauge(httpInFlight), newLimit[answer](mostAnswers),
		newLimit[answer](mostRefusals), newLimit[begun](mostInFlight)}
}

// methods are those with a label of their own: a caller may invent others.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
	http.MethodOptions}

// Begin notes that a request has arrived. Call the returned function with the status of the answer.
func (h *HTTP) Begin(route, method string) (end func(status int)) {
	if !slices.Contains(methods, method) {
		method = Other
	}
	key, start := begun{route, method}, time.Now()
	shown := route
	if !h.begun.admits(key) {
		shown = Other
	}
	h.requests.WithLabelValues(shown, method, "500") // a first failure shows as a rise only if there was a 0
	inFlight := h.inFlight.WithLabelValues(shown, method)
	inFlight.Inc()
	return func(status int) {
		inFlight.Dec()
		admitted := h.refusals
		if class := status / 100; class == 2 || class == 5 {
			admitted = h.answers
		}
		if !admitted.admits(answer{key, status}) {
			route = Other
		}
		code := strconv.Itoa(status)
		h.requests.WithLabelValues(route, method, code).Inc()
		h.duration.WithLabelValues(route, method, code).Observe(time.Since(start).Seconds())
	}
}
