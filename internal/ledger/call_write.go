package ledger

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
)

// Create implements record.Call.
func (k *call) Create(key string, inputs ...map[string]any) ([]record.Values, error) {
	rows, err := k.create(k.typeOf(key), inputs)
	k.refused = cmp.Or(k.refused, err)
	return rows, err
}

func (k *call) create(t *record.Type, inputs []map[string]any) ([]record.Values, error) {
	if err := k.mayWrite(); err != nil {
		return nil, err
	}
	scope, err := k.set.l.WriteScope(k.set.caller, t, access.Add)
	if err != nil {
		return nil, err
	}
	sent := make([]Input, len(inputs))
	for i, in := range inputs {
		if sent[i], err = asSent(in); err != nil {
			return nil, err
		}
	}
	if k.set.items, err = k.set.l.draftNew(k.ctx, k.set.caller, t, sent); err != nil {
		return nil, err
	}
	if err := k.set.create(k.ctx, &batch{t: t, scope: scope, drafts: k.set.items}); err != nil {
		return nil, err
	}
	return k.written(t)
}

// Update implements record.Call.
func (k *call) Update(v record.Values, input map[string]any) (record.Values, error) {
	row, err := k.update(v, input)
	if _, hidden := errors.AsType[*MissingError](err); hidden {
		err = fault.ErrDenied // the action has read it
	}
	k.refused = cmp.Or(k.refused, err)
	return row, err
}

func (k *call) update(v record.Values, input map[string]any) (record.Values, error) {
	t := v.Type()
	if err := k.mayWrite(); err != nil {
		return v, err
	}
	scope, err := k.set.l.WriteScope(k.set.caller, t, access.Change)
	if err != nil {
		return v, err
	}
	sent, err := asSent(input)
	if err != nil {
		return v, err
	}
	edits := []Edit{{ID: v.ID(), Input: sent}}
	if k.set.items, err = k.set.l.draftEdits(k.ctx, t, edits); err != nil {
		return v, err
	}
	if err := k.set.update(k.ctx, &batch{t: t, scope: scope, drafts: k.set.items}, edits); err != nil {
		return v, err
	}
	rows, err := k.written(t)
	if err != nil {
		return v, err
	}
	return rows[0], nil
}

// asSent returns an input in the form that a decoded request body has.
func asSent(in map[string]any) (out Input, err error) {
	raw, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	err = dec.Decode(&out)
	return out, err
}

func (k *call) mayWrite() error {
	if !k.action.Writes() {
		return fmt.Errorf("the action %s locks or writes, so its Method must be POST", k.action.Key())
	}
	return nil
}

// written returns the records of the last write, as far as the caller may see them.
func (k *call) written(t *record.Type) ([]record.Values, error) {
	if err := k.set.show(k.ctx, t); err != nil {
		return nil, err
	}
	return valuesOf(k.set.items), nil
}
