package ledger

import (
	"context"

	"terrier/internal/record"
)

// hold makes the change set wait for actions that are choosing values of the fields that it sets, and those actions for it.
func (s *changeSet) hold(ctx context.Context, batches []*batch) error {
	held := false
	for _, b := range batches {
		if b.t.Allocates == nil {
			continue
		}
		var within []int64
		for _, d := range b.drafts {
			if d.competes(b.t.Allocates) {
				within = append(within, b.t.Allocates.Of(d.v))
			}
		}
		if len(within) > 0 {
			s.tx.Hold(b.t, within...)
			held = true
		}
	}
	if !held {
		return nil
	}
	return s.tx.Flush(ctx)
}

// competes reports whether a draft takes a value that others could take too, and that its record does not have yet.
func (d *draft) competes(a *record.Allocation) bool {
	switch {
	case len(d.errs) > 0 || d.v.Get(a.Field) == nil:
		return false
	case !d.creation():
		return !d.v.Same(d.pre, a.Field) || a.Of(d.v) != a.Of(d.pre)
	}
	// Nobody else knows a record that is created with it.
	return !d.derived() || !d.cause.creation() || a.Of(d.v) != d.cause.v.ID() ||
		record.TargetOf(d.v.Type().Field(a.Within)) != d.cause.v.Type()
}
