package metrics

import "github.com/prometheus/client_golang/prometheus"

var (
	upkeepSuccess = Family{Name: "terrier_upkeep_last_success_timestamp_seconds", Kind: Gauge, From: everywhere,
		Help:   "When this process last did a task of the upkeep. Tasks that another process did are not counted: take the max.",
		Labels: []string{"task"}}
	upkeepFailures = Family{Name: "terrier_upkeep_failures_total", Kind: Counter, From: everywhere,
		Help: "Tasks of the upkeep that failed.", Labels: []string{"task"}}
	Panics = Family{Name: "terrier_panics_total", Kind: Counter, From: everywhere,
		Help: "Panics of the goroutines of this process. Each is a fault of the program: the log has the stack.", Labels: []string{"in"}}
	expired = Family{Name: "terrier_deliveries_expired_total", Kind: Counter, From: everywhere,
		Help: "Deliveries that were given up because they could not be sent within TERRIER_DELIVERY_RETENTION."}
)

// Upkeep measures what every process does in the background.
type Upkeep struct {
	success  *prometheus.GaugeVec
	failures *prometheus.CounterVec
	expired  prometheus.Counter
}

func (m *Metrics) newUpkeep() *Upkeep {
	return &Upkeep{m.gauge(upkeepSuccess), m.counter(upkeepFailures), m.counter(expired).WithLabelValues()}
}

// Ended notes that this process has done a task, or failed at it.
func (u *Upkeep) Ended(task string, err error) {
	failures := u.failures.WithLabelValues(task) // from now on there is a 0, which a failure raises visibly
	if err != nil {
		failures.Inc()
		return
	}
	u.success.WithLabelValues(task).SetToCurrentTime()
}

// Expired notes that deliveries were given up.
func (u *Upkeep) Expired(n int64) { u.expired.Add(float64(n)) }
