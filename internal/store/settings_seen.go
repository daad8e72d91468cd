package store

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"terrier/internal/audit"
)

// SeeSettings keeps the proofs of settings. If some of those kept before are not the same, it writes the event of their names in the same
// transaction, and changed is true. Of several servers that start at once, one does.
func (s *Store) SeeSettings(ctx context.Context, proofs map[string]string, same func(name, proof string) bool,
	event func(changed []string) audit.Event) (changed bool, err error) {
	defer named(&err, "compare the settings with those of the last start")
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "LOCK TABLE extras_setting_seen IN SHARE ROW EXCLUSIVE MODE"); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, "SELECT name, proof FROM extras_setting_seen ORDER BY name")
		if err != nil {
			return err
		}
		var names []string
		var name, proof string
		if _, err := pgx.ForEachRow(rows, []any{&name, &proof}, func() error {
			if _, watched := proofs[name]; watched && !same(name, proof) {
				names = append(names, name)
			}
			return nil
		}); err != nil {
			return err
		}
		var all, values []string
		for name, proof := range proofs {
			all, values = append(all, name), append(values, proof)
		}
		if _, err := tx.Exec(ctx, `INSERT INTO extras_setting_seen AS s (name, proof) SELECT * FROM unnest($1::text[], $2::text[])
			ON CONFLICT (name) DO UPDATE SET proof = excluded.proof WHERE s.proof <> excluded.proof`, all, values); err != nil {
			return err
		}
		if changed = len(names) > 0; !changed {
			return nil
		}
		slices.Sort(names)
		return writeEvent(ctx, tx, event(names))
	})
	return changed, s.translate(err)
}
