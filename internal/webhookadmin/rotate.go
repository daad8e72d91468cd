package webhookadmin

import (
	"context"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// Rotation is the secret that a webhook is given.
type Rotation struct{ Secret record.Plain }

// Rotate gives a webhook a new secret and keeps the current one as the previous, so that requests
// are signed with both. Nobody sees the current one: it is opened and sealed again here, because
// a sealed secret opens only in its own field.
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
	// The version makes sure that it is still the current one that becomes the previous.
	secrets := ledger.Input{"secret": string(in.Secret), "previous_secret": string(current)}
	rows, err := a.Ledger.Update(ctx, c, t, []ledger.Edit{{ID: id, Input: secrets, Match: []int64{v.Version}}})
	if err != nil {
		return record.Values{}, err
	}
	return rows[0], nil
}
