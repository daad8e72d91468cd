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
