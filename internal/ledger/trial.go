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

// TrialLine is one change, without its states, and why the webhook would not have been told of it.
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
	told := criteriaOf(hook)
	var out Trial
	err = l.Store.Samples(ctx, scope, []record.Predicate{{Field: t.Field("changed_object_type"), Values: record.AnyOf(l.typesOf(hook))}}, max(1, min(n, MaxTrial)), func(past store.Sample) error {
		if err := ctx.Err(); err != nil { // conditions take time
			return err
		}
		v := told.match(past.Change, eventOf(past.Change))
		if v.Fires {
			out.Fired++
		}
		past.Row.Set("prechange_data", nil)
		past.Row.Set("postchange_data", nil)
		out.Lines = append(out.Lines, TrialLine{past.Row, v.Fires, v.Broken, v.Reason})
		return nil
	})
	if err != nil {
		return Trial{}, err
	}
	out.Of = len(out.Lines)
	return out, nil
}

// criteria are what decides which changes a webhook, saved or not, is told of.
type criteria struct {
	types      []string
	kinds      store.Hook
	conditions matcher
}

// criteriaOf does not use what is remembered of webhooks, and is not remembered: the version of
// what is not saved will be another's.
func criteriaOf(hook record.Values) criteria {
	c := criteria{types: hook.List("content_types"),
		kinds: store.Hook{OnCreate: hook.Bool("type_create"), OnUpdate: hook.Bool("type_update"), OnDelete: hook.Bool("type_delete")}}
	var err error
	if c.conditions, err = webhook.ParseConditions(hook.Raw("conditions")); err != nil {
		c.conditions = unreadable{err}
	}
	return c
}

func (c criteria) match(change store.Change, e *webhook.Event) webhook.Verdict {
	switch {
	case !slices.Contains(c.types, change.Type.Key()):
		return webhook.Verdict{Reason: fmt.Sprintf("The webhook is not told of changes to %s: it is not among its content types.", change.Type.Key())}
	case !wants(c.kinds, change.Action):
		return webhook.Verdict{Reason: fmt.Sprintf("The webhook is not told when a record is %s: type_%s is not selected.", e.Kind, change.Action)}
	}
	return c.conditions.Match(e)
}
