package web

import (
	"net/url"
	"slices"
	"strings"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhookadmin"
)

// sampleChoice offers what a webhook can be tried with: a change of the past, or a record as if
// it were updated now.
type sampleChoice struct {
	Changes []option
	Types   []option
	Record  string
	Records string // where to look for records by typing
}

// The names of its inputs.
const (
	sampleChange = "sample"
	sampleType   = "sample_type"
	sampleRecord = "sample_record"
)

// sampleChanges is how many of the newest changes are offered.
const sampleChanges = 20

// sampleChoice lists what the caller may see. The first change of one of the types is chosen
// before anybody has.
func (h hookPages) sampleChoice(v *visit, types []string, typed url.Values) (sampleChoice, error) {
	c := sampleChoice{Record: typed.Get(sampleRecord), Records: h.path + "records/"}
	var told []string
	for _, t := range h.site.Registry.Types() {
		if t.Notifies() {
			told = append(told, t.Key())
			if v.may(t, access.View) {
				c.Types = append(c.Types, option{t.Key(), h.site.pages(t).single, typed.Get(sampleType) == t.Key()})
			}
		}
	}
	changes := h.site.changeType()
	if !v.may(changes, access.View) {
		return c, nil
	}
	found, err := h.site.Ledger.List(v.ctx, v.caller, changes, store.Query{Uncounted: true, Limit: sampleChanges, View: withoutStates,
		Where: []record.Predicate{{Field: changes.Field("changed_object_type"), Values: record.AnyOf(told)}}})
	if err != nil {
		return c, err
	}
	chosen := slices.IndexFunc(found.Rows, func(r record.Values) bool {
		if typed.Has(sampleChange) {
			return changes.FormatID(r.ID()) == typed.Get(sampleChange)
		}
		return slices.Contains(types, r.Text("changed_object_type"))
	})
	for i, r := range found.Rows {
		c.Changes = append(c.Changes, option{changes.FormatID(r.ID()), h.changeName(r), i == chosen})
	}
	return c, nil
}

// changeName is a change in one line: 2026-11-15 11:55 updated site Lisbon 1 by admin.
func (h hookPages) changeName(c record.Values) string {
	return momentOf(c).UTC().Format("2006-01-02 15:04") + " " + strings.ToLower(actionOf(c)) + " " + h.site.titleOf(c.Text("changed_object_type")) + " " +
		c.Text("object_repr") + " by " + c.Text("user_name")
}

// actionOf is what a change did, in the words of people.
func actionOf(c record.Values) string { return cellOf(c.Type().Field("action"), c.Get("action")).Text }

// sample reads what was chosen. A record that was named counts more than the change that is
// always selected.
func (h hookPages) sample(v *visit, typed url.Values) (webhookadmin.Sample, error) {
	if text := strings.TrimSpace(typed.Get(sampleRecord)); text != "" {
		return h.sampleRecord(v, typed.Get(sampleType), text)
	}
	if typed.Get(sampleChange) == "" {
		return webhookadmin.Sample{}, nil
	}
	id, err := h.site.changeType().ParseID(typed.Get(sampleChange))
	if err != nil {
		return webhookadmin.Sample{}, fault.Field(sampleChange, "There is no such change.")
	}
	return webhookadmin.Sample{Change: id}, nil
}

// sampleRecord finds the record that a text names, as nameOf wrote it or a person did.
func (h hookPages) sampleRecord(v *visit, key, text string) (webhookadmin.Sample, error) {
	t := h.site.Registry.Type(key)
	if t == nil || !t.Notifies() {
		return webhookadmin.Sample{}, fault.Field(sampleRecord, "Choose the type of the record.")
	}
	found, problems, err := h.site.Ledger.Refer(v.ctx, v.caller, t, []any{naming(t, text)})
	if err != nil {
		return webhookadmin.Sample{}, err
	}
	if len(problems) > 0 {
		return webhookadmin.Sample{}, fault.Field(sampleRecord, "%s", problems[0])
	}
	return webhookadmin.Sample{Type: t, Record: found[0].ID}, nil
}

// missingSample says in the form what was not found, and leaves other errors alone.
func missingSample(err error) error {
	if fault.KindOf(err) == fault.NotFound {
		return fault.Field(sampleRecord, "There is no such record or change that you may see.")
	}
	return err
}

// records offers the records of the chosen type that fit what was typed.
func (h hookPages) records(v *visit) error {
	params := v.r.URL.Query()
	t := h.site.Registry.Type(params.Get(sampleType))
	if t == nil || !t.Notifies() || !v.may(t, access.View) {
		return v.part("_choices", []option(nil))
	}
	return h.site.pages(t).choose(v, params.Get(sampleRecord), false)
}
