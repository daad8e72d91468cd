package web

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"slices"

	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhookadmin"
)

// again sends a delivery again, and leads back to where it was asked for.
func (s *Site) again(queue func(context.Context, ledger.Caller, int64) (record.Values, error)) func(*visit) error {
	return func(v *visit) error {
		id, err := s.pages(s.deliveryType()).id(v)
		if err != nil {
			return err
		}
		d, err := queue(v.ctx, v.caller, id)
		if err != nil {
			return err
		}
		note := "The delivery is queued again."
		if d.Link("webhook").ID != 0 {
			note = "The delivery to " + v.webhookOf(d).Text + " is queued again."
		}
		return v.leave(local(v.r.PostFormValue("next"), recordPath(d.Type(), id)), note)
	}
}

// retryPage asks before many deliveries are sent again.
type retryPage struct {
	Count   int64
	Filters []string
	Action  string // where the form goes: the filters are in it
	List    string // the deliveries that are meant
	Cancel  string
}

func (s *Site) retryAllPage(v *visit) error {
	params, q, err := s.retryQuery(v)
	if err != nil {
		return err
	}
	would, err := s.Webhooks.RetryAll(v.ctx, v.caller, webhookadmin.RetryAll{Query: q, DryRun: true})
	if err != nil {
		return err
	}
	deliveries := s.pages(s.deliveryType())
	p := retryPage{Count: would.Count, Action: with(deliveries.path+"retry/", params), List: with(deliveries.path, params, "state", "failed"), Cancel: tasksPath}
	if p.Filters, err = v.filterTexts(params); err != nil {
		return err
	}
	return v.show(page{Name: "retry", Title: "Send again", Crumbs: deliveries.crumbs(), Body: p})
}

// filterTexts are filters of deliveries as people read them: a webhook by its name.
func (v *visit) filterTexts(params url.Values) ([]string, error) {
	params = maps.Clone(params)
	if ids := params["webhook_id"]; len(ids) > 0 {
		test, _, err := v.site.deliveryType().ParseFilter("webhook_id", ids)
		if err != nil {
			return nil, err
		}
		hooks := v.site.Registry.Type(store.WebhookType)
		found, err := v.site.Ledger.List(v.ctx, v.caller, hooks, store.Query{Uncounted: true, Limit: len(ids), Where: []record.Predicate{{Values: test.Values}}})
		if err != nil {
			return nil, err
		}
		names := map[string]string{}
		for _, hook := range found.Rows {
			names[hooks.FormatID(hook.ID())] = hook.Display()
		}
		params["webhook_id"] = slices.Clone(ids)
		for i, id := range ids {
			params["webhook_id"][i] = cmp.Or(names[id], id)
		}
	}
	var texts []string
	for _, chip := range v.site.pages(v.site.deliveryType()).chips(params) {
		texts = append(texts, chip.Text)
	}
	return texts, nil
}

func (s *Site) retryAll(v *visit) error {
	_, q, err := s.retryQuery(v)
	if err != nil {
		return err
	}
	done, err := s.Webhooks.RetryAll(v.ctx, v.caller, webhookadmin.RetryAll{Query: q})
	if err != nil {
		return err
	}
	return v.leave(tasksPath, counted(done.Count, "delivery is", "deliveries are")+" queued again.")
}

// retryQuery reads which deliveries are meant.
func (s *Site) retryQuery(v *visit) (url.Values, store.Query, error) {
	params, err := ledger.Params(v.r.URL.RawQuery)
	if err != nil {
		return nil, store.Query{}, err
	}
	params = filled(params)
	q, err := ledger.ActionQuery(s.deliveryType(), params)
	return params, q, err
}
