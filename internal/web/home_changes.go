package web

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/web/chart"
)

// chartedTypes is how many types the chart of changes tells apart. All others are one series.
const chartedTypes = 5

// seesChanges reports whether the caller may see some changes.
func seesChanges(v *Visit) bool { return v.May(v.Site.ChangeType(), access.View) }

// changesCard shows how many changes there were each day, by type.
func (s *Site) changesCard() Card {
	return Card{Key: "changes", Title: "Changes per day", Shown: seesChanges, Fill: s.fillChanges}
}

func (s *Site) fillChanges(v *Visit) (any, error) {
	days, err := s.Ledger.ChangeDays(v.Ctx, v.Caller)
	if err != nil {
		return nil, err
	}
	return s.changesChart(days, s.Now()), nil
}

func (s *Site) changesChart(days []store.ChangeDay, now time.Time) chart.Chart {
	var all int64
	ofType := map[string]int64{}
	for _, d := range days {
		ofType[d.ObjectType] += d.N
		all += d.N
	}
	types := slices.SortedFunc(maps.Keys(ofType), func(a, b string) int {
		return cmp.Or(cmp.Compare(ofType[b], ofType[a]), cmp.Compare(a, b))
	})
	index := map[string]int{}
	var series []chart.Series
	for i, key := range types {
		if index[key] = min(i, chartedTypes); i < chartedTypes {
			series = append(series, chart.Series{Name: s.KindOf(key), Class: fmt.Sprintf("series-%d", i+1)})
		}
	}
	if len(types) > chartedTypes {
		series = append(series, chart.Series{Name: "Other", Class: "series-other"})
	}
	var periods []chart.Period
	first := store.FirstTallied(now)
	for day := first; !day.After(now); day = day.AddDate(0, 0, 1) {
		periods = append(periods, chart.Period{When: chart.When{Day: day.Format(time.DateOnly)}, Values: make([]int64, len(series)),
			Href: Between(s.ChangeType(), "time", day, day.AddDate(0, 0, 1))})
	}
	for _, d := range days {
		if i := int(d.Day.Sub(first) / (24 * time.Hour)); i >= 0 && i < len(periods) {
			periods[i].Values[index[d.ObjectType]] += d.N
		}
	}
	return chart.Bars(fmt.Sprintf("Changes per day: %d in %d days.", all, len(periods)), "By type, days in UTC", series, periods)
}

// Between returns the address of the list of a type's records with a time from one moment up to another, and other filters.
func Between(t *record.Type, field string, from, to time.Time, filters ...string) string {
	filters = append(filters, field+"__gte", from.UTC().Format(time.RFC3339), field+"__lt", to.UTC().Format(time.RFC3339))
	return With(PagePath(t), nil, filters...)
}

// recentCard lists the latest changes.
func (s *Site) recentCard() Card {
	return Card{Key: "recent", Title: "Recent changes", Shown: seesChanges, Fill: s.fillRecent}
}

type recentChange struct {
	When                time.Time
	User, Label, Action string
	Object              Cell
	Type                string
	Href                string
}

const homeChanges = 12

func (s *Site) fillRecent(v *Visit) (any, error) {
	found, err := s.Ledger.List(v.Ctx, v.Caller, s.ChangeType(), store.Query{Count: store.CountNone, Limit: homeChanges, View: WithoutStates})
	if err != nil {
		return nil, err
	}
	return s.recents(v, found.Rows)
}

// recents returns lines of changes, with the full names of their records.
func (s *Site) recents(v *Visit, rows []record.Values) ([]recentChange, error) {
	t := s.ChangeType()
	err := v.nameLinks(t, []int{t.Index("changed_object")}, rows)
	changes := make([]recentChange, len(rows))
	for i, c := range rows {
		changes[i] = s.recent(v, c)
	}
	return changes, err
}

func (s *Site) recent(v *Visit, c record.Values) recentChange {
	line := lineOf(c)
	r := recentChange{When: line.When, User: line.User, Label: line.Label, Action: line.Action, Href: line.Href,
		Type:   c.Text("changed_object_type"),
		Object: Cell{Kind: TextCell, Text: c.Text("object_repr")}}
	if pointer, ok := c.Get("changed_object").(record.Pointer); ok {
		r.Object = v.Cell(nil, pointer)
	}
	r.Type = s.TitleOf(r.Type)
	return r
}
