package delivery_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"terrier/internal/delivery"
	"terrier/internal/health"
	"terrier/internal/store"
)

// modelHealth is the health of a webhook as it must be by the rules of the design.
type modelHealth struct {
	state    string // "" for healthy
	failures int64  // in a row
	outages  int64  // in a row, for reasons that may pass
	version  int64  // of the webhook when it was held, or was probed after an edit
}

// attempted records an attempt that counted.
func (h *modelHealth) attempted(o store.Outcome) {
	if o.State == store.Successful {
		*h = modelHealth{}
		return
	}
	h.failures++
	if o.State == store.Queued || o.Receiver.MayPass {
		h.outages++
	} else {
		h.outages = 0
	}
	switch {
	case h.state == health.Held:
	case o.State == store.Queued && h.outages >= 5:
		h.state, h.version = health.Held, o.Receiver.Version
	case h.failures >= 5:
		h.state = health.Failing
	}
}

// noteHealth records what the outcomes that counted say about webhooks. A success says nothing if all was well when its delivery
// was read, unless another outcome is written with it that says something.
func (m *machine) noteHealth(batch, counted []result) {
	slices.SortStableFunc(counted, func(a, b result) int { return a.At.Compare(b.At) })
	for _, r := range counted {
		if slices.ContainsFunc(batch, func(x result) bool {
			return x.d.hook == r.d.hook && x.Receiver.Version != 0 && (x.State != store.Successful || x.Receiver.Ailing)
		}) {
			r.d.hook.health.attempted(r.Outcome)
		}
	}
}

// compareHealth checks what is kept about webhooks against the model.
func (m *machine) compareHealth(t *rapid.T) {
	is := map[int64]string{}
	rows, err := m.db.Query(t.Context(), "SELECT webhook_id, state, failures, outages, probe_at IS NOT NULL FROM extras_webhook_state")
	if err != nil {
		t.Fatal(err)
	}
	var id, failures, outages int64
	var state string
	var probed bool
	if _, err := pgx.ForEachRow(rows, []any{&id, &state, &failures, &outages, &probed}, func() error {
		is[id] = fmt.Sprint(state, failures, outages, probed)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, h := range m.alive() {
		x := h.health
		should := fmt.Sprint(max(x.state, ""), x.failures, x.outages, x.state == health.Held)
		if x.state == "" {
			should = fmt.Sprint(health.Healthy, x.failures, x.outages, false)
		}
		if is[h.id] == "" && x == (modelHealth{}) {
			continue
		}
		if is[h.id] != should {
			t.Fatalf("webhook %d is %s and should be %s", h.id, is[h.id], should)
		}
	}
}

func (m *machine) probeAny(t *rapid.T) {
	hook := draw(t, "held webhook", slices.DeleteFunc(m.alive(), func(h *modelHook) bool { return h.health.state != health.Held }))
	m.probe(t, hook, draw(t, "process", m.processes))
}

// probe lets the time of a webhook's probe come. Those that were edited since they were held are due too, and one that
// no longer holds is not held any more. One process gets a delivery of each, no other gets another.
func (m *machine) probe(t *rapid.T, hook *modelHook, p *process) (probing *hand) {
	m.exec(t, `UPDATE extras_webhook_state SET probe_at = now() + CASE WHEN webhook_id = $1 THEN '0' ELSE interval '1 h' END
		WHERE state = 'held'`, hook.id)
	var due []int64
	for _, h := range m.alive() {
		if h.health.state == health.Held && !h.setting.holds {
			h.health = modelHealth{state: health.Failing}
		}
		if m.probeDue(h, h == hook) {
			due = append(due, h.id)
		}
	}
	found := m.claim(t, p)
	if again := m.claim(t, p); len(again) > 0 {
		t.Fatalf("a second probe beside the first: %v", again)
	}
	var probed []int64
	for _, x := range found {
		probed = append(probed, x.Webhook)
		if h := m.runProbe(t, p, x); x.Webhook == hook.id {
			probing = h
		}
	}
	if slices.Sort(probed); !slices.Equal(probed, due) {
		t.Fatalf("webhooks %v are probed, and %v are due", probed, due)
	}
	return probing
}

// probeDue reports whether a webhook must be probed: its time has come or it was edited, and nothing of it is being sent.
func (m *machine) probeDue(hook *modelHook, now bool) bool {
	ours := func(j jobRef) bool { return j.d.hook == hook }
	return hook.health.state == health.Held && !hook.stopped() && (now || hook.health.version != hook.version) &&
		slices.ContainsFunc(m.jobs("available"), ours) && !slices.ContainsFunc(m.jobs("running"), ours)
}

// runProbe runs the job with which a webhook is probed.
func (m *machine) runProbe(t *rapid.T, p *process, x store.Probe) *hand {
	var args delivery.Args
	if err := json.Unmarshal(x.Args, &args); err != nil {
		t.Fatal(err)
	}
	waiting := slices.DeleteFunc(m.jobs("available"), func(j jobRef) bool { return j.d.hook.id != x.Webhook })
	i := slices.IndexFunc(waiting, func(j jobRef) bool { return j.d.id == args.Delivery && j.round == args.Round })
	if i < 0 {
		t.Fatalf("probed with %v, and %v wait", args, waiting)
	}
	d := waiting[i].d
	d.hook.health.version = d.hook.version
	return m.run(t, p, d, &hand{round: args.Round, job: x.Job, try: x.Try, probe: &x})
}

// outage is a receiver that is away for some attempts in a row.
func (m *machine) outage(t *rapid.T) {
	for range rapid.IntRange(1, 7).Draw(t, "attempts") {
		free := slices.DeleteFunc(m.jobs("available"), func(j jobRef) bool { return j.d.planOf(j.round, false) != send })
		if len(free) == 0 {
			return
		}
		h := m.take(t, draw(t, "process", m.processes), free[0].d, free[0].round)
		for h.at != sent {
			m.step(t, h, false)
		}
		m.answer(t, h, answer{status: rapid.SampledFrom([]int{503, 0, 429}).Draw(t, "status")})
		m.deliver(t, h, false)
		m.compare(t)
	}
}

// back ends the hold of a webhook: a probe is accepted.
func (m *machine) back(t *rapid.T, hook *modelHook) {
	if hook.health.state != health.Held {
		return
	}
	h := m.probe(t, hook, m.processes[0])
	if h == nil {
		return
	}
	m.step(t, h, false)
	m.step(t, h, false)
	if h.at == sent {
		m.answer(t, h, answer{status: 200})
	}
	m.deliver(t, h, false)
	m.compare(t)
}

func (m *machine) claim(t *rapid.T, p *process) []store.Probe {
	found, err := m.Store.ClaimProbes(t.Context(), p.id, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
