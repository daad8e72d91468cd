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

// Input returns the sample as the action that sends a test takes it.
func (s Sample) Input() ledger.Input {
	in := ledger.Input{"change": strconv.FormatInt(s.Change, 10), "object_id": strconv.FormatInt(s.Record, 10)}
	if s.Type != nil {
		in["object_type"] = s.Type.Key()
	}
	return in
}

// sampleIn returns the sample in the input of an action.
func (a *Admin) sampleIn(in record.Input) (Sample, error) {
	s := Sample{Change: in.Int("change"), Record: in.Int("object_id")}
	if key := in.Text("object_type"); key != "" {
		if s.Type = a.store().Type(key); s.Type == nil {
			return s, notNotified(key)
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

// sample returns the change row that a webhook is tried with, and the id of its delivery if there is one.
func (a *Admin) sample(ctx context.Context, c ledger.Caller, hook int64, s Sample) (change store.Change, delivered int64, err error) {
	switch {
	case s.Change != 0:
		return a.pastChange(ctx, c, hook, s.Change)
	case s.Type == nil || s.Record == 0:
		return change, 0, fault.Field("sample", "Choose a record or a past change.")
	}
	if !s.Type.Notifies() {
		return change, 0, notNotified(s.Type.Key())
	}
	scope, err := a.viewScope(c, s.Type)
	if err != nil {
		return change, 0, fault.ErrNotFound
	}
	v, err := a.store().Get(ctx, s.Type, scope, s.Record)
	if err != nil {
		return change, 0, err
	}
	return a.Ledger.SampleChange(c, v), 0, nil
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
		return change, 0, notNotified(found.Row.Text("changed_object_type"))
	}
	if hook != 0 {
		delivered, err = a.store().DeliveryOf(ctx, id, change.At, hook)
	}
	return change, delivered, err
}

func notNotified(key string) error {
	return fault.Field("sample", "Webhooks are not notified of changes to %s.", key)
}
