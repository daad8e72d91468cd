package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"terrier/internal/audit"
	"terrier/internal/record"
)

const keysGroup = "keys"

var keyChecks = []Check{
	{keysGroup, "sealed", "terrier secret reseal", tables | keys, (*examination).sealed},
	{keysGroup, "tokens", "terrier token list", tables | keys, (*examination).tokens},
	{keysGroup, "audit", "terrier audit verify", tables | keys, (*examination).audit},
}

const secretsAtOnce = 200

// opened is how the encrypted secrets open.
type opened struct{ current, old, locked int }

// sealed opens every encrypted secret, and looks at none.
func (e *examination) sealed(ctx context.Context) (Finding, error) {
	var sum opened
	for _, t := range e.db.Types() {
		for _, f := range t.All() {
			if secret, is := record.SecrecyOf(f); is && secret.Seal == record.Encrypted {
				if err := e.openAll(ctx, t, secret, &sum); err != nil {
					return Finding{}, err
				}
			}
		}
	}
	switch {
	case sum.locked > 0:
		return found(Fail, "add the old key to TERRIER_SECRET_KEY_OLD; `terrier secret reseal` then names each that is left",
			"%s with none of the keys: webhooks that need them can't send", count(sum.locked, "secret")+opens(sum.locked))
	case sum.old > 0:
		return found(Warn, "", "%s only with an old key", count(sum.old, "secret")+opens(sum.old))
	}
	return ok("%s with the current key", count(sum.current, "secret")+opens(sum.current))
}

func opens(n int) string {
	if n == 1 {
		return " opens"
	}
	return " open"
}

func (e *examination) openAll(ctx context.Context, t *record.Type, secret record.Secrecy, sum *opened) error {
	for after := int64(0); ; {
		kept, err := e.db.KeptSecrets(ctx, t, secret, after, secretsAtOnce)
		if err != nil || len(kept) == 0 {
			return err
		}
		for _, k := range kept {
			_, err := e.Settings.Keys.Open(secret.Place(t, k.ID), string(k.Sealed))
			switch {
			case err != nil:
				sum.locked++
			case e.Settings.Keys.Stale(string(k.Sealed)):
				sum.old++
			default:
				sum.current++
			}
			after = k.ID
		}
	}
}

func (e *examination) tokens(ctx context.Context) (Finding, error) {
	n, err := e.db.TokensOfOldKeys(ctx, e.Settings.Keys.ID(), e.Now())
	if err != nil {
		return Finding{}, err
	}
	if n > 0 {
		return found(Warn, "use each of them once while the old key is in TERRIER_SECRET_KEY_OLD, or revoke it: terrier token list",
			"%s still kept with an old key", count(n, "token"))
	}
	return ok("all are kept with the current key")
}

// audit verifies the last day of the audit log.
func (e *examination) audit(ctx context.Context) (Finding, error) {
	n, err := e.db.VerifyChain(ctx, e.Settings.Keys, e.Now().Add(-24*time.Hour))
	if altered, is := errors.AsType[*audit.AlteredError](err); is {
		return found(Fail, "find out who can write to the database; `terrier audit verify` checks all of the log", "%s", altered)
	}
	if err != nil {
		return Finding{}, err
	}
	return ok("the last day is as it was written: %s of the chain", entries(n))
}

func entries(n int64) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}
