package delivery_test

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"pgregory.net/rapid"

	"terrier/internal/store"
)

// fetch gives a job that is due to a process.
func (m *machine) fetch(t *rapid.T) *hand {
	j := draw(t, "job that waits", m.jobs("available", "scheduled", "retryable"))
	m.setJob(t, j, "available")
	return m.take(t, draw(t, "process", m.processes), j.d, j.round)
}

// takeAny fetches a job and may run some of its steps.
func (m *machine) takeAny(t *rapid.T) {
	h := m.fetch(t)
	for range rapid.IntRange(0, 3).Draw(t, "steps") {
		if h.at != ended {
			m.step(t, h, true)
		}
	}
}

func (m *machine) deliverAny(t *rapid.T) { m.deliver(t, m.fetch(t), true) }

// deliver runs a job to its end.
func (m *machine) deliver(t *rapid.T, h *hand, faults bool) {
	for h.at != ended {
		m.step(t, h, faults)
	}
	m.release(t, h)
}

// sending runs a job until the receiver has its request. The delivery must be sendable.
func (m *machine) sending(t *rapid.T, states ...string) *hand {
	j := draw(t, "job to send", slices.DeleteFunc(m.jobs(states...), func(j jobRef) bool { return j.d.planOf(j.round, false) != send }))
	m.setJob(t, j, "available")
	h := m.take(t, draw(t, "process", m.processes), j.d, j.round)
	for h.at != sent {
		m.step(t, h, false)
	}
	return h
}

// overtake gives a job to another process while the first one sends: the first ends before the other reads the
// delivery.
func (m *machine) overtake(t *rapid.T) {
	first := m.sending(t, "available", "retryable", "scheduled")
	first.d.spare++
	m.setJob(t, jobRef{first.d, first.round}, "available")
	second := m.take(t, draw(t, "process", m.processes), first.d, first.round)
	m.deliver(t, first, true)
	if rapid.Bool().Draw(t, "to its end") && second.at == taken {
		m.deliver(t, second, true)
	}
}

// impatience is a person who retries while an automatic retry is running: it is left alone, unless its worker was
// taken for dead.
func (m *machine) impatience(t *rapid.T) {
	h := m.sending(t, "scheduled")
	if rapid.Bool().Draw(t, "taken for dead") {
		h.d.spare++
		m.setJob(t, jobRef{h.d, h.round}, "available")
	}
	if rapid.Bool().Draw(t, "redeliver") {
		m.redeliverOne(t, h.d)
	} else {
		m.retryOne(t, h.d)
	}
	if rapid.Bool().Draw(t, "to its end") {
		m.deliver(t, h, true)
	}
}

// drain lets a process finish its jobs.
func (m *machine) drain(t *rapid.T, p *process) {
	for len(p.hands) > 0 {
		m.deliver(t, p.hands[0], false)
	}
	m.write(t, p, nil, p.left, "once")
	p.left = nil
}

func (m *machine) stepAny(t *rapid.T) {
	if h := draw(t, "hand", m.hands()); h.at == ended {
		m.release(t, h)
	} else {
		m.step(t, h, true)
	}
}

// step runs one step of a job. With faults the step may fail.
func (m *machine) step(t *rapid.T, h *hand, faults bool) {
	switch h.at {
	case taken:
		together := []*hand{h}
		if faults {
			together = m.together(t, h)
		}
		m.load(t, together, faults && rapid.IntRange(0, 9).Draw(t, "load fails") == 5)
	case loaded:
		m.goOn(t, h)
	case sent:
		m.answer(t, h, m.drawAnswer(t))
	case judged:
		if !faults {
			m.write(t, h.p, []*hand{h}, nil, "once")
			return
		}
		var left []result
		if rapid.Bool().Draw(t, "with what was left") {
			left, h.p.left = h.p.left, nil
		}
		m.write(t, h.p, m.together(t, h), left, rapid.SampledFrom([]string{"twice", "once", "never", "once"}).Draw(t, "written"))
	}
}

// together returns a batch: the jobs of a process that wait for the same step, or one of them.
func (m *machine) together(t *rapid.T, h *hand) []*hand {
	if !rapid.Bool().Draw(t, "together") {
		return []*hand{h}
	}
	return slices.DeleteFunc(slices.Clone(h.p.hands), func(x *hand) bool { return x.at != h.at })
}

// load reads the deliveries. The plan follows from what they are now.
func (m *machine) load(t *rapid.T, hands []*hand, fails bool) {
	ids := make([]int64, len(hands))
	for i, h := range hands {
		ids[i] = h.d.id
	}
	due, err := hands[0].p.worker.Load(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range hands {
		h.at, h.tries, h.counted, h.settings = loaded, h.d.tries, h.d.counted, []setting{h.d.hook.setting}
		h.due, h.plan = loadedDue{due: due[i]}, h.d.planOf(h.round, h.probe != nil)
		if fails {
			h.due, h.plan = loadedDue{err: errors.New("the database is away")}, tryAgain
		}
	}
}

// goOn lets a job continue and checks that it does what it should.
func (m *machine) goOn(t *rapid.T, h *hand) {
	h.settings = append(h.settings, h.d.hook.setting)
	h.loaded <- h.due
	m.next(t, h)
	switch {
	case h.plan == send && h.at == sent:
		m.arrives(t, h)
	case h.plan == send && h.d.hook.deleted && h.at == ended && h.err != nil: // deleted since it was loaded
	case h.plan == fail && h.at == judged:
		m.judge(t, h)
	case h.plan == hold && h.at == ended && h.err == nil:
		h.putBack()
	case h.plan == leave && h.at == ended && h.err == nil:
		delete(h.d.jobs, h.round)
	case h.plan == tryAgain && h.at == ended && h.err != nil:
	default:
		t.Fatalf("a job did not do as planned: error %v, outcome %+v, %v", h.err, h.result.Outcome, h)
	}
}

func (m *machine) drawAnswer(t *rapid.T) answer {
	a := answer{status: rapid.SampledFrom([]int{500, 200, 429, 0, 204, 299, 404, 302, 503}).Draw(t, "status")}
	switch a.status {
	case 429, 503, 200:
		a.retryAfter = rapid.SampledFrom([]string{"", "7", "0", "-3", "99999999", "soon", "date"}).Draw(t, "Retry-After")
		if a.retryAfter == "date" {
			a.retryAfter = m.clock.now().Add(time.Duration(rapid.Int64Range(-10, 1e6).Draw(t, "seconds")) * time.Second).UTC().
				Format(http.TimeFormat)
		}
	}
	return a
}

func (m *machine) answer(t *rapid.T, h *hand, a answer) {
	h.answer = a
	h.d.accepted = h.d.accepted || a.status/100 == 2
	h.request.answer <- a
	m.next(t, h)
	if h.at != judged {
		t.Fatalf("an answer was not judged: error %v, %v", h.err, h)
	}
	m.judge(t, h)
}

// write writes outcomes in one batch: once, or twice because the first commit was in doubt, or never because the
// database was away for too long.
func (m *machine) write(t *rapid.T, p *process, hands []*hand, results []result, how string) {
	for _, h := range hands {
		results = append(results, h.result)
	}
	var err error
	if how == "never" {
		err = errors.New("the database is away")
		for _, r := range results {
			if r.Attempt != nil {
				r.d.spare++
			}
		}
	} else if len(results) > 0 {
		m.finish(t, p, results, how == "twice")
	}
	for _, h := range hands {
		h.written <- err
		m.next(t, h)
		if h.at != ended || (h.err == nil) != (err == nil) {
			t.Fatalf("the outcome was written with %v, and the job says %v: %v", err, h.err, h)
		}
	}
}

func (m *machine) finish(t *rapid.T, p *process, results []result, twice bool) {
	outcomes := make([]store.Outcome, len(results))
	for i, r := range results {
		outcomes[i] = r.Outcome
	}
	if twice {
		if err := m.Store.Finish(t.Context(), slices.Clone(outcomes)); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.worker.Finish(t.Context(), outcomes); err != nil {
		t.Fatal(err)
	}
	var counted []result
	for _, r := range m.decidingFirst(t, results) {
		if r.d.finish(r.Outcome, r.why) {
			counted = append(counted, r)
		}
	}
	m.noteHealth(results, counted)
}

// decidingFirst: of two outcomes of one round in one batch either may be the one that counts.
func (m *machine) decidingFirst(t *rapid.T, results []result) []result {
	var first, rest []result
	for i, r := range results {
		counts := false
		if slices.ContainsFunc(slices.Delete(slices.Clone(results), i, i+1), func(x result) bool { return x.d == r.d && x.Round == r.Round }) {
			err := m.db.QueryRow(t.Context(), `SELECT state = $2 AND coalesce(status_code, 0) = $3 AND reason = $4 AND
				(finished_at IS NULL OR finished_at = $5) FROM extras_delivery WHERE id = $1`,
				r.d.id, r.State, r.Status, r.Reason, r.At).Scan(&counts)
			if err != nil {
				t.Fatal(err)
			}
		}
		if counts {
			first = append(first, r)
		} else {
			rest = append(rest, r)
		}
	}
	return append(first, rest...)
}

// release reports to River and forgets the job.
func (m *machine) release(t *rapid.T, h *hand) {
	h.p.hands = slices.DeleteFunc(h.p.hands, func(x *hand) bool { return x == h })
	if h.err != nil && slices.ContainsFunc(m.hands(), func(x *hand) bool { return x.job == h.job }) {
		h.d.spare++ // River gives it to a third
	}
	m.report(t, h)
}
