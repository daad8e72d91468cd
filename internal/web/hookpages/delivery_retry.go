package hookpages

import (
	"net/url"

	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/web"
	"terrier/internal/webhookadmin"
)

// again returns a handler that sends a delivery again with an action, and redirects to the page it was requested on.
func (h *room) again(key string) func(*web.Visit) error {
	return func(v *web.Visit) error {
		id, err := h.site.Pages(h.site.DeliveryType()).ID(v)
		if err != nil {
			return err
		}
		d, err := act[record.Values](v, key, id, nil)
		if err != nil {
			return err
		}
		note := "Queued the delivery again."
		if d.Link("webhook").ID != 0 {
			note = "Queued the delivery to " + v.WebhookOf(d).Text + " again."
		}
		return v.Leave(web.Local(v.R.PostFormValue("next"), web.RecordPath(d.Type(), id)), note)
	}
}

// retryPage asks before many deliveries are sent again.
type retryPage struct {
	Count   int64
	Filters []web.Chip
	Action  string // the address that the form is sent to, with the filters
	List    string // the address of the list of these deliveries
	Cancel  string
}

func (h *room) retryAllPage(v *web.Visit) error {
	params, err := retryParams(v)
	if err != nil {
		return err
	}
	n, err := retryAll(v, params, true)
	if err != nil {
		return err
	}
	deliveries := h.site.Pages(h.site.DeliveryType())
	p := retryPage{Count: n, Action: web.With(h.site.ActionLink(retryAllAction, 0).Href, params),
		List: web.With(deliveries.Path, params, "state", "failed"), Cancel: tasksPath}
	if p.Filters, err = deliveries.Chips(v, params, nil); err != nil {
		return err
	}
	return v.Show(web.Page{Name: "retry", Title: "Send again", Crumbs: deliveries.Crumbs(), Body: p})
}

func (h *room) retryFiltered(v *web.Visit) error {
	params, err := retryParams(v)
	if err != nil {
		return err
	}
	n, err := retryAll(v, params, false)
	if err != nil {
		return err
	}
	return v.Leave(tasksPath, "Queued "+counted(n, "delivery", "deliveries")+" again.")
}

// retryParams returns the filters in the address.
func retryParams(v *web.Visit) (url.Values, error) {
	params, err := ledger.Params(v.R.URL.RawQuery)
	return web.Filled(params), err
}

// retryAll sends the failed deliveries again that match the filters, and returns how many. A dry run only counts them.
func retryAll(v *web.Visit, filters url.Values, dryRun bool) (int64, error) {
	filter := map[string]any{}
	for name, values := range filters {
		filter[name] = record.AnyOf(values)
	}
	done, err := act[webhookadmin.Retried](v, retryAllAction, 0, ledger.Input{"filter": filter, "dry_run": dryRun})
	return done.Count, err
}
