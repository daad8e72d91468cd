package ledger

import (
	"context"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
)

// Rotate gives a webhook a new secret and keeps the one it had as the previous, so that
// requests are signed with both. Nobody sees the one it had: it is opened and sealed again here,
// because what is sealed opens only in its own field.
func (l *Ledger) Rotate(ctx context.Context, c Caller, id int64, secret record.Plain) (record.Values, error) {
	t := l.webhookType()
	scope, err := l.writeScope(c, t, access.Change)
	if err != nil {
		return record.Values{}, err
	}
	v, err := l.Store.Get(ctx, t, scope, id)
	if err != nil {
		return record.Values{}, err
	}
	current, err := l.open(t, v, t.Field("secret").(record.Secret))
	switch {
	case err != nil:
		return record.Values{}, fault.Field("secret", "The current secret can't be opened with the keys of this server, so requests can't be signed with both: edit the webhook and type the new one there.")
	case secret == "":
		return record.Values{}, fault.Field("secret", "Type the new secret, or let one be made.")
	case secret == current:
		return record.Values{}, fault.Field("secret", "This is the current secret: choose another.")
	}
	// The version makes sure that it is still the current one that becomes the previous.
	rows, err := l.Update(ctx, c, t, []Edit{{ID: id, Input: Input{"secret": string(secret), "previous_secret": string(current)}, Match: []int64{v.Version}}})
	if err != nil {
		return record.Values{}, err
	}
	return rows[0], nil
}
