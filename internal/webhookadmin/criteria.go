package webhookadmin

import (
	"fmt"
	"slices"

	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhook"
)

// criteria decide which changes a webhook, saved or not, is notified of.
type criteria struct {
	types      []string
	kinds      store.Hook
	conditions *webhook.Conditions
}

// criteriaOf returns the criteria of a webhook. They are not cached by version, as the ledger does for saved webhooks: another webhook
// may get the version of one that is not saved.
func criteriaOf(hook record.Values) criteria {
	return criteria{types: hook.List("content_types"), conditions: webhook.SavedConditions(hook.Raw("conditions")),
		kinds: store.Hook{ID: hook.ID(), OnCreate: hook.Bool("type_create"), OnUpdate: hook.Bool("type_update"),
			OnDelete: hook.Bool("type_delete")}}
}

func (c criteria) match(change store.Change, e *webhook.Event) webhook.Verdict {
	switch {
	case !slices.Contains(c.types, change.Type.Key()):
		return quiet("The webhook is not notified of changes to %s: it is not among its content types.", change.Type.Key())
	case !c.kinds.On(change.Action):
		return quiet("The webhook is not notified when a record is %s: type_%s is not selected.", e.Kind, change.Action)
	case !c.kinds.Wants(change.Action, change.About()):
		return quiet("A webhook is not notified of its own health.")
	}
	return c.conditions.Match(e)
}

func quiet(format string, args ...any) webhook.Verdict {
	return webhook.Verdict{Reason: fmt.Sprintf(format, args...)}
}
