package webhookadmin

import (
	"context"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// Actions returns the functions of the declared actions of webhooks and deliveries, by the actions' keys.
func (a *Admin) Actions() map[string]ledger.Bound {
	return map[string]ledger.Bound{
		"POST extras.webhook/pause":      toOne(a.Pause),
		"POST extras.webhook/resume":     toOne(a.Resume),
		"POST extras.delivery/retry":     toOne(a.Retry),
		"POST extras.delivery/redeliver": toOne(a.Redeliver),
		"POST extras.deliveries/retry":   a.retryFiltered,
	}
}

// toOne returns the function of an action on one record that takes no input.
func toOne(do func(context.Context, ledger.Caller, int64) (record.Values, error)) ledger.Bound {
	return func(ctx context.Context, c ledger.Caller, id int64, _ record.Input) (any, error) {
		return do(ctx, c, id)
	}
}

func (a *Admin) retryFiltered(ctx context.Context, c ledger.Caller, _ int64, in record.Input) (any, error) {
	filter, given := in.Get("filter").(map[string]any)
	if !given {
		return nil, fault.Field("filter", `Say which deliveries: an object of filters, such as {"webhook_id": 7}; {} means all.`)
	}
	q, err := ledger.FilterQuery(a.deliveryType(), filter)
	if err != nil {
		return nil, err
	}
	done, err := a.RetryAll(ctx, c, RetryAll{Query: q, DryRun: in.Bool("dry_run")})
	return map[string]int64{"count": done.Count}, err
}
