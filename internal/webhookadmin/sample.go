package webhookadmin

import (
	"context"
	"slices"
	"strconv"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// Sample is what a webhook is tried with: a past change, or a record as if it were updated now.
type Sample struct {
	Change int64

	Type   *record.Type
	Record int64
}

// The input of the action that sends a test.
const changeField, typeField, recordField = "change", "object_type", "object_id"

// Input returns the sample as the action that sends a test takes it.
func (s Sample) Input() ledger.Input {
	in := ledger.Input{changeField: strconv.FormatInt(s.Change, 10), recordField: strconv.FormatInt(s.Record, 10)}
	if s.Type != nil {
		in[typeField] = s.Type.Key()
	}
	return in
}

// sampleIn returns the sample in the input of an action.
func (a *Admin) sampleIn(in record.Input) (Sample, error) {
	s := Sample{Change: in.Int(changeField), Record: in.Int(recordField)}
	key := in.Text(typeField)
	switch {
	case s.Change != 0 && (s.Record != 0 || key != ""):
		return s, fault.Field(changeField, "Send either a change or a record.")
	case s.Record != 0 && key == "":
		return s, fault.Field(typeField, "Name the type of the record, such as dcim.site.")
	case s.Record == 0 && key != "":
		return s, fault.Field(recordField, "Name the record of that type.")
	}
	if key != "" {
		if s.Type = a.store().Type(key); s.Type == nil {
			return s, notNotified(typeField, key)
		}
	}
	return s, nil
}

// DefaultSample returns the sample if none is chosen: the newest change of one of the webhook's types that the caller may see. If there is
// none, the sample is empty.
func (a *Admin) DefaultSample(ctx context.Context, c ledger.Caller, id int64) (Sample, error) {
	hook, err := a.Ledger.Get(ctx, c, a.webhookType(), id)
	if err != nil {
		return Sample{}, err
	}
	return a.newestSample(ctx, c, hook)
}

func (a *Admin) newestSample(ctx context.Context, c ledger.Caller, hook record.Values) (Sample, error) {
	scope, err := a.viewScope(c, a.changeType())
	if err != nil {
		return Sample{}, nil // the caller may see none
	}
	var newest Sample
	err = a.store().Samples(ctx, store.Query{Scope: scope, Where: a.changesFor(hook), Limit: 1}, func(found store.Sample) error {
		newest.Change = found.Row.ID()
		return nil
	})
	return newest, err
}

// changesFor returns the filter for changes to the types of a webhook.
func (a *Admin) changesFor(hook record.Values) []record.Predicate {
	return []record.Predicate{{Field: a.changeType().Field("changed_object_type"), Values: record.AnyOf(a.typesOf(hook))}}
}

// typesOf returns the types of a webhook that this program knows.
func (a *Admin) typesOf(hook record.Values) []string {
	return slices.DeleteFunc(slices.Clone(hook.List("content_types")), func(key string) bool { return a.store().Type(key) == nil })
}

// sample returns the change row that a webhook is tried with, and the id of its delivery if there is one. An error says which input
// there is no sample for.
func (a *Admin) sample(ctx context.Context, c ledger.Caller, hook int64, s Sample) (change store.Change, delivered int64, err error) {
	switch {
	case s.Change != 0:
		change, delivered, err = a.pastChange(ctx, c, hook, s.Change)
		return change, delivered, noSample(err, changeField, "change", s.Change)
	case s.Type == nil || s.Record == 0:
		return change, 0, fault.Field(recordField, "Choose a record or a past change.")
	case !s.Type.Notifies():
		return change, 0, notNotified(typeField, s.Type.Key())
	}
	change, err = a.updateOf(ctx, c, s.Type, s.Record)
	return change, 0, noSample(err, recordField, s.Type.Key(), s.Record)
}

// updateOf returns a change row of a record, as if it were updated now.
func (a *Admin) updateOf(ctx context.Context, c ledger.Caller, t *record.Type, id int64) (store.Change, error) {
	scope, err := a.viewScope(c, t)
	if err != nil {
		return store.Change{}, fault.ErrNotFound
	}
	v, err := a.store().Get(ctx, t, scope, id)
	if err != nil {
		return store.Change{}, err
	}
	return a.Ledger.SampleChange(c, v), nil
}

func (a *Admin) pastChange(ctx context.Context, c ledger.Caller, hook, id int64) (change store.Change, delivered int64, err error) {
	scope, err := a.viewScope(c, a.changeType())
	if err != nil {
		return change, 0, fault.ErrNotFound
	}
	found, err := a.store().Sample(ctx, scope, id)
	if err != nil {
		return change, 0, err
	}
	if change = found.Change; change.Type == nil || !change.Type.Notifies() {
		return change, 0, notNotified(changeField, found.Row.Text("changed_object_type"))
	}
	if hook != 0 {
		delivered, err = a.store().DeliveryOf(ctx, id, change.At, hook)
	}
	return change, delivered, err
}

func notNotified(field, key string) error {
	return fault.Field(field, "Webhooks are not notified of changes to %s.", key)
}

// noSample turns the error that a sample was not found into one about the input. It returns other errors unchanged.
func noSample(err error, field, what string, id int64) error {
	if fault.KindOf(err) != fault.NotFound {
		return err
	}
	return fault.Field(field, "There is no %s with the id %d that you may see.", what, id)
}
