package metrics

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// shown returns what a scrape shows.
func shown(t *testing.T, m *Metrics) string {
	t.Helper()
	out := httptest.NewRecorder()
	m.Handler(slog.New(slog.DiscardHandler)).ServeHTTP(out, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if out.Code != 200 {
		t.Fatalf("%d: %s", out.Code, out.Body)
	}
	return out.Body.String()
}

func wants(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(text, "\n"+line) {
			t.Errorf("%q is missing", line)
		}
	}
}

func lacks(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Errorf("%q should not be there", part)
		}
	}
}

// TestSeries: however many webhooks there are, in whatever ways they fail, and whatever addresses are asked for, there are
// fewer than 20,000 series.
func TestSeries(t *testing.T) {
	t.Parallel()
	m := New("test")
	d := m.Works()
	m.Ask(func() (samples []Sample) {
		for i := range mostWebhooks + 1 {
			samples = append(samples, QueueDeliveries.At(1, fmt.Sprint(i), "queued"), QueueDeliveries.At(1, fmt.Sprint(i), "retrying"),
				QueueOldest.At(1, fmt.Sprint(i)), WebhookInfo.At(1, fmt.Sprint(i), "name", "enabled"))
		}
		for i := range 500 { // all others together
			samples = append(samples, Records.At(1, fmt.Sprint(i)))
		}
		return samples
	})
	var ids []int64
	for id := range int64(2000) {
		ids = append(ids, id)
	}
	m.Webhooks(ids)
	for _, id := range ids {
		for outcome := range 11 {
			d.Attempted(id, fmt.Sprint(outcome), time.Second)
		}
	}
	for route := range 100 {
		for _, method := range append(methods, "INVENTED") {
			for _, code := range []int{200, 201, 204, 301, 400, 401, 403, 404, 405, 409, 412, 413, 429, 500, 503} {
				m.HTTP.Begin(fmt.Sprint(route), method)(code)
			}
		}
	}
	text := shown(t, m)
	series := 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			series++
		}
	}
	if series >= 20_000 || series < 15_000 {
		t.Errorf("%d series", series)
	}
	wants(t, text, `terrier_delivery_attempts_total{outcome="3",webhook="499"} 1`,
		`terrier_delivery_attempts_total{outcome="3",webhook="other"} 1500`)
	lacks(t, text, `webhook="500",outcome`, "INVENTED")
}

// TestRefusalsTakeNoRoom: whoever asks for every address and is refused takes no series from those that are answered or fail.
func TestRefusalsTakeNoRoom(t *testing.T) {
	t.Parallel()
	m := New("test")
	for route := range 2000 {
		for _, code := range []int{302, 401, 403, 404, 405} {
			m.HTTP.Begin(fmt.Sprint("/", route), http.MethodGet)(code)
		}
	}
	for _, code := range []int{200, 503, 404} {
		m.HTTP.Begin("/late", http.MethodGet)(code)
	}
	text := shown(t, m)
	wants(t, text, `terrier_http_requests_total{code="200",method="GET",route="/late"} 1`,
		`terrier_http_requests_total{code="503",method="GET",route="/late"} 1`)
	lacks(t, text, `code="404",method="GET",route="/late"`)
}

// TestWebhookLabels: the first webhooks that exist have labels of their own, also one that was made since the last
// scrape. The series of one that is gone are removed, and the next in line gets a label.
func TestWebhookLabels(t *testing.T) {
	t.Parallel()
	m := New("test")
	d := m.Works()
	attempt := func(id int64) { d.Attempted(id, "success", time.Second) }
	m.Webhooks([]int64{3, 7})
	attempt(3)
	attempt(5) // was deleted
	attempt(9) // is new
	text := shown(t, m)
	wants(t, text, `terrier_delivery_attempts_total{outcome="success",webhook="3"} 1`,
		`terrier_delivery_attempts_total{outcome="success",webhook="9"} 1`,
		`terrier_delivery_attempts_total{outcome="success",webhook="other"} 1`)
	lacks(t, text, `webhook="5"`)
	ids := []int64{7}
	for id := int64(10); len(ids) <= mostWebhooks; id++ {
		ids = append(ids, id)
	}
	last := ids[mostWebhooks]
	if labels := m.Webhooks(ids); labels[7] != "7" || labels[last] != "" || len(labels) != mostWebhooks {
		t.Errorf("labels %q and %q, %d in all", labels[7], labels[last], len(labels))
	}
	attempt(last)
	attempt(last + 1)
	text = shown(t, m)
	lacks(t, text, `webhook="3"`, `webhook="9"`, fmt.Sprintf(`webhook="%d"`, last), fmt.Sprintf(`webhook="%d"`, last+1))
	wants(t, text, `terrier_delivery_attempts_total{outcome="success",webhook="other"} 3`)
	m.Webhooks(ids[1:])
	attempt(last)
	wants(t, shown(t, m), fmt.Sprintf(`terrier_delivery_attempts_total{outcome="success",webhook="%d"} 1`, last))
	m.Webhooks(nil)
	lacks(t, shown(t, m), fmt.Sprintf(`webhook="%d"`, last))
}

// TestReadings: what is read of the database is kept for five seconds, and ten times as long as it took. What could not
// be read is missing, and is said to be. While the first reading fails, the others are not tried.
func TestReadings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := New("test")
		var down, broken error
		ups, reads, takes := 0, 0, time.Duration(0)
		m.Read(slog.New(slog.DiscardHandler),
			Source{"database", func(context.Context) ([]Sample, error) {
				ups++
				return []Sample{DatabaseUp.Is(down == nil)}, down
			}},
			Source{"queues", func(ctx context.Context) ([]Sample, error) {
				reads++
				select {
				case <-time.After(takes):
				case <-ctx.Done():
					return nil, ctx.Err()
				}
				if broken != nil {
					return nil, broken
				}
				return []Sample{WorkersAlive.At(float64(reads))}, nil
			}})
		is := func(after time.Duration, wantUps, wantReads int, lines ...string) {
			t.Helper()
			time.Sleep(after) //nolint:forbidigo // the time of a bubble
			text := gather(t, m)
			wants(t, text, lines...)
			if ups != wantUps || reads != wantReads {
				t.Errorf("the sources were read %d and %d times, want %d and %d", ups, reads, wantUps, wantReads)
			}
			if broken != nil || down != nil {
				lacks(t, text, "terrier_workers_alive")
			}
		}
		is(0, 1, 1, "terrier_database_up 1", "terrier_workers_alive 1", `terrier_reading_up{reading="queues"} 1`)
		is(keepAtLeast-1, 1, 1, "terrier_workers_alive 1")
		takes = time.Second
		is(2, 2, 2, "terrier_workers_alive 2", `terrier_reading_seconds{reading="queues"} 1`)
		is(9*time.Second, 3, 2, "terrier_workers_alive 2")
		broken = errors.New("no")
		is(2*time.Second, 3, 3, `terrier_reading_up{reading="queues"} 0`, `terrier_reading_up{reading="database"} 1`)
		takes, broken = time.Hour, nil
		is(20*time.Second, 4, 4, `terrier_reading_up{reading="queues"} 0`, `terrier_reading_seconds{reading="queues"} 2`)
		takes, down = 0, errors.New("no")
		is(30*time.Second, 5, 4, "terrier_database_up 0", `terrier_reading_up{reading="queues"} 0`)
		down = nil
		is(10*time.Second, 6, 5, "terrier_database_up 1", "terrier_workers_alive 5", `terrier_reading_up{reading="queues"} 1`)
	})
}

// TestSlowReadings: however many readings hang, a scrape is over before Prometheus gives up, and says which are missing. The
// next one tries those again for which there was no time.
func TestSlowReadings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := New("test")
		sources := []Source{{"first", func(context.Context) ([]Sample, error) { return nil, nil }}}
		tried := map[string]int{}
		for _, name := range []string{"a", "b", "c", "d"} {
			sources = append(sources, Source{name, func(ctx context.Context) ([]Sample, error) {
				if ctx.Err() == nil {
					tried[name]++
				}
				<-ctx.Done()
				return nil, ctx.Err()
			}})
		}
		m.Read(slog.New(slog.DiscardHandler), sources...)
		began := time.Now()
		wants(t, gather(t, m), `terrier_reading_up{reading="first"} 1`, `terrier_reading_up{reading="d"} 0`)
		if took := time.Since(began); took != readTogether {
			t.Errorf("a scrape took %s", took)
		}
		time.Sleep(keepAtLeast + 1) //nolint:forbidigo // the time of a bubble
		gather(t, m)
		if tried["a"] != 1 || tried["d"] != 1 {
			t.Errorf("the readings were tried %v times", tried)
		}
	})
}

// gather is shown without the handler's own goroutines and time limit.
func gather(t *testing.T, m *Metrics) string {
	t.Helper()
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, f := range families {
		for _, series := range f.GetMetric() {
			labels := ""
			for _, l := range series.GetLabel() {
				labels = fmt.Sprintf("{%s=%q}", l.GetName(), l.GetValue())
			}
			fmt.Fprintf(&text, "\n%s%s %g", f.GetName(), labels, series.GetGauge().GetValue())
		}
	}
	return text.String()
}
