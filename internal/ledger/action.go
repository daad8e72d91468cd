package ledger

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
)

// Bound is the function that carries out a declared action. It gets the record in the address, on which the caller may use the action;
// for the list it is the zero Values. If the right is for another type, the function checks it on the records of that type.
type Bound func(ctx context.Context, c Caller, v record.Values, in record.Input) (any, error)

// Bind sets the functions of the declared actions, by the actions' keys. It fails if an action has no function, or a function no
// action.
func (l *Ledger) Bind(actions map[string]Bound) error {
	declared := map[string]bool{}
	for _, t := range l.Store.Types() {
		for i := range t.Actions {
			key := t.Actions[i].Key()
			declared[key] = true
			switch does, isBound := t.Actions[i].Do != nil || t.Actions[i].Syncs != "", actions[key] != nil; {
			case !does && !isBound:
				return fmt.Errorf("the action %s has no Do, and nothing is bound to it", key)
			case does && isBound:
				return fmt.Errorf("the action %s has a Do, and another function is bound to it", key)
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

// AllowAction returns an error if the caller may not use an action on any record.
func (l *Ledger) AllowAction(c Caller, a *record.Action) error {
	if c.ReadOnly && a.Writes() {
		return fault.ErrDenied
	}
	if a.Syncs != "" {
		if err := l.Allow(c, l.Store.Type(a.Syncs), access.Change); err != nil {
			return err
		}
	}
	if err := l.Allow(c, a.RightOn(), a.Needs); err != nil || a.Adds == "" {
		return err
	}
	return l.Allow(c, a.Answers(), access.Add)
}

// MayAct reports whether the caller may use an action on a record that they have read.
func (l *Ledger) MayAct(ctx context.Context, c Caller, a *record.Action, v record.Values) (bool, error) {
	if l.AllowAction(c, a) != nil {
		return false, nil
	}
	if a.Needs == access.View || a.RightOn() != a.Type() {
		return true, nil
	}
	return l.May(ctx, c, v, a.Needs)
}

// Act carries out an action on the record with the id, or on the list. Only an action that Adds may be sent several objects.
func (l *Ledger) Act(ctx context.Context, c Caller, a *record.Action, id int64, sent ...Input) (any, error) {
	if err := l.AllowAction(c, a); err != nil {
		return nil, err
	}
	if a.Adds != "" {
		release, err := l.charge(ctx, c, a.Answers(), sent)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	switch {
	case a.Syncs != "":
		return l.sync(ctx, c, a, id, sent)
	case a.Do != nil:
		return l.call(ctx, c, a, id, sent)
	}
	drafts, err := actionDrafts(a, sent)
	if err == nil {
		err = failed(drafts)
	}
	var v record.Values
	if err == nil && !a.OnList {
		v, err = l.actedOn(ctx, c, a, id)
	}
	if err != nil {
		return nil, err
	}
	return l.bound[a.Key()](ctx, c, v, record.Input{Values: drafts[0].v})
}

// actedOn returns the record of a bound action. For a caller who may not use the action on it, it is not found.
func (l *Ledger) actedOn(ctx context.Context, c Caller, a *record.Action, id int64) (record.Values, error) {
	scope, err := l.actionScope(c, a)
	if err != nil {
		return record.Values{}, err
	}
	return l.Store.Get(ctx, a.Type(), scope, id)
}

// actionDrafts parses what was sent to an action, and checks it as the fields of a record are checked. Unknown fields are refused: an
// action with a misspelled dry_run would really run. (Unknown fields of a record are ignored, because clients send back what they read.)
func actionDrafts(a *record.Action, sent []Input) ([]*draft, error) {
	t := a.Input()
	drafts := make([]*draft, len(sent))
	for n, in := range sent {
		if err := knownKeys(a, in); err != nil {
			return nil, err
		}
		d := parse(t, in)
		for i, info := range t.Infos() {
			value, sent := in[info.Name]
			_, isBool := value.(bool)
			switch given := d.given.HasAt(i); {
			case sent && a.Writes() && !isBool && t.All()[i].Column().Storage == record.StoreBool:
				delete(d.errs, info.Name)
				d.errs.Add(info.Name, "Must be true or false.") // the fields of records take words too
			case !given && info.Required && !info.Null && len(d.errs[info.Name]) == 0:
				d.errs.Add(info.Name, "%s", record.ErrRequired().Error())
			}
		}
		d.checkWords(t)
		d.complete(t)
		d.check()
		drafts[n] = d
	}
	return drafts, nil
}

func knownKeys(a *record.Action, sent Input) error {
	if a.Adds != "" {
		return nil // what is not in Body is a field of the new record
	}
	var known []string
	for _, in := range a.Input().Infos() {
		known = append(known, in.Name)
	}
	for _, key := range slices.Sorted(maps.Keys(sent)) {
		if !slices.Contains(known, key) {
			return Unknown("key", key, known)
		}
	}
	return nil
}
