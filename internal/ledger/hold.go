package ledger

import (
	"context"
	"maps"
	"slices"
	"strings"

	"terrier/internal/record"
)

// hold makes the change set wait for actions that are choosing values of the fields that it sets, and those actions for it. All change
// sets hold types in the same order. A rehearsal takes no value, so it waits for nobody.
func (s *changeSet) hold(ctx context.Context, batches []*batch) error {
	if rehearsing(ctx) != nil {
		return nil
	}
	within := map[*record.Type][]int64{}
	for _, b := range batches {
		for _, d := range b.drafts {
			if b.t.Allocates != nil && d.competes(b.t.Allocates) {
				within[b.t] = append(within[b.t], b.t.Allocates.Of(d.v))
			}
		}
	}
	if len(within) == 0 {
		return nil
	}
	byKey := func(a, b *record.Type) int { return strings.Compare(a.Key(), b.Key()) }
	for _, t := range slices.SortedFunc(maps.Keys(within), byKey) {
		s.tx.Hold(t, within[t]...)
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
