package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"terrier/internal/record"
)

// Recount counts the records of a type and corrects its count rows. It returns how many there are and how far off the
// count rows were. Nobody waits for it: the statement sees each transaction with both its records and its count row,
// or with neither.
func (s *Store) Recount(ctx context.Context, t *record.Type) (count, off int64, err error) {
	defer named(&err, "recount %s", t)
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL statement_timeout = 0"); err != nil { // ten million rows take long
			return err
		}
		// before the statement, which then sees what another recount did
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", RecountLock); err != nil {
			return err
		}
		return tx.QueryRow(ctx, fmt.Sprintf(`
			WITH found AS (SELECT (SELECT count(*) FROM %s) AS n, (SELECT coalesce(sum(n), 0)::bigint FROM record_count WHERE type = $1) AS noted),
			mended AS (INSERT INTO record_count (type, n) SELECT $1, n - noted FROM found WHERE n <> noted)
			SELECT n, noted - n FROM found`, quote(t.Table())), t.Key()).Scan(&count, &off)
	})
	return count, off, s.translate(err)
}
