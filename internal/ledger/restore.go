package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"time"

	"terrier/internal/record"
)

// Version is an earlier state of a record.
type Version struct {
	Snapshot []byte
	At       time.Time
}

// Restoration is what gives a record the values of an earlier version again.
type Restoration struct {
	Input         Input    // only what differs now
	Before, After []byte   // the state of the record without the input, and with it
	Stays         []string // what differs and can't be restored, in sentences
}

// restoring is a restoration in the making.
type restoring struct {
	*Restoration
	l      *Ledger
	caller Caller
	found  record.Values
	unseen Unseen
	at     time.Time

	then, now, after map[string]any // the members of snapshots
}

// Restoring returns what gives a record the values of an earlier version again. Secrets are in no snapshot, so they stay. So do fields that
// were added since, and references that the caller may not see. Fields that no longer exist are ignored.
func (l *Ledger) Restoring(ctx context.Context, c Caller, found record.Values, v Version) (*Restoration, error) {
	r := &restoring{Restoration: &Restoration{Input: Input{}}, l: l, caller: c, found: found, at: v.At}
	var err error
	if r.then, err = members(v.Snapshot); err != nil {
		return nil, err
	}
	if r.now, err = members(record.AppendSnapshot(nil, found)); err != nil {
		return nil, err
	}
	if r.unseen, err = l.Unseen(ctx, c, found); err != nil {
		return nil, err
	}
	r.after = maps.Clone(r.now)
	if err := r.compare(ctx); err != nil {
		return nil, err
	}
	r.completePairs()
	r.keepUnseen()
	if r.Before, err = snapshotOf(found.Type(), r.now); err != nil {
		return nil, err
	}
	r.After, err = snapshotOf(found.Type(), r.after)
	return r.Restoration, err
}

// compare takes the values that differ into the input.
func (r *restoring) compare(ctx context.Context) error {
	t := r.found.Type()
	for i, f := range t.All() {
		info := t.Infos()[i]
		value, had := r.then[info.Name]
		_, secret := record.SecrecyOf(f)
		if !had || info.ReadOnly || secret || reflect.DeepEqual(value, r.now[info.Name]) {
			continue
		}
		var err error
		switch ref, _ := record.ReferenceOf(f); {
		case ref.Tags:
			err = r.tags(ctx, info.Name, ref.Target)
		case ref.Many:
			r.members(info.Name, ref)
		case info.Widget == record.CustomInputs:
			err = r.customs(ctx, info.Name)
		case info.Widget == record.FileInput:
			r.Stays = append(r.Stays, info.Label+" stays: a file is deleted when it is replaced or removed, so the earlier one is gone.")
		default:
			r.take(info.Name, value, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// take takes a value into the input. shown is what the snapshot has then.
func (r *restoring) take(name string, value, shown any) { r.Input[name], r.after[name] = value, shown }

// drop lets a field stay as it is.
func (r *restoring) drop(name string) {
	delete(r.Input, name)
	r.after[name] = r.now[name]
}

// members takes a set of references. Those that the caller may not see stay in it.
func (r *restoring) members(name string, ref record.Reference) {
	list, _ := r.then[name].([]any)
	list = slices.Clone(list)
	links, _ := r.found.Get(name).([]record.Link)
	for _, link := range links {
		if id := numberOf(link.ID); r.unseen[ref.Of(link)][link.ID] && !slices.Contains(list, any(id)) {
			list = append(list, id)
		}
	}
	if !sameSet(list, r.now[name]) {
		r.take(name, list, list)
	}
}

// sameSet reports whether two lists of numbers have the same members.
func sameSet(a []any, other any) bool {
	b, _ := other.([]any)
	isIn := func(list []any) func(any) bool { return func(x any) bool { return !slices.Contains(list, x) } }
	return !slices.ContainsFunc(a, isIn(b)) && !slices.ContainsFunc(b, isIn(a))
}

// customs takes the custom fields. A snapshot has all that were defined then, also those that were not set. Those that are no longer
// defined are left out.
func (r *restoring) customs(ctx context.Context, name string) error {
	defs, err := r.l.CustomFields(ctx, r.found.Type())
	if err != nil {
		return err
	}
	was, _ := r.then[name].(map[string]any)
	is, _ := r.now[name].(map[string]any)
	in, shown := Input{}, map[string]any{}
	maps.Copy(shown, is)
	for _, def := range defs {
		if value, defined := was[def.Name]; defined && !reflect.DeepEqual(value, is[def.Name]) {
			in[def.Name], shown[def.Name] = value, value
		}
	}
	if len(in) > 0 {
		r.take(name, in, shown)
	}
	return nil
}

// completePairs adds the other half of each reference to any type of which one half is given.
func (r *restoring) completePairs() {
	given := map[string]bool{}
	infos := r.found.Type().Infos()
	for _, info := range infos {
		if _, ok := r.Input[info.Name]; ok && info.HalfOf != "" {
			given[info.HalfOf] = true
		}
	}
	for _, info := range infos {
		if value, had := r.then[info.Name]; had && given[info.HalfOf] {
			r.take(info.Name, value, value)
		}
	}
}

// keepUnseen lets a reference stay if the caller may not see the record that it refers to now.
func (r *restoring) keepUnseen() {
	t := r.found.Type()
	for _, f := range t.References() {
		links := f.Links(r.found)
		if f.Many || len(links) == 0 || !r.unseen[f.Of(links[0])][links[0].ID] {
			continue
		}
		stays := false
		for _, i := range f.Written {
			name := t.Infos()[i].Name
			_, given := r.Input[name]
			stays = stays || given
			r.drop(name)
		}
		if stays {
			r.Stays = append(r.Stays, t.Infos()[f.Index].Label+" stays, because you may not see what it refers to now.")
		}
	}
}

// members returns the members of a snapshot.
func members(snapshot []byte) (map[string]any, error) {
	var all map[string]any
	d := json.NewDecoder(bytes.NewReader(snapshot))
	d.UseNumber()
	err := d.Decode(&all)
	return all, err
}

// snapshotOf writes the members of a snapshot in the order of the fields.
func snapshotOf(t *record.Type, values map[string]any) ([]byte, error) {
	out := []byte{'{'}
	for _, info := range t.Infos() {
		value, had := values[info.Name]
		if !had {
			continue
		}
		raw, err := record.EncodeJSON(value)
		if err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(record.AppendString(out, info.Name), ':'), raw...)
	}
	return append(out, '}'), nil
}
