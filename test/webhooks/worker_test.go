package webhooks_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"terrier/test/install"
)

// resendBound is the promised time after a worker was killed in mid-send.
const resendBound = 90 * time.Second

// noticedBound is for a death that another worker notices, 20 to 25 s after it started to look. The promise covers a
// death that only River's rescue finds.
const noticedBound = 60 * time.Second

// sites makes n sites in one request.
func (w *world) sites(n int) {
	w.t.Helper()
	w.do(http.MethodPost, sitesPath, siteBodies(n, fmt.Sprint("bulk-", w.names.Add(1))))
}

func siteBodies(n int, facility string) []object {
	bodies := make([]object, n)
	for i := range bodies {
		name := fmt.Sprintf("%s-%d", facility, i)
		bodies[i] = object{"name": name, "slug": name, "facility": facility}
	}
	return bodies
}

// TestWorkerKilledInMidSend kills a worker that waits for one receiver and is busy with another.
func TestWorkerKilledInMidSend(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "WEBHOOK_TIMEOUT=30s")
	const load, concurrency = 300, 10
	first := w.Work()
	w.receiver.hold("/held")
	held := w.hook("/held", object{"secret": "a secret"})
	busy := w.hook("/busy", object{"concurrency": concurrency, "conditions": object{"attr": "facility", "value": "", "negate": true}})
	w.duplicates = concurrency // under way to the other receiver when the worker is killed
	w.site(nil)
	w.receiver.await("/held", 1)
	w.change(held, object{"conditions": object{"attr": "facility", "value": ""}}) // one delivery is enough; the body stays
	w.sites(load)
	install.Eventually(t, "the worker should be busy", func() bool { return w.receiver.count("/busy") > load/10 })
	first.Kill()
	killed := time.Now()
	if got := first.EndedBy(); got != syscall.SIGKILL {
		t.Fatalf("the worker ended by %v", got)
	}
	sentBefore := w.receiver.count("/busy")
	w.receiver.answerStatus("/held", http.StatusOK)
	second := w.Work()

	got := w.receiver.awaitWithin(noticedBound, "/held", 2)
	t.Logf("sent again %v after the kill; %d of %d others had been sent", got[1].at.Sub(killed).Round(100*time.Millisecond), sentBefore, load)
	if got[0].delivery() != got[1].delivery() || got[0].body != got[1].body ||
		got[0].header.Get("X-Hook-Signature") != got[1].header.Get("X-Hook-Signature") {
		t.Errorf("the resend is another request:\n%s\n%s", got[0].whole(), got[1].whole())
	}
	if d := w.only(held).want(t, "successful", ""); d.ID != got[1].delivery() {
		t.Errorf("delivery %s, and %s was sent", d.ID, got[1].delivery())
	}
	if !strings.Contains(second.Log(), "a worker has fallen silent") {
		t.Errorf("nobody noticed the death:\n%s", second.Log())
	}
	for _, d := range w.endedWithin(noticedBound, busy, load) {
		d.want(t, "successful", "")
	}
	received := w.receiver.count("/busy")
	t.Logf("%d of %d others were sent twice", received-load, load)
	if received < load || received > load+concurrency {
		t.Errorf("%d requests for %d deliveries, %d of them at once", received, load, concurrency)
	}
}

// TestWorkerIsStoppedInMidSend: requests under way are finished, queued deliveries are left to others, and the worker
// exits without an error.
func TestWorkerIsStoppedInMidSend(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "WEBHOOK_TIMEOUT=20s")
	first := w.Work()
	release := w.receiver.hold("/held")
	w.receiver.hold("/hung")
	held, hung := w.hook("/held", object{"concurrency": 1}), w.hook("/hung", object{"concurrency": 1})
	w.site(nil)
	w.receiver.await("/held", 1)
	w.receiver.await("/hung", 1)
	w.site(nil) // behind the others
	asked := time.Now()
	first.Signal(syscall.SIGTERM)
	install.Eventually(t, "the worker should say that it stops", func() bool { return strings.Contains(first.Log(), "worker stopping") })
	if !first.Running() {
		t.Fatalf("the worker did not wait for what is under way:\n%s", first.Log())
	}
	install.Eventually(t, "a worker that is about to end should go on giving signs, so that nobody takes its deliveries", func() bool {
		return w.number("SELECT count(*) FROM extras_worker WHERE seen_at > $1", asked.Add(time.Second)) == 1
	})
	release()
	if code := first.ExitCode(); code != 0 {
		t.Errorf("exit code %d:\n%s", code, first.Log())
	}
	t.Logf("drained within %v", time.Since(asked).Round(100*time.Millisecond))
	// The outcome of its last requests is known, although it is gone.
	w.deliveries(held)[0].want(t, "successful", "")
	w.deliveries(hung)[0].want(t, "failed", "no answer within 20 s")
	for _, hook := range []int64{held, hung} {
		if d := w.deliveries(hook); len(d) != 2 || d[1].State.Value != "queued" {
			t.Errorf("what waited: %+v", d)
		}
	}
	if n := w.number("SELECT count(*) FROM extras_worker"); n != 0 {
		t.Errorf("%d workers are listed after the only one has left", n)
	}
	w.receiver.answerStatus("/hung", http.StatusOK)
	w.Work()
	w.receiver.await("/held", 2)
	w.receiver.await("/hung", 2)
	w.ended(held, 2)
	w.ended(hung, 2)
}

// TestTwoWorkersShareTheWork: they send nothing twice.
func TestTwoWorkersShareTheWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.keepJobs()
	const n = 500
	w.Work()
	w.Work()
	hook := w.hook("/", object{"concurrency": 5})
	w.act(hook, "pause")
	w.sites(n)
	w.act(hook, "resume")
	sent := map[string]bool{}
	for _, r := range w.receiver.await("/", n) {
		sent[r.delivery()] = true
	}
	if len(sent) != n {
		t.Errorf("%d deliveries in %d requests", len(sent), n)
	}
	for _, d := range w.ended(hook, n) {
		if d.want(t, "successful", ""); d.Count != 1 {
			t.Errorf("delivery %s was sent %d times", d.ID, d.Count)
		}
	}
	shares := map[string]int{}
	rows, err := w.db.Query(t.Context(), "SELECT attempted_by[1], count(*) FROM ended_job GROUP BY 1")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var worker string
		var share int
		if err := rows.Scan(&worker, &share); err != nil {
			t.Fatal(err)
		}
		shares[worker] = share
	}
	counts := slices.Sorted(maps.Values(shares))
	t.Logf("shares %v", counts)
	if len(counts) != 2 || counts[0] < n/20 {
		t.Errorf("both workers should have worked: %v", shares)
	}
	var listed struct{ Results []struct{ ID string } }
	w.do(http.MethodGet, "/api/extras/workers/", nil).Read(t, &listed)
	for _, worker := range listed.Results {
		if shares[worker.ID] == 0 {
			t.Errorf("worker %s is listed and did nothing", worker.ID)
		}
	}
	if len(listed.Results) != 2 {
		t.Errorf("%d workers are listed", len(listed.Results))
	}
}

// TestLostJobsAreFound removes the jobs of deliveries and waits for the reconciler, which looks for those that should
// have been sent a minute ago.
func TestLostJobsAreFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Work()
	queued := w.hook("/queued", nil)
	due, ahead := w.hook("/due", object{"max_retries": 1}), w.hook("/ahead", object{"max_retries": 1})
	for _, path := range []string{"/due", "/ahead"} {
		w.receiver.answer(path, func(n int, _ *http.Request) reply {
			if n == 1 {
				return reply{status: http.StatusServiceUnavailable, header: http.Header{"Retry-After": {"3600"}}}
			}
			return reply{status: http.StatusOK}
		})
	}
	w.act(queued, "pause")
	w.site(nil)
	install.Eventually(t, "two deliveries should await their retry", func() bool {
		return w.number("SELECT count(*) FROM extras_delivery WHERE retry_at IS NOT NULL") == 2
	})
	w.exec("DELETE FROM river_job")
	w.exec("UPDATE extras_delivery SET queued_at = queued_at - interval '2 minutes', finished_at = finished_at - interval '2 minutes'")
	w.exec("UPDATE extras_delivery SET retry_at = retry_at - interval '1 hour' WHERE webhook_id = $1", due)
	w.act(queued, "resume")
	w.receiver.await("/queued", 1)
	w.receiver.await("/due", 2)
	w.only(queued).want(t, "successful", "")
	w.only(due).want(t, "successful", "")
	// The third has a job again, at its scheduled time.
	if n := w.number(`SELECT count(*) FROM extras_delivery d JOIN river_job j ON j.id = d.job_id AND j.state = 'scheduled'
		AND j.scheduled_at = d.retry_at
		WHERE d.webhook_id = $1`, ahead); n != 1 {
		t.Errorf("%d deliveries wait for their retry, want 1", n)
	}
	w.receiver.await("/ahead", 1)
}
