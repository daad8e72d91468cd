package ledger

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// Rehearsal is what changes would do. They were tried and rolled back.
type Rehearsal struct {
	Effects []Effect // on records that the caller may see, by type and id
	Unseen  int      // effects on records that the caller may not see
	Holders []Holder // what prevents a deletion; the effects are then what else it would do
}

// Holder is the records of one type that prevent a deletion.
type Holder struct {
	Type   *record.Type
	Count  int             // records that the caller may see
	Some   []record.Values // the first of them
	Unseen bool            // there are records that the caller may not see
}

// Effect is the change that would be made to one record.
type Effect struct {
	Type   *record.Type
	ID     int64  // a record that would be created has an id that is never used
	Name   string // its full name, before the change if it exists
	Action string // create, update, delete
	Widens bool   // a selector of it becomes empty, so that it counts for more records
}

type rehearsalKey struct{}

// Rehearse returns a context in which Create, Update and Delete do everything and then roll it back. They answer as usual, but nothing
// is kept and no webhook is notified. Secrets stay sealed: a key that is generated in a rehearsal opens nothing. The Rehearsal collects
// what they would have done. Only one goroutine at a time may use it.
func Rehearse(ctx context.Context) (context.Context, *Rehearsal) {
	r := &Rehearsal{}
	return context.WithValue(ctx, rehearsalKey{}, r), r
}

func rehearsing(ctx context.Context) *Rehearsal {
	r, _ := ctx.Value(rehearsalKey{}).(*Rehearsal)
	return r
}

// note adds the effects of a change set, from the run that succeeded.
func (r *Rehearsal) note(set *changeSet) {
	seen := map[object]bool{}
	for _, asked := range set.visible.asked {
		for _, v := range asked.rows.Get() {
			seen[object{asked.t, v.ID()}] = true
		}
	}
	var effects []Effect
	for _, e := range set.entries {
		v := e.pre
		if e.action() == store.Created {
			v = e.post
		}
		if !set.visible.allOf[e.t] && !seen[object{e.t, v.ID()}] {
			r.Unseen++
			continue
		}
		effects = append(effects, Effect{e.t, v.ID(), v.FullName(), e.action(), e.widens()})
	}
	slices.SortFunc(effects, func(a, b Effect) int {
		return cmp.Or(strings.Compare(a.Type.Key(), b.Type.Key()), cmp.Compare(a.ID, b.ID))
	})
	r.Effects, r.Holders = append(r.Effects, effects...), append(r.Holders, set.holders...)
}

// widens reports whether the change empties a selector of a source: see record.Merged.
func (e *entry) widens() bool {
	return e.action() == store.Updated && e.t.IsSource() && slices.ContainsFunc(e.t.References(), func(f record.ReferenceField) bool {
		return f.Many && len(f.Links(e.pre)) > 0 && len(f.Links(e.post)) == 0
	})
}

// visibility is what the caller may see of the records that a rehearsal touches.
type visibility struct {
	allOf map[*record.Type]bool // types of which the caller may see every record
	asked []visibleRows         // of other types
}

type visibleRows struct {
	t    *record.Type
	rows *store.Promise[[]record.Values]
}

// askVisible asks, in a rehearsal, which of these records the caller may see. It is called before they are changed or deleted, because
// that may hide them from the caller.
func (s *changeSet) askVisible(t *record.Type, ids []int64) {
	if s.visible == nil || len(ids) == 0 {
		return
	}
	scope, err := s.l.Policy.Scope(s.caller.Subject, t, access.View)
	switch {
	case err != nil: // the caller may see none
	case scope.All():
		s.visible.allOf[t] = true
	default:
		s.visible.asked = append(s.visible.asked, visibleRows{t, s.tx.Load(t, scope, ids, store.NoLock)})
	}
}
