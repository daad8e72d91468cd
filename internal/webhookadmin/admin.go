// Package webhookadmin owns what people do with webhooks and deliveries besides reading and
// writing them as records: retry, pause and resume, send a test, preview, try conditions on past
// changes, replay, rotate a secret, and look at queues, workers and history.
//
// What people do is a declared action of the type: Ledger.Act calls the function that Actions binds to it. The rest are methods that
// check the permission themselves: they look, compute something about a webhook that is not saved yet, or serve the command line.
//
// Package ledger decides which webhooks are notified of a change, in the change's transaction. Package webhook knows what is sent.
// Sending and automatic retries belong to delivery, statements to store.
package webhookadmin

import (
	"time"

	"terrier/internal/access"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// Admin acts on webhooks and deliveries on behalf of callers.
type Admin struct {
	Ledger *ledger.Ledger
	Guard  Guard

	HeldAfter time.Duration // a hold is reported when it has lasted so long
}

func (a *Admin) webhookType() *record.Type  { return a.store().Type(store.WebhookType) }
func (a *Admin) deliveryType() *record.Type { return a.store().Type(store.DeliveryType) }
func (a *Admin) changeType() *record.Type   { return a.store().Type(store.ChangeType) }

func (a *Admin) store() *store.Store { return a.Ledger.Store }

// viewScope returns the records of a type that the caller may see.
func (a *Admin) viewScope(c ledger.Caller, t *record.Type) (access.Scope, error) {
	return a.Ledger.Policy.Scope(c.Subject, t, access.View)
}

// changeScope returns the webhooks that the caller may change.
func (a *Admin) changeScope(c ledger.Caller) (access.Scope, error) {
	return a.Ledger.WriteScope(c, a.webhookType(), access.Change)
}
