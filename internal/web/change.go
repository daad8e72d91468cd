package web

import (
	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/web/diff"
)

// changePage is one change: what it did, with which others, and who was told of it.
type changePage struct {
	changeLine
	Kind   string
	Object cell
	Who    cell
	Same   []diff.Line // what it did not change

	Others      []recentChange // of the same request
	OthersCount int64
	RequestHref string

	SeesTold            bool
	SeesConditionErrors bool
	ConditionErrors     []untold
}

// untold is a webhook that was not told because its conditions are broken.
type untold struct {
	Webhook cell
	Reason  string
}

func (s *Site) changePages() ownPages {
	return ownPages{detail: "change", moreDetail: s.changeDetail}
}

func (s *Site) changeDetail(v *visit, d *detailPage, found record.Values) error {
	p := &changePage{changeLine: lineOf(found, allLines), Kind: s.kindOf(found.Text("changed_object_type")), Who: cell{Kind: textCell, Text: found.Text("user_name")},
		RequestHref: with(pagePath(found.Type()), nil, "request_id", found.Text("request_id"))}
	for _, l := range diff.Snapshots(found.Raw("prechange_data"), found.Raw("postchange_data")) {
		if !l.Changed {
			p.Same = append(p.Same, l)
		}
	}
	if user := found.Link("user"); user.ID != 0 {
		if target := record.TargetOf(found.Type().Field("user")); v.may(target, access.View) {
			p.Who.Kind, p.Who.Href = linkCell, recordPath(target, user.ID)
		}
	}
	for _, fill := range []func(*visit, record.Values) error{p.fillObject, p.fillOthers, p.fillTold, p.fillConditionErrors} {
		if err := fill(v, found); err != nil {
			return err
		}
	}
	d.Name, d.More = p.Label+": "+p.Object.Text, p
	return nil
}

// fillObject leads to the record while it is there, and calls it as it was called then.
func (p *changePage) fillObject(v *visit, c record.Values) error {
	p.Object = cell{Kind: textCell, Text: c.Text("object_repr")}
	t := v.site.Registry.Type(c.Text("changed_object_type"))
	if t == nil || !v.may(t, access.View) {
		return nil
	}
	found, err := v.site.Ledger.List(v.ctx, v.caller, t, store.Query{Uncounted: true, Limit: 1, View: record.View{Brief: true},
		Where: []record.Predicate{{Values: []any{c.Int("changed_object_id")}}}})
	if err == nil && len(found.Rows) == 1 {
		p.Object.Kind, p.Object.Href = linkCell, recordPath(t, found.Rows[0].ID())
	}
	return err
}

// withoutStates is a change without the states before and after it, which may be long.
var withoutStates = record.View{Omit: []string{"prechange_data", "postchange_data"}}

// shownOthers is how many changes of the same request are listed.
const shownOthers = 20

func (p *changePage) fillOthers(v *visit, c record.Values) error {
	t := c.Type()
	found, err := v.site.Ledger.List(v.ctx, v.caller, t, store.Query{Limit: shownOthers + 1, View: withoutStates, Where: []record.Predicate{
		{Field: t.Field("request_id"), Values: []any{c.Get("request_id")}}}})
	if err != nil {
		return err
	}
	p.OthersCount = found.Count - 1
	for _, other := range found.Rows {
		if other.ID() != c.ID() && len(p.Others) < shownOthers {
			p.Others = append(p.Others, v.site.recent(v, other))
		}
	}
	return nil
}

// aboutChange finds what was written together with a change.
func aboutChange(t *record.Type, c record.Values) []record.Predicate {
	return []record.Predicate{
		{Field: t.Field("object_type"), Values: []any{c.Text("changed_object_type")}},
		{Field: t.Field("object_id"), Values: []any{c.Int("changed_object_id")}},
		{Field: t.Field("time"), Values: []any{momentOf(c)}}}
}

const shownTold = 100

func (p *changePage) fillTold(v *visit, c record.Values) error {
	t := v.site.deliveryType()
	if p.SeesTold = v.may(t, access.View); !p.SeesTold {
		return nil
	}
	found, err := v.site.Ledger.List(v.ctx, v.caller, t, store.Query{Uncounted: true, Limit: shownTold, Where: aboutChange(t, c)})
	for _, d := range found.Rows {
		p.Notified = append(p.Notified, v.notifiedBy(d))
	}
	return err
}

func (p *changePage) fillConditionErrors(v *visit, c record.Values) error {
	t := v.site.Registry.Type(store.ConditionErrorType)
	if p.SeesConditionErrors = v.may(t, access.View); !p.SeesConditionErrors {
		return nil
	}
	found, err := v.site.Ledger.List(v.ctx, v.caller, t, store.Query{Uncounted: true, Limit: shownTold, Where: aboutChange(t, c)})
	for _, m := range found.Rows {
		p.ConditionErrors = append(p.ConditionErrors, untold{v.webhookOf(m), m.Text("reason")})
	}
	return err
}
