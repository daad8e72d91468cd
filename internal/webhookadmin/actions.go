package webhookadmin

import (
	"context"
	"encoding/json"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// Actions returns the functions of the declared actions of webhooks and deliveries, by the actions' keys. Ledger.Act calls them, and has
// checked the input and that the caller may use the action on the record.
func (a *Admin) Actions() map[string]ledger.Bound {
	return map[string]ledger.Bound{
		"POST extras.webhook/pause":      a.pause,
		"POST extras.webhook/resume":     a.resume,
		"POST extras.webhook/test":       a.test,
		"POST extras.webhook/replay":     a.replaySome,
		"POST extras.webhook/rotate":     a.rotate,
		"POST extras.webhook/rotate/end": a.endRotation,
		"POST extras.delivery/retry":     a.retry,
		"POST extras.delivery/redeliver": a.redeliver,
		"POST extras.deliveries/retry":   a.retryFiltered,
	}
}

// filterOf returns the query of an action that takes the filters of the list of a type.
func (a *Admin) filterOf(ctx context.Context, c ledger.Caller, t *record.Type, in record.Input, example string) (store.Query, error) {
	filter, given := in.Get("filter").(map[string]any)
	if !given {
		return store.Query{}, fault.Field("filter", "Say which %s: an object of filters, such as %s; {} means all.", t.Plural, example)
	}
	return a.Ledger.FilterQuery(ctx, c, t, filter)
}

// longestFilter is how much of a filter the audit log keeps.
const longestFilter = 500

// filterText returns the filter of an action as the audit log names it: {"webhook_id":7}.
func filterText(in record.Input) string {
	raw, err := json.Marshal(in.Get("filter"))
	if err != nil {
		return ""
	}
	return strings.ToValidUTF8(string(raw[:min(len(raw), longestFilter)]), "")
}
