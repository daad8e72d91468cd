package ledger

import (
	"context"
	"fmt"

	"terrier/internal/record"
)

// sealEarly checks the given secrets and seals those that are not bound to a row. It runs before the transaction, because a password
// hash takes longer than locks may be held.
func (l *Ledger) sealEarly(ctx context.Context, t *record.Type, drafts []*draft) error {
	for i, f := range t.All() {
		secret, ok := record.SecrecyOf(f)
		if !ok {
			continue
		}
		for _, d := range drafts {
			if err := l.sealOne(ctx, secret, i, d); err != nil {
				return err
			}
		}
	}
	return nil
}

// sealOne checks one secret of one draft, and seals it unless it is bound to a row.
func (l *Ledger) sealOne(ctx context.Context, f record.Secrecy, i int, d *draft) error {
	creation := d.v.Type() != nil // an edit gets its values inside the transaction
	plain, given := d.given.At(i).(record.Plain)
	if f.Seal == record.TokenKey {
		switch {
		case given && !creation:
			d.errs.Add(f.Name, "The key of a token can't be changed: create another token.")
			return nil
		case !given && creation && len(d.errs[f.Name]) == 0:
			plain, given = l.Sealer.NewKey(), true
		case !given && !creation:
			d.given.UnsetAt(i) // null or blank keeps the key
		}
	}
	if !given {
		if f.Seal == record.Encrypted && d.given.HasAt(i) { // null keeps the secret: callers who may not see it read null
			d.given.UnsetAt(i)
			if creation {
				d.v.SetAt(i, d.v.Type().Infos()[i].Default)
			}
		}
		return nil
	}
	if message := l.Sealer.Refuse(f, plain); message != "" {
		d.errs.Add(f.Name, "%s", message)
		return nil
	}
	if f.Seal == record.Encrypted {
		return nil // sealLate seals it
	}
	sealed, hint, err := l.Sealer.Seal(ctx, f, "", plain)
	if err != nil {
		return fmt.Errorf("seal %s: %w", f.Name, err)
	}
	d.given.SetAt(i, sealed)
	if creation {
		d.v.SetAt(i, sealed)
	}
	if f.Hint != "" {
		d.v.Set(f.Hint, hint)
		d.reveal = map[string]record.Plain{f.Name: plain}
	}
	return nil
}

// holds reports whether a record has this secret already, with the current key. Sealing it again would look like a change. A secret that
// was sealed with an old key is sealed again, so that saving the record moves it to the current key.
func (l *Ledger) holds(t *record.Type, d *draft, f record.Secrecy, plain record.Plain) bool {
	if d.creation() {
		return false
	}
	had, err := l.open(t, d.pre, f)
	if err != nil || had != plain { // one that can't be opened is replaced
		return false
	}
	sealed, _ := d.pre.Get(f.Name).(record.Sealed)
	return !l.Sealer.Stale(sealed)
}

// sealLate seals the secrets that are bound to the row. Its id is known now.
func (l *Ledger) sealLate(ctx context.Context, t *record.Type, d *draft) error {
	for i, f := range t.All() {
		secret, ok := record.SecrecyOf(f)
		if !ok || secret.Seal != record.Encrypted {
			continue
		}
		plain, given := d.v.At(i).(record.Plain)
		if !given {
			continue
		}
		if plain == "" { // an empty text removes the secret
			d.v.SetAt(i, record.Sealed(""))
			continue
		}
		if l.holds(t, d, secret, plain) {
			d.v.SetAt(i, d.pre.At(i))
			continue
		}
		sealed, _, err := l.Sealer.Seal(ctx, secret, secret.Place(t, d.v.ID()), plain)
		if err != nil {
			return fmt.Errorf("seal %s: %w", secret.Name, err)
		}
		d.v.SetAt(i, sealed)
	}
	return nil
}
