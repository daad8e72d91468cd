package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/record"
)

// manyRows is the number of rows from which Fill builds the indexes after the rows.
const manyRows = 20_000

// Fill adds n records of a type by COPY and returns the id of the first. The ids of the others follow it. row makes the i-th record and
// gets its id, because records may refer to each other. The constraints of the table are checked. Permissions are not, and no webhook is
// notified: Fill is for samples and measurements in a database that nobody else writes to at the same time.
//
// Many rows are written without indexes, uniqueness rules and foreign keys. These are made again in the same transaction, and readers
// wait for it.
func (s *Store) Fill(ctx context.Context, t *record.Type, n int, row func(i int, id int64) (record.Values, error)) (first int64,
	err error) {
	defer named(&err, "fill %s", t)
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return 0, s.translate(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "SET statement_timeout = 0"); err != nil {
		return 0, s.translate(err)
	}
	defer func() {
		_, reset := conn.Exec(context.WithoutCancel(ctx), "RESET statement_timeout")
		err = errors.Join(err, reset)
	}()
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if n < manyRows {
			first, err = s.copyRows(ctx, tx, t, n, row)
			return err
		}
		return withoutIndexes(ctx, tx, t, func() error {
			first, err = s.copyRows(ctx, tx, t, n, row)
			return err
		})
	})
	if err == nil { // autovacuum would do this later, and lists are planned badly before
		err = vacuum(ctx, conn, t)
	}
	return first, s.translate(err)
}

func vacuum(ctx context.Context, conn *pgxpool.Conn, t *record.Type) error {
	_, err := conn.Exec(ctx, "VACUUM ANALYZE "+quote(t.Table()))
	return err
}

func (s *Store) copyRows(ctx context.Context, tx pgx.Tx, t *record.Type, n int, row func(int, int64) (record.Values, error)) (first int64,
	err error) {
	if n < 1 {
		return 0, nil
	}
	if err := tx.QueryRow(ctx, fmt.Sprintf("SELECT nextval('%s_id_seq')", t.Table())).Scan(&first); err != nil {
		return 0, err
	}
	columns, fields := []string{"id", "version"}, []int{}
	for i, f := range t.All() {
		if c := f.Column(); c.Storage != record.NoStorage {
			columns, fields = append(columns, c.Name), append(fields, i)
		}
	}
	i, values := 0, make([]any, len(columns))
	var failed error // PostgreSQL's error would say only that the client gave up
	_, err = tx.CopyFrom(ctx, pgx.Identifier{t.Table()}, columns, pgx.CopyFromFunc(func() ([]any, error) {
		if i == n {
			return nil, nil
		}
		id := first + int64(i)
		v, err := row(i, id)
		if err != nil {
			failed = err
			return nil, err
		}
		i++
		values[0], values[1] = id, int64(1)
		for k, field := range fields {
			values[k+2] = copied(v.At(field))
		}
		return values, nil
	}))
	if err = cmp.Or(failed, err); err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, fmt.Sprintf("SELECT setval('%s_id_seq', $1)", t.Table()), first+int64(n)-1)
	if err == nil {
		_, err = tx.Exec(ctx, "INSERT INTO record_count (type, n) VALUES ($1, $2)", t.Key(), n)
	}
	return first, err
}

// copied returns a value as COPY takes it.
func copied(v any) any {
	switch x := v.(type) {
	case record.Link:
		return x.ID
	case []record.Link:
		ids := make([]int64, len(x))
		for i, l := range x {
			ids[i] = l.ID
		}
		return ids
	case record.Sealed:
		return string(x)
	case json.RawMessage:
		return []byte(x)
	}
	return v
}

// withoutIndexes runs fill while a table has only its primary key, and then makes its indexes, uniqueness rules and foreign keys again.
func withoutIndexes(ctx context.Context, tx pgx.Tx, t *record.Type, fill func() error) error {
	rows, err := tx.Query(ctx, `
		SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
			format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)), ''
		FROM pg_constraint WHERE conrelid = $1::text::regclass AND contype IN ('u', 'f')
		UNION ALL
		SELECT format('DROP INDEX %s', indexrelid::regclass), pg_get_indexdef(indexrelid),
			format('COMMENT ON INDEX %s IS %L', indexrelid::regclass, obj_description(indexrelid))
		FROM pg_index x WHERE indrelid = $1::text::regclass AND NOT indisprimary
			AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = x.indexrelid AND conrelid = x.indrelid)`, quote(t.Table()))
	if err != nil {
		return err
	}
	statements, err := structs[struct{ Drop, Make, Comment string }](rows)
	if err != nil {
		return err
	}
	for _, x := range statements {
		if _, err := tx.Exec(ctx, x.Drop); err != nil {
			return err
		}
	}
	if err := fill(); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "SET LOCAL maintenance_work_mem = '256MB'"); err != nil {
		return err
	}
	for _, x := range statements {
		if _, err := tx.Exec(ctx, x.Make+";"+x.Comment); err != nil {
			return fmt.Errorf("%s: %w", x.Make, err)
		}
	}
	return nil
}
