package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
	"pgregory.net/rapid"

	"terrier/internal/delivery"
	"terrier/internal/store"
)

// process is a worker process: what it has in memory is lost with it.
type process struct {
	id     string
	worker *delivery.Worker
	hands  []*hand
	left   []result // whose jobs were stopped before they were written
}

// hand is a job that a process works on. The product's own code runs it in a goroutine that waits before each step
// until the test lets it continue.
type hand struct {
	p      *process
	d      *modelDelivery
	round  int64
	job    int64
	try    int
	probe  *store.Probe // nil for a job that River gave out
	cancel context.CancelFunc

	// Where it waits. Only one hand runs at a time.
	at      string
	asked   chan struct{}
	loaded  chan loadedDue
	judged  chan store.Outcome
	written chan error
	gone    chan struct{}
	ended   chan error

	// What it knows.
	due      loadedDue
	plan     plan
	tries    int64
	counted  int64     // attempts before this one
	settings []setting // any of these may have been sent
	request  *arrival
	answer   answer
	result   result
	err      error
}

// The steps before which a hand waits.
const (
	taken  = "taken"  // before its delivery is loaded
	loaded = "loaded" // nothing is done yet
	sent   = "sent"   // the receiver has the request
	judged = "judged" // the outcome is not written yet
	ended  = "ended"  // River doesn't know yet
)

type loadedDue struct {
	due *store.Due
	err error
}

// result is an outcome, and why the model says that it failed.
type result struct {
	store.Outcome
	why string
	d   *modelDelivery
}

var errCrash = errors.New("crash")

type handKey struct{}

func handOf(ctx context.Context) *hand { return ctx.Value(handKey{}).(*hand) }

// newProcess starts a worker process that knows nothing yet.
func (m *machine) newProcess(t *rapid.T) *process {
	w := &delivery.Worker{Store: m.Store, Client: m.client, Keys: m.worker.Keys, Now: m.clock.now, FirstRetry: firstRetry,
		Log: slog.New(slog.NewTextHandler(&m.log, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	w.TakeApart(func(ctx context.Context, _ int64) (*store.Due, error) {
		h := handOf(ctx)
		h.asked <- struct{}{}
		select {
		case x := <-h.loaded:
			return x.due, x.err
		case <-h.gone:
			return nil, errCrash
		}
	}, func(ctx context.Context, o store.Outcome) error {
		h := handOf(ctx)
		h.judged <- o
		select {
		case err := <-h.written:
			return err
		case <-h.gone:
			return errCrash
		}
	})
	m.named++
	p := &process{id: fmt.Sprint("worker-", m.named), worker: w}
	m.beat(t, p.id)
	return p
}

// take fetches a job, as River does.
func (m *machine) take(t *rapid.T, p *process, d *modelDelivery, round int64) *hand {
	h := &hand{round: round}
	err := m.db.QueryRow(t.Context(), `UPDATE river_job SET state = 'running', attempt = attempt + 1, attempted_at = now(),
		attempted_by = array_append(attempted_by, $3)
		WHERE state = 'available' AND args = jsonb_build_object('delivery', $1::bigint, 'round', $2::bigint)
			RETURNING id, attempt`, d.id, round, p.id).Scan(&h.job, &h.try)
	if err != nil {
		t.Fatalf("take the job of round %d of %v: %v", round, d, err)
	}
	return m.run(t, p, d, h)
}

// run lets the product work on a job that was taken, up to its first step.
func (m *machine) run(t *rapid.T, p *process, d *modelDelivery, h *hand) *hand {
	h.p, h.d, h.at = p, d, taken
	h.asked, h.loaded, h.judged = make(chan struct{}, 1), make(chan loadedDue), make(chan store.Outcome, 1)
	h.written, h.gone, h.ended = make(chan error), make(chan struct{}), make(chan error, 1)
	d.jobs[h.round], d.holders[h.round], d.takers[h.round] = "running", p.id, h
	p.hands = append(p.hands, h)
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), handKey{}, h))
	h.cancel = cancel
	go func() {
		args := delivery.Args{Delivery: d.id, Round: h.round}
		if h.probe != nil {
			h.ended <- p.worker.WorkProbe(ctx, *h.probe, args)
			return
		}
		h.ended <- p.worker.Work(ctx, &river.Job[delivery.Args]{JobRow: &rivertype.JobRow{ID: h.job, Attempt: h.try}, Args: args})
	}()
	select {
	case <-h.asked:
	case err := <-h.ended:
		h.at = ended
		t.Fatalf("%v ended before its delivery was loaded: %v", h, err)
	}
	return h
}

// next waits until a hand has come to its next place.
func (m *machine) next(t *rapid.T, h *hand) {
	select {
	case h.request = <-m.arrived:
		h.at = sent
	case h.result.Outcome = <-h.judged:
		h.at = judged
	case h.err = <-h.ended:
		h.at = ended
	case <-time.After(25 * time.Second):
		t.Fatalf("%v went nowhere", h)
	}
}

// drop discards a hand with all it knows.
func (h *hand) drop() {
	h.cancel()
	if h.at == ended {
		return
	}
	close(h.gone)
	h.err, h.at = <-h.ended, ended
}

// putBack is what becomes of the job when it goes back to its place: nothing, if somebody else has it by now.
func (h *hand) putBack() {
	if h.d.jobs[h.round] == "running" && h.d.takers[h.round] == h {
		h.d.jobs[h.round] = "available"
	}
}

func (h *hand) String() string {
	return fmt.Sprintf("job of round %d, %s, plan %q, of %v", h.round, h.at, h.plan, h.d)
}

// report tells River how a job ended, as River's client does. A probe puts its job back itself.
func (m *machine) report(t *rapid.T, h *hand) {
	if h.probe != nil {
		if h.err == nil {
			return
		}
		if err := m.Store.PutBack(t.Context(), h.job, h.try); err != nil {
			t.Fatal(err)
		}
		h.putBack()
		return
	}
	now := time.Now()
	p := riverdriver.JobSetStateCompleted(h.job, now, nil)
	if h.err != nil {
		p = riverdriver.JobSetStateErrorAvailable(h.job, now, []byte(`{"error": "x"}`), nil)
	}
	_, err := m.executor.JobSetStateIfRunningMany(t.Context(), &riverdriver.JobSetStateIfRunningManyParams{
		ID: []int64{p.ID}, Attempt: []*int{p.Attempt}, ErrData: [][]byte{p.ErrData}, FinalizedAt: []*time.Time{p.FinalizedAt},
		MetadataDoMerge: []bool{p.MetadataDoMerge}, MetadataUpdates: [][]byte{p.MetadataUpdates},
		ScheduledAt: []*time.Time{p.ScheduledAt}, State: []rivertype.JobState{p.State}})
	if err != nil {
		t.Fatal(err)
	}
	if h.err != nil && h.d.jobs[h.round] == "running" {
		h.d.jobs[h.round] = "available"
	}
}

// arrival is a request at the receiver, which waits for the test's answer.
type arrival struct {
	header     http.Header
	path, body string
	answer     chan answer
}

// answer is the receiver's answer; without a status it closes the connection.
type answer struct {
	status     int
	retryAfter string
}

type receiver struct{ arrived chan *arrival }

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	a := &arrival{header: req.Header, path: req.URL.Path, body: string(body), answer: make(chan answer, 1)}
	select {
	case r.arrived <- a:
	case <-req.Context().Done():
		return
	}
	select {
	case got := <-a.answer:
		if got.status == 0 {
			panic(http.ErrAbortHandler)
		}
		w.Header()["Date"] = nil // its clock is the test's
		if got.retryAfter != "" {
			w.Header().Set("Retry-After", got.retryAfter)
		}
		w.WriteHeader(got.status)
	case <-req.Context().Done():
	}
}
