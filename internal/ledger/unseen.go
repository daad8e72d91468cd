package ledger

import (
	"context"
	"maps"
	"slices"

	"terrier/internal/record"
)

// Unseen are the referenced records that the caller may not see.
type Unseen map[*record.Type]map[int64]bool

// Any reports whether there are any.
func (u Unseen) Any() bool {
	for _, ids := range u {
		if len(ids) > 0 {
			return true
		}
	}
	return false
}

// Unseen returns the records that rows refer to and that the caller may not see. It asks the database only if a permission depends on
// the record.
func (l *Ledger) Unseen(ctx context.Context, c Caller, rows ...record.Values) (Unseen, error) {
	unseen := Unseen{}
	for _, v := range rows {
		for _, f := range referenceFields(v.Type()) {
			for _, link := range f.Links(v) {
				t := f.Of(link)
				if unseen[t] == nil {
					unseen[t] = map[int64]bool{}
				}
				unseen[t][link.ID] = true
			}
		}
	}
	for t, ids := range unseen {
		switch scope := l.referable(c, t); {
		case scope.All():
			delete(unseen, t)
		case !scope.Empty():
			seen, err := l.Store.Within(ctx, t, scope, slices.Sorted(maps.Keys(ids)))
			if err != nil {
				return nil, err
			}
			for _, id := range seen {
				delete(ids, id)
			}
		}
	}
	return unseen, nil
}
