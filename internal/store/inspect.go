package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/record"
)

// Inspector answers questions about a database in any condition: without a schema, with that of another version,
// read-only, or behind a pooler. Each question is a read-only transaction of its own, and no setting of it outlasts
// the transaction: a pooler may give the connection to others.
type Inspector struct {
	pool *pgxpool.Pool
	reg  *record.Registry
}

const (
	inspectConnections = 4
	inspectSettings    = "SET LOCAL statement_timeout = '5s'; SET LOCAL jit = off"
)

// Inspect connects to a database.
func Inspect(ctx context.Context, url string, reg *record.Registry) (*Inspector, error) {
	config, err := poolConfig(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns, config.MinConns, config.MinIdleConns = inspectConnections, 0, 0
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeDescribeExec // a pooler may lose prepared statements
	pool, err := openPool(ctx, config, &resets{})
	if err != nil {
		return nil, err
	}
	return &Inspector{pool, reg}, nil
}

// Close closes the connections.
func (i *Inspector) Close() { i.pool.Close() }

// Read runs fn in a transaction that can write nothing.
func (i *Inspector) Read(ctx context.Context, fn func(pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, i.pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, inspectSettings, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
		return fn(tx)
	})
}

// row reads a single row.
func (i *Inspector) row(ctx context.Context, into []any, sql string, args ...any) error {
	return i.Read(ctx, func(tx pgx.Tx) error { return tx.QueryRow(ctx, sql, args...).Scan(into...) })
}

// inspectRows reads all rows of a question into structs, by position.
func inspectRows[T any](ctx context.Context, i *Inspector, sql string, args ...any) ([]T, error) {
	return inspectWith(ctx, i, pgx.RowToStructByPos[T], sql, args...)
}

// texts reads the only column of a question.
func (i *Inspector) texts(ctx context.Context, sql string, args ...any) ([]string, error) {
	return inspectWith(ctx, i, pgx.RowTo[string], sql, args...)
}

func inspectWith[T any](ctx context.Context, i *Inspector, scan pgx.RowToFunc[T], sql string, args ...any) (found []T, err error) {
	err = i.Read(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, scan)
		return err
	})
	return found, err
}

// Now returns the database's time.
func (i *Inspector) Now(ctx context.Context) (now time.Time, err error) {
	defer named(&err, "read the time of the database")
	err = i.row(ctx, []any{&now}, "SELECT clock_timestamp()")
	return now, err
}

// Undefined reports whether a statement failed because a table, column or type is missing: the schema is older.
func Undefined(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "42P01" || pg.Code == "42703" || pg.Code == "42704" || pg.Code == "3F000")
}

// Forbidden reports whether the database user may not do something.
func Forbidden(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "42501"
}
