package ledger

import (
	"context"
	"slices"

	"terrier/internal/access"
	"terrier/internal/record"
)

// Reveal opens the Shown secrets of the records that the caller may change. In records that the caller may only read they stay closed.
func (l *Ledger) Reveal(ctx context.Context, c Caller, t *record.Type, rows []record.Values) error {
	fields := shownSecrets(t)
	if len(fields) == 0 || len(rows) == 0 {
		return nil
	}
	scope, err := l.WriteScope(c, t, access.Change)
	if err != nil {
		return nil // the caller may change nothing
	}
	ids := make([]int64, len(rows))
	for i, v := range rows {
		ids[i] = v.ID()
	}
	if !scope.All() {
		if ids, err = l.Store.Within(ctx, t, scope, ids); err != nil {
			return err
		}
	}
	for n, v := range rows {
		if !slices.Contains(ids, v.ID()) {
			continue
		}
		rows[n] = v.Clone()
		for _, f := range fields {
			// A secret that can't be opened is not shown. The record can still be read and fixed. A delivery that needs the
			// secret fails with the reason.
			if plain, err := l.open(t, v, f); err == nil {
				rows[n].Set(f.Name, plain)
			}
		}
	}
	return nil
}

func shownSecrets(t *record.Type) []record.Secrecy {
	var fields []record.Secrecy
	for _, f := range t.All() {
		if secret, ok := record.SecrecyOf(f); ok && secret.Shown {
			fields = append(fields, secret)
		}
	}
	return fields
}

// OpenSecret returns an encrypted secret of a record in plain text, "" if it has none.
func (l *Ledger) OpenSecret(v record.Values, field string) (record.Plain, error) {
	secrecy, _ := record.SecrecyOf(v.Type().Field(field))
	return l.open(v.Type(), v, secrecy)
}

func (l *Ledger) open(t *record.Type, v record.Values, f record.Secrecy) (record.Plain, error) {
	sealed, _ := v.Get(f.Name).(record.Sealed)
	if sealed == "" {
		return "", nil
	}
	return l.Sealer.Open(f.Place(t, v.ID()), sealed)
}
