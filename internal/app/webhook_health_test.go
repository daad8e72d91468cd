package app

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"terrier/internal/access"
	"terrier/internal/dbtest"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/store"
	"terrier/internal/webhookadmin"
)

// healthWorld is an app with a webhook that fails, and one that is notified of it.
type healthWorld struct {
	*App
	failing, alert int64
}

func newHealthWorld(t *testing.T) *healthWorld {
	t.Helper()
	cfg := valid()
	cfg.DatabaseURL = dbtest.New(t)
	a, err := New(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	w := &healthWorld{App: a}
	w.failing, w.alert = w.hook(t, "failing", "dcim.site", store.WebhookHealthType), w.hook(t, "alert", store.WebhookHealthType)
	return w
}

func (w *healthWorld) hook(t *testing.T, name string, types ...any) int64 {
	t.Helper()
	rows, err := w.Ledger.Create(t.Context(), operator(), w.Registry.Type(store.WebhookType), []ledger.Input{{"name": name,
		"payload_url": "http://127.0.0.1:9/", "content_types": types, "type_create": true, "type_update": true, "type_delete": true}})
	if err != nil {
		t.Fatal(err)
	}
	return rows[0].ID()
}

// note sets what workers have noted, as long ago as an interval says.
func (w *healthWorld) note(t *testing.T, state, ago string) {
	t.Helper()
	w.exec(t, `INSERT INTO extras_webhook_state (webhook_id, state, since, reason, failures, outages, attempted_at, version, probe_step)
		VALUES ($1, $2, now() - $3::interval, 'why', 5, 0, now(), 0, '0')
		ON CONFLICT (webhook_id) DO UPDATE SET state = excluded.state, since = excluded.since`, w.failing, state, ago)
}

func (w *healthWorld) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := w.Store.Pool().Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

// want checks the state that the record shows, its change rows, and the deliveries of both webhooks.
func (w *healthWorld) want(t *testing.T, state string, changes, alerts int) {
	t.Helper()
	if err := w.publishHealth(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got string
	if err := w.Store.Pool().QueryRow(t.Context(), `SELECT concat_ws(' ', coalesce((SELECT state FROM extras_webhookhealth), ''),
		(SELECT count(*) FROM extras_objectchange WHERE object_type = 'extras.webhookhealth' AND user_name = 'terrier'),
		(SELECT count(*) FROM extras_delivery WHERE webhook_id = $1), (SELECT count(*) FROM extras_delivery WHERE webhook_id = $2))`,
		w.alert, w.failing).Scan(&got); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%s %d %d 0", state, changes, alerts); got != want {
		t.Errorf("state, changes, alerts and alerts to itself: %s, want %s", got, want)
	}
}

// TestHealthIsPublishedOnce: a first failure is recorded at once and its end after a minute, each once. Other webhooks
// are notified, the failing one is not. The record is deleted with its webhook.
func TestHealthIsPublishedOnce(t *testing.T) {
	t.Parallel()
	w := newHealthWorld(t)
	w.note(t, "held", "0")
	w.want(t, "held", 1, 1)
	w.want(t, "held", 1, 1)
	w.note(t, "healthy", "50 s")
	w.want(t, "held", 1, 1)
	w.note(t, "healthy", "61 s")
	w.want(t, "healthy", 2, 2)
	w.note(t, "failing", "0")
	w.want(t, "failing", 3, 3)
	if err := w.Ledger.Delete(t.Context(), operator(), w.Registry.Type(store.WebhookType), []ledger.Edit{{ID: w.failing}}); err != nil {
		t.Fatal(err)
	}
	w.want(t, "", 3, 4) // the deletion is the operator's
}

// TestHealthIsPublishedBesideARecount: a recount of a large table takes minutes. Meanwhile changes of a webhook's health are recorded.
func TestHealthIsPublishedBesideARecount(t *testing.T) {
	t.Parallel()
	w := newHealthWorld(t)
	recount, err := w.Store.Pool().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = recount.Rollback(t.Context()) }()
	if _, err := recount.Exec(t.Context(), "SELECT pg_advisory_xact_lock($1)", store.RecountLock); err != nil {
		t.Fatal(err)
	}
	w.note(t, "held", "0")
	w.want(t, "held", 1, 1)
}

// TestHealthIsPublishedOnOneConnection: a change of health is recorded while all other connections are taken.
func TestHealthIsPublishedOnOneConnection(t *testing.T) {
	t.Parallel()
	w := newHealthWorld(t)
	w.note(t, "held", "0")
	for range w.Store.Pool().Config().MaxConns - 1 {
		taken, err := w.Store.Pool().Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(taken.Release)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := w.publishHealth(ctx); err != nil {
		t.Fatal(err)
	}
	w.want(t, "held", 1, 1)
}

// TestHealthIsPublishedByOneProcess: of several processes, one records a change. If it dies meanwhile, another does after the lease.
func TestHealthIsPublishedByOneProcess(t *testing.T) {
	t.Parallel()
	w := newHealthWorld(t)
	w.note(t, "held", "0")
	w.exec(t, "UPDATE extras_webhook_state SET publishing_until = now() + interval '20 s'")
	w.want(t, "", 0, 0)
	w.exec(t, "UPDATE extras_webhook_state SET publishing_until = now()")
	var processes errgroup.Group
	for range 3 {
		processes.Go(func() error { return w.publishHealth(t.Context()) })
	}
	if err := processes.Wait(); err != nil {
		t.Error(err)
	}
	w.want(t, "held", 1, 1)
}

// TestAHoldIsReportedWhenItLasts: the record of a webhook that was healthy shows a hold, and the list for home and the menu contains it,
// when it has lasted as long as the setting says. Failing is recorded at once.
func TestAHoldIsReportedWhenItLasts(t *testing.T) {
	t.Parallel()
	w := newHealthWorld(t)
	w.cfg.WebhookHeldAfter, w.Hooks.HeldAfter = time.Minute, time.Minute
	listed := func(want bool) {
		t.Helper()
		found, err := w.Hooks.Ailing(t.Context())
		if err != nil || len(found) != 1 || found[0].Lasting != want {
			t.Errorf("listed: %+v, %v", found, err)
		}
	}
	w.note(t, "held", "50 s")
	w.want(t, "", 0, 0)
	listed(false)
	w.note(t, "failing", "0")
	listed(true)
	w.note(t, "held", "5 s")
	w.exec(t, "UPDATE extras_webhook_state SET ailing_since = now() - interval '61 s'") // it was healthy meanwhile, for a moment
	listed(true)
	w.want(t, "held", 1, 1)
}

// TestReplayOfHealth: whoever replays changes of health sends a webhook those of others, and none of its own.
func TestReplayOfHealth(t *testing.T) {
	t.Parallel()
	w := newHealthWorld(t)
	w.note(t, "held", "0")
	w.want(t, "held", 1, 1)
	w.exec(t, "UPDATE extras_delivery SET state = 'successful', finished_at = now()")
	for hook, want := range map[int64]int64{w.failing: 0, w.alert: 1} {
		for _, dry := range []bool{true, false} {
			n, err := w.Hooks.Replay(t.Context(), operator(), hook, webhookadmin.ReplayInput{DryRun: dry})
			if err != nil || n.Changes != 1 || n.Matching != want || n.Queued() != want {
				t.Errorf("dry run %t, webhook %d: %+v, %v", dry, hook, n, err)
			}
		}
	}
	trial, err := w.Hooks.Trial(t.Context(), operator(), w.failing, webhookadmin.TrialInput{Webhook: ledger.Input{}, Changes: 1})
	if err != nil || trial.Fired != 0 || trial.Of != 1 || trial.Lines[0].Reason != "A webhook is not notified of its own health." {
		t.Errorf("the webhook tried on the change of its own health: %+v, %v", trial, err)
	}
	w.want(t, "held", 1, 1)
}

// TestHealthIsReadOnly: nobody but Terrier writes the records, superusers included.
func TestHealthIsReadOnly(t *testing.T) {
	t.Parallel()
	w := newHealthWorld(t)
	_, err := w.Ledger.Create(t.Context(), operator(), w.Registry.Type(store.WebhookHealthType), []ledger.Input{{"webhook": w.failing,
		"state": "held", "since": "2026-11-18T12:00:00Z"}})
	if fault.KindOf(err) != fault.Denied {
		t.Error(err)
	}
	for name, want := range map[string]bool{"*": false, store.WebhookHealthType: true} {
		policy := &access.Policy{ExemptView: []string{name}}
		_, err := policy.Scope(&access.Subject{}, w.Registry.Type(store.WebhookHealthType), access.View)
		if (err == nil) != want {
			t.Errorf("exempt %s: %v", name, err)
		}
	}
}

// TestHealthIsPublishedElsewhere: while one process records changes of health, another leaves them alone.
func TestHealthIsPublishedElsewhere(t *testing.T) {
	t.Parallel()
	w := newHealthWorld(t)
	w.note(t, "failing", "0")
	if err := w.Store.PublishHealth(t.Context(), 0, func(store.ToPublish) error {
		w.want(t, "", 0, 0) // although it publishes what it may
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	w.want(t, "failing", 1, 1)
}
