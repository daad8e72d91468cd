package ledger

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

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
	return nil, fmt.Errorf("%s asks for records of %s by %q, which is not a reference to %s", k.action.Key(), key, field, to[0].Type().Key())
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
