package delivery_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"terrier/internal/account"
	"terrier/internal/delivery"
	"terrier/internal/ledger"
)

// TestLockedWebhook: a worker with the wrong key sends nothing, says why, and leaves the
// delivery to be sent when that is mended.
func TestLockedWebhook(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, ledger.Input{"secret": "s3cret", "max_retries": "1"})
	keys, err := account.NewKeyring(strings.Repeat("x", 60), nil)
	if err != nil {
		t.Fatal(err)
	}
	right := b.worker
	b.worker = &delivery.Worker{Store: right.Store, Client: right.Client, Keys: keys, Log: right.Log, Now: right.Now, Program: right.Program}
	t.Run("wrong key", func(t *testing.T) {
		b.work(t)
		b.create(t, "dcim.site", site("Ams"))
		b.eventually(t, "SELECT state = 'failed' AND retry_at > now() AND reason LIKE '%secret can''t be opened%' FROM extras_delivery")
	})
	if len(b.received) != 0 {
		t.Error("something was sent")
	}
	b.worker = right
	b.status(http.StatusServiceUnavailable) // and its own retries are still ahead
	b.exec(t, "UPDATE river_job SET scheduled_at = now()")
	b.work(t)
	b.next(t)
	b.eventually(t, "SELECT state = 'failed' AND retry_at IS NOT NULL AND reason LIKE '%503%' FROM extras_delivery")
	b.status(http.StatusOK)
	b.next(t)
	b.eventually(t, "SELECT state = 'successful' AND retry_at IS NULL FROM extras_delivery")
}

// TestLockedWebhookWithAnOldBacklog: a worker with the wrong key has a day from when a delivery
// was queued, however long ago the change was: it may have been paused, or be replayed.
func TestLockedWebhookWithAnOldBacklog(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, ledger.Input{"secret": "s3cret"})
	b.create(t, "dcim.site", site("Ams"))
	b.exec(t, "UPDATE extras_delivery SET queued_at = now() + interval '30 days'")
	keys, err := account.NewKeyring(strings.Repeat("x", 60), nil)
	if err != nil {
		t.Fatal(err)
	}
	b.worker.Keys, b.worker.Now = keys, func() time.Time { return time.Now().AddDate(0, 0, 30) }
	b.work(t)
	b.eventually(t, "SELECT state = 'failed' AND retry_at IS NOT NULL AND reason LIKE '%secret can''t be opened%' FROM extras_delivery")
}

// TestDeletedWebhookEndsItsRetries: what waits for a retry is not kept waiting when there is
// nobody to send it to.
func TestDeletedWebhookEndsItsRetries(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.status(http.StatusServiceUnavailable)
	b.worker.FirstRetry = time.Hour
	hook := b.hook(t, ledger.Input{"max_retries": "2"})
	b.work(t)
	b.create(t, "dcim.site", site("Ams"))
	b.eventually(t, "SELECT state = 'failed' AND retry_at > now() FROM extras_delivery")
	if err := b.Delete(t.Context(), b.root, hook.Type(), []ledger.Edit{{ID: hook.ID()}}); err != nil {
		t.Fatal(err)
	}
	b.eventually(t, "SELECT state = 'failed' AND retry_at IS NULL AND reason = 'The webhook was deleted.' FROM extras_delivery")
	b.eventually(t, "SELECT count(*) = 0 FROM river_job")
}
