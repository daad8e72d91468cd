package delivery_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"terrier/internal/account"
	"terrier/internal/delivery"
	"terrier/internal/ledger"
)

// TestLockedWebhook: a worker with the wrong key sends nothing, says why, and leaves the delivery to be sent later
// with the right key.
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
	b.status(http.StatusServiceUnavailable) // and its own retries are still unused
	b.exec(t, "UPDATE river_job SET scheduled_at = now()")
	b.work(t)
	b.next(t)
	b.eventually(t, "SELECT state = 'failed' AND retry_at IS NOT NULL AND reason LIKE '%503%' FROM extras_delivery")
	b.status(http.StatusOK)
	b.next(t)
	b.eventually(t, "SELECT state = 'successful' AND retry_at IS NULL FROM extras_delivery")
}

// TestLockedWebhookWithAnOldBacklog: a delivery that a worker with the wrong key takes is retried, however long ago
// the change was made (it may be a replay) or the delivery was queued (the webhook may have been paused).
func TestLockedWebhookWithAnOldBacklog(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, ledger.Input{"secret": "s3cret"})
	past := time.Now().AddDate(0, 0, -30)
	if err := b.Store.MakePartitions(t.Context(), past); err != nil {
		t.Fatal(err)
	}
	b.Now = func() time.Time { return past }
	b.create(t, "dcim.site", site("Ams"), site("Ber"))
	b.exec(t, "UPDATE extras_delivery SET queued_at = now() WHERE object_id % 2 = 0")
	keys, err := account.NewKeyring(strings.Repeat("x", 60), nil)
	if err != nil {
		t.Fatal(err)
	}
	b.worker.Keys = keys
	b.work(t)
	b.eventually(t,
		"SELECT count(*) = 2 FROM extras_delivery WHERE state = 'failed' AND retry_at IS NOT NULL AND reason LIKE '%secret can''t be opened%'")
	b.exec(t, "UPDATE river_job SET scheduled_at = now()")
	// the one of a month ago had its one retry
	b.eventually(t,
		"SELECT count(*) FILTER (WHERE retry_at IS NULL) = 1 AND count(*) FILTER (WHERE round = 3) = 1 FROM extras_delivery "+
			"WHERE state = 'failed'")
}

// TestStoppedAfterTheStatus: the status of an answer counts even when the worker is stopped while it reads the rest.
// A test can't see when the status has been read, so each round stops a little later.
func TestStoppedAfterTheStatus(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(receiver.Close)
	b.hook(t, ledger.Input{"payload_url": receiver.URL})
	b.create(t, "dcim.site", site("Ams"))
	job := &river.Job[delivery.Args]{JobRow: &rivertype.JobRow{ID: b.number(t, "SELECT id FROM river_job")},
		Args: delivery.Args{Delivery: b.number(t, "SELECT id FROM extras_delivery"), Round: 1}}
	b.worker.Begin()
	for stop := 50 * time.Millisecond; stop < 4*time.Second; stop *= 2 {
		ctx, cancel := context.WithTimeout(t.Context(), stop)
		err := b.worker.Work(ctx, job)
		cancel()
		b.worker.WaitApart()
		if b.number(t, "SELECT count(*) FROM extras_delivery WHERE state = 'successful'") == 1 {
			if err != nil {
				t.Errorf("River gets the error %v, and would hand the job out again", err)
			}
			return
		}
	}
	t.Error("it was never known")
}

// TestDeletedWebhookEndsItsRetries: deliveries that wait for a retry fail at once when their webhook is deleted.
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
