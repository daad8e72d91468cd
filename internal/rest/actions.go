package rest

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhookadmin"
)

// actionRoutes lists what can be done with deliveries and webhooks besides reading and
// writing them.
func (a *API) actionRoutes() []Route {
	deliveries, webhooks := a.Registry.Type(store.DeliveryType), a.Registry.Type(store.WebhookType)
	post := func(r Route, h http.HandlerFunc) Route {
		if r.Action.body == nil {
			h = a.bare(h)
		}
		h = a.unasked(h)
		r.Methods, r.handle, r.allow = []string{"POST"}, map[string]http.HandlerFunc{"POST": h}, a.Webhooks.Allow
		return r
	}
	get := func(r Route, h http.HandlerFunc) Route {
		r.Methods, r.handle = []string{"GET"}, map[string]http.HandlerFunc{"GET": h}
		return r
	}
	return []Route{
		post(Route{Pattern: deliveries.Path() + "retry/{$}", Type: deliveries, Action: &action{
			summary: "Send failed deliveries again", status: "200", answer: countSchema, body: retrySchema}}, a.retryAll(deliveries)),
		post(Route{Pattern: deliveries.Path() + "{id}/retry/{$}", Type: deliveries, Detail: true, Action: &action{
			summary: "Send a failed delivery again", status: "202", answer: ref(deliveries.SchemaName(""))}}, a.one(deliveries, http.StatusAccepted, a.Webhooks.Retry)),
		post(Route{Pattern: deliveries.Path() + "{id}/redeliver/{$}", Type: deliveries, Detail: true, Action: &action{
			summary: "Send a delivery again that has ended, also a successful one", status: "202", answer: ref(deliveries.SchemaName(""))}},
			a.one(deliveries, http.StatusAccepted, a.Webhooks.Redeliver)),
		post(Route{Pattern: webhooks.Path() + "{id}/pause/{$}", Type: webhooks, Detail: true, Action: &action{
			summary: "Hold what waits for a webhook", status: "200", answer: ref(webhooks.SchemaName(""))}}, a.one(webhooks, http.StatusOK, a.Webhooks.Pause)),
		post(Route{Pattern: webhooks.Path() + "{id}/resume/{$}", Type: webhooks, Detail: true, Action: &action{
			summary: "Let a webhook go on", status: "200", answer: ref(webhooks.SchemaName(""))}}, a.one(webhooks, http.StatusOK, a.Webhooks.Resume)),
		get(Route{Pattern: queuesPath + "{$}", Type: webhooks, Proves: []string{"GET"}, Action: &action{
			summary: "What waits for each webhook, and how it went lately", status: "200", answer: pageOf(queueSchema(webhooks)), parameters: partParameters("webhook_id")}},
			a.queues(webhooks, deliveries)),
		get(Route{Pattern: workersPath + "{$}", Type: webhooks, Action: &action{
			summary: "The worker processes that are alive", status: "200", answer: pageOf(workerSchema), parameters: partParameters()}}, a.workers),
	}
}

// action describes an address that is neither a list nor a record.
type action struct {
	summary    string
	status     string
	answer     any
	body       object // nil for none
	parameters []object
}

// decodeAction reads the body of an action. A record's unknown fields are ignored, because clients
// send back what they read; here, a dry_run that is misspelt would not be dry.
func decodeAction(w http.ResponseWriter, r *http.Request, schema object) (ledger.Input, error) {
	value, err := decodeValue(w, r, false)
	if err != nil {
		return nil, err
	}
	in, ok := value.(ledger.Input)
	if !ok && (value != nil || schema != nil) { // some clients say nothing by null
		return nil, errNoObject
	}
	known, _ := schema["properties"].(object)
	for _, key := range slices.Sorted(maps.Keys(in)) {
		if _, ok := known[key]; !ok {
			return nil, ledger.Unknown("key", key, slices.Sorted(maps.Keys(known)))
		}
	}
	return in, nil
}

// unasked refuses a query: what an action should leave out stands in its body, and a dry_run in
// the address would not be dry.
func (a *API) unasked(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		params, err := ledger.Params(r.URL.RawQuery)
		for _, name := range slices.Sorted(maps.Keys(params)) {
			if name != "format" && err == nil {
				err = fault.Field(name, "An action takes nothing from the address: put it into the body.")
			}
		}
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		next(w, r)
	}
}

// bare refuses a body that holds anything, for actions that take nothing.
func (a *API) bare(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			if _, err := decodeAction(w, r, nil); err != nil {
				a.Fail(w, r, err)
				return
			}
		}
		next(w, r)
	}
}

func (a *API) retryAll(t *record.Type) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		in, err := decodeAction(w, r, retrySchema)
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		q, err := filterBody(t, in["filter"])
		dry, isBool := in["dry_run"].(bool)
		if _, given := in["dry_run"]; err == nil && given && !isBool {
			err = fault.Field("dry_run", "Must be true or false.")
		}
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		done, err := a.Webhooks.RetryAll(r.Context(), ledger.CallerFrom(r.Context()), webhookadmin.RetryAll{Query: q, DryRun: dry})
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		a.sendValue(w, r, http.StatusOK, map[string]int64{"count": done.Count})
	}
}

// filterBody reads filters that came as JSON.
func filterBody(t *record.Type, in any) (q store.Query, err error) {
	given, ok := in.(map[string]any)
	if !ok {
		return q, fault.Field("filter", `Say which deliveries: an object of filters, such as {"webhook_id": 7}; {} means all.`)
	}
	params := url.Values{}
	for name, value := range given {
		values, list := value.([]any)
		if !list {
			values = []any{value}
		}
		if len(values) == 0 {
			return q, fault.Field(name, "An empty list is no filter.")
		}
		for _, v := range values {
			switch v.(type) {
			case map[string]any, []any, nil:
				return q, fault.Field(name, "A filter is a text, a number, or a list of these.")
			}
			params.Add(name, fmt.Sprint(v))
		}
	}
	return ledger.ActionQuery(t, params)
}

var countSchema = object{"type": "object", "required": []string{"count"}, "properties": object{"count": object{"type": "integer", "format": "int64"}}}

var retrySchema = object{"type": "object", "required": []string{"filter"}, "additionalProperties": false, "properties": object{
	"filter":  object{"type": "object", "description": "The filters of the list, by name, and q.", "additionalProperties": true},
	"dry_run": object{"type": "boolean", "description": "Only count."}}}
