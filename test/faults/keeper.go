package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// keeper is the client that manages the webhooks: it edits, pauses, creates and deletes them, and sends failed deliveries again. No other
// client does, so that their state is known at any time.
type keeper struct {
	*client
	hooks  []*keptHook
	guests int

	signatures map[string]secrets // by the mark of the op that set them
	pauses     []*pauseNote
	retried    map[int64]int // acknowledged retries of single deliveries
}

type keptHook struct {
	*slot
	id      int64
	version int64 // 0 if it is not known any more
	secrets secrets
	enabled bool
	paused  bool
	guest   bool // created and deleted during the run
}

// secrets are what a webhook signs with.
type secrets struct{ current, former string }

// pauseNote is a time in which a webhook is paused, as far as it is known from answers.
type pauseNote struct {
	path        string
	from, until time.Time // when the pause was acknowledged, and when its end was requested
}

func newKeeper(w *world) *keeper {
	k := &keeper{client: newClient(w, 0, nil), signatures: map[string]secrets{}, retried: map[int64]int{}}
	k.name = "keeper"
	return k
}

// setUp creates the webhooks that the run begins with.
func (k *keeper) setUp() error {
	for _, s := range slots() {
		if s.answers != nil {
			k.w.receiver.expect(pathOf(s.name), s.answers)
		}
		if k.create(s, false) == nil {
			return fmt.Errorf("the webhook %s could not be created", s.name)
		}
	}
	return nil
}

// create creates a webhook. One whose creation was not acknowledged is left alone.
func (k *keeper) create(s *slot, guest bool) *keptHook {
	o := k.op("create webhook " + s.name)
	h := &keptHook{slot: s, version: 1, secrets: secrets{current: s.secret}, enabled: s.fields["enabled"] != false, guest: guest}
	if s.secret != "" {
		k.w.receiver.knows(pathOf(s.name), s.secret)
	}
	k.signatures[o.mark] = h.secrets
	o.want = []want{{action: "create", kind: webhookKey, name: o.mark, version: 1}}
	a := k.send(o, acknowledged, call{method: http.MethodPost, path: webhooksPath, body: s.config(k.w.receiver.base, o.mark)})
	if o.outcome != acknowledged {
		return nil
	}
	var made shown
	if err := json.Unmarshal(a.body, &made); err != nil {
		k.w.violate(answered, "a created webhook can't be read: %v %.300s", err, a.body)
		return nil
	}
	h.id, o.want[0].id = made.ID, made.ID
	k.hooks = append(k.hooks, h)
	return h
}

// run changes something from time to time until ctx ends.
func (k *keeper) run(ctx context.Context, every time.Duration, over time.Duration) {
	held := time.After(over / 2)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-held:
			k.pause(k.named("held"), true)
		case <-tick.C:
			k.step()
		}
	}
}

func (k *keeper) named(name string) *keptHook {
	for _, h := range k.hooks {
		if h.slot.name == name {
			return h
		}
	}
	return nil
}

func (k *keeper) step() {
	h := k.hooks[k.rnd.IntN(len(k.hooks))]
	switch n := k.rnd.IntN(10); {
	case n < 2:
		k.retryOne()
	case n < 3:
		k.retryMany(h)
	case h.guest:
		k.remove(h)
	case n < 5:
		k.guests++
		k.create(&slot{name: fmt.Sprint("guest-", k.guests), kinds: []*kind{rackRoles, tags}, fields: object{},
			secret: fmt.Sprint("secret of guest ", k.guests)}, true)
	case len(h.edits) > 0:
		k.edit(h, h.edits[k.rnd.IntN(len(h.edits))])
	}
}

// edit changes a webhook in one of the ways above.
func (k *keeper) edit(h *keptHook, how string) {
	if how == hold {
		k.pause(h, !h.paused)
		return
	}
	o := k.op(how)
	body, next, enabled := object{"name": o.mark}, h.secrets, h.enabled
	switch how {
	case rotate:
		next = secrets{current: fmt.Sprint("secret ", o.mark), former: h.secrets.current}
		if h.secrets.former != "" {
			next = secrets{current: h.secrets.current} // the rotation is over
		}
		k.w.receiver.knows(pathOf(h.slot.name), next.current)
	case template:
		body["body_template"] = templates[k.rnd.IntN(len(templates))]
	case condition:
		body["conditions"] = conditions[k.rnd.IntN(len(conditions))]
	case toggle:
		enabled = !h.enabled
		body["enabled"] = enabled
	}
	if next.current != "" { // even if they stay the same: after an edit without an answer they are not known
		body["secret"], body["previous_secret"] = next.current, next.former
	}
	k.signatures[o.mark] = next
	o.want = []want{{action: "update", kind: webhookKey, id: h.id}}
	a := k.send(o, acknowledged, call{method: http.MethodPatch, path: webhookPath(h.id), body: body})
	if o.outcome != acknowledged {
		h.version = 0
		return
	}
	if h.version != 0 && a.version != h.version+1 {
		k.w.violate(gapless, "webhook %d is at version %d after %s, and was at %d", h.id, a.version, o.mark, h.version)
	}
	h.secrets, h.enabled, h.version, o.want[0].version = next, enabled, a.version, a.version
}

// pause pauses or resumes a webhook, which is not a change of it.
func (k *keeper) pause(h *keptHook, paused bool) {
	action, open := "resume", k.openPause(h)
	if paused {
		action = "pause"
	} else if open != nil {
		open.until = time.Now() // from the request on, deliveries may be sent
	}
	o := k.op(action)
	k.send(o, acknowledged, call{method: http.MethodPost, path: webhookPath(h.id) + action + "/"})
	if o.outcome != acknowledged {
		h.paused = true // perhaps: it is resumed later
		return
	}
	h.paused = paused
	if paused && open == nil {
		k.pauses = append(k.pauses, &pauseNote{path: pathOf(h.slot.name), from: time.Now()})
	}
}

// openPause returns the pause of a webhook whose end was not requested yet, or nil.
func (k *keeper) openPause(h *keptHook) *pauseNote {
	for _, p := range k.pauses {
		if p.path == pathOf(h.slot.name) && p.until.IsZero() {
			return p
		}
	}
	return nil
}

// remove deletes a webhook. If the outcome is not clear, it is tried again later.
func (k *keeper) remove(h *keptHook) {
	o := k.op("delete webhook")
	o.want = []want{{action: "delete", kind: webhookKey, id: h.id}}
	k.send(o, acknowledged, call{method: http.MethodDelete, path: webhookPath(h.id)})
	for i, x := range k.hooks {
		if x == h { // one whose deletion is in doubt stays as it is
			k.hooks = append(k.hooks[:i:i], k.hooks[i+1:]...)
			return
		}
	}
}

// retryOne sends a failed delivery again.
func (k *keeper) retryOne() {
	o := k.op("list failed deliveries")
	a := k.send(o, acknowledged, call{method: http.MethodGet, path: "/api/extras/deliveries/?state=failed&limit=20"})
	if o.outcome != acknowledged {
		return
	}
	var page struct{ Results []struct{ ID string } }
	if err := json.Unmarshal(a.body, &page); err != nil || len(page.Results) == 0 {
		return
	}
	id := page.Results[k.rnd.IntN(len(page.Results))].ID
	retry := k.op("retry a delivery")
	retry.began = time.Now()
	// An automatic retry may be faster. Then the request is refused, which is right too.
	b := k.w.do(context.Background(), k.rnd, call{method: http.MethodPost, path: "/api/extras/deliveries/" + id + "/retry/", token: k.w.admin})
	if b.good() {
		k.retried[deliveryNumber(id)]++
	}
}

// retryMany sends all failed deliveries of a webhook again.
func (k *keeper) retryMany(h *keptHook) {
	k.send(k.op("retry deliveries"), acknowledged, call{method: http.MethodPost, path: "/api/extras/deliveries/retry/",
		body: object{"filter": object{"webhook_id": h.id}}})
}

// release resumes all webhooks that are still paused, and repeats that until it is acknowledged.
func (k *keeper) release(ctx context.Context) error {
	for _, h := range k.hooks {
		for ctx.Err() == nil && (h.paused || k.openPause(h) != nil) {
			k.pause(h, false)
		}
		for ctx.Err() == nil && h.slot.name != "off" && (!h.enabled || h.version == 0) {
			h.enabled = false
			k.edit(h, toggle)
		}
	}
	return ctx.Err()
}
