package delivery_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"terrier/internal/ledger"
	"terrier/internal/store"
)

// TestOneDeliveryHoldsNobody: a receiver that always fails at one delivery and takes all others gets the others. The one
// stays queued, with a wait of its own.
func TestOneDeliveryHoldsNobody(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, ledger.Input{"hold_on_failure": true, "concurrency": "1"})
	b.poison.Store("Poison")
	b.create(t, "dcim.site", site("Poison"))
	b.work(t)
	b.held(t, true)
	b.create(t, "dcim.site", site("Ams"))
	b.create(t, "dcim.site", site("Ber"))
	b.probeNow(t)
	b.eventually(t, "SELECT count(*) = 2 FROM extras_delivery WHERE state = 'successful'")
	b.held(t, false)
	b.eventually(t, `SELECT count(*) = 1 FROM extras_delivery d JOIN river_job j ON j.id = d.job_id
		WHERE d.state = 'queued' AND d.tries = 0 AND d.retry_at IS NULL AND j.state = 'scheduled' AND j.scheduled_at > now() + interval '2 s'`)
}

// TestAReceiverAsksForTime: a delivery waits as long as the receiver asks for, also before its webhook is held. It does
// not block the others.
func TestAReceiverAsksForTime(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, ledger.Input{"hold_on_failure": true, "concurrency": "1"})
	b.retryAfter.Store("3600")
	b.status(http.StatusTooManyRequests)
	b.work(t)
	b.create(t, "dcim.site", site("Ams"))
	b.eventually(t, `SELECT count(*) = 1 FROM extras_delivery d JOIN river_job j ON j.id = d.job_id
		WHERE d.state = 'queued' AND d.attempt_count = 1 AND j.state = 'scheduled' AND j.scheduled_at > now() + interval '50 min'`)
	b.status(http.StatusOK)
	b.create(t, "dcim.site", site("Ber"))
	b.eventually(t, "SELECT count(*) = 1 FROM extras_delivery WHERE state = 'successful'")
}

// TestUnsentSaysNothing: a delivery that the address policy stops is no sign that the receiver is there.
func TestUnsentSaysNothing(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, ledger.Input{"hold_on_failure": true, "payload_url": "http://127.0.0.2/"})
	b.exec(t, noted("'healthy'", "version", "NULL"))
	b.exec(t, "UPDATE extras_webhook_state SET failures = 4, outages = 4")
	b.work(t)
	b.create(t, "dcim.site", site("Ams"))
	b.state(t, store.Failed)
	b.eventually(t, "SELECT failures = 5 AND outages = 4 AND state = 'failing' FROM extras_webhook_state")
}

// noted returns the statement that notes a state of the only webhook.
func noted(state, version, probeAt string) string {
	return fmt.Sprintf(`INSERT INTO extras_webhook_state (webhook_id, state, since, reason, failures, outages, attempted_at, version, probe_at,
			probe_step)
		SELECT id, %s, now(), '', 5, 5, now(), %s, %s, '80 s' FROM extras_webhook`, state, version, probeAt)
}

func (b *bundle) claim(t *testing.T) (jobs []int64) {
	t.Helper()
	found, err := b.Store.ClaimProbes(t.Context(), "x", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range found {
		jobs = append(jobs, p.Job)
	}
	return jobs
}

// TestProbesGoAround: the delivery that was attempted least is the probe, but none before an earlier one of its object.
func TestProbesGoAround(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, ledger.Input{"hold_on_failure": true})
	old := b.create(t, "dcim.site", site("Old"))[0]
	b.exec(t, "UPDATE extras_delivery SET attempt_count = 6")
	b.update(t, old.ID(), "again")
	b.create(t, "dcim.site", site("New"))
	b.create(t, "dcim.site", site("Newer"))
	b.exec(t, noted("'held'", "version", "now()"))
	want := b.number(t, "SELECT job_id FROM extras_delivery ORDER BY id OFFSET 2 LIMIT 1")
	if got := b.claim(t); len(got) != 1 || got[0] != want {
		t.Errorf("probed with %v, want %d", got, want)
	}
}

// TestEditedWhileHeld: an edit lets a probe come at once, and so does resuming the webhook, but not beside a job that is
// being sent. The webhook stays held, and its steps start over.
func TestEditedWhileHeld(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	hook := b.hook(t, ledger.Input{"hold_on_failure": true})
	b.create(t, "dcim.site", site("Old"), site("New"))
	b.exec(t, noted("'held'", "version - 1", "now() + interval '1 h'"))
	b.exec(t, "UPDATE river_job SET state = 'running' WHERE id = (SELECT min(id) FROM river_job)")
	if got := b.claim(t); len(got) != 0 {
		t.Errorf("%v are probed beside a job that is being sent", got)
	}
	b.exec(t, "UPDATE river_job SET state = 'available'")
	if got := b.claim(t); len(got) != 1 {
		t.Errorf("%d probes after an edit", len(got))
	}
	if n := b.number(t, `SELECT count(*) FROM extras_webhook_state h JOIN extras_webhook w ON w.id = h.webhook_id
		WHERE h.state = 'held' AND h.probe_step = '1 s' AND h.version = w.version`); n != 1 {
		t.Error("the steps of an edited webhook do not start over")
	}
	b.exec(t, "UPDATE river_job SET state = 'available'")
	if got := b.claim(t); len(got) != 0 {
		t.Errorf("%v are probed without a reason", got)
	}
	if _, err := b.act(t.Context(), "POST extras.webhook/resume", hook.ID(), nil); err != nil {
		t.Fatal(err)
	}
	if got := b.claim(t); len(got) != 1 {
		t.Errorf("%d probes after somebody resumed the webhook", len(got))
	}
}

// outcomes returns an outage of each delivery.
func (b *bundle) outcomes(t *testing.T) (found []store.Outcome) {
	t.Helper()
	rows, err := b.db.Query(t.Context(), "SELECT id, changed_at, webhook_id, round, job_id FROM extras_delivery ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		o := store.Outcome{State: store.Queued, At: time.Now(), Reason: "away",
			Receiver: store.ReceiverNote{Version: 1, Ailing: true, MayPass: true, Holds: true}}
		if err := rows.Scan(&o.ID, &o.ChangedAt, &o.Webhook, &o.Round, &o.Job); err != nil {
			t.Fatal(err)
		}
		found = append(found, o)
	}
	return found
}

// TestBackBeforeItsSiblings: the deliveries of one request have the same time, and the first goes back before the others.
func TestBackBeforeItsSiblings(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, ledger.Input{"hold_on_failure": true})
	b.create(t, "dcim.site", site("A"), site("B"), site("C"))
	b.exec(t, "UPDATE river_job SET scheduled_at = (SELECT min(scheduled_at) FROM river_job)")
	first := b.outcomes(t)[0]
	for range 2 {
		if err := b.Store.Finish(t.Context(), []store.Outcome{first}); err != nil {
			t.Fatal(err)
		}
		if got := b.number(t, "SELECT (args->'delivery')::bigint FROM river_job ORDER BY priority, scheduled_at, id LIMIT 1"); got != first.ID {
			t.Errorf("%d is first, not %d", got, first.ID)
		}
		first = b.outcomes(t)[0]
	}
}

// TestHealthUnderContention: outcomes do not wait for the note about a webhook, unless they are of a probe. However many
// are written at once, the hold begins, and a probe that succeeds ends it.
func TestHealthUnderContention(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, ledger.Input{"hold_on_failure": true})
	sites := make([]ledger.Input, 40)
	for i := range sites {
		sites[i] = site(fmt.Sprint("Site", i))
	}
	b.create(t, "dcim.site", sites...)
	b.exec(t, noted("'healthy'", "0", "NULL"))
	b.exec(t, "UPDATE extras_webhook_state SET failures = 0, outages = 0")
	all := b.outcomes(t)
	tx, err := b.db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SELECT FROM extras_webhook_state FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	if err := b.Store.Finish(t.Context(), all[:1]); err != nil {
		t.Errorf("an outcome waits for the note of another: %v", err)
	}
	probe := all[1]
	probe.Receiver.Probe = true
	if err := b.Store.Finish(t.Context(), []store.Outcome{probe}); !store.Locked(err) {
		t.Errorf("a probe does not wait: %v", err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.finishAtOnce(t, all[2:30])
	for _, o := range all[30:35] { // if most of those came while one of them had the row
		b.finishAtOnce(t, []store.Outcome{o})
	}
	b.held(t, true)
	probe.State = store.Successful
	b.finishAtOnce(t, append([]store.Outcome{probe}, all[35:39]...))
	b.held(t, false)
}

// finishAtOnce writes outcomes, each on its own, all at the same time.
func (b *bundle) finishAtOnce(t *testing.T, outcomes []store.Outcome) {
	t.Helper()
	var writing sync.WaitGroup
	for _, o := range outcomes {
		writing.Go(func() {
			err := b.Store.Finish(t.Context(), []store.Outcome{o})
			for store.Locked(err) {
				err = b.Store.Finish(t.Context(), []store.Outcome{o})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	writing.Wait()
}

// TestManyPoisonHoldNobody: neither a hundred deliveries of one record nor those of a hundred records, none of which the receiver
// can take, keep the others from being delivered.
func TestManyPoisonHoldNobody(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, ledger.Input{"hold_on_failure": true, "concurrency": "1", "content_types": []any{"dcim.site", "dcim.region"}})
	b.poison.Store("Poison")
	id := b.create(t, "dcim.site", site("Poison"))[0].ID()
	for n := range 101 {
		b.update(t, id, fmt.Sprint(n))
	}
	var many []ledger.Input
	for n := range 101 {
		many = append(many, site(fmt.Sprint("Poison-", n)))
	}
	b.create(t, "dcim.site", many...)
	b.create(t, "dcim.region", ledger.Input{"name": "Europe", "slug": "europe"})
	b.work(t)
	b.held(t, true)
	for range 3 {
		b.probeNow(t)
		b.eventually(t, "SELECT state <> 'held' OR probe_at > now() FROM extras_webhook_state")
	}
	b.eventually(t, "SELECT count(*) = 1 FROM extras_delivery WHERE state = 'successful'")
}

// TestResumeDoesNotWaitForTheReceiver: who resumes a held webhook knows that the receiver is back, whatever time it asked for.
func TestResumeDoesNotWaitForTheReceiver(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	hook := b.hook(t, ledger.Input{"hold_on_failure": true, "concurrency": "1"})
	b.retryAfter.Store("3600")
	b.status(http.StatusServiceUnavailable)
	b.work(t)
	for _, name := range []string{"Ams", "Ber", "Cph", "Dub", "Edi"} {
		b.create(t, "dcim.site", site(name))
	}
	b.held(t, true)
	b.status(http.StatusOK)
	if _, err := b.act(t.Context(), "POST extras.webhook/resume", hook.ID(), nil); err != nil {
		t.Fatal(err)
	}
	b.eventually(t, "SELECT count(*) = 5 FROM extras_delivery WHERE state = 'successful'")
}
