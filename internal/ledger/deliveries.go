package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// maxRequeued is how many deliveries one request may queue again: it waits for them.
const maxRequeued = 100_000

func (l *Ledger) deliveryType() *record.Type { return l.Store.Type(store.DeliveryType) }
func (l *Ledger) webhookType() *record.Type  { return l.Store.Type(store.WebhookType) }

// AllowWebhooks says why the caller may change no webhook at all, or nil. Those who may,
// may also send again what was meant for it, hold it, and see what was sent.
func (l *Ledger) AllowWebhooks(c Caller) error { return l.Allow(c, l.webhookType(), access.Change) }

// Retry queues a failed delivery again.
func (l *Ledger) Retry(ctx context.Context, c Caller, id int64) (record.Values, error) {
	return l.again(ctx, c, id, false)
}

// Redeliver queues a delivery again that has ended, also a successful one. An automatic retry that is
// ahead makes way.
func (l *Ledger) Redeliver(ctx context.Context, c Caller, id int64) (record.Values, error) {
	return l.again(ctx, c, id, true)
}

func (l *Ledger) again(ctx context.Context, c Caller, id int64, ended bool) (record.Values, error) {
	t := l.deliveryType()
	v, err := l.Get(ctx, c, t, id)
	if err != nil {
		return v, err
	}
	before := v.Text("state")
	matching, queued, err := l.requeue(ctx, c, store.RequeueQuery{Query: store.Query{Where: []record.Predicate{{Values: []any{id}}}}, Ended: ended})
	if err != nil {
		return v, err
	}
	if v, err = l.Get(ctx, c, t, id); err != nil || queued == 1 {
		return v, err
	}
	suits := func(state string) bool { return state == store.Failed || ended && state == store.Successful }
	state := v.Text("state")
	switch {
	case !suits(before): // what it has become meanwhile is not what the caller saw
		state = before
	case suits(state) && v.Link("webhook").ID == 0:
		return v, fault.New(fault.Invalid, "The webhook was deleted: there is nobody to send this to.")
	case suits(state) && matching == 0:
		return v, fault.ErrDenied
	case suits(state):
		state = "being sent right now"
	}
	if ended {
		return v, fault.New(fault.Invalid, "Only a delivery that has ended can be sent again: this one is %s.", state)
	}
	return v, fault.New(fault.Invalid, "Only a failed delivery can be retried: this one is %s.", state)
}

// RetryAll queues every failed delivery again that the query finds, or only counts them.
// Those that are being sent right now are left alone.
func (l *Ledger) RetryAll(ctx context.Context, c Caller, q store.Query, dry bool) (int64, error) {
	matching, queued, err := l.requeue(ctx, c, store.RequeueQuery{Query: q, DryRun: dry})
	if dry {
		return matching, err
	}
	return queued, err
}

func (l *Ledger) requeue(ctx context.Context, c Caller, q store.RequeueQuery) (matching, queued int64, err error) {
	if err := searchable(q.Search); err != nil {
		return 0, 0, err
	}
	if q.Scope, err = l.Policy.Scope(c.Subject, l.deliveryType(), access.View); err != nil {
		return 0, 0, err
	}
	if q.Webhooks, err = l.writeScope(c, l.webhookType(), access.Change); err != nil {
		return 0, 0, err
	}
	q.Limit = maxRequeued
	matching, queued, err = l.Store.Requeue(ctx, q, l.now())
	if err == nil && !q.DryRun && matching > maxRequeued {
		return 0, 0, fault.New(fault.Invalid, "%d deliveries match and at most %d can be sent again at once: narrow the filter, for example by time__lt.", matching, maxRequeued)
	}
	return matching, queued, err
}

// Pause holds what waits for a webhook, or lets it go on.
func (l *Ledger) Pause(ctx context.Context, c Caller, id int64, paused bool) (record.Values, error) {
	t := l.webhookType()
	scope, err := l.writeScope(c, t, access.Change)
	if err != nil {
		return record.Values{}, err
	}
	if _, err := l.Store.Get(ctx, t, scope, id); err != nil {
		return record.Values{}, err
	}
	if err := l.Store.Pause(ctx, id, paused, l.now()); err != nil {
		return record.Values{}, err
	}
	rows := make([]record.Values, 1)
	if rows[0], err = l.Store.Get(ctx, t, scope, id); err == nil {
		err = l.reveal(ctx, c, t, rows)
	}
	return rows[0], err
}

// Queue is a webhook the caller may see, with what waits for it.
type Queue struct {
	Webhook record.Values
	store.Backlog
}

// queueWindow is the time over which throughput is told.
const queueWindow = 15 * time.Minute

// Queues tells what waits for each webhook, and how it went in the last minutes.
func (l *Ledger) Queues(ctx context.Context, c Caller) ([]Queue, time.Duration, error) {
	var hooks []record.Values
	for q := (store.Query{Limit: 1000, Uncounted: true, View: record.View{Only: []string{"name", "enabled", "paused_at"}}}); ; {
		page, err := l.List(ctx, c, l.webhookType(), q)
		if err != nil {
			return nil, 0, err
		}
		hooks = append(hooks, page.Rows...)
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	backlogs, err := l.backlogs(ctx, c)
	if err != nil {
		return nil, 0, err
	}
	byID := make(map[int64]store.Backlog, len(backlogs))
	for _, b := range backlogs {
		byID[b.Webhook] = b
	}
	queues := make([]Queue, len(hooks))
	for i, v := range hooks {
		queues[i] = Queue{v, byID[v.ID()]}
	}
	return queues, queueWindow, nil
}

// DeliveryCounts counts the deliveries that are not successful, by webhook: those that the caller may see.
func (l *Ledger) DeliveryCounts(ctx context.Context, c Caller) ([]store.DeliveryCount, error) {
	scope, err := l.Policy.Scope(c.Subject, l.deliveryType(), access.View)
	if err != nil {
		return nil, err
	}
	return l.Store.DeliveryCounts(ctx, scope)
}

// Backlog tells what waits for one webhook.
func (l *Ledger) Backlog(ctx context.Context, c Caller, hook record.Values) (store.Backlog, error) {
	all, err := l.backlogs(ctx, c)
	i := slices.IndexFunc(all, func(b store.Backlog) bool { return b.Webhook == hook.ID() })
	if err != nil || i < 0 {
		return store.Backlog{}, err
	}
	return all[i], nil
}

func (l *Ledger) backlogs(ctx context.Context, c Caller) ([]store.Backlog, error) {
	scope, err := l.Policy.Scope(c.Subject, l.webhookType(), access.View)
	if err != nil {
		return nil, err
	}
	return l.Store.Backlogs(ctx, scope, l.now().Add(-queueWindow))
}

// workerAlive is how long after its last sign a worker counts as alive.
const workerAlive = 20 * time.Second

// Workers lists the workers that are alive, for those who may see webhooks.
func (l *Ledger) Workers(ctx context.Context, c Caller) ([]store.Worker, error) {
	if err := l.Allow(c, l.webhookType(), access.View); err != nil {
		return nil, err
	}
	return l.Store.Workers(ctx, workerAlive)
}

// shownOfEarlier is how many bytes are shown of a body that is not the last one sent: it
// may have megabytes, and is the same each time as a rule.
const shownOfEarlier = 64 << 10

// attach adds to a delivery what was sent and what came back, for those who may change its
// webhook: bodies and answers hold what not everybody may see.
func (l *Ledger) attach(ctx context.Context, c Caller, v record.Values) error {
	if v.Type() != l.deliveryType() {
		return nil
	}
	scope, err := l.writeScope(c, l.webhookType(), access.Change)
	if err != nil {
		return nil // not for them
	}
	if !scope.All() {
		if link := v.Link("webhook"); link.ID == 0 {
			return nil
		} else if _, err := l.Store.Get(ctx, l.webhookType(), scope, link.ID); err != nil {
			return ignoreNotFound(err)
		}
	}
	attempts, event, err := l.Store.Attempts(ctx, v.ID())
	if err != nil {
		return err
	}
	usual := printable(event.Body())
	first := max(1, int(v.Int("attempt_count"))-len(attempts)+1)
	shown := make([]attempt, len(attempts))
	for i, a := range attempts {
		shown[i] = showAttempt(first+i, a, usual)
		if i < len(attempts)-1 {
			shown[i].Request.cut(shownOfEarlier)
		}
	}
	raw, err := json.Marshal(shown)
	if err != nil {
		return fmt.Errorf("show the attempts of a delivery: %w", err)
	}
	v.Set("attempts", json.RawMessage(raw))
	return nil
}

func ignoreNotFound(err error) error {
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	return err
}

// attempt is how a request and its answer are shown. The destination is called target:
// clients take every url for an address of ours and send their token there.
type attempt struct {
	Number   int            `json:"number"`
	Time     string         `json:"time"`
	Duration int64          `json:"duration_ms"`
	Error    string         `json:"error"`
	Request  attemptRequest `json:"request"`
	Response *attemptAnswer `json:"response"`
}

type attemptRequest struct {
	Method    string          `json:"method"`
	Target    string          `json:"target"`
	Headers   json.RawMessage `json:"headers"`
	Body      string          `json:"body"`
	Truncated bool            `json:"truncated"`
}

func (r *attemptRequest) cut(most int) {
	if len(r.Body) > most {
		r.Body, r.Truncated = strings.ToValidUTF8(r.Body[:most], ""), true
	}
}

type attemptAnswer struct {
	Status    int64           `json:"status"`
	Headers   json.RawMessage `json:"headers"`
	Body      string          `json:"body"`
	Truncated bool            `json:"truncated"`
}

func showAttempt(number int, a store.Attempt, usual string) attempt {
	body := usual
	if a.RequestBody != nil {
		body = printable(a.RequestBody)
	}
	out := attempt{Number: number, Time: a.StartedAt.UTC().Format(record.TimeLayout), Duration: a.Milliseconds, Error: a.Error,
		Request: attemptRequest{a.Method, a.Target, json.RawMessage(a.RequestHeaders), body, false}}
	if a.Status != nil {
		out.Response = &attemptAnswer{*a.Status, json.RawMessage(a.ResponseHeaders), printable(a.ResponseBody), a.Truncated}
	}
	return out
}

// printable shows bytes that are no text as what they are.
func printable(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return fmt.Sprintf("%q", b)
}
