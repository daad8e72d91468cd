package demo

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"terrier/internal/store"
)

// deliver writes the outcomes of all deliveries, and resumes the webhooks that are neither paused nor disabled.
func (n *network) deliver() {
	for _, h := range n.hooks {
		n.finish(h)
	}
	for _, h := range n.hooks {
		if h.fate != paused {
			n.act("POST extras.webhook/resume", h.id)
		}
	}
	for _, h := range n.hooks {
		switch h.fate {
		case failing:
			n.stands(h, failingSince)
		case held:
			n.hold(h)
			n.stands(h, awaySince)
		}
	}
}

// stands says how many days ago the health of a webhook changed. The database took the time at which the outcomes were written.
func (n *network) stands(h hook, ago int) {
	if n.err == nil {
		n.err = n.ledger.Store.DateHealth(n.ctx, h.id, n.end.Add(-time.Duration(ago)*day))
	}
}

// finish writes the outcomes of the deliveries of a webhook that are not left queued.
func (n *network) finish(h hook) {
	var outcomes []store.Outcome
	for _, d := range n.queued(h) {
		ago := int(n.end.Sub(d.ChangedAt)/day) + 1
		if h.fate == held && ago <= awaySince || h.fate == paused && ago <= pausedSince {
			continue
		}
		status := http.StatusOK
		switch {
		case h.fate == failing && ago <= failingSince:
			status = http.StatusBadGateway
		case h.fate == disabled && n.rand.IntN(3) == 0:
			status = http.StatusNotFound
		case n.rand.IntN(40) == 0:
			status = http.StatusInternalServerError
		}
		outcomes = append(outcomes, n.outcome(h, d, status))
	}
	for i := max(0, len(outcomes)-3); i < len(outcomes); i++ {
		if outcomes[i].State == store.Failed && h.fate == failing {
			outcomes[i].RetryIn = time.Duration(20+10*(i%3)) * time.Minute
		}
	}
	// The tally has the minute of the first outcome that is written with others.
	slices.SortFunc(outcomes, func(a, b store.Outcome) int { return a.At.Compare(b.At) })
	for len(outcomes) > 0 && n.err == nil {
		minute := outcomes[0].At.Truncate(time.Minute)
		later := slices.IndexFunc(outcomes, func(o store.Outcome) bool { return !o.At.Truncate(time.Minute).Equal(minute) })
		if later < 0 {
			later = len(outcomes)
		}
		n.err = n.ledger.Store.Finish(n.ctx, outcomes[:later])
		outcomes = outcomes[later:]
	}
}

// outcome makes up the answer of a receiver to a delivery.
func (n *network) outcome(h hook, d store.QueuedDelivery, status int) store.Outcome {
	took := 30 + n.rand.Int64N(120)
	if n.rand.IntN(12) == 0 {
		took *= 8
	}
	started := d.ChangedAt.Add(time.Duration(20+n.rand.IntN(400)) * time.Millisecond)
	o := store.Outcome{ID: d.ID, ChangedAt: d.ChangedAt, Webhook: h.id, Round: d.Round, Job: d.Job, State: store.Successful, Status: status,
		At:       started.Add(time.Duration(took) * time.Millisecond),
		Receiver: store.ReceiverNote{Version: d.WebhookVersion, Ailing: true, MayPass: status >= http.StatusInternalServerError}}
	answer := `{"ok": true}`
	if status != http.StatusOK {
		o.State, o.Reason = store.Failed, fmt.Sprintf("The receiver answered %d %s.", status, http.StatusText(status))
		answer = `{"error": "` + http.StatusText(status) + `"}`
	}
	code := int64(status)
	o.Attempt = &store.Attempt{StartedAt: started, Milliseconds: took, Method: http.MethodPost, Target: h.url, Status: &code,
		RequestHeaders: n.headers(d, started), ResponseHeaders: `{"Content-Type": ["application/json"]}`, ResponseBody: []byte(answer)}
	return o
}

// headers returns the headers of a request as a worker keeps them.
func (n *network) headers(d store.QueuedDelivery, at time.Time) string {
	text, err := json.Marshal(map[string][]string{"Content-Type": {"application/json"},
		"X-Hook-Delivery":  {n.ledger.Store.Type(store.DeliveryType).FormatID(d.ID)},
		"X-Hook-Sequence":  {strconv.FormatInt(d.Version, 10)},
		"X-Hook-Timestamp": {strconv.FormatInt(at.Unix(), 10)}})
	if err != nil && n.err == nil {
		n.err = err
	}
	return string(text)
}

// failuresToHold is how many failures in a row hold a webhook.
const failuresToHold = 5

// hold lets the oldest queued delivery of a webhook fail until the webhook is held.
func (n *network) hold(h hook) {
	for range failuresToHold {
		queue := n.queued(h)
		if len(queue) == 0 {
			return
		}
		o := n.outcome(h, queue[0], http.StatusServiceUnavailable)
		o.State, o.Receiver.Holds = store.Queued, true
		o.Attempt.StartedAt = o.Attempt.StartedAt.Add(time.Duration(queue[0].Round) * 10 * time.Second)
		n.err = n.ledger.Store.Finish(n.ctx, []store.Outcome{o})
	}
}

// queued returns the queued deliveries of a webhook.
func (n *network) queued(h hook) (queue []store.QueuedDelivery) {
	if n.err == nil {
		queue, n.err = n.ledger.Store.QueuedDeliveries(n.ctx, h.id)
	}
	return queue
}
