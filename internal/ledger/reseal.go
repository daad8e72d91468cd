package ledger

import (
	"context"
	"errors"

	"terrier/internal/record"
	"terrier/internal/store"
)

// Resealed is the result of Reseal.
type Resealed struct {
	Reencrypted int     // secrets that were sealed again, with the current key
	Whole       int     // secrets that the current key opens now
	Locked      []error // why no key opens the others; each error names its record

	stale int // secrets found that were sealed with an old key
}

const (
	resealBatch  = 100 // secrets, of some kilobytes each
	resealPasses = 10
)

// Reseal seals the encrypted secrets of all types that were sealed with an old key again, with the current one. It may run while
// records are written. It changes no record, so no webhook is notified. It looks again until nothing is left to do, because an edit
// that happens meanwhile may write a secret with an old key again.
func (l *Ledger) Reseal(ctx context.Context) (Resealed, error) {
	reencrypted := 0
	for range resealPasses {
		pass, err := l.resealAll(ctx)
		reencrypted += pass.Reencrypted
		pass.Reencrypted = reencrypted
		if err != nil || pass.stale == 0 {
			return pass, err
		}
	}
	return Resealed{Reencrypted: reencrypted},
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
		var reencrypted []record.Sealed
		for _, k := range kept {
			sealed, err := l.reencrypt(ctx, t, f, k)
			switch {
			case err != nil:
				pass.Locked = append(pass.Locked, err)
			case sealed == k.Sealed:
				pass.Whole++
			default:
				stale, reencrypted = append(stale, k), append(reencrypted, sealed)
			}
		}
		if len(stale) == 0 {
			continue
		}
		pass.stale += len(stale)
		done, err := l.Store.Reseal(ctx, t, f, stale, reencrypted)
		if err != nil {
			return err
		}
		pass.Reencrypted += done
	}
}

// reencrypt opens a secret and seals it with the current key. It opens even one that has the current key already, to find out whether it
// can be opened while the other keys are still there.
func (l *Ledger) reencrypt(ctx context.Context, t *record.Type, f record.Secrecy, k store.Kept) (record.Sealed, error) {
	place := f.Place(t, k.ID)
	plain, err := l.Sealer.Open(place, k.Sealed)
	if err != nil || !l.Sealer.Stale(k.Sealed) {
		return k.Sealed, err
	}
	sealed, _, err := l.Sealer.Seal(ctx, f, place, plain)
	return sealed, err
}
