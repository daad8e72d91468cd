package ledger

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// Bound is a function that does what a declared action says. The id is that of the record in the address, 0 for the list. It asks for
// permission to touch the record itself.
type Bound func(ctx context.Context, c Caller, id int64, in record.Input) (any, error)

// Bind says what the declared actions do, by their keys. It refuses an action that would do nothing, and a function that no action is
// declared for.
func (l *Ledger) Bind(actions map[string]Bound) error {
	declared := map[string]bool{}
	for _, t := range l.Store.Types() {
		for i := range t.Actions {
			key := t.Actions[i].Key()
			declared[key] = true
			if actions[key] == nil {
				return fmt.Errorf("the action %s is declared, and nothing is bound to it", key)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(actions)) {
		if !declared[key] {
			return fmt.Errorf("a function is bound to the action %s, which no type declares", key)
		}
	}
	l.bound = actions
	return nil
}

// AllowAction says why the caller may not use an action on any record at all, or nil.
func (l *Ledger) AllowAction(c Caller, a *record.Action) error {
	if c.ReadOnly && a.Writes() {
		return fault.ErrDenied
	}
	if err := l.Allow(c, a.RightOn(), a.Needs); err != nil || a.Adds == "" {
		return err
	}
	return l.Allow(c, a.AddsType(), "add")
}

// Act does what an action says: to the record of the id, or to the list.
func (l *Ledger) Act(ctx context.Context, c Caller, a *record.Action, id int64, sent Input) (any, error) {
	if err := l.AllowAction(c, a); err != nil {
		return nil, err
	}
	in, err := actionInput(a, sent)
	if err != nil {
		return nil, err
	}
	return l.bound[a.Key()](ctx, c, id, in)
}

// actionInput reads what was sent to an action. A record's unknown fields are ignored, because clients send back what they read;
// here, a dry_run that is misspelt would not be dry.
func actionInput(a *record.Action, sent Input) (record.Input, error) {
	t := a.Input()
	var known []string
	for _, in := range t.Infos() {
		known = append(known, in.Name)
	}
	for _, key := range slices.Sorted(maps.Keys(sent)) {
		if !slices.Contains(known, key) {
			return record.Input{}, Unknown("key", key, known)
		}
	}
	d := parse(t, sent)
	for i, in := range t.Infos() {
		_, isBool := sent[in.Name].(bool)
		switch given := d.given.HasAt(i); {
		case given && a.Writes() && !isBool && t.All()[i].Column().Storage == record.StoreBool:
			d.errs.Add(in.Name, "Must be true or false.") // other fields take words too
		case !given && in.Required && !in.Null && len(d.errs[in.Name]) == 0:
			d.errs.Add(in.Name, "%s", record.ErrRequired().Error())
		}
	}
	d.checkWords(t)
	if d.complete(t); len(d.errs) > 0 {
		return record.Input{}, &fault.Error{Kind: fault.Invalid, Fields: d.errs}
	}
	return record.Input{Values: d.v}, nil
}
