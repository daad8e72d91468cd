package ledger

import (
	"context"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// Related is how many records of a type refer to one, or to one below it in its tree, through a field.
type Related struct {
	record.Referrer
	Count int64
}

// Related counts the records that refer to a record, or to one below it in its tree, as far as the caller may see them.
func (l *Ledger) Related(ctx context.Context, c Caller, v record.Values) ([]Related, error) {
	return l.RelatedBy(ctx, c, v, v.Type().Registry().Referrers(v.Type()))
}

// RelatedBy is like Related, for some of the fields that refer to records of the type.
func (l *Ledger) RelatedBy(ctx context.Context, c Caller, v record.Values, by []record.Referrer) ([]Related, error) {
	var found []Related
	var lists []store.Counting
	for _, r := range by {
		scope, err := l.Policy.Scope(c.Subject, r.Type, access.View)
		if err != nil {
			continue // the caller may not see the type
		}
		found = append(found, Related{Referrer: r})
		lists = append(lists, store.Counting{Type: r.Type, Query: store.Query{Scope: scope, Where: r.Listed(v.ID())}})
	}
	counts, err := l.Store.Counts(ctx, lists)
	for i, n := range counts {
		found[i].Count = n
	}
	return found, err
}

// Counts returns how many records of each type the caller may see. Types that the caller may not see are missing.
func (l *Ledger) Counts(ctx context.Context, c Caller, types []*record.Type) (map[*record.Type]int64, error) {
	var lists []store.Counting
	for _, t := range types {
		if scope, err := l.Policy.Scope(c.Subject, t, access.View); err == nil {
			lists = append(lists, store.Counting{Type: t, Query: store.Query{Scope: scope}})
		}
	}
	counts, err := l.Store.Counts(ctx, lists)
	if err != nil {
		return nil, err
	}
	byType := make(map[*record.Type]int64, len(lists))
	for i, list := range lists {
		byType[list.Type] = counts[i]
	}
	return byType, nil
}
