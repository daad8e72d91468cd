package metrics

import "github.com/prometheus/client_golang/prometheus"

var (
	logins = Family{Name: "terrier_logins_total", Kind: Counter, From: servers,
		Help:   "Logins by name and password: success, failed (name or password), throttled (too many), error (of ours).",
		Labels: []string{"result"}}
	PasswordQueue = Family{Name: "terrier_password_queue", Kind: Gauge, From: servers,
		Help: "Passwords that are being hashed or wait for it."}
)

// Logins counts logins.
type Logins struct{ results *prometheus.CounterVec }

func (m *Metrics) newLogins() *Logins { return &Logins{m.counter(logins)} }

// Expect shows that there was no login yet: a first one shows as a rise only if there was a 0.
func (l *Logins) Expect(results ...string) {
	for _, result := range results {
		l.results.WithLabelValues(result)
	}
}

// Count adds one.
func (l *Logins) Count(result string) { l.results.WithLabelValues(result).Inc() }
