package ledger

import (
	"context"
	"encoding/json"
	"slices"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// Merged is a field that other records make up, and what they have added.
type Merged struct {
	Type    *record.Type    // of the sources
	Sources []record.Values // those that the caller may see, in their order: the later one wins
	Unseen  int             // others
	Own     json.RawMessage // what the record itself lays over them, nil for nothing
	Result  json.RawMessage
}

// MergedFrom returns what a merged field of a record that the caller has read comes from.
func (l *Ledger) MergedFrom(ctx context.Context, c Caller, v record.Values, field string) (Merged, error) {
	scope, err := l.Policy.Scope(c.Subject, v.Type(), access.View)
	if err != nil {
		return Merged{}, err
	}
	from, err := l.Store.MergedFrom(ctx, scope, v, field)
	if err != nil {
		return Merged{}, err
	}
	m := Merged{Type: from.Type, Unseen: len(from.Sources), Own: from.Own, Result: from.Result}
	scope, err = l.Policy.Scope(c.Subject, from.Type, access.View)
	if err != nil || len(from.Sources) == 0 { // the caller may see none of them
		return m, nil
	}
	page, err := l.Store.List(ctx, from.Type, store.Query{Scope: scope, Limit: len(from.Sources), MaxBytes: store.MaxPage,
		Where: []record.Predicate{{Values: record.AnyOf(from.Sources)}}, Count: store.CountNone})
	if err != nil {
		return Merged{}, err
	}
	m.Sources = page.Rows
	slices.SortFunc(m.Sources, func(a, b record.Values) int {
		return slices.Index(from.Sources, a.ID()) - slices.Index(from.Sources, b.ID())
	})
	m.Unseen -= len(m.Sources)
	return m, nil
}
