package delivery_test

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"terrier/internal/store"
)

func (m *machine) crashAny(t *rapid.T) {
	m.crash(t, draw(t, "process with work", slices.DeleteFunc(slices.Clone(m.processes), func(p *process) bool {
		return len(p.hands)+len(p.left) == 0
	})))
}

// crash kills a process and starts another. Requests whose outcome it had not written are of unknown outcome.
func (m *machine) crash(t *rapid.T, p *process) {
	var unknown []*hand
	for _, h := range p.hands {
		if h.at == sent || h.at == judged {
			h.d.spare++
		}
		if h.at == sent {
			unknown = append(unknown, h)
		}
		h.drop()
	}
	p.worker.WaitApart()
	for _, h := range unknown {
		if len(h.judged) > 0 {
			t.Fatalf("a request that was cut off was judged: %v", h)
		}
	}
	m.dead = append(m.dead, p.id)
	*p = *m.newProcess(t)
}

func (m *machine) beat(t *rapid.T, id string) {
	if _, _, err := m.Store.Beat(t.Context(), store.Worker{ID: id, SeenAt: m.clock.now()}); err != nil {
		t.Fatal(err)
	}
}

// notice is a worker that takes another one for dead, which may only be asleep: all jobs of that one are given to
// others.
func (m *machine) notice(t *rapid.T) {
	silent := slices.Clone(m.dead)
	for _, p := range m.processes {
		silent = append(silent, p.id)
	}
	id := draw(t, "silent worker", silent)
	signs, _, err := m.Store.Beat(t.Context(), store.Worker{ID: "watcher", SeenAt: m.clock.now()})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(signs, func(s store.Sign) bool { return s.Worker == id })
	if i < 0 {
		t.Fatalf("%s is not among %v", id, signs)
	}
	asleep := !slices.Contains(m.dead, id)
	silence := !asleep || rapid.Bool().Draw(t, "for too long")
	if !silence {
		m.beat(t, id)
	}
	held := slices.DeleteFunc(m.jobs("running"), func(j jobRef) bool { return !silence || j.d.holders[j.round] != id })
	found, moved, err := m.Store.Rescue(t.Context(), signs[i])
	if err != nil || found != silence || moved != len(held) {
		t.Fatalf("%s was found dead: %t, and %d jobs of %d moved: %v", id, found, moved, len(held), err)
	}
	for _, j := range held {
		if m.inHand(j) {
			j.d.spare++
		}
		j.d.jobs[j.round] = "available"
	}
	m.dead = slices.DeleteFunc(m.dead, func(x string) bool { return x == id })
	if asleep {
		m.beat(t, id)
	}
}

// stop ends a job as a shutdown does: River gets an error, and an outcome that is about to be written is still written.
func (m *machine) stop(t *rapid.T) {
	h := draw(t, "hand", slices.DeleteFunc(m.hands(), func(h *hand) bool { return h.at == ended }))
	switch h.at {
	case sent:
		h.d.spare++
	case judged:
		h.d.spare++
		h.p.left = append(h.p.left, h.result)
	}
	h.drop()
	if h.err == nil {
		t.Fatalf("a job that was stopped says it is done: %v", h)
	}
}

// rescue is done by River: a job that runs for too long is given to another worker, whether its own is dead or only
// asleep.
func (m *machine) rescue(t *rapid.T) {
	j := draw(t, "running job", m.jobs("running"))
	if m.inHand(j) {
		j.d.spare++
	}
	m.setJob(t, j, "retryable")
	if rapid.Bool().Draw(t, "at once") {
		m.setJob(t, j, "available")
		m.take(t, draw(t, "process", m.processes), j.d, j.round)
	}
}

// giveUp is done by River too: a job was started too often, and its worker died each time.
func (m *machine) giveUp(t *rapid.T) {
	m.setJob(t, draw(t, "job of nobody", slices.DeleteFunc(m.jobs("scheduled", "running", "retryable", "available"), m.inHand)), "discarded")
	m.maybeRecover(t)
}

func (m *machine) inHand(j jobRef) bool {
	return slices.ContainsFunc(m.hands(), func(h *hand) bool { return h.d == j.d && h.round == j.round })
}

func (m *machine) due(t *rapid.T) {
	m.setJob(t, draw(t, "job that waits for its time", m.jobs("retryable", "scheduled")), "available")
}

// lose makes a job disappear without a reason.
func (m *machine) lose(t *rapid.T) {
	j := draw(t, "job", m.jobs("available", "running", "retryable", "scheduled", "discarded"))
	m.exec(t, "DELETE FROM river_job WHERE args = jsonb_build_object('delivery', $1::bigint, 'round', $2::bigint)", j.d.id, j.round)
	delete(j.d.jobs, j.round)
	m.maybeRecover(t)
}

func (m *machine) maybeRecover(t *rapid.T) {
	if rapid.Bool().Draw(t, "recovered at once") {
		m.recoverJobs(t)
	}
}

func (m *machine) recoverJobs(t *rapid.T) {
	m.recoverAll(t, rapid.SampledFrom([]int{1, 3, 100}).Draw(t, "limit"), rapid.Bool().Draw(t, "old"))
}

// recoverAll looks through all deliveries, a part at a time.
func (m *machine) recoverAll(t *rapid.T, limit int, old bool) {
	before := m.clock.from.Add(-time.Hour)
	if old {
		before = m.clock.now().Add(time.Hour)
	}
	should, found := 0, 0
	for _, d := range m.deliveries {
		if d.recoverJob(old) {
			should++
		}
	}
	for after, calls := int64(0), 0; ; calls++ {
		n, next, err := m.Store.Recover(t.Context(), after, limit, before)
		if err != nil || calls > 10*mostDeliveries {
			t.Fatalf("recover, call %d: %v", calls, err)
		}
		found += n
		if after = next; next == 0 {
			break
		}
	}
	if found != should {
		t.Fatalf("recovered %d of %d", found, should)
	}
}
