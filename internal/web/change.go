package web

import (
	"slices"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/web/diff"
)

// changePage shows one change: what it changed, the other changes of the request, and which webhooks were notified.
type changePage struct {
	changeLine
	Kind   string
	Object Cell
	Who    Cell
	Same   []diff.Line // fields that it did not change

	Others      []recentChange // of the same request
	OthersCount int64
	RequestHref string

	SeesNotified        bool
	SeesConditionErrors bool
	ConditionErrors     []notNotified
}

// notNotified is a webhook that was not notified because its conditions could not be evaluated.
type notNotified struct {
	Webhook Cell
	Reason  string
}

func (s *Site) changePages() OwnPages {
	return OwnPages{Detail: "change", MoreDetail: s.changeDetail}
}

func (s *Site) changeDetail(v *Visit, d *DetailPage, found record.Values) error {
	compared := snapshotsOf(found)
	if err := v.nameValues(s.Registry.Type(found.Text("changed_object_type")), [][]diff.Line{compared},
		func(diff.Line) bool { return true }); err != nil {
		return err
	}
	p := &changePage{changeLine: lineOf(found), Kind: s.KindOf(found.Text("changed_object_type")),
		Who:         Cell{Kind: TextCell, Text: found.Text("user_name")},
		RequestHref: With(PagePath(found.Type()), nil, "request_id", found.Text("request_id"))}
	p.Differences = changedOnly(compared, allLines)
	for _, l := range compared {
		if !l.Changed {
			p.Same = append(p.Same, l)
		}
	}
	if user := found.Link("user"); user.ID != 0 {
		if target := record.TargetOf(found.Type().Field("user")); v.May(target, access.View) {
			p.Who.Kind, p.Who.Href = LinkCell, RecordPath(target, user.ID)
		}
	}
	for _, fill := range []func(*Visit, record.Values) error{p.fillObject, p.fillOthers, p.fillNotified, p.fillConditionErrors} {
		if err := fill(v, found); err != nil {
			return err
		}
	}
	d.Name, d.More = p.Label+": "+p.Object.Text, p
	return nil
}

// fillObject sets the record's name at the time of the change, with a link if the record still exists.
func (p *changePage) fillObject(v *Visit, c record.Values) error {
	p.Object = Cell{Kind: TextCell, Text: c.Text("object_repr")}
	t := v.Site.Registry.Type(c.Text("changed_object_type"))
	if t == nil || !v.May(t, access.View) {
		return nil
	}
	found, err := v.Site.Ledger.List(v.Ctx, v.Caller, t, store.Query{Count: store.CountNone, Limit: 1,
		Where: []record.Predicate{{Values: []any{c.Int("changed_object_id")}}}})
	if err != nil || len(found.Rows) == 0 {
		return err
	}
	if now := found.Rows[0]; now.Display() == p.Object.Text { // else it had another name then
		p.Object.Text = now.FullName()
	}
	p.Object.Kind, p.Object.Href = LinkCell, RecordPath(t, found.Rows[0].ID())
	if t.ReadOnly || !v.May(t, access.Change) {
		return nil
	}
	may, err := v.Site.Ledger.May(v.Ctx, v.Caller, found.Rows[0], access.Change)
	if may {
		p.Restore = p.restorePath(found.Rows[0])
	}
	return err
}

// WithoutStates is a change without the states before and after it, which may be long.
var WithoutStates = record.View{Omit: []string{"prechange_data", "postchange_data"}}

// shownOthers is how many changes of the same request are listed.
const shownOthers = 20

func (p *changePage) fillOthers(v *Visit, c record.Values) error {
	t := c.Type()
	found, err := v.Site.Ledger.List(v.Ctx, v.Caller, t, store.Query{Limit: shownOthers + 1, View: WithoutStates, Where: []record.Predicate{
		{Field: t.Field("request_id"), Values: []any{c.Get("request_id")}}}})
	if err != nil {
		return err
	}
	p.OthersCount = found.Count - 1
	others := slices.DeleteFunc(found.Rows, func(other record.Values) bool { return other.ID() == c.ID() })
	p.Others, err = v.Site.recents(v, others[:min(len(others), shownOthers)])
	return err
}

// aboutChange returns the tests that find the deliveries and condition errors of a change.
func aboutChange(t *record.Type, c record.Values) []record.Predicate {
	return []record.Predicate{
		{Field: t.Field("object_type"), Values: []any{c.Text("changed_object_type")}},
		{Field: t.Field("object_id"), Values: []any{c.Int("changed_object_id")}},
		{Field: t.Field("time"), Values: []any{MomentOf(c)}}}
}

const shownNotified = 100

func (p *changePage) fillNotified(v *Visit, c record.Values) error {
	t := v.Site.DeliveryType()
	if p.SeesNotified = v.May(t, access.View); !p.SeesNotified {
		return nil
	}
	found, err := v.Site.Ledger.List(v.Ctx, v.Caller, t, store.Query{Count: store.CountNone, Limit: shownNotified, Where: aboutChange(t, c)})
	for _, d := range found.Rows {
		p.Notified = append(p.Notified, v.notifiedBy(d))
	}
	return err
}

func (p *changePage) fillConditionErrors(v *Visit, c record.Values) error {
	t := v.Site.Registry.Type(store.ConditionErrorType)
	if p.SeesConditionErrors = v.May(t, access.View); !p.SeesConditionErrors {
		return nil
	}
	found, err := v.Site.Ledger.List(v.Ctx, v.Caller, t, store.Query{Count: store.CountNone, Limit: shownNotified, Where: aboutChange(t, c)})
	for _, m := range found.Rows {
		p.ConditionErrors = append(p.ConditionErrors, notNotified{v.WebhookOf(m), m.Text("reason")})
	}
	return err
}
