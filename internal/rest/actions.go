package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// actionRoutes lists what can be done with deliveries and webhooks besides reading and
// writing them.
func (a *API) actionRoutes() []Route {
	deliveries, webhooks := a.Registry.Type(store.DeliveryType), a.Registry.Type(store.WebhookType)
	post := func(r Route, h http.HandlerFunc) Route {
		r.Methods, r.handle, r.allow = []string{"POST"}, map[string]http.HandlerFunc{"POST": h}, a.Ledger.AllowWebhooks
		return r
	}
	get := func(r Route, h http.HandlerFunc) Route {
		r.Methods, r.handle = []string{"GET"}, map[string]http.HandlerFunc{"GET": h}
		return r
	}
	return []Route{
		post(Route{Pattern: deliveries.Path() + "retry/{$}", Type: deliveries, Action: &action{
			summary: "Send failed deliveries again", status: "200", answer: countSchema,
			body: object{"type": "object", "required": []string{"filter"}, "properties": object{
				"filter":  object{"type": "object", "description": "The filters of the list, by name.", "additionalProperties": true},
				"dry_run": object{"type": "boolean", "description": "Only count."}}}}}, a.retryAll(deliveries)),
		post(Route{Pattern: deliveries.Path() + "{id}/retry/{$}", Type: deliveries, Detail: true, Action: &action{
			summary: "Send a failed delivery again", status: "202", answer: ref(deliveries.SchemaName(""))}}, a.retry(deliveries)),
		post(Route{Pattern: webhooks.Path() + "{id}/pause/{$}", Type: webhooks, Detail: true, Action: &action{
			summary: "Hold what waits for a webhook", status: "200", answer: ref(webhooks.SchemaName(""))}}, a.pause(webhooks, true)),
		post(Route{Pattern: webhooks.Path() + "{id}/resume/{$}", Type: webhooks, Detail: true, Action: &action{
			summary: "Let a webhook go on", status: "200", answer: ref(webhooks.SchemaName(""))}}, a.pause(webhooks, false)),
		get(Route{Pattern: "/api/extras/queues/{$}", Type: webhooks, Action: &action{
			summary: "What waits for each webhook, and how it went lately", status: "200", answer: pageOf(queueSchema(webhooks))}}, a.queues(webhooks)),
		get(Route{Pattern: "/api/extras/workers/{$}", Type: webhooks, Action: &action{
			summary: "The worker processes that are alive", status: "200", answer: pageOf(workerSchema)}}, a.workers),
	}
}

// action describes an address that is neither a list nor a record.
type action struct {
	summary string
	status  string
	answer  any
	body    any // nil for none
}

func (a *API) retry(t *record.Type) http.HandlerFunc {
	return a.one(t, http.StatusAccepted, a.Ledger.Retry)
}

func (a *API) retryAll(t *record.Type) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		in, err := decode(w, r, false)
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		tests, err := filterBody(t, in.items[0]["filter"])
		dry, isBool := in.items[0]["dry_run"].(bool)
		if _, given := in.items[0]["dry_run"]; err == nil && given && !isBool {
			err = fault.Field("dry_run", "Must be true or false.")
		}
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		n, err := a.Ledger.RetryAll(r.Context(), ledger.CallerFrom(r.Context()), tests, dry)
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		a.sendValue(w, r, http.StatusOK, map[string]int64{"count": n})
	}
}

// filterBody reads filters that came as JSON. An unknown one is always refused: what it
// should have left out would be sent.
func filterBody(t *record.Type, in any) ([]record.Predicate, error) {
	given, ok := in.(map[string]any)
	if !ok {
		return nil, fault.Field("filter", `Say which deliveries: an object of filters, such as {"webhook_id": 7}; {} means all.`)
	}
	params := url.Values{}
	for name, value := range given {
		values, list := value.([]any)
		if !list {
			values = []any{value}
		}
		if len(values) == 0 {
			return nil, fault.Field(name, "An empty list is no filter.")
		}
		for _, v := range values {
			switch v.(type) {
			case map[string]any, []any, nil:
				return nil, fault.Field(name, "A filter is a text, a number, or a list of these.")
			}
			params.Add(name, fmt.Sprint(v))
		}
	}
	var tests []record.Predicate
	for name, values := range params {
		p, known, err := t.ParseFilter(name, values)
		if err != nil {
			return nil, err
		}
		if !known {
			return nil, ledger.UnknownFilter(t, name)
		}
		tests = append(tests, p)
	}
	return tests, nil
}

func (a *API) pause(t *record.Type, paused bool) http.HandlerFunc {
	return a.one(t, http.StatusOK, func(ctx context.Context, c ledger.Caller, id int64) (record.Values, error) {
		return a.Ledger.Pause(ctx, c, id, paused)
	})
}

// queue is how a queue is shown.
type queue struct {
	Webhook    json.RawMessage `json:"webhook"`
	Enabled    bool            `json:"enabled"`
	Paused     bool            `json:"paused"`
	Queued     int64           `json:"queued"`
	Retrying   int64           `json:"retrying"`
	OldestAge  *float64        `json:"oldest_age_seconds"`
	Successful int64           `json:"successful"`
	Failed     int64           `json:"failed"`
	PerMinute  float64         `json:"per_minute"`
	AverageMS  *float64        `json:"average_ms"`
}

func (a *API) queues(t *record.Type) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		found, window, err := a.Ledger.Queues(r.Context(), ledger.CallerFrom(r.Context()))
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		brief := t.Plan(record.View{Brief: true})
		shown := make([]queue, len(found))
		for i, q := range found {
			shown[i] = queue{Webhook: a.Printer.Append(nil, q.Webhook, brief), Enabled: q.Webhook.Bool("enabled"), Paused: q.Webhook.Get("paused_at") != nil,
				Queued: q.Queued, Retrying: q.Retrying, Successful: q.Successful, Failed: q.Failed}
			if q.OldestAt != nil {
				age := a.Ledger.Now().Sub(*q.OldestAt).Seconds()
				shown[i].OldestAge = &age
			}
			if done := q.Successful + q.Failed; done > 0 {
				average := float64(q.Milliseconds) / float64(done)
				shown[i].PerMinute, shown[i].AverageMS = float64(done)/window.Minutes(), &average
			}
		}
		a.sendValue(w, r, http.StatusOK, pageBody(shown))
	}
}

func (a *API) workers(w http.ResponseWriter, r *http.Request) {
	found, err := a.Ledger.Workers(r.Context(), ledger.CallerFrom(r.Context()))
	if err != nil {
		a.Fail(w, r, err)
		return
	}
	shown := make([]map[string]any, len(found))
	for i, x := range found {
		shown[i] = map[string]any{"id": x.ID, "host": x.Host, "program": x.Program, "started": x.StartedAt.UTC().Format(time.RFC3339),
			"seen": x.SeenAt.UTC().Format(time.RFC3339), "sending": x.Sending}
	}
	a.sendValue(w, r, http.StatusOK, pageBody(shown))
}

func pageBody[T any](results []T) map[string]any {
	return map[string]any{"count": len(results), "next": nil, "previous": nil, "results": results}
}

var countSchema = object{"type": "object", "required": []string{"count"}, "properties": object{"count": object{"type": "integer", "format": "int64"}}}

var workerSchema = object{"type": "object", "required": []string{"id", "host", "program", "started", "seen", "sending"}, "properties": object{
	"id": object{"type": "string"}, "host": object{"type": "string"}, "program": object{"type": "string"},
	"started": object{"type": "string", "format": "date-time"}, "seen": object{"type": "string", "format": "date-time"},
	"sending": object{"type": "integer", "description": "Deliveries it has in hand."}}}

func queueSchema(t *record.Type) object {
	number := object{"type": "integer", "format": "int64"}
	return object{"type": "object", "required": []string{"webhook", "enabled", "paused", "queued", "retrying", "oldest_age_seconds", "successful", "failed", "per_minute", "average_ms"},
		"properties": object{"webhook": ref(t.SchemaName("Brief")), "enabled": object{"type": "boolean"}, "paused": object{"type": "boolean"},
			"queued": number, "retrying": number, "oldest_age_seconds": object{"type": "number", "nullable": true}, "successful": number, "failed": number,
			"per_minute": object{"type": "number", "description": "Over the last 15 minutes, as are the other figures of what was done."}, "average_ms": object{"type": "number", "nullable": true}}}
}
