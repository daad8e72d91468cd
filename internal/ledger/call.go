package ledger

import (
	"context"
	"fmt"
	"maps"

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

// typeOf returns the type with the key. It panics on an unknown key, which is a mistake in the declaration.
func (k *call) typeOf(key string) *record.Type {
	t := k.set.l.Store.Type(key)
	if t == nil {
		panic("the action " + k.action.Key() + " names " + key + ", which is not a record type")
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
