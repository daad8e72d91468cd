package app

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"terrier/internal/dbtest"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// journal is a log that can be read while it is written.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// TestRetention: a worker drops what is older than the settings allow and logs it. A job that is left of a dropped
// delivery sends nothing.
func TestRetention(t *testing.T) {
	t.Parallel()
	received := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		received <- string(body)
	}))
	t.Cleanup(receiver.Close)
	cfg := valid()
	cfg.DatabaseURL, cfg.EgressAllow = dbtest.New(t), "127.0.0.1/32"
	cfg.ChangelogRetention, cfg.DeliveryRetention = 90, 30
	cfg.MetricsListen = "127.0.0.1:0"
	log := &journal{}
	a, err := New(t.Context(), cfg, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	create := func(key string, at time.Time, in ledger.Input) int64 {
		t.Helper()
		a.Ledger.Now = func() time.Time { return at }
		rows, err := a.Ledger.Create(t.Context(), operator(), a.Registry.Type(key), []ledger.Input{in})
		if err != nil {
			t.Fatal(err)
		}
		return rows[0].ID()
	}
	now, old := time.Now(), time.Now().AddDate(0, 0, -40)
	if err := a.Store.MakePartitions(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	hook := create("extras.webhook", now, ledger.Input{"name": "hook", "payload_url": receiver.URL + "/",
		"content_types": []any{"dcim.site"}, "type_create": true})
	pause(t, a, hook, true)
	create("dcim.site", old, ledger.Input{"name": "Forgotten", "slug": "forgotten"})
	ask := func(sql string) bool {
		t.Helper()
		var yes bool
		if err := a.Store.Pool().QueryRow(t.Context(), sql).Scan(&yes); err != nil {
			t.Fatal(err)
		}
		return yes
	}
	exec := func(sql string) {
		t.Helper()
		if _, err := a.Store.Pool().Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	exec("CREATE TABLE kept AS SELECT id, args, kind, max_attempts, queue, state, scheduled_at FROM river_job")

	work(t, a)
	eventually(t, func() bool { // if the worker is just reading it, the drop waits for the next time
		if err := a.retain(t.Context()); err != nil {
			t.Fatal(err)
		}
		return ask("SELECT count(*) = 0 FROM extras_delivery")
	})
	if !ask("SELECT count(*) = 0 FROM river_job") || !ask("SELECT sum(failed) = 1 FROM extras_tally") ||
		!ask("SELECT count(*) = 2 FROM extras_objectchange") {
		t.Error("the job, the tally or the change log is not as it should be")
	}
	scrapes(t, a, "terrier_deliveries_expired_total 1")
	exec("INSERT INTO river_job (id, args, kind, max_attempts, queue, state, scheduled_at) SELECT * FROM kept")
	create("dcim.site", now, ledger.Input{"name": "Fresh", "slug": "fresh"})
	pause(t, a, hook, false)
	eventually(t, func() bool {
		return ask("SELECT count(*) = 1 FROM extras_delivery WHERE state = 'successful'") && ask("SELECT count(*) = 0 FROM river_job")
	})
	if body := <-received; len(received) != 0 || !strings.Contains(body, "Fresh") {
		t.Errorf("received %s, and %d more", body, len(received))
	}
	eventually(t, func() bool { return strings.Contains(log.String(), "extras_conditionerror_") })
	// Audit events of 130 days ago are removed, which is an event.
	for _, at := range []time.Time{now.AddDate(0, 0, -130)} {
		if err := a.Store.MakePartitions(t.Context(), at); err != nil {
			t.Fatal(err)
		}
		create("extras.webhook", at, ledger.Input{"name": "forgotten", "payload_url": receiver.URL + "/", "content_types": []any{"dcim.region"},
			"type_create": true})
	}
	a.Ledger.Now = time.Now
	eventually(t, func() bool {
		if err := a.retain(t.Context()); err != nil {
			t.Fatal(err)
		}
		return ask("SELECT count(*) = 1 FROM extras_auditevent WHERE event = 'audit_removed' AND user_name = 'terrier' AND times = 1")
	})
	for _, line := range []string{"deliveries=1 days=30",
		"partition=extras_delivery_" + old.UTC().Truncate(7*24*time.Hour).Format("20060102") + " rows=1\n"} {
		if strings.Count(log.String(), line) != 1 {
			t.Errorf("the log should say %q:\n%s", line, log)
		}
	}
}

// work sends deliveries until the test ends.
func work(t *testing.T, a *App) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- a.Work(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func eventually(t *testing.T, is func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(30 * time.Second)
	for !is() {
		select {
		case <-deadline:
			t.Fatal("it never was")
		case <-tick.C:
		}
	}
}

// pause pauses a webhook, or resumes it.
func pause(t *testing.T, a *App, webhook int64, paused bool) {
	t.Helper()
	e := a.Ledger.Event(operator(), "webhook_paused", record.Values{})
	if changed, err := a.Store.Pause(t.Context(), webhook, paused, e); err != nil || !changed {
		t.Fatal(changed, err)
	}
}
