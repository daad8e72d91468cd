package store

import "github.com/jackc/pgx/v5"

// Promise is the answer of a statement that a Tx has queued. It is there once Flush has sent the statement.
type Promise[T any] struct {
	value    T
	answered bool
}

// Get returns the answer. It panics when the statement has not been sent, or has failed.
func (p *Promise[T]) Get() T {
	if !p.answered {
		panic("a promise of the database was read before its answer came: call Flush, and look at its error")
	}
	return p.value
}

// Answered is a promise that needs no statement.
func Answered[T any](value T) *Promise[T] { return &Promise[T]{value, true} }

// promise queues a statement whose rows make the answer.
func promise[T any](tx *Tx, sql string, args []any, read func(pgx.Rows) (T, error)) *Promise[T] {
	return promiseIn(tx.batch, sql, args, read)
}

func promiseIn[T any](batch *pgx.Batch, sql string, args []any, read func(pgx.Rows) (T, error)) *Promise[T] {
	p := &Promise[T]{}
	batch.Queue(sql, args...).Query(func(rows pgx.Rows) (err error) {
		p.value, err = read(rows)
		p.answered = err == nil
		return err
	})
	return p
}

// each reads rows of one column.
func each[T any](rows pgx.Rows) ([]T, error) { return pgx.CollectRows(rows, pgx.RowTo[T]) }

// one reads the one row of one column.
func one[T any](rows pgx.Rows) (T, error) { return pgx.CollectExactlyOneRow(rows, pgx.RowTo[T]) }

// structs reads rows whose columns are the members of T, in order.
func structs[T any](rows pgx.Rows) ([]T, error) {
	return pgx.CollectRows(rows, pgx.RowToStructByPos[T])
}
