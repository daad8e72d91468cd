package webhookadmin

import (
	"context"

	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// MaxTrial is how many changes a webhook can be tried on at once.
const MaxTrial = 1000

// TrialInput is a webhook to try, and the number of changes to try it on.
type TrialInput struct {
	Webhook ledger.Input // as it would be saved
	Changes int          // how many of the last changes to its types
}

// Trial is which of the last changes a webhook would have been notified of.
type Trial struct {
	Fired, Of int
	Lines     []TrialLine // newest first
}

// TrialLine is one change, without its states, and why the webhook would not have been notified of it.
type TrialLine struct {
	Change        record.Values
	Fires, Broken bool
	Reason        string
}

// Trial tries the events and conditions of a webhook before it is saved, on the last changes to its types that the caller may see. The
// input is used as in Preview. Whether the webhook is enabled makes no difference.
func (a *Admin) Trial(ctx context.Context, c ledger.Caller, id int64, in TrialInput) (Trial, error) {
	hook, err := a.rehearse(ctx, c, id, in.Webhook)
	if err != nil {
		return Trial{}, err
	}
	scope, err := a.viewScope(c, a.changeType())
	if err != nil {
		return Trial{}, err
	}
	wanted := criteriaOf(hook)
	var out Trial
	q := store.Query{Scope: scope, Where: a.changesFor(hook), Limit: max(1, min(in.Changes, MaxTrial))}
	err = a.store().Samples(ctx, q, func(past store.Sample) error {
		if err := ctx.Err(); err != nil { // conditions take time
			return err
		}
		v := wanted.match(past.Change, past.Change.Event())
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
