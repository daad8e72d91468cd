package webhooks_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// terrier runs a webhook command that must succeed.
func (w *world) terrier(args ...string) string {
	w.t.Helper()
	out, code := w.Terrier("", append([]string{"webhook"}, args...)...)
	if code != 0 {
		w.t.Fatalf("terrier webhook %s: exit code %d: %s", strings.Join(args, " "), code, out)
	}
	return out
}

// TestReplay: past deliveries are sent again with the same ids and bodies, and missing ones for the first time.
func TestReplay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Work()
	w.receiver.answerStatus("/failed", http.StatusInternalServerError)
	notified, failed := w.hook("/notified", object{"secret": "a secret"}), w.hook("/failed", nil)
	s := w.site(nil)
	s.update(object{"status": "planned"})
	w.site(object{"status": "planned"}).delete()
	const changes = 4
	before := w.ended(notified, changes)
	w.ended(failed, changes)
	w.receiver.answerStatus("/failed", http.StatusOK)
	s.update(object{"name": "a later name"}) // a replay shows the change, not the current record
	w.ended(notified, changes+1)
	w.ended(failed, changes+1)

	// The new webhook did not exist yet. Its events and conditions select: two updates, a create and a delete of planned
	// sites.
	fresh := w.hook("/fresh", object{"secret": "another", "conditions": object{"attr": "status", "value": "planned"}, "type_delete": false})
	if out := w.terrier("replay", strconv.FormatInt(fresh, 10), "--yes"); !strings.Contains(out, "3 of 5 changes match") ||
		!strings.Contains(out, "queued 3 deliveries") {
		t.Errorf("a replay to a new webhook says %s", out)
	}
	w.receiver.await("/fresh", 3)
	bodies := map[string]bool{}
	for _, r := range w.receiver.await("/notified", changes+1) {
		bodies[r.body] = true
	}
	for i, d := range w.ended(fresh, 3) {
		d = w.delivery(d.ID).want(t, "successful", "")
		if d.Count != 1 || len(d.Attempts) != 1 || !bodies[d.Attempts[0].Request.Body] {
			t.Errorf("delivery %d of a replay: %+v", i, d)
		}
	}
	// The second time the same deliveries are sent again.
	w.duplicates += 3
	w.terrier("replay", strconv.FormatInt(fresh, 10), "--yes")
	seen := map[string]string{}
	for _, r := range w.receiver.await("/fresh", 6) {
		id := r.delivery()
		if body, again := seen[id]; again && body != r.body {
			t.Errorf("delivery %s was sent as\n%s and as\n%s", id, body, r.body)
		}
		seen[id] = r.body
	}
	if len(seen) != 3 {
		t.Errorf("six requests are of %d deliveries, want 3", len(seen))
	}
	w.ended(fresh, 3)

	// Successful and failed ones alike.
	w.duplicates += changes + 1 + 1 // the last of the failed webhook was successful
	for hook, path := range map[int64]string{notified: "/notified", failed: "/failed"} {
		if out := w.terrier("replay", strconv.FormatInt(hook, 10), "--yes", "--type", "dcim.site"); !strings.Contains(out,
			"queued 5 deliveries") {
			t.Errorf("a replay to %s says %s", path, out)
		}
		w.receiver.await(path, 2*(changes+1))
		for _, d := range w.ended(hook, changes+1) {
			d.want(t, "successful", "")
		}
	}
	after := w.ended(notified, changes+1)
	for i, d := range before {
		if after[i].ID != d.ID || after[i].Sequence != d.Sequence || after[i].Count != 2 {
			t.Errorf("before the replay %+v, after it %+v", d, after[i])
		}
	}
	if n := w.number("SELECT count(*) FROM river_job WHERE kind = 'delivery'"); n != 0 {
		t.Errorf("%d jobs are left", n)
	}
}

// TestTestDelivery: a test is sent in the same way as every change.
func TestTestDelivery(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Work()
	hook := w.hook("/hook", object{"secret": "a secret", "type_update": false, "type_delete": false,
		"conditions": object{"attr": "name", "value": "nobody"}})
	s := w.site(nil)
	if out := w.terrier("test", strconv.FormatInt(hook, 10)); !strings.Contains(out, "the receiver answered 200") {
		t.Errorf("a test says %s", out)
	}
	got := w.receiver.await("/hook", 1)[0]
	d := w.only(hook).want(t, "successful", "")
	if got.delivery() != d.ID || d.Object != s.id || d.Event.Value != "created" || d.Sequence != 1 {
		t.Errorf("a test is %+v", d)
	}
	for _, text := range []string{`"model":"site"`, `"event":"created"`, `"username":"command line (`,
		`"request_id":"` + d.Request + `"`, `"prechange":null`} {
		if !strings.Contains(got.body, text) {
			t.Errorf("a test is without %s: %s", text, got.body)
		}
	}
	w.receiver.answerStatus("/hook", http.StatusServiceUnavailable)
	if out, code := w.Terrier("", "webhook", "test", strconv.FormatInt(hook, 10)); code == 0 || !strings.Contains(out, "503") {
		t.Errorf("a test that fails: exit code %d: %s", code, out)
	}
	w.change(hook, object{"enabled": false})
	if out, code := w.Terrier("", "webhook", "test", strconv.FormatInt(hook, 10)); code == 0 || !strings.Contains(out, "enable it first") {
		t.Errorf("a test of a disabled webhook: exit code %d: %s", code, out)
	}
	// A type that does not exist causes no failure.
	for _, path := range []string{"/api/extras/object-changes/", deliveriesPath, deliveriesPath + d.ID + "/", "/api/extras/queues/", s.path} {
		w.do(http.MethodGet, path, nil)
	}
	var log struct {
		Results []struct {
			Type   string `json:"changed_object_type"`
			Object any    `json:"changed_object"`
		}
	}
	w.do(http.MethodGet, "/api/extras/object-changes/?changed_object_type=test.site", nil).Read(t, &log)
	if len(log.Results) != 2 || log.Results[0].Object != nil {
		t.Errorf("tests in the change log: %+v", log)
	}
}
