package webhookadmin

import (
	"context"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// rotate gives a webhook a new secret and keeps the current one as the previous secret, so that requests are signed with both. The
// current secret is opened and sealed again here, because a sealed secret can be opened only in its own field. Nobody sees it.
func (a *Admin) rotate(ctx context.Context, c ledger.Caller, hook record.Values, in record.Input) (any, error) {
	secret, _ := in.Get("secret").(record.Plain)
	current, err := a.Ledger.OpenSecret(hook, "secret")
	switch {
	case err != nil:
		return nil, fault.Field("secret", "The current secret can't be opened with the keys of this server, "+
			"so requests can't be signed with both: edit the webhook and type the new one there.")
	case secret == "":
		return nil, fault.Field("secret", "Type the new secret, or let one be made.")
	case secret == current:
		return nil, fault.Field("secret", "This is the current secret: choose another.")
	}
	// The version makes sure that the secret that becomes the previous one is still the current one.
	secrets := ledger.Input{"secret": string(secret), "previous_secret": string(current)}
	return a.edit(ctx, c, ledger.Edit{ID: hook.ID(), Input: secrets, Match: []int64{hook.Version}})
}

// endRotation removes the previous secret of a webhook.
func (a *Admin) endRotation(ctx context.Context, c ledger.Caller, hook record.Values, _ record.Input) (any, error) {
	return a.edit(ctx, c, ledger.Edit{ID: hook.ID(), Input: ledger.Input{"previous_secret": ""}})
}

func (a *Admin) edit(ctx context.Context, c ledger.Caller, e ledger.Edit) (any, error) {
	rows, err := a.Ledger.Update(ctx, c, a.webhookType(), []ledger.Edit{e})
	if err != nil {
		return nil, err
	}
	return rows[0], nil
}
