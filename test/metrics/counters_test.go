package metrics_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"terrier/test/install"
)

type labels = map[string]string

// TestRequestLabels: a request counts under the pattern of its address, also when it is refused before it gets there. What
// callers invent makes no labels.
func TestRequestLabels(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const list, one = "/api/extras/tags/{$}", "/api/extras/tags/{id}/{$}"
	s.server.Get("/api/extras/tags/", s.key).Want(t, http.StatusOK)
	s.server.Get("/api/extras/tags/7/", s.key).Want(t, http.StatusNotFound)
	s.server.Get("/api/extras/tags/7/", strings.Repeat("0", 40)).Want(t, http.StatusForbidden)
	s.server.Send(http.MethodPost, "/api/extras/tags/", http.Header{"Sec-Fetch-Site": {"cross-site"}}, "{}").Want(t, http.StatusForbidden)
	s.server.Do("INVENTED", "/api/extras/tags/", s.key, nil)
	s.server.Get("/odd/path/", "")
	s.server.Get("/odd/"+strings.Repeat("x", 100_000), "")
	connect(t, s.server, "/odd/connect")
	connect(t, s.server, "/api/extras/tags")
	for _, want := range []struct {
		route, method, code string
		n                   float64
	}{
		{list, "GET", "200", 1}, {one, "GET", "404", 1}, {one, "GET", "403", 1}, {list, "POST", "403", 1}, {list, "other", "405", 1},
		{"/", "GET", "404", 1}, {"/readyz", "GET", "200", 1},
	} {
		n, _ := value(t, s.server, "terrier_http_requests_total", labels{"route": want.route, "method": want.method, "code": want.code})
		if n < want.n {
			t.Errorf("%v were counted %g times", want, n)
		}
		n, _ = value(t, s.server, "terrier_http_request_duration_seconds", labels{"route": want.route, "method": want.method, "code": want.code})
		if n < want.n {
			t.Errorf("%v were measured %g times", want, n)
		}
	}
	if n, _ := value(t, s.server, "terrier_http_requests_total", labels{"route": "other", "method": "other"}); n != 2 {
		t.Errorf("%g requests with CONNECT were counted", n)
	}
	if n, _ := value(t, s.server, "terrier_http_requests_in_flight", nil); n != 0 {
		t.Errorf("%g requests are in flight", n)
	}
	if text := scrape(t, s.server); strings.Contains(text, "odd") || strings.Contains(text, "INVENTED") {
		t.Error("a caller made a label")
	}
}

// connect sends a CONNECT with a path, which no client of Go's would.
func connect(t *testing.T, p *install.Process, path string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.Base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }() // it was read to its end
	if _, err := fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", path); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(conn); err != nil {
		t.Fatal(err)
	}
}

// TestDeliveryCounters: attempts count by webhook and outcome, with the time since their commits. A delivery whose job is
// gone is found and counted. What waits is shown by webhook and state, and a deleted webhook disappears.
func TestDeliveryCounters(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	good, bad := fmt.Sprint(s.webhook("good", "/")), fmt.Sprint(s.webhook("bad", "/broken"))
	s.tag()
	reaches := func(name string, l labels, want float64) {
		t.Helper()
		install.Eventually(t, fmt.Sprint(name, l), func() bool {
			n, _ := value(t, s.worker, name, l)
			return n == want
		})
	}
	reaches("terrier_delivery_attempts_total", labels{"webhook": good, "outcome": "success"}, 1)
	reaches("terrier_delivery_attempts_total", labels{"webhook": bad, "outcome": "http_5xx"}, 1)
	reaches("terrier_delivery_attempt_duration_seconds", labels{"webhook": bad}, 1)
	reaches("terrier_delivery_lag_seconds", nil, 2)
	reaches("terrier_webhook_info", labels{"name": "good", "state": "enabled", "webhook": good}, 1)
	reaches("terrier_notifier_connected", nil, 1)
	reaches("terrier_workers_alive", nil, 1)

	s.server.Do(http.MethodPost, "/api/extras/webhooks/"+good+"/pause/", s.key, nil).Want(t, http.StatusOK)
	s.server.Do(http.MethodDelete, "/api/extras/webhooks/"+bad+"/", s.key, nil).Want(t, http.StatusNoContent)
	s.tag()
	reaches("terrier_webhook_info", labels{"webhook": good, "state": "paused"}, 1)
	reaches("terrier_queue_deliveries", labels{"webhook": good, "state": "queued"}, 1)
	install.Eventually(t, "the series of a deleted webhook are gone", func() bool {
		_, series := value(t, s.worker, "terrier_delivery_attempts_total", labels{"webhook": bad})
		return series == 0
	})
	db := install.Connect(t, s.in.Settings["DATABASE_URL"])
	for _, sql := range []string{"DELETE FROM river_job", "UPDATE extras_delivery SET queued_at = queued_at - interval '2 minutes'"} {
		if _, err := db.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	reaches("terrier_lost_jobs_found_total", nil, 1)
	install.Eventually(t, "the oldest has waited for two minutes", func() bool {
		oldest, _ := value(t, s.server, "terrier_queue_oldest_seconds", labels{"webhook": good})
		return oldest > 100 && oldest < 1000
	})
	if n, _ := value(t, s.worker, "terrier_deliveries_rescued_total", nil); n != 0 {
		t.Errorf("%g deliveries were rescued", n)
	}
}
