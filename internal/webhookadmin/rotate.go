package webhookadmin

import (
	"context"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// Rotation is the new secret of a webhook.
type Rotation struct{ Secret record.Plain }

// Rotate gives a webhook a new secret and keeps the current one as the previous secret, so that requests are signed with both. The
// current secret is opened and sealed again here, because a sealed secret can be opened only in its own field. Nobody sees it.
func (a *Admin) Rotate(ctx context.Context, c ledger.Caller, id int64, in Rotation) (record.Values, error) {
	t := a.webhookType()
	scope, err := a.changeScope(c)
	if err != nil {
		return record.Values{}, err
	}
	v, err := a.store().Get(ctx, t, scope, id)
	if err != nil {
		return record.Values{}, err
	}
	current, err := a.Ledger.OpenSecret(v, "secret")
	switch {
	case err != nil:
		return record.Values{}, fault.Field("secret", "The current secret can't be opened with the keys of this server, "+
			"so requests can't be signed with both: edit the webhook and type the new one there.")
	case in.Secret == "":
		return record.Values{}, fault.Field("secret", "Type the new secret, or let one be made.")
	case in.Secret == current:
		return record.Values{}, fault.Field("secret", "This is the current secret: choose another.")
	}
	// The version makes sure that the secret that becomes the previous one is still the current one.
	secrets := ledger.Input{"secret": string(in.Secret), "previous_secret": string(current)}
	rows, err := a.Ledger.Update(ctx, c, t, []ledger.Edit{{ID: id, Input: secrets, Match: []int64{v.Version}}})
	if err != nil {
		return record.Values{}, err
	}
	return rows[0], nil
}
