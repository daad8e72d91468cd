package delivery_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"terrier/internal/delivery"
	"terrier/internal/egress"
	"terrier/internal/ledger"
	"terrier/internal/store"
)

// newWorker returns another worker on the database of the bundle.
func (b *bundle) newWorker(t *testing.T, timeout time.Duration) *delivery.Worker {
	t.Helper()
	policy, err := egress.ParsePolicy("127.0.0.1/32")
	if err != nil {
		t.Fatal(err)
	}
	return &delivery.Worker{Store: b.worker.Store, Client: egress.New(egress.Config{Policy: policy, Timeout: timeout}), Keys: b.worker.Keys,
		Log: b.worker.Log, Now: time.Now, Program: "test"}
}

// started runs a worker until stop is called, which returns when it has ended.
func started(t *testing.T, w *delivery.Worker) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	var ended atomic.Bool
	stop = func() {
		if cancel(); ended.Swap(true) {
			return
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return stop
}

// attempts counts the requests of a worker.
type attempts struct{ n atomic.Int64 }

func (a *attempts) Attempted(int64, string, time.Duration) { a.n.Add(1) }
func (a *attempts) Sent(time.Duration)                     {}
func (a *attempts) Rescued(int)                            {}
func (a *attempts) Recovered(int)                          {}

// TestRateLimit: three workers together keep the rate of a webhook, and each does a part. `make long-pace` measures for a
// minute and is strict.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	const rate = 50
	span, within := 5*time.Second, 0.3
	if os.Getenv("TERRIER_LONG") != "" {
		span, within = time.Minute, 0.1
	}
	b := newBundle(t)
	b.hook(t, ledger.Input{"rate_limit": fmt.Sprint(rate), "concurrency": "20"})
	backlog := rate * int(span/time.Second+4)
	for first := 0; first < backlog; first += 500 {
		inputs := make([]ledger.Input, min(500, backlog-first))
		for i := range inputs {
			inputs[i] = site(fmt.Sprintf("s%d", first+i))
		}
		b.create(t, "dcim.site", inputs...)
	}
	sent := make([]attempts, 3)
	for i := range sent {
		w := b.newWorker(t, 5*time.Second)
		w.Observer = &sent[i]
		started(t, w)
	}
	for range rate { // until all of them take part
		b.next(t)
	}
	var at []time.Time
	for from := time.Now(); time.Since(from) < span; {
		b.next(t)
		at = append(at, time.Now())
	}
	want := rate * span.Seconds()
	busiest := 0
	for i, from := range at {
		after, _ := slices.BinarySearchFunc(at[i:], from.Add(time.Second), time.Time.Compare)
		busiest = max(busiest, after)
	}
	t.Logf("%d requests in %s, %d in the busiest second, want %d a second; by worker %d, %d, %d", len(at), span, busiest, rate,
		sent[0].n.Load(), sent[1].n.Load(), sent[2].n.Load())
	if got := float64(len(at)); got < want*(1-within) || got > want*(1+within) || busiest > 2*rate {
		t.Errorf("%d requests in %s, %d in the busiest second, want %d a second", len(at), span, busiest, rate)
	}
	for i := range sent {
		if sent[i].n.Load() < rate/5 {
			t.Errorf("worker %d sent only %d", i, sent[i].n.Load())
		}
	}
}

// TestNoTurnInTime: a job whose turn would leave too little time for the request is given back, as often as it takes, and
// has failed nothing. A webhook without a limit is not held up.
func TestNoTurnInTime(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	hook := b.hook(t, ledger.Input{"rate_limit": "1"})
	b.exec(t, fmt.Sprintf("INSERT INTO extras_webhook_pace VALUES (%d, now() + interval '50 s')", hook.ID()))
	b.create(t, "dcim.site", site("Ams"))
	started(t, b.newWorker(t, 30*time.Second)) // the longest, which leaves a second to wait
	b.eventually(t, "SELECT count(*) = 1 FROM river_job WHERE array_length(attempted_by, 1) > 1")
	b.hook(t, ledger.Input{"name": "other", "payload_url": b.url + "/other"})
	b.create(t, "dcim.site", site("Ber"))
	b.next(t)
	b.eventually(t, "SELECT count(*) = 2 FROM extras_delivery WHERE state = 'queued' AND attempt_count = 0")
	b.exec(t, "UPDATE extras_webhook_pace SET next_at = now()")
	b.next(t)
	b.next(t)
	b.eventually(t, "SELECT count(*) = 3 FROM extras_delivery WHERE state = '"+store.Successful+"' AND attempt_count = 1")
}

// TestWaitingJobsAreGivenBack: a worker that is stopped does not wait for turns.
func TestWaitingJobsAreGivenBack(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.status(http.StatusOK)
	hook := b.hook(t, ledger.Input{"rate_limit": "1"})
	b.exec(t, fmt.Sprintf("INSERT INTO extras_webhook_pace VALUES (%d, now() + interval '20 s')", hook.ID()))
	b.create(t, "dcim.site", site("Ams"))
	stop := started(t, b.newWorker(t, 5*time.Second))
	b.eventually(t, fmt.Sprintf("SELECT next_at > now() + interval '10 s' AND EXISTS (SELECT FROM river_job WHERE state = 'running') "+
		"FROM extras_webhook_pace WHERE webhook_id = %d", hook.ID()))
	began := time.Now()
	if stop(); time.Since(began) > 8*time.Second {
		t.Errorf("it took %s to stop", time.Since(began))
	}
	if n := b.number(t, "SELECT count(*) FROM river_job WHERE state = 'available' AND attempt = 0"); n != 1 || len(b.received) > 0 {
		t.Errorf("%d jobs are given back, %d requests were made", n, len(b.received))
	}
}

// TestJobsWithNothingToSendTakeNoRate: a job whose delivery was sent meanwhile takes nothing of the webhook's rate.
func TestJobsWithNothingToSendTakeNoRate(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, ledger.Input{"rate_limit": "1"})
	sites := make([]ledger.Input, 20)
	for i := range sites {
		sites[i] = site(fmt.Sprint("Site", i))
	}
	b.create(t, "dcim.site", sites...)
	b.exec(t, "UPDATE extras_delivery SET state = 'successful', finished_at = now()")
	b.work(t)
	b.eventually(t, "SELECT NOT EXISTS (SELECT FROM river_job)")
	if n := b.number(t, "SELECT count(*) FROM extras_webhook_pace"); n != 0 {
		t.Error("they took of the rate")
	}
}
