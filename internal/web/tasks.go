package web

import (
	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

const tasksPath = "/system/tasks/"

// taskRoutes are the pages about what is sent. Whoever may change webhooks may send again.
func (s *Site) taskRoutes() []Route {
	webhooks, deliveries := s.Registry.Type(store.WebhookType), pagePath(s.deliveryType())
	return []Route{
		{Method: "GET", Path: tasksPath + "{$}", Type: webhooks, Action: access.View, handle: s.tasks},
		{Method: "GET", Path: deliveries + "retry/{$}", Type: webhooks, Action: access.Change, handle: s.retryAllPage},
		{Method: "POST", Path: deliveries + "retry/{$}", Type: webhooks, Action: access.Change, handle: s.retryAll},
		{Method: "POST", Path: deliveries + "{id}/retry/{$}", Type: webhooks, Action: access.Change, handle: s.again(s.Webhooks.Retry)},
		{Method: "POST", Path: deliveries + "{id}/redeliver/{$}", Type: webhooks, Action: access.Change, handle: s.again(s.Webhooks.Redeliver)},
	}
}

// tasksPage is what waits, who works, and what failed.
type tasksPage struct {
	Path        string
	Live        bool // refreshed until somebody pauses it
	At          string
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
	FailedAll   int64
	RetryPath   string
	CanRetry    bool
}

type workerLine struct {
	Host, Program string
	Started, Seen string
	Sending       int64
	ClockWrong    bool
}

// failedLine is a delivery that has failed for good.
type failedLine struct {
	ID, Href        string
	Webhook, Object cell
	Kind            string
	Event           cell
	Status, Reason  string
	When            string
	CanRetry        bool
}

func (s *Site) tasks(v *visit) error {
	p := &tasksPage{Path: tasksPath, Live: v.refreshes(), At: showTime(s.Now()), RetryPath: pagePath(s.deliveryType()) + "retry/",
		SeesFailed: v.may(s.deliveryType(), access.View)}
	p.CanRetry = p.SeesFailed && s.Webhooks.Allow(v.caller) == nil
	hooks, err := p.fillQueues(v)
	if err != nil {
		return err
	}
	workers, err := s.Webhooks.Workers(v.ctx, v.caller)
	if err != nil {
		return err
	}
	for _, w := range workers {
		p.Workers = append(p.Workers, workerLine{w.Host, w.Program, showTime(w.StartedAt), inWords(s.Now().Sub(w.SeenAt)) + " ago", w.Sending, w.ClockWrong})
	}
	if p.SeesFailed {
		err = p.fillFailed(v, hooks)
	}
	if err != nil {
		return err
	}
	return v.show(page{Name: "tasks", Title: "Background tasks", Crumbs: []crumb{{"System", ""}}, Body: p})
}

// refreshes tells whether a live page shall stay so.
func (v *visit) refreshes() bool { return v.r.URL.Query().Get("live") != "off" }

// shownFailed is how many failed deliveries are listed here; the list of deliveries has all.
const shownFailed = 25

// fillFailed lists the latest deliveries that have failed for good. The webhooks are those that the caller may see.
func (p *tasksPage) fillFailed(v *visit, hooks map[int64]record.Values) error {
	t := v.site.deliveryType()
	p.FailedHref = with(pagePath(t), nil, "state", store.Failed, "retrying", "false")
	found, err := v.site.Ledger.List(v.ctx, v.caller, t, store.Query{Limit: shownFailed, Where: []record.Predicate{
		{Field: t.Field("state"), Values: []any{store.Failed}}, {Field: t.Field("retry_at"), Lookup: record.Empty, Values: []any{true}}}})
	if err != nil {
		return err
	}
	p.FailedAll = found.Count
	names, err := v.objectsOf(found.Rows)
	if err != nil {
		return err
	}
	may := map[int64]bool{}
	for _, d := range found.Rows {
		id := d.Link("webhook").ID
		if hook, seen := hooks[id]; seen && p.CanRetry {
			if _, asked := may[id]; !asked {
				if may[id], err = v.site.Ledger.May(v.ctx, v.caller, hook, access.Change); err != nil {
					return err
				}
			}
		}
		p.Failed = append(p.Failed, v.failedLine(d, names, may[id]))
	}
	return nil
}

func (v *visit) failedLine(d record.Values, names objects, may bool) failedLine {
	t := d.Type()
	line := failedLine{ID: t.FormatID(d.ID()), Href: recordPath(t, d.ID()), Webhook: v.webhookOf(d), Object: names.of(d), Kind: v.site.kindOf(d.Text("object_type")),
		Event: cellOf(t.Field("event"), d.Get("event")), Status: cellOf(nil, d.Get("status_code")).Text, Reason: d.Text("reason"), CanRetry: may}
	if at, ok := finishedAt(d); ok {
		line.When = showTime(at)
	}
	return line
}
