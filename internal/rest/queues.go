package rest

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhookadmin"
)

// The lists that are not of records.
const (
	queuesPath  = "/api/extras/queues/"
	workersPath = "/api/extras/workers/"
)

// partRoutes lists their addresses. Everybody who may see webhooks may read them.
func (a *API) partRoutes() []Route {
	deliveries, webhooks := a.Registry.Type(store.DeliveryType), a.Registry.Type(store.WebhookType)
	get := func(path string, describe action, h http.HandlerFunc) Route {
		describe.status = http.StatusOK
		return Route{Pattern: path + "{$}", Type: webhooks, Methods: []string{"GET"}, Actions: map[string]action{"GET": describe},
			handle: map[string]http.HandlerFunc{"GET": h}}
	}
	queues := get(queuesPath, action{summary: "List the queue of each webhook, with recent outcomes", answer: pageOf(queueSchema(webhooks)),
		parameters: partParameters("webhook_id")}, a.queues(webhooks, deliveries))
	queues.Proves = queues.Methods
	return []Route{a.feedRoute(), queues, get(workersPath, action{summary: "List the worker processes that are alive",
		answer: pageOf(workerSchema), parameters: partParameters()}, a.workers)}
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

// queues lists queued deliveries by webhook. The filter for webhooks is that of the list of deliveries.
func (a *API) queues(webhooks, deliveries *record.Type) http.HandlerFunc {
	brief := webhooks.Plan(record.View{Brief: true})
	return func(w http.ResponseWriter, r *http.Request) {
		params, err := a.partParams(r, "webhook_id")
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		test, _, err := deliveries.ParseFilter("webhook_id", params["webhook_id"])
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		queues, err := a.Webhooks.Queues(r.Context(), ledger.CallerFrom(r.Context()))
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		found := queues.Webhooks
		if params.Has("webhook_id") {
			found = slices.DeleteFunc(found, func(q webhookadmin.Queue) bool { return !slices.Contains(test.Values, any(q.Webhook.ID())) })
		}
		page, next, previous := ledger.Part(params, found)
		shown := make([]queue, len(page))
		for i, q := range page {
			shown[i] = queue{Webhook: a.Printer.Append(nil, q.Webhook, brief), Enabled: q.Webhook.Bool("enabled"),
				Paused: q.Webhook.Get("paused_at") != nil,
				Queued: q.Queued, Retrying: q.Retrying, Successful: q.Successful, Failed: q.Failed}
			if q.OldestAt != nil {
				age := a.Ledger.Now().Sub(*q.OldestAt).Seconds()
				shown[i].OldestAge = &age
			}
			if done := q.Successful + q.Failed; done > 0 {
				average := float64(q.Milliseconds) / float64(done)
				shown[i].PerMinute, shown[i].AverageMS = float64(done)/queues.Window.Minutes(), &average
			}
		}
		a.sendPart(w, r, part{queuesPath, len(found), next, previous, shown})
	}
}

func (a *API) workers(w http.ResponseWriter, r *http.Request) {
	params, err := a.partParams(r)
	if err != nil {
		a.Fail(w, r, err)
		return
	}
	found, err := a.Webhooks.Workers(r.Context(), ledger.CallerFrom(r.Context()))
	if err != nil {
		a.Fail(w, r, err)
		return
	}
	page, next, previous := ledger.Part(params, found)
	shown := make([]object, len(page))
	for i, x := range page {
		shown[i] = object{"id": x.ID, "host": x.Host, "program": x.Program, "started": x.StartedAt.UTC().Format(time.RFC3339),
			"seen": x.SeenAt.UTC().Format(time.RFC3339), "sending": x.Sending, "clock_wrong": x.ClockWrong}
	}
	a.sendPart(w, r, part{workersPath, len(found), next, previous, shown})
}

// partParams reads the query of a list that is not of records. An unknown parameter is refused like an unknown filter
// of records.
func (a *API) partParams(r *http.Request, filters ...string) (url.Values, error) {
	params, err := ledger.Params(r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	known := slices.Concat(filters, []string{"limit", "offset", "format", "brief"})
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if !slices.Contains(known, name) && !a.Ledger.LooseFilters {
			return nil, ledger.Unknown("filter", name, known)
		}
	}
	return params, nil
}

// part is a page of such a list.
type part struct {
	path           string
	count          int    // of the whole list
	next, previous string // queries, "" for none
	results        any
}

func (a *API) sendPart(w http.ResponseWriter, r *http.Request, p part) {
	link := func(query string) any {
		if query == "" {
			return nil
		}
		return a.Printer.Base + p.path + "?" + query
	}
	a.sendValue(w, r, http.StatusOK, object{"count": p.count, "next": link(p.next), "previous": link(p.previous), "results": p.results})
}

var workerSchema = object{"type": "object", "required": []string{"id", "host", "program", "started", "seen", "sending",
	"clock_wrong"}, "properties": object{
	"id": object{"type": "string"}, "host": object{"type": "string"}, "program": object{"type": "string"},
	"started": object{"type": "string", "format": "date-time"}, "seen": object{"type": "string", "format": "date-time"},
	"sending":     object{"type": "integer", "description": "Deliveries it has in hand."},
	"clock_wrong": object{"type": "boolean", "description": "Its clock differs from the database's by more than 5 s, so it takes no jobs."}}}

func queueSchema(t *record.Type) object {
	number := object{"type": "integer", "format": "int64"}
	return object{"type": "object", "required": []string{"webhook", "enabled", "paused", "queued", "retrying", "oldest_age_seconds",
		"successful", "failed", "per_minute", "average_ms"},
		"properties": object{"webhook": ref(t.SchemaName("Brief")), "enabled": object{"type": "boolean"}, "paused": object{"type": "boolean"},
			"queued": number, "retrying": number, "oldest_age_seconds": object{"type": "number", "nullable": true}, "successful": number,
			"failed":     number,
			"per_minute": object{"type": "number", "description": "Over the last 15 minutes, as are the other figures of what was done."},
			"average_ms": object{"type": "number", "nullable": true}}}
}
