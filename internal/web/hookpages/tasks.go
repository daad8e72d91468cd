package hookpages

import (
	"time"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/web"
)

const tasksPath = "/system/tasks/"

// taskRoutes returns the pages about deliveries. Callers who may change a webhook may send its deliveries again.
func (h *room) taskRoutes() []web.Route {
	return []web.Route{
		{Method: "GET", Path: tasksPath + "{$}", Type: h.webhookType(), Action: access.View, Handle: h.tasks},
		h.site.ActionRoute("GET", retryAllAction, h.retryAllPage),
		h.site.ActionRoute("POST", retryAllAction, h.retryFiltered),
		h.site.ActionRoute("POST", retryAction, h.again(retryAction)),
		h.site.ActionRoute("POST", redeliverAction, h.again(redeliverAction)),
	}
}

// The actions of deliveries.
const (
	retryAction     = "POST extras.delivery/retry"
	redeliverAction = "POST extras.delivery/redeliver"
	retryAllAction  = "POST extras.deliveries/retry"
)

// tasksPage shows queued deliveries, workers, and failed deliveries.
type tasksPage struct {
	Path        string
	Live        bool // refreshed until it is paused
	At          time.Time
	Queues      []queueLine
	Unlisted    *queueLine // of webhooks that are deleted, or that the caller may not see
	Total       queueLine
	Window      string
	Requests    []requestLine
	AllRequests requestLine
	Workers     []workerLine
	SeesFailed  bool
	Failed      []failedLine
	FailedHref  string
	FailedAll   string // how many have failed, if the page does not list them all
	RetryAll    web.ActionLink
	CanRetry    bool
}

type workerLine struct {
	Host, Program string
	Started, Seen time.Time
	Sending       int64
	ClockWrong    bool
}

// failedLine is a delivery that has failed for good.
type failedLine struct {
	ID, Href        string
	Webhook, Object web.Cell
	Kind            string
	Event           web.Cell
	Status, Reason  string
	When            time.Time
	CanRetry        bool
	Retry           web.ActionLink
}

func (h *room) tasks(v *web.Visit) error {
	p := &tasksPage{Path: tasksPath, Live: refreshes(v), At: h.site.Now(),
		RetryAll:   h.site.ActionLink(retryAllAction, 0),
		SeesFailed: v.May(h.site.DeliveryType(), access.View)}
	p.CanRetry = p.SeesFailed && h.site.Ledger.AllowAction(v.Caller, h.site.Registry.Action(retryAllAction)) == nil
	hooks, err := h.fillQueues(v, p)
	if err != nil {
		return err
	}
	workers, err := h.admin.Workers(v.Ctx, v.Caller)
	if err != nil {
		return err
	}
	for _, w := range workers {
		p.Workers = append(p.Workers, workerLine{w.Host, w.Program, w.StartedAt, w.SeenAt, w.Sending, w.ClockWrong})
	}
	if p.SeesFailed {
		err = p.fillFailed(v, hooks)
	}
	if err != nil {
		return err
	}
	return v.Show(web.Page{Name: "tasks", Title: "Background tasks", Crumbs: []web.Crumb{{Label: "System"}}, Body: p})
}

// refreshes reports whether the page keeps refreshing itself.
func refreshes(v *web.Visit) bool { return v.R.URL.Query().Get("live") != "off" }

// shownFailed is how many failed deliveries the page lists. The list of deliveries has all.
const shownFailed = 25

// fillFailed lists the latest deliveries that have failed for good. The webhooks are those that the caller may see.
func (p *tasksPage) fillFailed(v *web.Visit, hooks map[int64]record.Values) error {
	t := v.Site.DeliveryType()
	p.FailedHref = web.With(web.PagePath(t), nil, "state", store.Failed, "retrying", "false")
	found, err := v.Site.Ledger.List(v.Ctx, v.Caller, t, web.QuickCount(store.Query{Limit: shownFailed, Where: []record.Predicate{
		{Field: t.Field("state"), Values: []any{store.Failed}}, {Field: t.Field("retry_at"), Lookup: record.Empty, Values: []any{true}}}}))
	if err != nil {
		return err
	}
	if found.Next != "" {
		p.FailedAll = web.CountText(found.Total)
	}
	names, err := objectsOf(v, found.Rows)
	if err != nil {
		return err
	}
	may := map[int64]bool{}
	for _, d := range found.Rows {
		id := d.Link("webhook").ID
		if hook, seen := hooks[id]; seen && p.CanRetry {
			if _, asked := may[id]; !asked {
				if may[id], err = v.Site.Ledger.May(v.Ctx, v.Caller, hook, access.Change); err != nil {
					return err
				}
			}
		}
		p.Failed = append(p.Failed, failedLineOf(v, d, names, may[id]))
	}
	return nil
}

func failedLineOf(v *web.Visit, d record.Values, names objects, may bool) failedLine {
	t := d.Type()
	line := failedLine{ID: t.FormatID(d.ID()), Href: web.RecordPath(t, d.ID()), Webhook: v.WebhookOf(d), Object: names.of(d),
		Kind:  v.Site.KindOf(d.Text("object_type")),
		Event: web.CellOf(t.Field("event"), d.Get("event")), Status: web.CellOf(nil, d.Get("status_code")).Text, Reason: d.Text("reason"),
		CanRetry: may, Retry: v.Site.ActionLink(retryAction, d.ID())}
	line.When, _ = finishedAt(d)
	return line
}
