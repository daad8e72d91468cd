package web

import (
	"time"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/web/diff"
)

// changeLine is one change of a record: who, when, what, and who was told of it.
type changeLine struct {
	Href, When  string
	User        string
	Action      string // create, update, delete
	Label       string
	RequestID   string
	Differences []diff.Line // what it changed
	Notified    []notifiedLine
}

// notifiedLine is a webhook that was told of a change, or shall be.
type notifiedLine struct {
	Webhook, Href string
	State         cell
	Status        string
}

type changelogPage struct {
	*detailPage
	Lines      []changeLine
	Next, Prev string
	ShowTold   bool
}

func (s *Site) changeType() *record.Type   { return s.Registry.Type(store.ChangeType) }
func (s *Site) deliveryType() *record.Type { return s.Registry.Type(store.DeliveryType) }

func (p *typePages) changelog(v *visit) error {
	found, err := p.record(v)
	if err != nil {
		return err
	}
	d, err := p.heading(v, found, "changelog")
	if err != nil {
		return err
	}
	// A record's change log is short enough to be shown whole, but for machines that change it every minute and for
	// texts of many pages.
	lines, err := v.changesOf(p.t, found.ID(), 200)
	if err != nil {
		return err
	}
	return v.show(page{Name: "changelog", Title: "Changes of " + d.Name, Crumbs: p.crumbs(crumb{d.Name, d.Path}),
		Body: changelogPage{detailPage: d, Lines: lines, ShowTold: v.may(p.site.deliveryType(), access.View)}})
}

// changesOf reads the newest changes of a record, and who was told.
func (v *visit) changesOf(t *record.Type, id int64, limit int) ([]changeLine, error) {
	changes := v.site.changeType()
	q := store.Query{Uncounted: true, Limit: limit, Where: []record.Predicate{
		{Field: changes.Field("changed_object_type"), Values: []any{t.Key()}},
		{Field: changes.Field("changed_object_id"), Values: []any{id}}}}
	found, err := v.site.Ledger.List(v.ctx, v.caller, changes, q)
	if err != nil {
		return nil, err
	}
	told, err := v.toldOf(t, id, found.Rows)
	if err != nil {
		return nil, err
	}
	lines := make([]changeLine, len(found.Rows))
	for i, c := range found.Rows {
		lines[i] = lineOf(c, logLines)
		lines[i].Notified = told[momentOf(c)]
	}
	return lines, nil
}

func momentOf(v record.Values) time.Time {
	at, _ := v.Get("time").(time.Time)
	return at
}

// How many lines of a text are shown of what a change did to it, among other changes and alone.
const (
	noLines  = 0
	logLines = 60
	allLines = 1000
)

func lineOf(c record.Values, most int) changeLine {
	line := changeLine{Href: recordPath(c.Type(), c.ID()), When: showTime(momentOf(c)), User: c.Text("user_name"), Action: c.Text("action"),
		Label: cellOf(c.Type().Field("action"), c.Get("action")).Text, RequestID: c.Text("request_id")}
	if most > noLines {
		line.Differences = changedOnly(diff.Snapshots(c.Raw("prechange_data"), c.Raw("postchange_data")), most)
	}
	return line
}

func changedOnly(lines []diff.Line, most int) []diff.Line {
	var changed []diff.Line
	for _, l := range lines {
		if l.Changed {
			l.Lines = shorter(l.Lines, most)
			changed = append(changed, l)
		}
	}
	return changed
}

// toldOf reads the deliveries of changes to one record, by the moment of the change, which is
// the delivery's own.
func (v *visit) toldOf(t *record.Type, id int64, changes []record.Values) (map[time.Time][]notifiedLine, error) {
	deliveries := v.site.deliveryType()
	if len(changes) == 0 || !t.Notifies() || !v.may(deliveries, access.View) {
		return nil, nil
	}
	oldest, newest := momentOf(changes[len(changes)-1]), momentOf(changes[0])
	found, err := v.site.Ledger.List(v.ctx, v.caller, deliveries, store.Query{Uncounted: true, Limit: 1000, Where: []record.Predicate{
		{Field: deliveries.Field("object_type"), Values: []any{t.Key()}},
		{Field: deliveries.Field("object_id"), Values: []any{id}},
		{Field: deliveries.Field("time"), Lookup: record.AtLeast, Values: []any{oldest}},
		{Field: deliveries.Field("time"), Lookup: record.AtMost, Values: []any{newest}}}})
	if err != nil {
		return nil, err
	}
	told := map[time.Time][]notifiedLine{}
	for _, d := range found.Rows {
		told[momentOf(d)] = append(told[momentOf(d)], v.notifiedBy(d))
	}
	return told, nil
}

func (v *visit) notifiedBy(d record.Values) notifiedLine {
	line := notifiedLine{Webhook: "(deleted webhook)", Href: recordPath(d.Type(), d.ID()), State: stateOf(d, v.site.Now()), Status: cellOf(nil, d.Get("status_code")).Text}
	if l := d.Link("webhook"); l.ID != 0 {
		target := record.TargetOf(d.Type().Field("webhook"))
		line.Webhook = target.DisplayLink(l)
	}
	return line
}
