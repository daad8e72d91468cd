package webhooks_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"terrier/test/install"
)

// TestManualRetry sends failed deliveries again: one by its address, several by a filter.
func TestManualRetry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Work()
	for _, path := range []string{"/one", "/many", "/others"} {
		w.receiver.answerStatus(path, http.StatusInternalServerError)
	}
	one := w.hook("/one", object{"secret": "a secret", "type_update": false, "type_delete": false})
	s := w.site(nil)
	failed := w.only(one).want(t, "failed", "500")
	s.update(object{"name": "another name"}) // a resend shows the change, not the current record

	w.receiver.answerStatus("/one", http.StatusOK)
	var queued delivery
	w.server.Do(http.MethodPost, deliveriesPath+failed.ID+"/retry/", w.admin, nil).Want(t, http.StatusAccepted).Read(t, &queued)
	if queued.ID != failed.ID || queued.State.Value == "failed" {
		t.Errorf("the answer to a retry: %+v", queued)
	}
	got := w.receiver.await("/one", 2)
	d := w.only(one).want(t, "successful", "")
	if d.ID != failed.ID || got[0].delivery() != d.ID || got[1].delivery() != d.ID || got[0].body != got[1].body || d.Count != 2 ||
		len(d.Attempts) != 2 {
		t.Errorf("a delivery that was retried: %+v", d)
	}
	if got[0].header.Get("X-Hook-Sequence") != got[1].header.Get("X-Hook-Sequence") {
		t.Errorf("the sequence changed: %v, then %v", got[0].header, got[1].header)
	}
	// A delivery that has not failed can't be retried.
	if a := w.server.Do(http.MethodPost, deliveriesPath+d.ID+"/retry/", w.admin, nil).
		Want(t, http.StatusBadRequest); !strings.Contains(a.Body, "successful") {
		t.Errorf("a retry of what was successful: %v", a)
	}
	w.change(one, object{"enabled": false})

	const sites = 4
	many, others := w.hook("/many", nil), w.hook("/others", nil)
	for range sites {
		w.site(nil)
	}
	for _, hook := range []int64{many, others} {
		for _, d := range w.ended(hook, sites) {
			d.want(t, "failed", "500")
		}
	}
	w.receiver.answerStatus("/many", http.StatusNoContent)
	retry := func(body any, status int) int {
		t.Helper()
		var answer struct{ Count int }
		a := w.server.Do(http.MethodPost, deliveriesPath+"retry/", w.admin, body).Want(t, status)
		if status == http.StatusOK {
			a.Read(t, &answer)
		}
		return answer.Count
	}
	filter := object{"webhook_id": many, "event": "created"}
	retry(object{}, http.StatusBadRequest)
	retry(object{"filter": object{"webhok_id": many}}, http.StatusBadRequest)
	if n := retry(object{"filter": object{"webhook_id": many, "event": "deleted"}}, http.StatusOK); n != 0 {
		t.Errorf("%d retried, and none was of this kind", n)
	}
	if n := retry(object{"filter": filter, "dry_run": true}, http.StatusOK); n != sites {
		t.Errorf("%d would be retried, want %d", n, sites)
	}
	if n := w.receiver.count("/many"); n != sites {
		t.Errorf("a dry run sent something: %d requests", n)
	}
	if n := retry(object{"filter": filter}, http.StatusOK); n != sites {
		t.Errorf("%d retried, want %d", n, sites)
	}
	w.receiver.await("/many", 2*sites)
	for _, d := range w.ended(many, sites) {
		d.want(t, "successful", "")
	}
	if n := retry(object{"filter": filter}, http.StatusOK); n != 0 {
		t.Errorf("%d retried again, and none had failed", n)
	}
	w.receiver.await("/others", sites)
	for _, d := range w.ended(others, sites) {
		d.want(t, "failed", "500")
	}
}

// TestRedeliver: deliveries that have ended are sent again: a successful one, which then fails, and one that waits
// for an automatic retry, which is not sent twice.
func TestRedeliver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.duplicates = 1 // the one that is asked for here
	w.Work()
	w.receiver.answer("/waits", func(n int, _ *http.Request) reply {
		if n == 1 {
			return reply{status: http.StatusServiceUnavailable, header: http.Header{"Retry-After": {"7200"}}}
		}
		return reply{status: http.StatusOK}
	})
	arrived := w.hook("/arrived", object{"secret": "a secret", "type_update": false})
	waits := w.hook("/waits", object{"max_retries": 3, "type_update": false})
	s := w.site(nil)
	redeliver := func(id string, status int) (d delivery) {
		t.Helper()
		if a := w.server.Do(http.MethodPost, deliveriesPath+id+"/redeliver/", w.admin, nil).Want(t, status); status == http.StatusAccepted {
			a.Read(t, &d)
		}
		return d
	}
	first := w.only(arrived).want(t, "successful", "")
	s.update(object{"name": "another name"}) // a resend shows the change, not the current record
	w.receiver.answerStatus("/arrived", http.StatusInternalServerError)
	if d := redeliver(first.ID, http.StatusAccepted); d.ID != first.ID {
		t.Errorf("the answer: %+v", d)
	}
	got := w.receiver.await("/arrived", 2)
	again := w.only(arrived).want(t, "failed", "500")
	if again.ID != first.ID || again.Count != 2 || got[0].delivery() != got[1].delivery() || got[1].delivery() != first.ID ||
		got[0].body != got[1].body ||
		got[0].header.Get("X-Hook-Sequence") != got[1].header.Get("X-Hook-Sequence") {
		t.Errorf("sent again: %+v, %v, then %v", again, got[0].header, got[1].header)
	}
	install.Eventually(t, "a delivery should await its retry", func() bool {
		all := w.deliveries(waits)
		return len(all) == 1 && !all[0].Retry.IsZero()
	})
	w.act(waits, "pause")
	postponed := w.deliveries(waits)[0]
	redeliver(postponed.ID, http.StatusAccepted)
	redeliver(postponed.ID, http.StatusBadRequest) // it is queued now
	if n := w.number("SELECT count(*) FROM river_job WHERE queue = $1", fmt.Sprint("webhook_", waits)); n != 1 {
		t.Errorf("%d jobs: the automatic retry is still ahead", n)
	}
	w.act(waits, "resume")
	if d := w.only(waits).want(t, "successful", ""); d.Count != 2 || !d.Retry.IsZero() {
		t.Errorf("%+v", d)
	}
	// Each request is counted once, by how it was answered, and by how long it took.
	for hook, want := range map[int64]string{arrived: "1 1 2", waits: "1 1 2"} {
		if n := w.number("SELECT count(*) FROM (SELECT concat_ws(' ', sum(successful), sum(failed), "+
			"sum((SELECT sum(d) FROM unnest(durations) d))) AS n FROM extras_tally WHERE webhook_id = $1) x WHERE n = $2", hook, want); n != 1 {
			t.Errorf("webhook %d: the tally is not %s", hook, want)
		}
	}
}

// TestAutomaticRetry: the receivers ask for short waits, which keeps the intervals short.
func TestAutomaticRetry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Work()
	later := func(status, seconds int) reply {
		return reply{status: status, header: http.Header{"Retry-After": {strconv.Itoa(seconds)}}}
	}
	w.receiver.answer("/gives-up", func(int, *http.Request) reply { return later(http.StatusServiceUnavailable, 1) })
	w.receiver.answer("/recovers", func(n int, _ *http.Request) reply {
		if n == 1 {
			return later(http.StatusTooManyRequests, 5)
		}
		return reply{status: http.StatusOK}
	})
	w.receiver.answer("/later", func(n int, _ *http.Request) reply { return later(http.StatusTooManyRequests, 7200) })
	w.receiver.answerStatus("/growing", http.StatusBadGateway)
	w.receiver.answer("/never", func(int, *http.Request) reply { return later(http.StatusServiceUnavailable, 1) })

	const retries = 2
	secret := "a secret"
	givesUp := w.hook("/gives-up", object{"max_retries": retries, "secret": secret})
	recovers := w.hook("/recovers", object{"max_retries": retries})
	postponed := w.hook("/later", object{"max_retries": retries})
	growing := w.hook("/growing", object{"max_retries": retries})
	never := w.hook("/never", nil) // no retries, whatever the receiver asks for
	denied := w.hook("/", object{"max_retries": retries, "payload_url": "http://10.255.255.1/"})
	w.site(nil)

	// waiting is a delivery that has failed and will be sent again.
	waiting := func(hook int64) (d delivery) {
		t.Helper()
		install.Eventually(t, "a delivery should await its retry", func() bool {
			all := w.deliveries(hook)
			if len(all) == 1 {
				d = all[0]
			}
			return !d.Retry.IsZero()
		})
		return d
	}
	const writing = 3 * time.Second // A wait starts when the outcome is written, which may take a busy machine a while.
	for _, c := range []struct {
		name        string
		hook        int64
		least, most time.Duration
	}{ // The shortest wait is checked first.
		{"a 429 with Retry-After: 5", recovers, 5 * time.Second, 5 * time.Second},
		{"no Retry-After", growing, 5 * time.Second, 10 * time.Second},
		{"a 429 with Retry-After of two hours", postponed, 2 * time.Hour, 2 * time.Hour},
	} {
		d := waiting(c.hook).want(t, "failed", "The receiver answered ")
		if wait := d.Retry.Sub(d.Finished); wait < c.least || wait > c.most+writing {
			t.Errorf("%s: the retry comes after %v, want %v to %v", c.name, wait, c.least, c.most)
		}
	}
	w.only(never).want(t, "failed", "503")
	if d := w.only(denied).want(t, "failed", "TERRIER_EGRESS_ALLOW"); d.Count != 1 {
		t.Errorf("what the policy refuses was tried %d times", d.Count)
	}

	got := w.receiver.await("/recovers", 2)
	if gap := got[1].at.Sub(got[0].at); gap < 5*time.Second || got[0].delivery() != got[1].delivery() || got[0].body != got[1].body {
		t.Errorf("the retry came after %v: %v, then %v", gap, got[0].header, got[1].header)
	}
	if d := w.only(recovers).want(t, "successful", ""); d.Count != 2 || !d.Retry.IsZero() {
		t.Errorf("a delivery that recovered: %+v", d)
	}
	got = w.receiver.await("/gives-up", retries+1)
	d := w.only(givesUp).want(t, "failed", "503")
	if d.Count != retries+1 || len(d.Attempts) != retries+1 {
		t.Errorf("given up after %d attempts, want %d", d.Count, retries+1)
	}
	if slices.ContainsFunc(got, func(r receipt) bool { return r.delivery() != d.ID || r.body != got[0].body }) {
		t.Errorf("the retries differ")
	}
	// A manual retry starts all over, automatic retries included, and does not wait for a retry that is hours away.
	w.receiver.answerStatus("/later", http.StatusOK)
	for _, hook := range []int64{givesUp, postponed} {
		w.do(http.MethodPost, deliveriesPath+w.deliveries(hook)[0].ID+"/retry/", nil)
	}
	w.receiver.await("/later", 2)
	w.only(postponed).want(t, "successful", "")
	w.receiver.await("/gives-up", 2*(retries+1))
	if d := w.only(givesUp).want(t, "failed", "503"); d.Count != 2*(retries+1) {
		t.Errorf("%d attempts after a manual retry", d.Count)
	}
	w.change(growing, object{"enabled": false}) // its last retry is too far away for a test
}

// TestWhatWaits holds deliveries back in every possible way, and releases them.
func TestWhatWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Work()
	const changes = 3
	paused, disabled, deleted, both := w.hook("/paused", nil), w.hook("/disabled", nil), w.hook("/deleted", nil), w.hook("/both", nil)
	sentinel := w.hook("/sentinel", nil)
	held := []int64{paused, disabled, deleted, both}
	sent := 0
	// watch lets the worker work for a while: other webhooks are notified, and those that are held are not.
	watch := func() {
		t.Helper()
		for range 3 {
			w.site(nil)
			sent++
			w.receiver.await("/sentinel", sent)
		}
		w.ended(sentinel, sent)
	}
	for _, hook := range held {
		w.act(hook, "pause")
	}
	for range changes {
		w.site(nil)
		sent++
	}
	w.change(disabled, object{"enabled": false})
	w.act(disabled, "resume")
	w.change(both, object{"enabled": false})
	watch() // three more for those that are paused
	for hook, want := range map[int64]int{paused: changes + 3, deleted: changes + 3, disabled: changes, both: changes} {
		all := w.deliveries(hook)
		if len(all) != want || slices.ContainsFunc(all, func(d delivery) bool { return d.State.Value != "queued" }) {
			t.Errorf("webhook %d has %d deliveries, want %d that wait: %+v", hook, len(all), want, all)
		}
	}
	var queues struct {
		Results []struct {
			Webhook         struct{ ID int64 }
			Enabled, Paused bool
			Queued          int
		}
	}
	w.do(http.MethodGet, "/api/extras/queues/", nil).Read(t, &queues)
	for _, q := range queues.Results {
		if q.Paused != slices.Contains([]int64{paused, deleted, both}, q.Webhook.ID) ||
			q.Enabled != (q.Webhook.ID != disabled && q.Webhook.ID != both) ||
			q.Webhook.ID == paused && q.Queued != changes+3 {
			t.Errorf("queue %+v", q)
		}
	}
	for _, path := range []string{"/paused", "/disabled", "/deleted", "/both"} {
		w.receiver.none(path)
	}

	w.act(paused, "resume")
	w.receiver.await("/paused", changes+3)
	w.change(disabled, object{"enabled": true})
	w.receiver.await("/disabled", changes)
	w.change(both, object{"enabled": true}) // still paused
	watch()
	w.receiver.none("/both")
	w.act(both, "resume")
	w.receiver.await("/both", changes+3)
	w.ended(both, changes+3)
	w.ended(disabled, changes+3)
	w.ended(paused, changes+6)
}

// TestDeletedWebhook: queued deliveries of a deleted webhook fail, and say why.
func TestDeletedWebhook(t *testing.T) {
	t.Parallel()
	for name, hold := range map[string]func(*world, int64){
		"disabled": func(w *world, hook int64) {
			w.change(hook, object{"enabled": false})
			w.act(hook, "resume")
		},
		"paused":          func(w *world, hook int64) {},
		"without workers": func(w *world, hook int64) { w.act(hook, "resume") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			work := w.Work
			if name != "without workers" {
				work()
				work = func() *install.Process { return nil }
			}
			hook := w.hook("/deleted", nil)
			w.act(hook, "pause")
			w.site(nil)
			w.site(nil)
			hold(w, hook)
			w.do(http.MethodDelete, fmt.Sprintf("%s%d/", webhooksPath, hook), nil)
			work()
			for _, d := range w.ended(hook, 2) {
				d.want(t, "failed", "The webhook was deleted.")
			}
			w.receiver.none("/deleted")
		})
	}
}
