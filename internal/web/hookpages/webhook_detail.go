package hookpages

import (
	"cmp"
	"net/url"
	"strconv"
	"time"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/web"
	"terrier/internal/webhookadmin"
)

// webhookDetail is what the page of a webhook shows besides its change log.
type webhookDetail struct {
	Groups              []detailGroup
	Enabled             bool
	Paused              *time.Time // since when it is paused
	Health              *hookHealth
	Queued              int64
	Retrying            int64
	Oldest              string // how long the oldest has been queued
	Chart               webhookChart
	SeesSent            bool
	Deliveries          []hookSent
	AllSent             string // the address of the list of all deliveries
	Failed              int64  // failed deliveries that the caller may send again
	SeesConditionErrors bool
	ConditionErrors     []hookConditionError
	AllConditionErrors  string
	Previous            bool       // a secret is being replaced
	CertificateExpires  *time.Time // when the client certificate does, nil if there is none
	CertificateExpired  bool
	Forbidden           string // why nothing can be sent to its address

	Test, Pause, Resume, Replay, Rotate web.ActionLink
}

type detailGroup struct {
	Name   string
	Fields []web.Labelled
}

// hookSent is a delivery of the webhook.
type hookSent struct {
	When          time.Time
	Href          string
	Event, Object string
	State, Status web.Cell
	Milliseconds  string
	Attempts      int64
	Reason        string
}

// hookConditionError is a change that the webhook was not notified of because its conditions could not be evaluated.
type hookConditionError struct {
	When                 time.Time
	Href, Object, Reason string
}

// How many of each are shown.
const (
	recentSent            = 20
	recentConditionErrors = 10
)

func (h webhookPages) moreDetail(v *web.Visit, d *web.DetailPage, found record.Values) error {
	more := &webhookDetail{Groups: h.detailGroups(found), Enabled: found.Bool("enabled"),
		Previous: found.Get("previous_secret") != record.Sealed(""),
		SeesSent: v.May(h.site.DeliveryType(), access.View), SeesConditionErrors: v.May(h.conditionErrorType(), access.View)}
	d.More, more.Forbidden = more, h.admin.Forbidden(v.Ctx, found.Text("payload_url"))
	if at := h.admin.CertificateExpires(found); !at.IsZero() {
		more.CertificateExpires, more.CertificateExpired = &at, !h.site.Now().Before(at)
	}
	link := func(key string) web.ActionLink { return h.site.ActionLink(key, found.ID()) }
	more.Test, more.Pause, more.Resume = link(testAction), link(pauseAction), link(resumeAction)
	more.Replay, more.Rotate = link(replayAction), link(rotateAction)
	if at, ok := found.Get("paused_at").(time.Time); ok {
		more.Paused = &at
	}
	var err error
	if more.Health, err = h.health(v, found); err != nil {
		return err
	}
	if err := h.backlog(v, more, found); err != nil {
		return err
	}
	if more.Chart, err = h.chart(v, found); err != nil {
		return err
	}
	if more.SeesSent {
		if err := h.sent(v, more, found.ID()); err != nil {
			return err
		}
	}
	if more.SeesSent && d.CanChange {
		if more.Failed, err = retryAll(v, h.failedOf(found.ID()), true); err != nil {
			return err
		}
	}
	if more.SeesConditionErrors {
		return h.conditionErrors(v, more, found.ID())
	}
	return nil
}

func (h webhookPages) conditionErrorType() *record.Type {
	return h.site.Registry.Type(store.ConditionErrorType)
}

// deliveriesOf returns the tests that find the deliveries of a webhook.
func (h webhookPages) deliveriesOf(id int64) []record.Predicate {
	return []record.Predicate{{Field: h.site.DeliveryType().Field("webhook"), Values: []any{id}}}
}

// failedOf returns the filter for retrying the failed deliveries of a webhook.
func (h webhookPages) failedOf(id int64) url.Values {
	return url.Values{"webhook_id": {h.Type.FormatID(id)}}
}

// detailGroups returns the fields, grouped as in the form.
func (h webhookPages) detailGroups(found record.Values) []detailGroup {
	groups := make([]detailGroup, len(h.Type.Groups))
	for i, g := range h.Type.Groups {
		groups[i].Name = g.Name
		for _, name := range g.Fields {
			f := h.Type.Field(name)
			groups[i].Fields = append(groups[i].Fields, web.Labelled{Label: f.Info().Label, Help: f.Info().Help, Cell: hookCell(f, found.Get(name))})
		}
	}
	return groups
}

// hookCell returns the value of a field for people. Of a secret it shows only whether it is set.
func hookCell(f record.Field, value any) web.Cell {
	switch x := value.(type) {
	case record.Sealed:
		if x != "" {
			return web.Cell{Kind: web.TextCell, Text: "Set; kept encrypted and not shown."}
		}
	case record.Plain:
		if x != "" {
			return web.Cell{Kind: web.CodeCell, Text: string(x)}
		}
		return web.Cell{Kind: web.EmptyCell}
	}
	if name := f.Info().Name; (name == "body_template" || name == "client_certificate") && value != "" {
		return web.Cell{Kind: web.CodeCell, Text: value.(string)}
	}
	return web.CellOf(f, value)
}

// backlog sets the queued deliveries of the webhook.
func (h webhookPages) backlog(v *web.Visit, more *webhookDetail, found record.Values) error {
	waiting, err := h.admin.Backlog(v.Ctx, v.Caller, found.ID())
	more.Queued, more.Retrying = waiting.Queued, waiting.Retrying
	if waiting.OldestAt != nil {
		more.Oldest = web.InWords(h.site.Now().Sub(*waiting.OldestAt))
	}
	return err
}

// sent sets the last deliveries, and how long the last request of each took.
func (h webhookPages) sent(v *web.Visit, more *webhookDetail, id int64) error {
	t := h.site.DeliveryType()
	more.AllSent = web.With(web.PagePath(t), nil, "webhook_id", h.Type.FormatID(id))
	found, err := h.site.Ledger.List(v.Ctx, v.Caller, t, store.Query{Count: store.CountNone, Limit: recentSent, Where: h.deliveriesOf(id)})
	if err != nil || len(found.Rows) == 0 {
		return err
	}
	ids := make([]int64, len(found.Rows))
	for i, r := range found.Rows {
		ids[i] = r.ID()
	}
	ended, err := h.admin.Ended(v.Ctx, v.Caller, webhookadmin.EndedQuery{Where: []record.Predicate{{Values: record.AnyOf(ids)}},
		Limit: recentSent})
	if err != nil {
		return err
	}
	took := map[int64]string{}
	for _, e := range ended {
		if e.Milliseconds != nil {
			took[e.ID] = strconv.FormatInt(*e.Milliseconds, 10)
		}
	}
	for _, r := range found.Rows {
		more.Deliveries = append(more.Deliveries, hookSent{When: web.MomentOf(r), Href: web.RecordPath(t, r.ID()),
			Event:  r.Text("event"),
			Object: h.objectName(r), State: web.StateOf(r, h.site.Now()), Status: web.CellOf(t.Field("status_code"), r.Get("status_code")),
			Milliseconds: took[r.ID()], Attempts: r.Int("attempt_count"), Reason: r.Text("reason")})
	}
	return nil
}

// objectName returns which record a delivery or a condition error is about. It has the name in the change if the caller may see the
// change.
func (h webhookPages) objectName(r record.Values) string {
	name := strconv.FormatInt(r.Int("object_id"), 10)
	if r.Type() == h.site.DeliveryType() {
		name = cmp.Or(r.Text("object_repr"), name)
	}
	return h.site.TitleOf(r.Text("object_type")) + " " + name
}

func (h webhookPages) conditionErrors(v *web.Visit, more *webhookDetail, id int64) error {
	t := h.conditionErrorType()
	more.AllConditionErrors = web.With(web.PagePath(t), nil, "webhook_id", h.Type.FormatID(id))
	found, err := h.site.Ledger.List(v.Ctx, v.Caller, t,
		store.Query{Count: store.CountNone, Limit: recentConditionErrors,
			Where: []record.Predicate{{Field: t.Field("webhook"), Values: []any{id}}}})
	for _, r := range found.Rows {
		more.ConditionErrors = append(more.ConditionErrors,
			hookConditionError{web.MomentOf(r), web.RecordPath(t, r.ID()), h.objectName(r), r.Text("reason")})
	}
	return err
}
