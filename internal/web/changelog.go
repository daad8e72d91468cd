package web

import (
	"time"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/web/diff"
)

// changeLine is one change of a record: when and what it changed, who made it, and which webhooks were notified.
type changeLine struct {
	id          int64
	version     int64 // that the record had after it
	Href        string
	When        time.Time
	User        string
	Action      string // create, update, delete
	Label       string
	RequestID   string
	Restore     string      // leads to a preview of restoring this version; "" if that can't be
	Differences []diff.Line // what it changed
	Notified    []notifiedLine
}

type changelogPage struct {
	*DetailPage
	Lines        []changeLine
	Next, Prev   string
	ShowNotified bool
}

func (s *Site) ChangeType() *record.Type   { return s.Registry.Type(store.ChangeType) }
func (s *Site) DeliveryType() *record.Type { return s.Registry.Type(store.DeliveryType) }

func (p *TypePages) changelog(v *Visit) error {
	found, err := p.Record(v)
	if err != nil {
		return err
	}
	d, err := p.heading(v, found, "changelog")
	if err != nil {
		return err
	}
	// Most change logs are short enough to be shown whole. The limits are for records that a program changes every minute, and
	// for very long texts.
	lines, err := v.changesOf(p.Type, found.ID(), 200)
	if err != nil {
		return err
	}
	for i := 0; i < len(lines) && d.CanChange; i++ {
		lines[i].Restore = lines[i].restorePath(found)
	}
	return v.Show(Page{Name: "changelog", Title: "Changes of " + d.Name, Crumbs: p.Crumbs(Crumb{d.Name, d.Path}),
		Body: changelogPage{DetailPage: d, Lines: lines, ShowNotified: v.May(p.site.DeliveryType(), access.View)}})
}

// changesOf returns the newest changes of a record, and which webhooks were notified.
func (v *Visit) changesOf(t *record.Type, id int64, limit int) ([]changeLine, error) {
	changes := v.Site.ChangeType()
	q := store.Query{Count: store.CountNone, Limit: limit, Where: []record.Predicate{
		{Field: changes.Field("changed_object_type"), Values: []any{t.Key()}},
		{Field: changes.Field("changed_object_id"), Values: []any{id}}}}
	found, err := v.Site.Ledger.List(v.Ctx, v.Caller, changes, q)
	if err != nil {
		return nil, err
	}
	notified, err := v.notifiedOf(t, id, found.Rows)
	if err != nil {
		return nil, err
	}
	lines := make([]changeLine, len(found.Rows))
	compared := make([][]diff.Line, len(found.Rows))
	for i, c := range found.Rows {
		lines[i] = lineOf(c)
		lines[i].Notified = notified[MomentOf(c)]
		if lines[i].Action == store.Updated {
			compared[i] = snapshotsOf(c)
		}
	}
	err = v.nameValues(t, compared, isChanged)
	for i := range lines {
		lines[i].Differences = changedOnly(compared[i], logLines)
	}
	return lines, err
}

func MomentOf(v record.Values) time.Time {
	at, _ := v.Get("time").(time.Time)
	return at
}

// How many lines of a changed text are shown: in a list of changes, and on the page of one change.
const (
	logLines = 60
	allLines = 1000
)

func lineOf(c record.Values) changeLine {
	return changeLine{id: c.ID(), version: c.Version, Href: RecordPath(c.Type(), c.ID()), When: MomentOf(c),
		User: c.Text("user_name"), Action: c.Text("action"),
		Label: CellOf(c.Type().Field("action"), c.Get("action")).Text, RequestID: c.Text("request_id")}
}

func snapshotsOf(c record.Values) []diff.Line {
	return diff.Snapshots(c.Raw("prechange_data"), c.Raw("postchange_data"))
}

func isChanged(l diff.Line) bool { return l.Changed }

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
