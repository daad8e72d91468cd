package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

const (
	// syncedAtOnce is how many records are compared with their templates in one change set.
	syncedAtOnce = 100
	// syncedChildren is how many children these records may have by their templates. If they have more, the change set has fewer records.
	syncedChildren = 10_000
	// comparedAtOnce is how many children of one type these records may have. If they have more, the change set has fewer records.
	comparedAtOnce = 50_000
	// syncPatience is how long one request compares and writes. The answer says where to go on.
	syncPatience = 12 * time.Second
)

// errManyChildren means that records have too many children to be compared in one change set.
var errManyChildren = fault.New(fault.Invalid, "There are more than %d components of one type in a record, which is too many to compare.",
	comparedAtOnce)

// Synced is the answer of an action that Syncs.
type Synced struct {
	Added     []SyncedChild `json:"added"`
	Different []SyncedChild `json:"different"` // children that differ from their templates
	Extra     []SyncedChild `json:"extra"`     // children without a template
	*SyncedSeveral
}

// SyncedSeveral is what else is answered if the action compares several records.
type SyncedSeveral struct {
	Compared int    `json:"compared"` // records
	Next     *int64 `json:"next"`     // the last of them, if there are more; nil if not
}

// SyncedChild is a child in the answer of an action that Syncs.
type SyncedChild struct {
	Type   *record.Type
	Name   string
	Fields []string // that differ from the template

	Parent record.Values

	by     string // the reference to the parent
	parent json.RawMessage
}

// MarshalJSON writes the parent under the name of the reference to it.
func (c SyncedChild) MarshalJSON() ([]byte, error) {
	m := map[string]any{"type": c.Type.Key(), "name": c.Name, c.by: c.parent}
	if c.Fields != nil {
		m["fields"] = c.Fields
	}
	return json.Marshal(m)
}

// syncRun is one use of an action that Syncs.
type syncRun struct {
	l      *Ledger
	caller Caller
	t      *record.Type // of the records that are compared
	where  string       // their reference to what has the templates
	scope  access.Scope // the records that the caller may change
	views  access.Scope // what has templates that the caller may see
	dry    bool
	until  time.Time
	answer *Synced
}

// sync compares records with the templates of their children and adds the children that they lack. The caller must see what has the
// templates, and be allowed to change the records and to add the children. It never changes or deletes a child.
func (l *Ledger) sync(ctx context.Context, c Caller, a *record.Action, id int64, sent []Input) (any, error) {
	drafts, err := actionDrafts(a, sent)
	if err == nil {
		err = failed(drafts)
	}
	if err != nil {
		return nil, err
	}
	in := drafts[0].v
	run, err := l.newSyncRun(ctx, c, a, id, in.Bool("dry_run"))
	if err != nil {
		return nil, err
	}
	if run.t == a.Type() {
		return run.one(ctx, id)
	}
	return run.all(ctx, id, in.Int("after"))
}

// SyncPart is a part of an action that Syncs.
type SyncPart struct {
	ID    int64 // of the record that the action is on
	After int64 // of the records that refer to it, only those with a greater id are compared
	Dry   bool  // nothing is written
}

// SyncStep does a part of an action that Syncs: it compares the record, or the next records that refer to it, in one change set.
func (l *Ledger) SyncStep(ctx context.Context, c Caller, a *record.Action, part SyncPart) (*Synced, error) {
	if err := l.AllowAction(c, a); err != nil {
		return nil, err
	}
	run, err := l.newSyncRun(ctx, c, a, part.ID, part.Dry)
	if err != nil {
		return nil, err
	}
	if run.t == a.Type() {
		return run.one(ctx, part.ID)
	}
	_, err = run.batches(ctx, part.ID, part.After, 0) // the time for it is over after the first
	return run.answer, err
}

// newSyncRun checks that the caller may use an action that Syncs on the record with the id.
func (l *Ledger) newSyncRun(ctx context.Context, c Caller, a *record.Action, id int64, dry bool) (*syncRun, error) {
	if _, err := l.actedOn(ctx, c, a, id); err != nil {
		return nil, err
	}
	r := &syncRun{l: l, caller: c, t: l.Store.Type(a.Syncs), dry: dry}
	r.where = r.t.ChildRules()[0].Where
	var err error
	if r.scope, err = l.WriteScope(c, r.t, access.Change); err != nil {
		return nil, err
	}
	r.views, err = l.Policy.Scope(c.Subject, record.TargetOf(r.t.Field(r.where)), access.View)
	return r, err
}

// one compares one record.
func (r *syncRun) one(ctx context.Context, id int64) (*Synced, error) {
	err := r.transact(ctx, func(s *syncSet) error {
		r.reset() // the transaction may run again
		rows := s.tx.Load(r.t, r.scope, []int64{id}, store.LockWrite)
		if err := s.tx.Flush(ctx); err != nil {
			return err
		}
		if len(rows.Get()) == 0 {
			return fault.ErrNotFound
		}
		if err := s.findTemplates(ctx, rows.Get()[0].Link(r.where).ID); err != nil {
			return err
		}
		return s.sync(ctx, rows.Get())
	})
	return r.answer, err
}

// all compares the records that refer to an owner of templates, in the order of their ids, from one after the given id on. Each change set
// has at most syncedAtOnce records. It compares all of them before it writes the first change set, so that an error leaves nothing written.
func (r *syncRun) all(ctx context.Context, owner, after int64) (*Synced, error) {
	dry, start := r.dry, r.l.Now()
	r.dry, r.until = true, start.Add(syncPatience/3)
	compared, err := r.batches(ctx, owner, after, 0)
	if err != nil || dry {
		return r.answer, err
	}
	next := r.answer.Next
	r.dry, r.until = false, start.Add(syncPatience)
	if _, err = r.batches(ctx, owner, after, compared); err == nil && r.answer.Next == nil {
		r.answer.Next = next
	}
	return r.answer, err
}

func (r *syncRun) reset() {
	r.answer = &Synced{Added: []SyncedChild{}, Different: []SyncedChild{}, Extra: []SyncedChild{}}
}

// batches compares records in one change set after the other, as long as there is time, up to the one with the id upTo (0 for all). It
// returns the id of the last one.
func (r *syncRun) batches(ctx context.Context, owner, after, upTo int64) (last int64, err error) {
	r.reset()
	r.answer.SyncedSeveral = &SyncedSeveral{}
	atOnce := syncedAtOnce
	for full := true; full; {
		var ids []int64
		before := *r.answer
		err := r.transact(ctx, func(s *syncSet) (err error) {
			*r.answer = before // the transaction may run again
			if ids, full, err = s.next(ctx, owner, after, upTo, atOnce); err != nil || len(ids) == 0 {
				return err
			}
			rows := s.tx.Load(r.t, r.scope, ids, store.LockWrite)
			if err := s.tx.Flush(ctx); err != nil {
				return err
			}
			return s.sync(ctx, slices.DeleteFunc(rows.Get(), func(v record.Values) bool { return v.Link(r.where).ID != owner }))
		})
		switch {
		case errors.Is(err, errManyChildren) && len(ids) > 1:
			atOnce, full = len(ids)/2, true
			continue
		case err != nil:
			return 0, err
		}
		if len(ids) > 0 {
			after = ids[len(ids)-1]
		}
		r.answer.Compared += len(ids)
		if full && r.l.Now().After(r.until) {
			r.answer.Next = &after
			break
		}
	}
	return after, nil
}

// syncSet is the change set of one batch of records.
type syncSet struct {
	run *syncRun
	*changeSet
	templates []map[int64][]record.Values // by rule and owner
}

func (r *syncRun) transact(ctx context.Context, fn func(*syncSet) error) error {
	var items []*draft
	_, err := r.l.write(ctx, r.caller, nil, func(set *changeSet) error {
		err := fn(&syncSet{run: r, changeSet: set})
		items = set.items
		return err
	})
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || len(e.Items) < 2 {
		return err
	}
	// The caller has not sent a list, so the messages name the records.
	all := fault.Fields{}
	for i, item := range e.Items {
		for field, messages := range item {
			for _, message := range messages {
				all.Add(field, "%s: %s", items[i].v.Display(), message)
			}
		}
	}
	return &fault.Error{Kind: e.Kind, Fields: all}
}

// findTemplates reads the templates of an owner that the caller may see.
func (s *syncSet) findTemplates(ctx context.Context, owner int64) error {
	seen := s.tx.Inside(record.TargetOf(s.run.t.Field(s.run.where)), s.run.views, []int64{owner})
	var found []*store.Promise[[]record.Values]
	for _, rule := range s.run.t.ChildRules() {
		tests := []record.Predicate{{Field: rule.Shared, Values: []any{owner}}}
		found = append(found, s.tx.Find(rule.Templates, access.Machine(), tests, maxCreated, store.NoLock))
	}
	if err := s.tx.Flush(ctx); err != nil {
		return err
	}
	if seen.Get() != 1 {
		return fault.ErrDenied
	}
	for i, rule := range s.run.t.ChildRules() {
		s.templates = append(s.templates, byOwner(found[i].Get(), rule))
	}
	return nil
}

// next returns the ids of the next records to compare, and whether there may be more.
func (s *syncSet) next(ctx context.Context, owner, after, upTo int64, atOnce int) (ids []int64, full bool, err error) {
	if err := s.findTemplates(ctx, owner); err != nil {
		return nil, false, err
	}
	templates := 0
	for _, of := range s.templates {
		templates += len(of[owner])
	}
	limit := min(atOnce, max(1, syncedChildren/max(1, templates)))
	tests := []record.Predicate{{Field: s.run.t.Field(s.run.where), Values: []any{owner}}, {Lookup: record.Greater, Values: []any{after}}}
	if upTo != 0 {
		tests = append(tests, record.Predicate{Lookup: record.AtMost, Values: []any{upTo}})
	}
	rows := s.tx.Find(s.run.t, s.run.scope, tests, limit, store.NoLock)
	if err := s.tx.Flush(ctx); err != nil {
		return nil, false, err
	}
	for _, v := range rows.Get() {
		ids = append(ids, v.ID())
	}
	return ids, len(ids) == limit, nil
}

// sync compares records, which are locked, and adds the children that they lack.
func (s *syncSet) sync(ctx context.Context, rows []record.Values) error {
	b := &batch{t: s.run.t}
	for _, v := range rows {
		b.drafts = append(b.drafts, &draft{pre: v, v: v, given: s.run.t.NewValues(), errs: fault.Fields{}})
	}
	s.items = b.drafts
	missing, err := s.compare(ctx, b)
	if err != nil || len(missing) == 0 {
		return err
	}
	for _, m := range missing {
		if m.scope, err = s.l.WriteScope(s.caller, m.t, access.Add); err != nil {
			return err
		}
	}
	if !s.run.dry {
		return s.change(ctx, missing)
	}
	s.careful = true
	for _, m := range missing {
		if err := s.judge(ctx, m); err != nil {
			return err
		}
	}
	return s.failed()
}
