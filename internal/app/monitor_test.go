package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"terrier/internal/dbtest"
	"terrier/internal/store"
)

// scrapes checks that lines are in the metrics of a process, and returns all of them.
func scrapes(t *testing.T, a *App, lines ...string) string {
	t.Helper()
	out := httptest.NewRecorder()
	a.metrics.Handler(a.log).ServeHTTP(out, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, line := range lines {
		if !strings.Contains(out.Body.String(), "\n"+line) {
			t.Errorf("%q is missing in:\n%s", line, out.Body)
		}
	}
	return out.Body.String()
}

// measured builds a program that is measured, on a database of its own.
func measured(t *testing.T) *App {
	t.Helper()
	cfg := valid()
	cfg.DatabaseURL, cfg.MetricsListen = dbtest.New(t), "127.0.0.1:0"
	a, err := New(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

// TestWorkerIsMeasuredAgain: a worker that is stopped shows nothing, and one that is started again shows what it did before.
func TestWorkerIsMeasuredAgain(t *testing.T) {
	t.Parallel()
	a := measured(t)
	for range 2 {
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- a.Work(ctx) }()
		eventually(t, func() bool { return strings.Contains(scrapes(t, a), "\nterrier_notifier_connected 1") })
		a.metrics.Works().Recovered(1)
		stop()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if strings.Contains(scrapes(t, a), "terrier_notifier_connected") {
			t.Error("a stopped worker is shown")
		}
	}
	scrapes(t, a, "terrier_lost_jobs_found_total 2")
}

// TestUpkeepIsMeasured: a task that this process did is a success and one that failed a failure. One that another process
// is doing is neither.
func TestUpkeepIsMeasured(t *testing.T) {
	t.Parallel()
	a := measured(t)
	a.note(t.Context(), "done", nil)
	a.note(t.Context(), "failed", errors.New("no"))
	a.note(t.Context(), "elsewhere", store.ErrElsewhere)
	text := scrapes(t, a, `terrier_upkeep_last_success_timestamp_seconds{task="done"} `, `terrier_upkeep_failures_total{task="done"} 0`,
		`terrier_upkeep_failures_total{task="failed"} 1`, "terrier_database_writable 1", "terrier_workers_alive 0",
		`terrier_records{type="dcim.site"} 0`, `terrier_queue_deliveries{state="queued",webhook="other"} 0`, "terrier_migrations_pending 0")
	if strings.Contains(text, "elsewhere") || strings.Contains(text, `timestamp_seconds{task="failed"}`) {
		t.Errorf("a task counts as done that was not:\n%s", text)
	}
}
