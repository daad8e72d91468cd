package ledger

import (
	"context"
	"fmt"
	"slices"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhook"
)

// MaxTrial is how many changes a webhook can be tried over at once.
const MaxTrial = 1000

// Trial is what a webhook would have been told of the last changes.
type Trial struct {
	Fired, Of int
	Lines     []TrialLine // newest first
}

// TrialLine is one change, and why the webhook would not have been told of it.
type TrialLine struct {
	Change        record.Values
	Fires, Broken bool
	Reason        string
}

// Trial tries the events and conditions of a webhook before it is saved, over the last n
// changes to its types that the caller may see. The webhook is taken as in Preview; whether
// it is enabled makes no difference, because one is tried before that.
func (l *Ledger) Trial(ctx context.Context, c Caller, id int64, in Input, n int) (Trial, error) {
	hook, err := l.rehearseWebhook(ctx, c, id, in)
	if err != nil {
		return Trial{}, err
	}
	t := l.Store.Type(store.ChangeType)
	scope, err := l.Policy.Scope(c.Subject, t, access.View)
	if err != nil {
		return Trial{}, err
	}
	s := suit(hook)
	changes, err := l.Store.Samples(ctx, scope, []record.Predicate{{Field: t.Field("changed_object_type"), Values: record.AnyOf(s.types)}}, max(1, min(n, MaxTrial)))
	if err != nil {
		return Trial{}, err
	}
	out := Trial{Of: len(changes), Lines: make([]TrialLine, len(changes))}
	for i, past := range changes {
		if err := ctx.Err(); err != nil { // conditions take time
			return Trial{}, err
		}
		v := s.match(past.Change, eventOf(past.Change))
		if v.Fires {
			out.Fired++
		}
		out.Lines[i] = TrialLine{past.Row, v.Fires, v.Broken, v.Reason}
	}
	return out, nil
}

// suitor is a webhook, saved or not, as far as it decides which changes it is told of.
type suitor struct {
	types      []string
	kinds      store.Hook
	conditions matcher
}

// suit does not use what is remembered of webhooks, and is not remembered: the version of
// what is not saved will be another's.
func suit(v record.Values) suitor {
	s := suitor{types: v.List("content_types"),
		kinds: store.Hook{OnCreate: v.Bool("type_create"), OnUpdate: v.Bool("type_update"), OnDelete: v.Bool("type_delete")}}
	var err error
	if s.conditions, err = webhook.ParseConditions(v.Raw("conditions")); err != nil {
		s.conditions = unreadable{err}
	}
	return s
}

func (s suitor) match(c store.Change, e *webhook.Event) webhook.Verdict {
	switch {
	case !slices.Contains(s.types, c.Type.Key()):
		return webhook.Verdict{Reason: fmt.Sprintf("The webhook is not told of changes to %s: it is not among its content types.", c.Type.Key())}
	case !wants(s.kinds, c.Action):
		return webhook.Verdict{Reason: fmt.Sprintf("The webhook is not told when a record is %s: type_%s is not selected.", e.Kind, c.Action)}
	}
	return s.conditions.Match(e)
}
