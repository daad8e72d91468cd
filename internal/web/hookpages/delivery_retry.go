package hookpages

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"slices"

	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/web"
	"terrier/internal/webhookadmin"
)

// again returns a handler that sends a delivery again and redirects to the page it was requested on.
func (h *room) again(queue func(context.Context, ledger.Caller, int64) (record.Values, error)) func(*web.Visit) error {
	return func(v *web.Visit) error {
		id, err := h.site.Pages(h.site.DeliveryType()).ID(v)
		if err != nil {
			return err
		}
		d, err := queue(v.Ctx, v.Caller, id)
		if err != nil {
			return err
		}
		note := "The delivery is queued again."
		if d.Link("webhook").ID != 0 {
			note = "The delivery to " + v.WebhookOf(d).Text + " is queued again."
		}
		return v.Leave(web.Local(v.R.PostFormValue("next"), web.RecordPath(d.Type(), id)), note)
	}
}

// retryPage asks before many deliveries are sent again.
type retryPage struct {
	Count   int64
	Filters []string
	Action  string // the address that the form is sent to, with the filters
	List    string // the address of the list of these deliveries
	Cancel  string
}

func (h *room) retryAllPage(v *web.Visit) error {
	params, q, err := h.retryQuery(v)
	if err != nil {
		return err
	}
	would, err := h.admin.RetryAll(v.Ctx, v.Caller, webhookadmin.RetryAll{Query: q, DryRun: true})
	if err != nil {
		return err
	}
	deliveries := h.site.Pages(h.site.DeliveryType())
	p := retryPage{Count: would.Count, Action: web.With(deliveries.Path+"retry/", params),
		List: web.With(deliveries.Path, params, "state", "failed"), Cancel: tasksPath}
	if p.Filters, err = filterTexts(v, params); err != nil {
		return err
	}
	return v.Show(web.Page{Name: "retry", Title: "Send again", Crumbs: deliveries.Crumbs(), Body: p})
}

// filterTexts returns filters of deliveries as people read them, with webhooks by name.
func filterTexts(v *web.Visit, params url.Values) ([]string, error) {
	params = maps.Clone(params)
	if ids := params["webhook_id"]; len(ids) > 0 {
		test, _, err := v.Site.DeliveryType().ParseFilter("webhook_id", ids)
		if err != nil {
			return nil, err
		}
		hooks := v.Site.Registry.Type(store.WebhookType)
		found, err := v.Site.Ledger.List(v.Ctx, v.Caller, hooks,
			store.Query{Uncounted: true, Limit: len(ids), Where: []record.Predicate{{Values: test.Values}}})
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
	for _, chip := range v.Site.Pages(v.Site.DeliveryType()).Chips(params) {
		texts = append(texts, chip.Text)
	}
	return texts, nil
}

func (h *room) retryAll(v *web.Visit) error {
	_, q, err := h.retryQuery(v)
	if err != nil {
		return err
	}
	done, err := h.admin.RetryAll(v.Ctx, v.Caller, webhookadmin.RetryAll{Query: q})
	if err != nil {
		return err
	}
	return v.Leave(tasksPath, counted(done.Count, "delivery is", "deliveries are")+" queued again.")
}

// retryQuery parses which deliveries to send again.
func (h *room) retryQuery(v *web.Visit) (url.Values, store.Query, error) {
	params, err := ledger.Params(v.R.URL.RawQuery)
	if err != nil {
		return nil, store.Query{}, err
	}
	params = web.Filled(params)
	q, err := ledger.ActionQuery(h.site.DeliveryType(), params)
	return params, q, err
}
