package delivery_test

import (
	"fmt"
	"slices"
	"strconv"

	"pgregory.net/rapid"

	"terrier/internal/health"
	"terrier/internal/ledger"
	"terrier/internal/store"
	"terrier/internal/webhookadmin"
)

// A run is small, so that much happens to each delivery.
const (
	mostHooks      = 2
	mostDeliveries = 3 // one change may exceed it
)

// change makes sites or updates one. Every enabled webhook is notified.
func (m *machine) change(t *rapid.T) {
	if len(m.deliveries) >= mostDeliveries {
		t.Skip("there are enough deliveries")
	}
	m.named++
	sites := m.reg.Type("dcim.site")
	var rows []int64
	version := int64(0)
	if len(m.sites) > 0 && rapid.Bool().Draw(t, "update") {
		id := draw(t, "site", m.sites)
		got, err := m.Update(t.Context(), m.root, sites, []ledger.Edit{{ID: id, Input: ledger.Input{"description": fmt.Sprint(m.named)}}})
		if err != nil {
			t.Fatal(err)
		}
		rows, version = []int64{id}, got[0].Version
	} else {
		inputs := []ledger.Input{site(fmt.Sprint("A", m.named)), site(fmt.Sprint("B", m.named))}[:rapid.IntRange(1, 2).Draw(t, "sites")]
		got, err := m.Create(t.Context(), m.root, sites, inputs)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range got {
			rows = append(rows, v.ID())
		}
		m.sites, version = append(m.sites, rows...), 1
	}
	for _, id := range rows {
		m.changes = append(m.changes, modelChange{id, version})
		for _, h := range m.hooks {
			if h.enabled && !h.deleted {
				m.notified(t, h, id, version)
			}
		}
	}
	m.inOrder()
}

func (m *machine) inOrder() {
	slices.SortFunc(m.deliveries, func(a, b *modelDelivery) int { return int(a.id - b.id) })
}

// notified learns the id of a delivery that must exist.
func (m *machine) notified(t *rapid.T, h *modelHook, site, version int64) {
	var id int64
	err := m.db.QueryRow(t.Context(), "SELECT id FROM extras_delivery WHERE webhook_id = $1 AND object_id = $2 AND version = $3", h.id,
		site, version).Scan(&id)
	if err != nil {
		t.Fatalf("webhook %d was not notified of version %d of site %d: %v", h.id, version, site, err)
	}
	m.deliveries = append(m.deliveries, newDelivery(id, site, version, h))
}

func (m *machine) drawSetting(t *rapid.T) setting {
	m.named++
	return setting{maxRetries: rapid.SampledFrom([]int64{2, 0, 1, 3}).Draw(t, "max_retries"), holds: rapid.Bool().Draw(t, "holds"),
		path: fmt.Sprint("/", m.named)}
}

func (s setting) input(receiver string) ledger.Input {
	return ledger.Input{"max_retries": strconv.FormatInt(s.maxRetries, 10), "payload_url": receiver + s.path,
		"hold_on_failure": s.holds}
}

func (m *machine) addHook(t *rapid.T) {
	if len(m.alive()) >= mostHooks {
		t.Skip("there are enough webhooks")
	}
	h := &modelHook{setting: m.drawSetting(t), enabled: true}
	in := h.setting.input(m.receiver)
	in["name"], in["content_types"], in["type_create"], in["type_update"] = fmt.Sprint(m.named), []any{"dcim.site"}, true, true
	got, err := m.Create(t.Context(), m.root, m.reg.Type(store.WebhookType), []ledger.Input{in})
	if err != nil {
		t.Fatal(err)
	}
	h.id, h.version = got[0].ID(), got[0].Version
	m.hooks = append(m.hooks, h)
}

func (m *machine) alive() []*modelHook {
	return slices.DeleteFunc(slices.Clone(m.hooks), func(h *modelHook) bool { return h.deleted })
}

func (m *machine) update(t *rapid.T, h *modelHook, in ledger.Input) {
	got, err := m.Update(t.Context(), m.root, m.reg.Type(store.WebhookType), []ledger.Edit{{ID: h.id, Input: in}})
	if err != nil {
		t.Fatal(err)
	}
	h.version = got[0].Version
}

func (m *machine) edit(t *rapid.T) {
	h := draw(t, "webhook", m.alive())
	h.setting = m.drawSetting(t)
	m.update(t, h, h.setting.input(m.receiver))
}

func (m *machine) pause(t *rapid.T) {
	h := draw(t, "webhook", m.alive())
	m.setPaused(t, h, !h.paused)
}

func (m *machine) setPaused(t *rapid.T, h *modelHook, paused bool) {
	action := "POST extras.webhook/resume"
	if paused {
		action = "POST extras.webhook/pause"
	}
	if _, err := m.act(t.Context(), action, h.id, nil); err != nil {
		t.Fatal(err)
	}
	h.paused = paused
	if paused || h.health.state != health.Held {
		return
	}
	for _, d := range m.deliveries { // those that wait because the receiver asked for time go back to their place
		for round, state := range d.jobs {
			if d.hook == h && d.state == store.Queued && state == "scheduled" {
				d.jobs[round] = "available"
			}
		}
	}
}

func (m *machine) enable(t *rapid.T) {
	h := draw(t, "webhook", m.alive())
	m.setEnabled(t, h, !h.enabled)
}

func (m *machine) setEnabled(t *rapid.T, h *modelHook, enabled bool) {
	m.update(t, h, ledger.Input{"enabled": enabled})
	h.enabled = enabled
}

func (m *machine) delete(t *rapid.T) {
	h := draw(t, "webhook", m.alive())
	if err := m.Delete(t.Context(), m.root, m.reg.Type(store.WebhookType), []ledger.Edit{{ID: h.id}}); err != nil {
		t.Fatal(err)
	}
	h.deleted = true
}

// retry is a person who retries a delivery. Only a failed one is sent again.
func (m *machine) retry(t *rapid.T) { m.retryOne(t, draw(t, "delivery", m.deliveries)) }

func (m *machine) retryOne(t *rapid.T, d *modelDelivery) {
	before := d.String()
	_, err := m.act(t.Context(), "POST extras.delivery/retry", d.id, nil)
	if d.retryByHand() != (err == nil) {
		t.Fatalf("retried with %v: %s", err, before)
	}
}

// redeliver is a person who sends a delivery again that has ended, successful or not.
func (m *machine) redeliver(t *rapid.T) { m.redeliverOne(t, draw(t, "delivery", m.deliveries)) }

func (m *machine) redeliverOne(t *rapid.T, d *modelDelivery) {
	before := d.String()
	_, err := m.act(t.Context(), "POST extras.delivery/redeliver", d.id, nil)
	if d.redeliver() != (err == nil) {
		t.Fatalf("redelivered with %v: %s", err, before)
	}
}

func (m *machine) retryAll(t *rapid.T) {
	var failed int64
	for _, d := range m.deliveries {
		if d.retryByHand() {
			failed++
		}
	}
	n, err := m.act(t.Context(), "POST extras.deliveries/retry", 0, ledger.Input{"filter": ledger.Input{}})
	if err != nil || n != (webhookadmin.Retried{Count: failed}) {
		t.Fatalf("retried %v of %d: %v", n, failed, err)
	}
}

// replay notifies a webhook of all changes once more, including those it was never notified of.
func (m *machine) replay(t *rapid.T) {
	h := draw(t, "webhook", m.alive())
	want := webhookadmin.ReplayCount{Changes: int64(len(m.changes)), Matching: int64(len(m.changes))}
	var missing []modelChange
	for _, c := range m.changes {
		i := slices.IndexFunc(m.deliveries, func(d *modelDelivery) bool { return d.hook == h && d.site == c.site && d.version == c.version })
		switch {
		case i < 0:
			missing = append(missing, c)
			want.New++
		case m.deliveries[i].sendAgain():
			want.Existing++
		default:
			want.Waiting++
		}
	}
	n, err := m.Replay(t.Context(), m.root, h.id, webhookadmin.ReplayInput{})
	if n.Reached = want.Reached; err != nil || n != want {
		t.Fatalf("replayed %+v, want %+v: %v", n, want, err)
	}
	for _, c := range missing {
		m.notified(t, h, c.site, c.version)
	}
	m.inOrder()
}
