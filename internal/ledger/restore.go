package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"

	"terrier/internal/record"
)

// Restoring returns the input that gives a record the values of a snapshot again. It has only what differs now. Secrets are in no snapshot,
// so they stay. So do fields that were added since. Fields that no longer exist are ignored.
func (l *Ledger) Restoring(ctx context.Context, found record.Values, snapshot []byte) (Input, error) {
	t := found.Type()
	then, err := members(snapshot)
	if err != nil {
		return nil, err
	}
	now, err := members(record.AppendSnapshot(nil, found))
	if err != nil {
		return nil, err
	}
	in := Input{}
	for i, f := range t.All() {
		info := t.Infos()[i]
		value, had := then[info.Name]
		_, secret := record.SecrecyOf(f)
		if !had || info.ReadOnly || secret || reflect.DeepEqual(value, now[info.Name]) {
			continue
		}
		in[info.Name] = value
		if ref, _ := record.ReferenceOf(f); ref.Tags {
			in[info.Name] = tagsNamed(value)
		}
		if info.Widget == record.CustomInputs {
			customs, err := l.restoringCustoms(ctx, t, value, now[info.Name])
			if err != nil {
				return nil, err
			}
			if in[info.Name] = customs; len(customs) == 0 {
				delete(in, info.Name)
			}
		}
	}
	completePairs(t, in, then)
	return in, nil
}

// restoringCustoms returns the custom fields of a snapshot as input. A snapshot has all that were defined then, also those that were not
// set. Those that are no longer defined are left out.
func (l *Ledger) restoringCustoms(ctx context.Context, t *record.Type, then, now any) (Input, error) {
	defs, err := l.CustomFields(ctx, t)
	if err != nil {
		return nil, err
	}
	was, _ := then.(map[string]any)
	is, _ := now.(map[string]any)
	in := Input{}
	for _, def := range defs {
		if value, defined := was[def.Name]; defined && !reflect.DeepEqual(value, is[def.Name]) {
			in[def.Name] = value
		}
	}
	return in, nil
}

// completePairs adds the other half of each reference to any type of which one half is given.
func completePairs(t *record.Type, in Input, then map[string]any) {
	given := map[string]bool{}
	for _, info := range t.Infos() {
		if _, ok := in[info.Name]; ok && info.HalfOf != "" {
			given[info.HalfOf] = true
		}
	}
	for _, info := range t.Infos() {
		if value, had := then[info.Name]; had && given[info.HalfOf] {
			in[info.Name] = value
		}
	}
}

// tagsNamed returns the names of tags as a client sends them.
func tagsNamed(names any) []any {
	list, _ := names.([]any)
	tags := make([]any, len(list))
	for i, name := range list {
		tags[i] = map[string]any{"name": name}
	}
	return tags
}

// members returns the members of a snapshot.
func members(snapshot []byte) (map[string]any, error) {
	var all map[string]any
	d := json.NewDecoder(bytes.NewReader(snapshot))
	d.UseNumber()
	err := d.Decode(&all)
	return all, err
}
