package delivery_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"terrier/internal/egress"
	"terrier/internal/ledger"
	"terrier/internal/store"
)

// logged is a log whose lines a test can wait for.
type logged chan string

func (l logged) Write(p []byte) (int, error) {
	l <- string(bytes.TrimSpace(p))
	return len(p), nil
}

func (l logged) await(t *testing.T, part string) {
	t.Helper()
	late := time.After(time.Minute)
	for {
		select {
		case line := <-l:
			if bytes.Contains([]byte(line), []byte(part)) {
				return
			}
		case <-late:
			t.Fatalf("the log never said %q", part)
		}
	}
}

// TestAWorkerWhoseClockIsWrongTakesNoJobs: neither at its start nor later, until its clock agrees with the
// database's. It says so and stays alive.
func TestAWorkerWhoseClockIsWrongTakesNoJobs(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, nil)
	log := make(logged, 1000)
	b.worker.Log = slog.New(slog.NewTextHandler(log, nil))
	var off atomic.Int64
	b.worker.Now = func() time.Time { return time.Now().Add(time.Duration(off.Load())) }
	for i, wrong := range []time.Duration{-3 * time.Hour, 6 * time.Second} {
		off.Store(int64(wrong))
		if i == 0 {
			b.work(t)
		}
		log.await(t, "takes no jobs until they agree")
		if i > 0 {
			log.await(t, "finishing what is under way")
			b.eventually(t, "SELECT NOT EXISTS (SELECT FROM river_leader)") // nor does it decide about jobs of others
		}
		b.create(t, "dcim.site", site([]string{"Ams", "Lis"}[i]))
		b.exec(t, "CREATE TABLE seen AS SELECT seen_at FROM extras_worker")
		b.eventually(t, "SELECT w.seen_at > s.seen_at AND w.clock_wrong FROM extras_worker w, seen s")
		b.exec(t, "DROP TABLE seen")
		if n := b.number(t, "SELECT count(*) FROM river_job WHERE attempt = 0"); n != 1 || len(b.received) > 0 {
			t.Errorf("%v: %d jobs wait and %d requests were received", wrong, n, len(b.received))
		}
		off.Store(0)
		log.await(t, "agrees with the database's again")
		b.next(t)
		b.eventually(t, "SELECT NOT clock_wrong FROM extras_worker")
	}
}

// TestAWorkerWhoseClockIsWrongIsNoLeader: it gives up its leadership at once, before its jobs under way have ended.
func TestAWorkerWhoseClockIsWrongIsNoLeader(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	arrived, answer := make(chan struct{}, 1), make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-answer
	}))
	t.Cleanup(receiver.Close)
	b.hook(t, ledger.Input{"payload_url": receiver.URL + "/"})
	var off atomic.Int64
	b.worker.Now = func() time.Time { return time.Now().Add(time.Duration(off.Load())) }
	b.worker.Log = slog.New(slog.DiscardHandler)
	policy, err := egress.ParsePolicy("127.0.0.1/32")
	if err != nil {
		t.Fatal(err)
	}
	b.worker.Client = egress.New(egress.Config{Policy: policy, Timeout: 30 * time.Second})
	b.work(t)
	b.create(t, "dcim.site", site("Ams"))
	<-arrived
	b.eventually(t, "SELECT EXISTS (SELECT FROM river_leader)")
	off.Store(int64(time.Hour))
	b.eventually(t, "SELECT NOT EXISTS (SELECT FROM river_leader)")
	if n := b.number(t, "SELECT count(*) FROM river_job WHERE state = 'running'"); n != 1 {
		t.Errorf("%d jobs are under way", n)
	}
	close(answer)
	b.state(t, store.Successful)
}

// TestAWorkerThatCanNotStartTriesAgain: it says so, and takes jobs as soon as it can.
func TestAWorkerThatCanNotStartTriesAgain(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, nil)
	log := make(logged, 1000)
	b.worker.Log = slog.New(slog.NewTextHandler(log, nil))
	b.exec(t, "ALTER TABLE river_queue RENAME TO away")
	b.work(t)
	log.await(t, "takes no jobs; it tries again")
	b.exec(t, "ALTER TABLE away RENAME TO river_queue")
	b.create(t, "dcim.site", site("Ams"))
	b.next(t)
}
