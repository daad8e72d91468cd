package metrics

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

var (
	attempts = Family{Name: "terrier_delivery_attempts_total", Kind: Counter, From: workers,
		Help: "Attempts to send deliveries, by how they ended: " +
			"success, http_3xx, http_4xx, http_5xx, timeout, dns, refused, tls, egress_denied, reset, other.",
		Labels: []string{"webhook", "outcome"}}
	attemptDuration = Family{Name: "terrier_delivery_attempt_duration_seconds", Kind: Histogram, From: workers,
		Help:   "How long receivers took. When many webhooks fail in many ways, some have webhook=other here.",
		Labels: []string{"webhook", "outcome"}, Buckets: []float64{.05, .25, 1, 2.5, 10, 30}}
	deliveryLag = Family{Name: "terrier_delivery_lag_seconds", Kind: Histogram, From: workers,
		Help:    "From the commit of a change to the first byte sent of its delivery, at the first attempt. A pause of the webhook counts.",
		Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 1800}}
	rescued = Family{Name: "terrier_deliveries_rescued_total", Kind: Counter, From: workers,
		Help: "Deliveries that were taken over from a worker that no longer reported."}
	lostJobs = Family{Name: "terrier_lost_jobs_found_total", Kind: Counter, From: workers,
		Help: "Deliveries whose job was gone, and that got another."}
)

// Known when a worker is asked.
var (
	DeliveriesSending = Family{Name: "terrier_deliveries_sending", Kind: Gauge, From: workers,
		Help: "Deliveries that this process is sending."}
	NotifierConnected = Family{Name: "terrier_notifier_connected", Kind: Gauge, From: workers,
		Help: "1 while the connection over which the database wakes this worker is open. Without it, deliveries begin up to 5 s later."}
)

// Deliveries measures what a worker sends.
type Deliveries struct {
	attempts         *prometheus.CounterVec
	duration         *prometheus.HistogramVec
	lag              prometheus.Observer
	rescued, lostJob prometheus.Counter

	webhooks  *webhooks
	durations *limit[ended]
}

type ended struct {
	webhook int64
	outcome string
}

// Works returns the instruments of a worker, which other processes don't show.
func (m *Metrics) Works() *Deliveries { return m.sends() }

func (m *Metrics) newDeliveries() *Deliveries {
	d := &Deliveries{attempts: m.counter(attempts), duration: m.histogram(attemptDuration), lag: m.histogram(deliveryLag).WithLabelValues(),
		rescued: m.counter(rescued).WithLabelValues(), lostJob: m.counter(lostJobs).WithLabelValues(),
		webhooks: m.webhooks, durations: newLimit[ended](mostDurations)}
	m.webhooks.onGone(d.forget)
	return d
}

// Attempted notes how an attempt ended. Nothing was sent if it took no time.
func (d *Deliveries) Attempted(webhook int64, outcome string, took time.Duration) {
	label := d.webhooks.label(webhook)
	d.attempts.WithLabelValues(label, outcome).Inc()
	if took == 0 {
		return
	}
	if label != Other && !d.durations.admits(ended{webhook, outcome}) {
		label = Other
	}
	d.duration.WithLabelValues(label, outcome).Observe(took.Seconds())
}

// Sent notes how long after its commit a delivery was begun to be sent.
func (d *Deliveries) Sent(lag time.Duration) { d.lag.Observe(max(0, lag).Seconds()) }

// Rescued notes deliveries that were taken over from a dead worker.
func (d *Deliveries) Rescued(n int) { d.rescued.Add(float64(n)) }

// Recovered notes deliveries whose jobs were gone.
func (d *Deliveries) Recovered(n int) { d.lostJob.Add(float64(n)) }

// forget removes the series of webhooks that have no label of their own any more.
func (d *Deliveries) forget(gone map[int64]bool) {
	for id := range gone {
		label := prometheus.Labels{"webhook": strconv.FormatInt(id, 10)}
		d.attempts.DeletePartialMatch(label)
		d.duration.DeletePartialMatch(label)
	}
	d.durations.forget(func(e ended) bool { return gone[e.webhook] })
}
