package app

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"terrier/internal/fault"
	"terrier/internal/health"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhookadmin"
)

// The command line uses these types of other packages.
type (
	Sample   = webhookadmin.Sample
	Preview  = webhookadmin.Preview
	Replayed = webhookadmin.ReplayCount
	Ended    = store.Ended
)

// WebhookInfo is what `terrier webhook list` shows. The numbers are of deliveries.
type WebhookInfo struct {
	ID         int64    `json:"id"`
	Name       string   `json:"name"`
	State      string   `json:"state"` // disabled, paused, held, failing or healthy
	Types      []string `json:"content_types"`
	ShownTypes []string `json:"-"` // the labels that people are shown
	Method     string   `json:"http_method"`
	URL        string   `json:"payload_url"`
	Queued     int64    `json:"queued"`
	Retrying   int64    `json:"retrying"`
	Failed     int64    `json:"failed"`
	Warning    string   `json:"-"` // what is wrong with one that was just created
}

// Sends reports whether the webhook sends its deliveries. Those of others stay queued.
func (w WebhookInfo) Sends() bool { return health.Sends(w.State) }

// Webhooks lists all webhooks with their unsuccessful deliveries.
func (a *App) Webhooks(ctx context.Context) ([]WebhookInfo, error) {
	rows, err := a.all(ctx, store.WebhookType, "", "")
	if err != nil {
		return nil, err
	}
	counts, err := a.Hooks.DeliveryCounts(ctx, operator())
	if err != nil {
		return nil, err
	}
	hooks := make([]WebhookInfo, len(rows))
	for i, v := range rows {
		hooks[i] = webhookInfo(v)
		if n := slices.IndexFunc(counts, func(s store.DeliveryCount) bool { return s.Webhook == v.ID() }); n >= 0 {
			hooks[i].Queued, hooks[i].Retrying, hooks[i].Failed = counts[n].Queued, counts[n].Retrying, counts[n].Failed
		}
	}
	return hooks, nil
}

func webhookInfo(v record.Values) WebhookInfo {
	var shown []string
	for _, key := range v.List("content_types") {
		shown = append(shown, record.MarkUnknown(v.Type().Field("content_types"), key))
	}
	return WebhookInfo{ID: v.ID(), Name: v.Text("name"), Method: v.Text("http_method"), URL: v.Text("payload_url"),
		Types: v.List("content_types"), ShownTypes: shown,
		State: webhookadmin.Standing(v)}
}

// Webhook finds a webhook by its name, or else by its id.
func (a *App) Webhook(ctx context.Context, name string) (WebhookInfo, error) {
	rows, err := a.all(ctx, store.WebhookType, "", "")
	if err != nil {
		return WebhookInfo{}, err
	}
	names := make([]string, len(rows))
	for i, v := range rows {
		if names[i] = v.Text("name"); names[i] == name {
			return webhookInfo(v), nil
		}
	}
	for _, v := range rows {
		if strconv.FormatInt(v.ID(), 10) == name {
			return webhookInfo(v), nil
		}
	}
	switch near := nearNames(name, names); {
	case len(rows) == 0:
		return WebhookInfo{}, fault.New(fault.NotFound,
			"there are no webhooks yet, so there is no %q: create one with `terrier webhook create`", name)
	case len(near) > 0:
		return WebhookInfo{}, fault.New(fault.NotFound, "there is no webhook %q; did you mean %s?", name, strings.Join(near, ", "))
	}
	return WebhookInfo{}, fault.New(fault.NotFound, "there is no webhook %q; `terrier webhook list` lists them", name)
}

// nearNames lists the names that a shortened or misspelled one may have meant, quoted.
func nearNames(name string, among []string) (near []string) {
	name = strings.ToLower(name)
	lower := make([]string, len(among))
	for i, other := range among {
		if lower[i] = strings.ToLower(other); strings.Contains(lower[i], name) {
			near = append(near, strconv.Quote(other))
		}
	}
	if len(near) == 0 {
		if i := slices.Index(lower, record.Nearest(name, lower)); i >= 0 {
			near = append(near, strconv.Quote(among[i]))
		}
	}
	return near[:min(len(near), 5)]
}

// SampleOf returns what a webhook is tried with: a change, or a record such as dcim.site/3. With neither, it is the
// newest change of the webhook's types.
func (a *App) SampleOf(change int64, text string) (Sample, error) {
	if text == "" {
		return Sample{Change: change}, nil
	}
	key, id, _ := strings.Cut(text, "/")
	n, err := strconv.ParseInt(id, 10, 64)
	t := a.Registry.Type(key)
	if t == nil || err != nil {
		return Sample{}, fault.New(fault.Invalid, "%q names no record: write its type and its id, such as dcim.site/3", text)
	}
	return Sample{Type: t, Record: n}, nil
}

// PreviewWebhook returns what a webhook would send for a sample.
func (a *App) PreviewWebhook(ctx context.Context, webhook int64, s Sample) (Preview, error) {
	if s == (Sample{}) {
		var err error
		if s, err = a.Hooks.DefaultSample(ctx, operator(), webhook); err != nil {
			return Preview{}, err
		}
		if s == (Sample{}) {
			return Preview{},
				fault.New(fault.NotFound, "there is no change yet of the webhook's types to show: name a record, such as --record dcim.site/3")
		}
	}
	return a.Hooks.Preview(ctx, operator(), webhook, webhookadmin.PreviewInput{Sample: s})
}

// UserAgent returns how requests to webhooks identify themselves.
func (a *App) UserAgent() string { return "Terrier/" + a.cfg.Version }

// TestWebhook sends a sample to a webhook and returns the id of the delivery.
func (a *App) TestWebhook(ctx context.Context, webhook int64, s Sample) (int64, error) {
	sent, err := a.Ledger.Act(ctx, operator(), a.Registry.Action("POST extras.webhook/test"), webhook, s.Input())
	if err != nil {
		return 0, err
	}
	return sent.(record.Values).ID(), nil
}

// WorkersAlive counts the worker processes that are alive.
func (a *App) WorkersAlive(ctx context.Context) (int, error) {
	workers, err := a.Hooks.Workers(ctx, operator())
	return len(workers), err
}

// AwaitDelivery waits until the request of a delivery has ended or ctx ends.
func (a *App) AwaitDelivery(ctx context.Context, id int64) (_ Ended, ended bool, _ error) {
	const interval = 100 * time.Millisecond
	tick := time.NewTicker(interval)
	defer tick.Stop()
	where := []record.Predicate{{Values: []any{id}}}
	for {
		found, err := a.Hooks.Ended(ctx, operator(), webhookadmin.EndedQuery{Where: where, Limit: 1})
		switch {
		case err == nil && len(found) > 0:
			return found[0], true, nil
		case err != nil && ctx.Err() == nil:
			return Ended{}, false, err
		}
		select {
		case <-ctx.Done():
			return Ended{}, false, nil
		case <-tick.C:
		}
	}
}

// FormatDelivery returns the id of a delivery as receivers know it.
func (a *App) FormatDelivery(id int64) string {
	return a.Registry.Type(store.DeliveryType).FormatID(id)
}

// PastChanges says which changes to replay; zero fields do not narrow them.
type PastChanges struct {
	Since, Until time.Time
	Type, Action string
	Object       int64
}

func (a *App) predicates(p PastChanges) ([]record.Predicate, error) {
	var where []record.Predicate
	t := a.Registry.Type(store.ChangeType)
	for _, f := range []struct {
		set         bool
		name, value string
	}{
		{!p.Since.IsZero(), "time__gte", p.Since.Format(time.RFC3339Nano)},
		{!p.Until.IsZero(), "time__lt", p.Until.Format(time.RFC3339Nano)},
		{p.Type != "", "changed_object_type", p.Type},
		{p.Object != 0, "changed_object_id", strconv.FormatInt(p.Object, 10)},
		{p.Action != "", "action", p.Action},
	} {
		if !f.set {
			continue
		}
		test, _, err := t.ParseFilter(f.name, []string{f.value})
		if err != nil {
			return nil, fmt.Errorf("choose changes by %s: %w", f.name, err)
		}
		where = append(where, test)
	}
	return where, nil
}

// ReplayCount returns what a replay would do.
func (a *App) ReplayCount(ctx context.Context, hook WebhookInfo, p PastChanges) (Replayed, error) {
	if p.Type != "" && !slices.Contains(hook.Types, p.Type) {
		return Replayed{}, fault.New(fault.Invalid, "%q is not notified of changes to %s, only to %s", hook.Name, p.Type,
			strings.Join(hook.Types, ", "))
	}
	where, err := a.predicates(p)
	if err != nil {
		return Replayed{}, err
	}
	return a.Hooks.Replay(ctx, operator(), hook.ID, webhookadmin.ReplayInput{Where: where, DryRun: true})
}

// Replay sends past changes to a webhook.
func (a *App) Replay(ctx context.Context, hook WebhookInfo, p PastChanges, progress func(Replayed)) (Replayed, error) {
	where, err := a.predicates(p)
	if err != nil {
		return Replayed{}, err
	}
	return a.Hooks.Replay(ctx, operator(), hook.ID, webhookadmin.ReplayInput{Where: where, Progress: progress})
}

// Ended lists the deliveries that ended last, of one webhook where it is not 0 and in one state
// where it is not empty.
func (a *App) Ended(ctx context.Context, webhook int64, state string, since time.Time, limit int) ([]Ended, error) {
	t := a.Registry.Type(store.DeliveryType)
	var where []record.Predicate
	if webhook != 0 {
		where = append(where, record.Predicate{Field: t.Field("webhook"), Values: []any{webhook}})
	}
	if state != "" {
		where = append(where, record.Predicate{Field: t.Field("state"), Values: []any{state}})
	}
	return a.Hooks.Ended(ctx, operator(), webhookadmin.EndedQuery{Where: where, Since: since, Limit: limit})
}
