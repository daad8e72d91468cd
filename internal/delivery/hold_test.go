package delivery_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"terrier/internal/delivery"
	"terrier/internal/ledger"
	"terrier/internal/store"
)

// away makes the receiver fail and waits until the webhook is held. Probes come only when the test lets them.
func (b *bundle) away(t *testing.T) {
	t.Helper()
	b.exec(t, `CREATE OR REPLACE FUNCTION later() RETURNS trigger LANGUAGE plpgsql AS
		$$BEGIN IF NEW.probe_at > now() THEN NEW.probe_at := now() + interval '1 h'; END IF; RETURN NEW; END$$`)
	b.exec(t, "CREATE OR REPLACE TRIGGER later BEFORE UPDATE ON extras_webhook_state FOR EACH ROW EXECUTE FUNCTION later()")
	b.status(http.StatusServiceUnavailable)
	b.create(t, "dcim.site", site("Away"))
	b.held(t, true)
}

func (b *bundle) held(t *testing.T, want bool) {
	t.Helper()
	b.eventually(t, fmt.Sprintf("SELECT (SELECT count(*) FROM extras_webhook_state WHERE state = 'held') = %d", map[bool]int{true: 1}[want]))
}

// probeNow lets the time of the next probe come. By then, no job is on its way back to the queue.
func (b *bundle) probeNow(t *testing.T) {
	t.Helper()
	b.eventually(t, "SELECT NOT EXISTS (SELECT FROM river_job WHERE state = 'running')")
	b.exec(t, "UPDATE extras_webhook_state SET probe_at = now() WHERE state = 'held'")
}

// drained counts what was received since it was last asked.
func (b *bundle) drained() (n int) {
	for {
		select {
		case <-b.received:
			n++
		default:
			return n
		}
	}
}

func unmarshal(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

// update changes a site, so that it has one version more.
func (b *bundle) update(t *testing.T, id int64, text string) {
	t.Helper()
	_, err := b.Update(t.Context(), b.root, b.reg.Type("dcim.site"), []ledger.Edit{{ID: id, Input: ledger.Input{"description": text}}})
	if err != nil {
		t.Fatal(err)
	}
}

// TestHeldUntilTheReceiverIsBack: five attempts fail, the rest waits; after a probe that succeeds all are sent, the
// versions of each record in order. None has failed, and no retry is used up.
func TestHeldUntilTheReceiverIsBack(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, ledger.Input{"hold_on_failure": true, "concurrency": "1", "max_retries": "1"})
	b.work(t)
	b.away(t)
	if n := b.drained(); n != 5 {
		t.Errorf("held after %d attempts", n)
	}
	ids := []int64{}
	for _, row := range b.create(t, "dcim.site", site("Ams"), site("Ber"), site("Cph")) {
		ids = append(ids, row.ID())
	}
	for n := range 5 {
		for _, id := range ids {
			b.update(t, id, strconv.Itoa(n))
		}
	}
	b.probeNow(t)
	b.eventually(t, "SELECT failures = 6 AND probe_step = '2 s' FROM extras_webhook_state")
	if n := b.drained(); n != 1 {
		t.Errorf("%d requests for one probe", n)
	}
	b.status(http.StatusOK)
	b.probeNow(t)
	b.eventually(t, "SELECT count(*) = 19 FROM extras_delivery WHERE state = 'successful'")
	b.held(t, false)
	last := map[string]int{}
	for range 19 {
		got := b.next(t)
		var body struct{ Data struct{ Name string } }
		unmarshal(t, got.body, &body)
		sequence, _ := strconv.Atoi(got.header.Get("X-Hook-Sequence"))
		if last[body.Data.Name]++; sequence != last[body.Data.Name] {
			t.Errorf("version %d of %s came as number %d", sequence, body.Data.Name, last[body.Data.Name])
		}
	}
	if n := b.number(t, "SELECT count(*) FROM extras_delivery WHERE tries <> 1 OR reason <> ''"); n != 0 {
		t.Errorf("%d deliveries are not like those that succeeded at once", n)
	}
	if n := b.number(t, "SELECT max(attempt_count) FROM extras_delivery"); n != 6 {
		t.Errorf("%d attempts are kept", n)
	}
	if n := b.number(t, "SELECT sum(failed) FROM extras_tally"); n != 6 {
		t.Errorf("%d of 6 attempts count as failed", n)
	}
}

// TestOnlyFailuresAreNoted: a webhook whose deliveries succeed has no row, and one without hold_on_failure is failing,
// not held, after five failures.
func TestOnlyFailuresAreNoted(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, nil)
	b.work(t)
	b.create(t, "dcim.site", site("Ams"))
	b.state(t, store.Successful)
	if n := b.number(t, "SELECT count(*) FROM extras_webhook_state"); n != 0 {
		t.Error("a success was noted")
	}
	b.status(http.StatusServiceUnavailable)
	b.create(t, "dcim.site", site("A"), site("B"), site("C"), site("D"), site("E"))
	b.eventually(t, "SELECT count(*) = 5 FROM extras_delivery WHERE state = 'failed'")
	b.eventually(t, "SELECT state = 'failing' AND failures = 5 AND reason LIKE '%503%' FROM extras_webhook_state")
	b.status(http.StatusOK)
	b.create(t, "dcim.site", site("F"))
	b.eventually(t, "SELECT state = 'healthy' AND failures = 0 FROM extras_webhook_state")
}

// TestARefusalHoldsNothing: what the receiver refuses fails, whether the webhook holds or not, also as a probe.
func TestARefusalHoldsNothing(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, ledger.Input{"hold_on_failure": true})
	b.work(t)
	b.status(http.StatusNotFound)
	b.create(t, "dcim.site", site("A"), site("B"), site("C"), site("D"), site("E"), site("F"))
	b.eventually(t, "SELECT count(*) = 6 FROM extras_delivery WHERE state = 'failed'")
	b.eventually(t, "SELECT state = 'failing' FROM extras_webhook_state")
	b.away(t)
	b.status(http.StatusNotFound)
	b.exec(t, "UPDATE extras_webhook_state SET probe_step = '80 s'")
	b.probeNow(t)
	b.eventually(t, "SELECT count(*) = 7 FROM extras_delivery WHERE state = 'failed'")
	b.eventually(t, "SELECT state = 'held' AND probe_step = '10 s' FROM extras_webhook_state")
}

// TestOneProbe: however many workers ask, one gets the probe, with the oldest delivery. If it dies, its job goes back to
// its place, and the next probe is given out when the lease is over.
func TestOneProbe(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, ledger.Input{"hold_on_failure": true})
	b.create(t, "dcim.site", site("Old"))
	b.create(t, "dcim.site", site("New"))
	b.exec(t, `INSERT INTO extras_webhook_state (webhook_id, state, since, reason, failures, outages, attempted_at, version, probe_at,
			probe_step)
		SELECT id, 'held', now(), '', 5, 5, now(), version, now(), '10 s' FROM extras_webhook`)
	oldest := b.number(t, "SELECT job_id FROM extras_delivery ORDER BY id LIMIT 1")
	claimAll := func() int64 {
		var claims sync.WaitGroup
		var claimed, job atomic.Int64
		for i := range 8 {
			claims.Go(func() {
				found, err := b.Store.ClaimProbes(t.Context(), fmt.Sprint("worker-", i), time.Minute)
				if err != nil {
					t.Error(err)
				}
				claimed.Add(int64(len(found)))
				for _, p := range found {
					job.Store(p.Job)
				}
			})
		}
		claims.Wait()
		if job.Load() != oldest && claimed.Load() > 0 {
			t.Errorf("job %d is not the oldest, %d", job.Load(), oldest)
		}
		return claimed.Load()
	}
	if n := claimAll(); n != 1 {
		t.Fatalf("%d probes", n)
	}
	b.exec(t, "UPDATE river_job SET state = 'available' WHERE state = 'running'") // as Rescue does
	if n := claimAll(); n != 0 {
		t.Fatalf("%d probes before the lease is over", n)
	}
	b.probeNow(t)
	if n := claimAll(); n != 1 {
		t.Fatalf("%d probes after the first was lost", n)
	}
}

// TestBackToItsPlace: a job that was taken as its webhook was paused is the first to be taken again.
func TestBackToItsPlace(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	hook := b.hook(t, ledger.Input{"concurrency": "1"})
	for _, name := range []string{"A", "B", "C"} {
		b.create(t, "dcim.site", site(name))
	}
	if _, err := b.act(t.Context(), "POST extras.webhook/pause", hook.ID(), nil); err != nil {
		t.Fatal(err)
	}
	first := b.number(t, "UPDATE river_job SET state = 'running', attempt = 1 WHERE id = (SELECT min(id) FROM river_job) RETURNING id")
	var args delivery.Args
	if err := b.db.QueryRow(t.Context(), "SELECT args FROM river_job WHERE id = $1", first).Scan(&args); err != nil {
		t.Fatal(err)
	}
	b.worker.Begin()
	if err := b.worker.Work(t.Context(), &river.Job[delivery.Args]{JobRow: &rivertype.JobRow{ID: first, Attempt: 1}, Args: args}); err != nil {
		t.Fatal(err)
	}
	b.worker.WaitApart()
	if _, err := b.act(t.Context(), "POST extras.webhook/resume", hook.ID(), nil); err != nil {
		t.Fatal(err)
	}
	b.work(t)
	for _, want := range []string{"A", "B", "C"} {
		var body struct{ Data struct{ Name string } }
		if unmarshal(t, b.next(t).body, &body); body.Data.Name != want {
			t.Errorf("%s was sent when it was the turn of %s", body.Data.Name, want)
		}
	}
}

// TestInterventionsWhileHeld: an edit of the webhook is probed, hold_on_failure off ends the hold, a pause stops the probes,
// and the deliveries of a deleted webhook fail.
func TestInterventionsWhileHeld(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	hook := b.hook(t, ledger.Input{"hold_on_failure": true})
	b.work(t)
	b.away(t)
	b.drained()
	pause := func(action string) {
		t.Helper()
		if _, err := b.act(t.Context(), "POST extras.webhook/"+action, hook.ID(), nil); err != nil {
			t.Fatal(err)
		}
	}
	pause("pause")
	b.probeNow(t)
	if found, err := b.Store.ClaimProbes(t.Context(), "x", time.Minute); err != nil || len(found) > 0 {
		t.Errorf("a paused webhook is probed: %v, %v", found, err)
	}
	pause("resume")
	edit := func(in ledger.Input) {
		t.Helper()
		if _, err := b.Update(t.Context(), b.root, b.reg.Type(store.WebhookType), []ledger.Edit{{ID: hook.ID(), Input: in}}); err != nil {
			t.Fatal(err)
		}
	}
	edit(ledger.Input{"payload_url": b.url + "/other"})
	b.eventually(t, `SELECT state = 'held' AND version = (SELECT version FROM extras_webhook) AND probe_step = '2 s'
		FROM extras_webhook_state`)
	b.status(http.StatusOK)
	edit(ledger.Input{"hold_on_failure": false})
	b.state(t, store.Successful)
	b.eventually(t, "SELECT state = 'healthy' FROM extras_webhook_state")
	edit(ledger.Input{"hold_on_failure": true})
	b.status(http.StatusServiceUnavailable)
	b.create(t, "dcim.site", site("Late"))
	b.held(t, true)
	if err := b.Delete(t.Context(), b.root, b.reg.Type(store.WebhookType), []ledger.Edit{{ID: hook.ID()}}); err != nil {
		t.Fatal(err)
	}
	b.eventually(t, "SELECT count(*) = 1 FROM extras_delivery WHERE state = 'failed' AND reason LIKE '%deleted%'")
}
