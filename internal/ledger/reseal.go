package ledger

import (
	"context"
	"errors"

	"terrier/internal/record"
	"terrier/internal/store"
)

// Resealed tells what became of the encrypted secrets.
type Resealed struct {
	Anew   int     // were sealed again, with the current key
	Whole  int     // open with the current key now
	Locked []error // why the others open with no key there is; each names its record

	stale int // were found to be of an old key
}

const (
	resealBatch  = 100 // secrets, of some kilobytes each
	resealPasses = 10
)

// Reseal seals what was sealed with an old key again: the encrypted secrets of all types, beside
// whatever else is being written. No record changes by it, so no webhook is notified. It looks
// again until there is nothing left to do, because who edits a record meanwhile may
// put back a secret of an old key.
func (l *Ledger) Reseal(ctx context.Context) (Resealed, error) {
	anew := 0
	for range resealPasses {
		pass, err := l.resealAll(ctx)
		anew += pass.Anew
		pass.Anew = anew
		if err != nil || pass.stale == 0 {
			return pass, err
		}
	}
	return Resealed{Anew: anew},
		errors.New("secrets are still being sealed with an old key: find the process that has it as TERRIER_SECRET_KEY, restart it with " +
			"the new one and run this again")
}

func (l *Ledger) resealAll(ctx context.Context) (pass Resealed, err error) {
	for _, t := range l.Store.Types() {
		for _, f := range t.All() {
			secret, ok := record.SecrecyOf(f)
			if !ok || secret.Seal != record.Encrypted {
				continue
			}
			if err := l.resealField(ctx, t, secret, &pass); err != nil {
				return pass, err
			}
		}
	}
	return pass, nil
}

func (l *Ledger) resealField(ctx context.Context, t *record.Type, f record.Secrecy, pass *Resealed) error {
	after := int64(0)
	for {
		kept, err := l.Store.KeptSecrets(ctx, t, f, after, resealBatch)
		if err != nil || len(kept) == 0 {
			return err
		}
		after = kept[len(kept)-1].ID
		var stale []store.Kept
		var anew []record.Sealed
		for _, k := range kept {
			sealed, err := l.sealAnew(ctx, t, f, k)
			switch {
			case err != nil:
				pass.Locked = append(pass.Locked, err)
			case sealed == k.Sealed:
				pass.Whole++
			default:
				stale, anew = append(stale, k), append(anew, sealed)
			}
		}
		if len(stale) == 0 {
			continue
		}
		pass.stale += len(stale)
		done, err := l.Store.Reseal(ctx, t, f, stale, anew)
		if err != nil {
			return err
		}
		pass.Anew += done
	}
}

// sealAnew opens a secret, whatever key it is of: that it can be opened is worth knowing while
// there still is a key to do it with.
func (l *Ledger) sealAnew(ctx context.Context, t *record.Type, f record.Secrecy, k store.Kept) (record.Sealed, error) {
	place := f.Place(t, k.ID)
	plain, err := l.Sealer.Open(place, k.Sealed)
	if err != nil || !l.Sealer.Stale(k.Sealed) {
		return k.Sealed, err
	}
	sealed, _, err := l.Sealer.Seal(ctx, f, place, plain)
	return sealed, err
}
