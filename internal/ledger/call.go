package ledger

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// call is one use of an action. It runs in a change set, and everything it writes is part of that set. A GET has a change set that
// stays empty.
type call struct {
	ctx    context.Context
	set    *changeSet
	action *record.Action
	record record.Values
	inputs []record.Input
	// refused is the first write that failed. It may be in the database already, so nothing of the change set may stay.
	refused error
}

var _ record.Call = (*call)(nil)

// call runs the Do of an action. For a caller who may not use the action on the record, the record is not found.
func (l *Ledger) call(ctx context.Context, c Caller, a *record.Action, id int64, sent []Input) (answer any, err error) {
	scope, err := l.actionScope(c, a)
	if err != nil {
		return nil, err
	}
	drafts, err := actionDrafts(a, sent)
	if err != nil {
		return nil, err
	}
	run := func(ctx context.Context, set *changeSet) (err error) {
		k := &call{ctx: ctx, set: set, action: a}
		if err := k.prepare(scope, id, sent); err != nil {
			return err
		}
		if answer, err = a.Do(k); err == nil {
			err = k.refused
		}
		if err != nil {
			return err
		}
		return set.showAnswer(ctx, answer)
	}
	if a.Writes() {
		_, err = l.write(ctx, c, drafts, func(set *changeSet) error { return run(ctx, set) })
	} else {
		err = l.Store.Read(ctx, scope, func(ctx context.Context, tx *store.Tx) error {
			return run(ctx, &changeSet{l: l, tx: tx, caller: c, items: drafts})
		})
	}
	if err != nil {
		return nil, err
	}
	return l.revealed(ctx, c, answer), nil
}

// showAnswer fills in what other records make up in the records of an answer.
func (s *changeSet) showAnswer(ctx context.Context, answer any) error {
	switch x := answer.(type) {
	case record.Values:
		return s.tx.Merge(ctx, x.Type(), []record.Values{x})
	case []record.Values:
		if len(x) > 0 {
			return s.tx.Merge(ctx, x[0].Type(), x)
		}
	}
	return nil
}

// prepare reads the record, and what the inputs refer to.
func (k *call) prepare(scope access.Scope, id int64, sent []Input) error {
	if err := k.set.resolve(k.ctx, &batch{t: k.action.Input(), drafts: k.set.items}); err != nil {
		return err
	}
	if err := k.set.failed(); err != nil {
		return err
	}
	for i, d := range k.set.items {
		k.inputs = append(k.inputs, record.Input{Values: d.v, Fields: fieldsOf(k.action, sent[i])})
	}
	k.set.items = nil // they are not records
	return k.load(scope, id)
}

// revealed opens the secrets in an answer that the caller may see. A secret that can't be opened stays hidden, and this is no error:
// the action is committed already.
func (l *Ledger) revealed(ctx context.Context, c Caller, answer any) any {
	switch x := answer.(type) {
	case record.Values:
		rows := []record.Values{x}
		_ = l.Reveal(ctx, c, x.Type(), rows)
		return rows[0]
	case []record.Values:
		if len(x) > 0 {
			_ = l.Reveal(ctx, c, x[0].Type(), x)
		}
	}
	return answer
}

// actionScope returns the records that the caller may use an action on.
func (l *Ledger) actionScope(c Caller, a *record.Action) (access.Scope, error) {
	if a.RightOn() != a.Type() || a.Needs == access.View {
		return l.Policy.Scope(c.Subject, a.Type(), access.View)
	}
	return l.WriteScope(c, a.Type(), a.Needs)
}

// fieldsOf returns the fields that were sent for the record that an action adds.
func fieldsOf(a *record.Action, sent Input) map[string]any {
	fields := maps.Clone(sent)
	if fields == nil {
		fields = map[string]any{}
	}
	maps.DeleteFunc(fields, func(name string, _ any) bool { return a.Input().Index(name) >= 0 })
	return fields
}

// load reads the record of the action. It is locked if the action may change it: one that only looks at it, and there may be many at once,
// may as well have come before those who change or delete it.
func (k *call) load(scope access.Scope, id int64) error {
	if k.action.OnList {
		return nil
	}
	t, view := k.action.Type(), record.View{Only: k.action.Reads}
	if k.action.Writes() && k.action.Needs != access.View {
		k.set.tx.LockRecord(t, id, store.LockWrite)
	}
	rows := k.set.tx.LoadView(t, scope, id, view)
	if err := k.set.tx.Flush(k.ctx); err != nil {
		return err
	}
	if len(rows.Get()) == 0 {
		return fault.ErrNotFound
	}
	k.record = rows.Get()[0]
	return nil
}

// Record implements record.Call.
func (k *call) Record() record.Values { return k.record }

// Inputs implements record.Call.
func (k *call) Inputs() []record.Input { return k.inputs }

// Find implements record.Call.
func (k *call) Find(key string, filters map[string]string) ([]record.Values, error) {
	t := k.typeOf(key)
	scope, err := k.set.l.Policy.Scope(k.set.caller.Subject, t, access.View)
	if err != nil {
		return nil, nil // the caller may see none
	}
	return k.find(t, store.Query{Scope: scope}, filters)
}

// Referring implements record.Call.
func (k *call) Referring(key, field string, to []record.Values, fields ...string) ([]record.Values, error) {
	t := k.typeOf(key)
	scope, err := k.set.l.Policy.Scope(k.set.caller.Subject, t, access.View)
	if err != nil || len(to) == 0 {
		return nil, nil // the caller may see none
	}
	ids := make([]int64, len(to))
	for i, v := range to {
		ids[i] = v.ID()
	}
	for _, r := range t.Registry().Referrers(to[0].Type()) {
		if r.Type == t && r.Field.Info().Name == field {
			q := store.Query{Scope: scope, Where: r.Tests(ids), View: record.View{Only: append(fields, field)}}
			return k.set.tx.FindAll(k.ctx, t, q)
		}
	}
	return nil, fmt.Errorf("%s asks for records of %s by %q, which is no reference to %s", k.action.Key(), key, field, to[0].Type().Key())
}

// Members implements record.Call.
func (k *call) Members(key, field string, of []record.Values, paths ...string) ([]record.Member, error) {
	t := k.typeOf(key)
	read, err := t.Reads(paths...)
	if err != nil || len(of) == 0 {
		return nil, err
	}
	ids := make([]int64, len(of))
	for i, v := range of {
		ids[i] = v.ID()
	}
	members := k.set.tx.Members(t, t.Field(field), ids, read)
	if err := k.set.tx.Flush(k.ctx); err != nil {
		return nil, err
	}
	return members.Get(), nil
}

// PanelData returns the input of a panel's drawing for each of some records that the caller has read.
func (l *Ledger) PanelData(ctx context.Context, c Caller, p record.Panel, of []record.Values) (data []any, err error) {
	if len(of) == 0 {
		return nil, nil
	}
	scope, err := l.actionScope(c, p.Reads())
	if err != nil {
		return nil, err
	}
	err = l.Store.Read(ctx, scope, func(ctx context.Context, tx *store.Tx) (err error) {
		data, err = p.Data(&call{ctx: ctx, set: &changeSet{l: l, tx: tx, caller: c}, action: p.Reads()}, of)
		return err
	})
	if err == nil && len(data) != len(of) {
		err = fmt.Errorf("the Data of %s returned %d results for %d records", p.Reads().Key(), len(data), len(of))
	}
	return data, err
}

// Taken implements record.Call.
func (k *call) Taken(key, field string, filters map[string]string) ([]any, error) {
	rows, err := k.find(k.typeOf(key), store.Query{Scope: access.Machine(), View: record.View{Only: []string{field}}}, filters)
	values := make([]any, len(rows))
	for i, v := range rows {
		values[i] = v.Get(field)
	}
	return values, err
}

func (k *call) find(t *record.Type, q store.Query, filters map[string]string) ([]record.Values, error) {
	for _, name := range slices.Sorted(maps.Keys(filters)) { // in one order, so that it is one statement
		p, known, err := t.ParseFilter(name, []string{filters[name]})
		if err != nil {
			return nil, err
		}
		if !known {
			return nil, fmt.Errorf("the action %s filters %s by %q, and there is no such filter", k.action.Key(), t.Key(), name)
		}
		q.Where = append(q.Where, p)
	}
	return k.set.tx.FindAll(k.ctx, t, q)
}

// typeOf returns the type with the key. It panics on an unknown key, which is a mistake in the declaration.
func (k *call) typeOf(key string) *record.Type {
	t := k.set.l.Store.Type(key)
	if t == nil {
		panic("the action " + k.action.Key() + " names " + key + ", which is no record type")
	}
	return t
}

// Hold implements record.Call.
func (k *call) Hold(key string, within int64) error {
	t := k.typeOf(key)
	if t.Allocates == nil {
		return fmt.Errorf("the action %s holds values of %s, which declares no Allocates", k.action.Key(), key)
	}
	if err := k.mayWrite(); err != nil {
		return err
	}
	k.set.tx.Hold(t, within)
	return k.set.tx.Flush(k.ctx)
}

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
