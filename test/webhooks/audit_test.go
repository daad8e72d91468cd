package webhooks_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/webhook"
)

// audit compares what was received, and what is stored, with what was promised, whatever the test did in between. It
// reads the database, because the server may be dead by then.
func (w *world) audit() {
	if w.t.Failed() {
		return // the rest would only be noise
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	kept := w.kept(ctx)
	w.auditReceipts(kept)
	w.auditDeliveries(kept)
	w.auditChanges(ctx)
}

// outcome is a delivery with its result.
type outcome struct {
	webhook  int64
	state    string
	reason   string
	attempts int
	ours     bool // it went to the world's receiver
	waits    bool // its webhook is disabled, paused or held
}

func (w *world) kept(ctx context.Context) map[int64]outcome {
	w.t.Helper()
	rows, err := w.db.Query(ctx, `
		SELECT d.id, d.webhook_id, d.state, d.reason, d.attempt_count, coalesce(starts_with(h.payload_url, $1), FALSE),
			NOT coalesce(h.enabled, TRUE) OR EXISTS (SELECT FROM extras_webhook_pause p WHERE p.webhook_id = d.webhook_id)
				OR EXISTS (SELECT FROM extras_webhook_state s WHERE s.webhook_id = d.webhook_id AND s.state = 'held')
		FROM extras_delivery d LEFT JOIN extras_webhook h ON h.id = d.webhook_id`, w.receiver.URL+"/")
	if err != nil {
		w.t.Fatal(err)
	}
	kept := map[int64]outcome{}
	var id int64
	var d outcome
	_, err = pgx.ForEachRow(rows, []any{&id, &d.webhook, &d.state, &d.reason, &d.attempts, &d.ours, &d.waits}, func() error {
		kept[id] = d
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return kept
}

// auditReceipts: every receipt belongs to a delivery, its signature is right, a resend is the same request, and no
// request contains the name of a webhook.
func (w *world) auditReceipts(kept map[int64]outcome) {
	w.t.Helper()
	bodies, good := map[int64]string{}, map[int64]int{}
	for _, r := range w.receiver.all() {
		id := deliveryNumber(r.delivery())
		if _, known := kept[id]; !known {
			w.t.Errorf("a request to %s is of delivery %q, which does not exist", r.path, r.delivery())
		}
		if earlier, again := bodies[id]; again && earlier != r.body {
			w.t.Errorf("delivery %s was sent again with another body:\n%s\n%s", r.delivery(), earlier, r.body)
		}
		bodies[id] = r.body
		if r.status >= 200 && r.status < 300 {
			good[id]++
		}
		if strings.Contains(r.whole(), nameCanary) {
			w.t.Errorf("a request holds the name of its webhook:\n%s", r.whole())
		}
		if !slices.ContainsFunc(w.secrets[r.path], r.signedBy) {
			w.t.Errorf("the signature of a request to %s: %q", r.path, r.header["X-Hook-Signature"])
		}
	}
	repeated := 0
	for id, n := range good {
		repeated += n - 1
		if kept[id].state == "failed" && w.duplicates == 0 {
			w.t.Errorf("delivery %d was answered 2XX and failed: %s", id, kept[id].reason)
		}
	}
	if repeated > w.duplicates {
		w.t.Errorf("%d requests were repeated after an answer of 2XX, and faults explain %d", repeated, w.duplicates)
	}
	for id, d := range kept {
		if d.state == "successful" && d.ours && good[id] == 0 {
			w.t.Errorf("delivery %d is successful, and nobody received it", id)
		}
	}
}

// signedBy reports whether a request is signed with a secret, or not at all where there is none.
func (r receipt) signedBy(secret string) bool {
	signatures := r.header["X-Hook-Signature"]
	if secret == "" {
		return len(signatures) == 0
	}
	return len(signatures) == 1 && webhook.Verify(secret, []byte(r.body), signatures[0])
}

// auditDeliveries: every delivery has ended, or waits for its webhook; a failed one says why.
func (w *world) auditDeliveries(kept map[int64]outcome) {
	w.t.Helper()
	for id, d := range kept {
		switch {
		case d.state == "queued" && !d.waits:
			w.t.Errorf("delivery %d is still queued", id)
		case d.state == "failed" && d.reason == "":
			w.t.Errorf("delivery %d failed without a reason", id)
		case d.state == "successful" && (d.reason != "" || d.attempts == 0):
			w.t.Errorf("delivery %d is successful with %d attempts and the reason %q", id, d.attempts, d.reason)
		}
	}
}

// auditChanges: versions have no gaps, each change begins where the one before ended, and every delivery and attempt
// belongs to a change.
func (w *world) auditChanges(ctx context.Context) {
	w.t.Helper()
	for what, query := range map[string]string{
		"changes that do not begin where the one before ended": `
			SELECT count(*) FROM (
				SELECT version, prechange, lag(version) OVER o AS earlier, lag(postchange) OVER o AS was
				FROM extras_objectchange WHERE object_type NOT LIKE 'test.%' WINDOW o AS (PARTITION BY object_type, object_id ORDER BY version)) c
			WHERE version IS DISTINCT FROM coalesce(earlier, 0) + 1 OR prechange IS DISTINCT FROM was`,
		"deliveries without a change": `
			SELECT count(*) FROM extras_delivery d
			WHERE NOT EXISTS (SELECT FROM extras_objectchange c WHERE c.id = d.change_id AND c.changed_at = d.changed_at AND c.version = d.version)`,
		"deliveries that count other attempts than there are": `
			SELECT count(*) FROM extras_delivery d
			WHERE attempt_count <> (SELECT count(*) FROM extras_attempt a WHERE a.delivery_id = d.id AND a.changed_at = d.changed_at)`,
	} {
		var n int
		if err := w.db.QueryRow(ctx, query).Scan(&n); err != nil {
			w.t.Fatal(err)
		}
		if n > 0 {
			w.t.Errorf("%d %s", n, what)
		}
	}
}

// deliveryNumber returns the number of a delivery in the database, or -1: the time in milliseconds and 21 bits of a
// counter, which are at the two ends of the UUID.
func deliveryNumber(uuid string) int64 {
	digits := strings.ReplaceAll(uuid, "-", "")
	if len(digits) != 32 {
		return -1
	}
	milliseconds, err := strconv.ParseInt(digits[:12], 16, 64)
	if err != nil {
		return -1
	}
	counter, err := strconv.ParseInt(digits[20:], 16, 64)
	if err != nil {
		return -1
	}
	return milliseconds<<21 | counter
}
