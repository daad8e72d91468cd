package main

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// load fills a table of rows that only Terrier itself writes. It builds the indexes after the rows, which is many times faster and leaves
// them dense.
func load(ctx context.Context, database, table string, fill func(*pgx.Conn) error) (err error) {
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	drop, restore, err := indexStatements(ctx, conn, table)
	if err != nil {
		return err
	}
	if err := executeOn(ctx, conn, drop...); err != nil {
		return err
	}
	if err := fill(conn); err != nil {
		return err
	}
	if err := executeOn(ctx, conn, append([]string{"SET maintenance_work_mem = '512MB'"}, restore...)...); err != nil {
		return err
	}
	return executeOn(ctx, conn, "VACUUM ANALYZE", "CHECKPOINT")
}

// indexStatements returns the statements that drop the indexes of a table, except the primary key, and those that create them again, with
// those of its partitions.
func indexStatements(ctx context.Context, conn *pgx.Conn, table string) (drop, restore []string, err error) {
	rows, err := conn.Query(ctx, `
		SELECT CASE WHEN c.conname IS NULL THEN 'DROP INDEX ' || quote_ident(i.relname)
				ELSE 'ALTER TABLE ' || $1 || ' DROP CONSTRAINT ' || quote_ident(c.conname) END,
			CASE WHEN c.conname IS NULL THEN replace(pg_get_indexdef(x.indexrelid), ' ON ONLY ', ' ON ')
				ELSE 'ALTER TABLE ' || $1 || ' ADD CONSTRAINT ' || quote_ident(c.conname) || ' ' || pg_get_constraintdef(c.oid) END
		FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid LEFT JOIN pg_constraint c ON c.conindid = x.indexrelid AND c.contype = 'u'
		WHERE x.indrelid = $1::text::regclass AND NOT x.indisprimary`, table)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var d, r string
		if err := rows.Scan(&d, &r); err != nil {
			return nil, nil, err
		}
		drop, restore = append(drop, d), append(restore, r)
	}
	return drop, restore, rows.Err()
}
