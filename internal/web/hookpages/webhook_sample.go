package hookpages

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/web"
	"terrier/internal/webhookadmin"
)

// sampleChoice offers samples to try a webhook with: a past change, or a record as if it were updated now.
type sampleChoice struct {
	Changes []pastChange
	Types   []web.Option
	Record  string
	Records string // the address that finds records while somebody types
}

// pastChange is a change to choose, with its time.
type pastChange struct {
	web.Option
	At time.Time
}

// The names of its inputs.
const (
	sampleChange = "sample"
	sampleType   = "sample_type"
	sampleRecord = "sample_record"
)

// sampleChanges is how many of the newest changes are offered.
const sampleChanges = 20

// sampleChoice returns the samples that the caller may see. Before anybody chooses, the first change of one of the types is selected.
func (h webhookPages) sampleChoice(v *web.Visit, types []string, typed url.Values) (sampleChoice, error) {
	c := sampleChoice{Record: typed.Get(sampleRecord), Records: h.Path + "records/"}
	var notifying []string
	for _, t := range h.site.Registry.Types() {
		if t.Notifies() {
			notifying = append(notifying, t.Key())
			if v.May(t, access.View) {
				c.Types = append(c.Types, web.Option{Value: t.Key(), Label: h.site.Pages(t).Single, Selected: typed.Get(sampleType) == t.Key()})
			}
		}
	}
	changes := h.site.ChangeType()
	if !v.May(changes, access.View) {
		return c, nil
	}
	found, err := h.site.Ledger.List(v.Ctx, v.Caller, changes, store.Query{Count: store.CountNone, Limit: sampleChanges,
		View:  web.WithoutStates,
		Where: []record.Predicate{{Field: changes.Field("changed_object_type"), Values: record.AnyOf(notifying)}}})
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
		option := web.Option{Value: changes.FormatID(r.ID()), Label: h.changeName(r), Selected: i == chosen}
		c.Changes = append(c.Changes, pastChange{option, web.MomentOf(r)})
	}
	return c, nil
}

// changeName returns a change in one line: updated site Lisbon 1 by admin.
func (h webhookPages) changeName(c record.Values) string {
	return strings.ToLower(actionOf(c)) + " " + h.site.TitleOf(c.Text("changed_object_type")) + " " + c.Text("object_repr") + " by " +
		c.Text("user_name")
}

// actionOf returns what a change did, in words for people.
func actionOf(c record.Values) string {
	return web.CellOf(c.Type().Field("action"), c.Get("action")).Text
}

// sample returns the chosen sample. A named record overrides the change, because a change is always selected.
func (h webhookPages) sample(v *web.Visit, typed url.Values) (webhookadmin.Sample, error) {
	if text := strings.TrimSpace(typed.Get(sampleRecord)); text != "" {
		return h.sampleRecord(v, typed.Get(sampleType), text)
	}
	if typed.Get(sampleChange) == "" {
		return webhookadmin.Sample{}, nil
	}
	id, err := h.site.ChangeType().ParseID(typed.Get(sampleChange))
	if err != nil {
		return webhookadmin.Sample{}, fault.Field(sampleChange, "There is no such change.")
	}
	return webhookadmin.Sample{Change: id}, nil
}

// sampleRecord returns the record that a text names, written by web.NameOf or a person.
func (h webhookPages) sampleRecord(v *web.Visit, key, text string) (webhookadmin.Sample, error) {
	t := h.site.Registry.Type(key)
	if t == nil || !t.Notifies() {
		return webhookadmin.Sample{}, fault.Field(sampleRecord, "Choose the type of the record.")
	}
	found, problems, err := h.site.Ledger.Refer(v.Ctx, v.Caller, t, []any{web.Naming(t, text)})
	if err != nil {
		return webhookadmin.Sample{}, err
	}
	if len(problems) > 0 {
		return webhookadmin.Sample{}, fault.Field(sampleRecord, "%s", problems[0])
	}
	return webhookadmin.Sample{Type: t, Record: found[0].ID}, nil
}

// records answers with the records of the chosen type that match what was typed.
func (h webhookPages) records(v *web.Visit) error {
	params := v.R.URL.Query()
	t := h.site.Registry.Type(params.Get(sampleType))
	if t == nil || !t.Notifies() || !v.May(t, access.View) {
		return v.Part("_choices", []web.Option(nil))
	}
	return h.site.Pages(t).Choose(v, params.Get(sampleRecord), false)
}
