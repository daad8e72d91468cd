package delivery_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"terrier/internal/ledger"
)

// panicking is an observer that panics at a number of attempts and recoveries.
type panicking struct {
	attempts, recoveries atomic.Int64
	recovered            atomic.Int64 // rounds that ended
}

func (p *panicking) Attempted(int64, string, time.Duration) {
	if p.attempts.Add(-1) >= 0 {
		panic("seeded")
	}
}

func (p *panicking) Recovered(int) {
	if p.recoveries.Add(-1) >= 0 {
		panic("seeded")
	}
	p.recovered.Add(1)
}

func (*panicking) Sent(time.Duration) {}
func (*panicking) Rescued(int)        {}

// TestAPanicInAProbe: it does not end the worker. The delivery fails and is retried later, and the next probe ends the hold.
func TestAPanicInAProbe(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	seeded := &panicking{}
	b.worker.Observer = seeded
	b.hook(t, ledger.Input{"hold_on_failure": true, "concurrency": "1"})
	b.work(t)
	b.away(t)
	b.create(t, "dcim.site", site("Ams"))
	b.status(http.StatusOK)
	seeded.attempts.Store(1)
	b.probeNow(t)
	b.eventually(t, `SELECT count(*) = 1 FROM extras_delivery WHERE state = 'failed' AND reason LIKE 'Terrier failed%'
		AND retry_at > now() + interval '30 s'`)
	b.held(t, true)
	b.probeNow(t)
	b.held(t, false)
	b.eventually(t, "SELECT count(*) = 1 FROM extras_delivery WHERE state = 'successful'")
}

// TestAPanicInAJob: the delivery fails and is retried later, others are sent.
func TestAPanicInAJob(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	seeded := &panicking{}
	b.worker.Observer = seeded
	seeded.attempts.Store(1)
	b.hook(t, ledger.Input{"concurrency": "1"})
	b.work(t)
	b.create(t, "dcim.site", site("Ams"), site("Ber"))
	b.eventually(t, "SELECT count(*) FILTER (WHERE state = 'successful') = 1 AND count(retry_at) = 1 FROM extras_delivery")
}

// TestAPanicInALoopOfTheWorker: the next round comes as usual.
func TestAPanicInALoopOfTheWorker(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	seeded := &panicking{}
	b.worker.Observer = seeded
	seeded.recoveries.Store(1)
	b.hook(t, nil)
	b.work(t)
	for deadline := time.After(time.Minute); seeded.recovered.Load() == 0; {
		select {
		case <-deadline:
			t.Fatal("the loop has ended")
		case <-time.After(10 * time.Millisecond):
		}
	}
}
