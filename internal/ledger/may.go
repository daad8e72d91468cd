package ledger

import (
	"context"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// May reports whether the caller may change or delete a record that they have read. It asks
// the database only where the permission depends on the record.
func (l *Ledger) May(ctx context.Context, c Caller, v record.Values, action string) (bool, error) {
	t := v.Type()
	scope, err := l.WriteScope(c, t, action)
	switch {
	case err != nil: // not with any record of the type
		return false, nil
	case t.Elevated != "" && !c.Superuser && v.Bool(t.Elevated):
		return false, nil
	case scope.All():
		return true, nil
	case scope.Empty():
		return false, nil
	}
	if _, err := l.Store.Get(ctx, t, scope, v.ID()); fault.KindOf(err) == fault.NotFound {
		return false, nil
	} else if err != nil {
		return false, err
	}
	return true, nil
}

// MayEach reports for each of some records that the caller has read whether they may change or delete it. It asks the database once, and
// only where the permission depends on the record.
func (l *Ledger) MayEach(ctx context.Context, c Caller, rows []record.Values, action string) ([]bool, error) {
	may := make([]bool, len(rows))
	if len(rows) == 0 {
		return may, nil
	}
	t := rows[0].Type()
	scope, err := l.WriteScope(c, t, action)
	if err != nil || scope.Empty() { // not with any record of the type
		return may, nil
	}
	within := map[int64]bool{}
	if !scope.All() {
		ids := make([]int64, len(rows))
		for i, r := range rows {
			ids[i] = r.ID()
		}
		found, err := l.Store.Within(ctx, t, scope, ids)
		if err != nil {
			return nil, err
		}
		for _, id := range found {
			within[id] = true
		}
	}
	for i, r := range rows {
		elevated := t.Elevated != "" && !c.Superuser && r.Bool(t.Elevated)
		may[i] = !elevated && (scope.All() || within[r.ID()])
	}
	return may, nil
}
