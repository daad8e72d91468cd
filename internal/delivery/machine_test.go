package delivery_test

import (
	"bytes"
	"fmt"
	"maps"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"pgregory.net/rapid"

	"terrier/internal/delivery"
	"terrier/internal/egress"
	"terrier/internal/store"
)

// TestMachine does everything that can happen to deliveries, in any order, one step of one job at a time: changes,
// requests and their answers, retries, redeliveries, replays, pausing and deleting webhooks, receivers that go away
// and webhooks that are held, probes, crashes between any two steps, lost jobs. After each step the database must match
// the model, and in the end every delivery has ended, or its webhook is paused or held.
func TestMachine(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	rapid.Check(t, func(t *rapid.T) {
		m := r.newMachine(t)
		defer m.close()
		m.begin(t)
		t.Repeat(m.actions())
		m.settle(t)
	})
}

// rig is shared by all runs. Each run starts with empty tables.
type rig struct {
	*bundle
	client   *egress.Client
	executor riverdriver.Executor
	arrived  chan *arrival
	receiver string
}

// firstRetry and the lead of the clock keep every retry in the future of the database's own clock.
const (
	firstRetry = time.Minute
	clockLead  = time.Hour
)

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{bundle: newBundle(t), arrived: make(chan *arrival)}
	policy, err := egress.ParsePolicy("127.0.0.1/32")
	if err != nil {
		t.Fatal(err)
	}
	r.client = egress.New(egress.Config{Policy: policy, Timeout: 30 * time.Second})
	r.executor = delivery.Executor(r.db)
	server := httptest.NewServer(&receiver{r.arrived})
	server.Config.SetKeepAlivesEnabled(false) // egress repeats a request that a kept connection lost, and here each request counts
	t.Cleanup(server.Close)
	r.receiver = server.URL
	return r
}

// clock advances by a millisecond on every reading, so that no two moments are the same.
type clock struct {
	from  time.Time
	looks atomic.Int64
}

func (c *clock) now() time.Time { return c.from.Add(time.Duration(c.looks.Add(1)) * time.Millisecond) }

// machine is one run: the product with the model beside it.
type machine struct {
	*rig
	clock      *clock
	processes  []*process
	dead       []string // processes that crashed unnoticed
	hooks      []*modelHook
	deliveries []*modelDelivery // in the order of their ids
	sites      []int64
	changes    []modelChange
	named      int
	log        bytes.Buffer // of all workers: nothing in a run deserves a warning
}

func (r *rig) newMachine(t *rapid.T) *machine {
	m := &machine{rig: r, clock: &clock{from: time.Now().Add(clockLead)}}
	m.exec(t, `WITH a AS (DELETE FROM river_job), b AS (DELETE FROM extras_attempt), c AS (DELETE FROM extras_delivery), d AS (DELETE
		FROM extras_objectchange),
		e AS (DELETE FROM extras_webhook_pause), f AS (DELETE FROM extras_webhook), g AS (DELETE FROM extras_worker),
		h AS (DELETE FROM extras_webhook_state) DELETE FROM dcim_site`)
	m.Now = m.clock.now
	m.processes = []*process{m.newProcess(t), m.newProcess(t)}
	return m
}

func (m *machine) begin(t *rapid.T) {
	m.addHook(t)
	m.change(t)
	for _, d := range m.deliveries { // some have a history
		if rapid.Bool().Draw(t, "tried") {
			m.deliver(t, m.take(t, m.processes[0], d, d.round), false)
		}
	}
}

func (m *machine) close() {
	for _, p := range m.processes {
		for _, h := range p.hands {
			h.drop()
		}
		p.worker.WaitApart()
	}
}

// actions are named in the order of how often they are wanted, because rapid prefers the first and the last.
func (m *machine) actions() map[string]func(*rapid.T) {
	all := map[string]func(*rapid.T){"": m.compare}
	for i, action := range []struct {
		name string
		do   func(*rapid.T)
	}{
		{"step", m.stepAny}, {"take", m.takeAny}, {"retry", m.retry}, {"redeliver", m.redeliver}, {"replay", m.replay},
		{"lose job", m.lose}, {"overtake", m.overtake}, {"impatience", m.impatience},
		{"step", m.stepAny}, {"take", m.takeAny}, {"give up", m.giveUp}, {"rescue", m.rescue}, {"notice", m.notice}, {"delete", m.delete},
		{"crash", m.crashAny}, {"stop", m.stop},
		{"step", m.stepAny}, {"edit", m.edit}, {"pause", m.pause}, {"retry all", m.retryAll}, {"recover", m.recoverJobs}, {"change", m.change},
		{"step", m.stepAny}, {"due", m.due}, {"enable", m.enable}, {"add webhook", m.addHook}, {"deliver", m.deliverAny},
		{"outage", m.outage}, {"probe", m.probeAny},
	} {
		all[fmt.Sprintf("%02d %s", i, action.name)] = action.do
	}
	return all
}

// draw picks one of several, and skips the action where there is none.
func draw[T any](t *rapid.T, what string, from []T) T {
	if len(from) == 0 {
		t.Skip("there is no " + what)
	}
	return from[rapid.IntRange(0, len(from)-1).Draw(t, what)]
}

func (m *machine) hands() (all []*hand) {
	for _, p := range m.processes {
		all = append(all, p.hands...)
	}
	return all
}

// jobRef names a job: each round of a delivery has one.
type jobRef struct {
	d     *modelDelivery
	round int64
}

func (m *machine) jobs(states ...string) (found []jobRef) {
	for _, d := range m.deliveries {
		for _, round := range slices.Sorted(maps.Keys(d.jobs)) {
			if slices.Contains(states, d.jobs[round]) {
				found = append(found, jobRef{d, round})
			}
		}
	}
	return found
}

// setJob does to a job what River does.
func (m *machine) setJob(t *rapid.T, j jobRef, state string) {
	m.exec(t, "UPDATE river_job SET state = $3::text::river_job_state, finalized_at = CASE WHEN $3 = 'discarded' THEN now() END "+
		"WHERE args = jsonb_build_object('delivery', $1::bigint, 'round', $2::bigint)", j.d.id, j.round, state)
	j.d.jobs[j.round] = state
}

func (m *machine) exec(t *rapid.T, sql string, args ...any) {
	if _, err := m.db.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

// settle ends all faults and lets the workers work. Paused webhooks may stay paused.
func (m *machine) settle(t *rapid.T) {
	for _, p := range m.processes {
		if rapid.Bool().Draw(t, "killed") {
			m.crash(t, p)
		} else {
			m.drain(t, p)
		}
	}
	for _, j := range m.jobs("running") {
		m.setJob(t, j, "available")
	}
	for _, h := range m.hooks {
		if h.held() && rapid.Bool().Draw(t, "released") {
			m.setEnabled(t, h, true)
			m.setPaused(t, h, false)
			m.back(t, h)
		}
	}
	m.recoverAll(t, 100, true)
	for range 1000 {
		free := slices.DeleteFunc(m.jobs("available", "retryable", "scheduled"), func(j jobRef) bool { return j.d.hook.held() })
		if len(free) == 0 {
			m.ended(t)
			return
		}
		j := free[0]
		m.setJob(t, j, "available")
		m.deliver(t, m.take(t, m.processes[0], j.d, j.round), false)
		m.compare(t)
	}
	t.Fatal("it goes on for ever")
}

// ended checks what must be true in the end, whatever happened.
func (m *machine) ended(t *rapid.T) {
	for _, d := range m.deliveries {
		switch {
		case d.awaited() && !d.hook.held():
			t.Errorf("never ended: %v", d)
		case d.state == store.Successful && !d.accepted:
			t.Errorf("successful, and nobody accepted it: %v", d)
		case d.state == store.Failed && d.reason == "":
			t.Errorf("failed for no reason: %v", d)
		}
		if d.requests > int(d.round)+d.spare {
			t.Errorf("sent %d times, with faults for %d: %v", d.requests, d.spare, d)
		}
		if len(d.attempts) > d.requests || d.spare == 0 && d.round == 1 && int(d.counted) != d.requests {
			t.Errorf("sent %d times: %v", d.requests, d)
		}
	}
}
