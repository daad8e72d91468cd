// Package store owns PostgreSQL: every statement of the program is here.
//
// Statements on records are generic, compiled from a record.Type: there is no code for a single type. Reads take an
// access.Scope, which is compiled into the statement, so a row outside it is never fetched. Writes happen inside
// Write, one transaction per change set; the ledger decides what belongs into a change set.
package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
)

// Store reads and writes records.
type Store struct {
	pools
	reg   *record.Registry
	plans map[*record.Type]*plan

	locks   localLocks
	defined defined
	isASCII bool // trigrams are made of the letters and digits of ASCII alone
}

// Open connects to the database. A tracer, where given, sees every statement.
func Open(ctx context.Context, url string, reg *record.Registry, tracer pgx.QueryTracer, own ...Setting) (*Store, error) {
	connections, err := openPools(ctx, url, tracer, own)
	if err != nil {
		return nil, err
	}
	s := &Store{pools: connections, reg: reg, plans: map[*record.Type]*plan{}}
	for _, t := range reg.Types() {
		s.plans[t] = newPlan(t)
	}
	// PostgreSQL 16 and later have no setting lc_ctype.
	err = s.pool.QueryRow(ctx, "SELECT datctype IN ('C', 'POSIX') FROM pg_database WHERE datname = current_database()").Scan(&s.isASCII)
	if err != nil {
		s.Close()
		err = s.translate(err)
		named(&err, "read the ctype of the database")
		return nil, err
	}
	return s, nil
}

// Pending counts the migrations that have not been applied.
func (s *Store) Pending(ctx context.Context) (_ int, err error) {
	defer named(&err, "count missing migrations")
	n, err := pending(ctx, s.spare)
	return n, s.translate(err)
}

// Tx is a transaction in which a change set is written, or an action reads. Its methods only queue their statement; Flush sends the queue
// in one round trip and fills the results in. Round trips are most of the cost of a small change set, so BEGIN is
// sent with the first statements and COMMIT with the last.
type Tx struct {
	conn  *pgxpool.Conn
	s     *Store
	batch *pgx.Batch

	newest time.Time // last_updated of the rows that it has locked

	rehearsal bool // it waits for no locked rows
	reading   bool // it locks nothing and writes nothing

	locks   *heldLocks // nil in a rehearsal
	blocked error      // it must give its connection back and wait for a lock
}

func (tx *Tx) exec(sql string, args ...any) { tx.batch.Queue(sql, args...) }

// Flush sends the queued statements.
func (tx *Tx) Flush(ctx context.Context) (err error) {
	defer named(&err, "send statements")
	if tx.blocked != nil {
		return tx.blocked
	}
	if tx.batch.Len() == 0 {
		return nil
	}
	return tx.s.translate(tx.send(ctx))
}

func (tx *Tx) send(ctx context.Context) error {
	batch := tx.batch
	tx.batch = &pgx.Batch{}
	return tx.conn.SendBatch(ctx, batch).Close()
}

// A transaction that ended in a deadlock is tried again after a random pause: two transactions that blocked each other must not meet again.
const (
	writeTries    = 4
	conflictPause = 10 * time.Millisecond // at least, and up to three times as long
)

// Write runs fn in a transaction for a caller, flushes and commits; after a deadlock it starts over, as it does when it has waited for a
// lock within a record (lock_within.go). A commit goes on even if the caller goes away: once it is sent, we want to know its outcome.
func (s *Store) Write(ctx context.Context, by access.Asker, fn func(*Tx) error) error {
	locks := &heldLocks{all: &s.locks, by: by, wanted: map[lockKey]bool{}}
	defer locks.releaseAll()
	for {
		err := s.transact(ctx, by, func(tx *Tx) error {
			tx.locks, locks.asked = locks, false
			return fn(tx)
		}, (*Tx).commit)
		switch {
		case len(locks.wanted) > 0:
			err = locks.wait(ctx)
		case locks.asked && Locked(err):
			err = pause(ctx)
		default:
			return err
		}
		if err != nil {
			return err
		}
	}
}

// rehearsalPatience is how long a rehearsal waits in all for rows that somebody else is changing: its result is
// discarded anyway. It holds no lock meanwhile, but starts over. It waits as long for each lock of another kind.
const (
	rehearsalPatience = 500 * time.Millisecond
	rehearsalPause    = 50 * time.Millisecond
)

var errBusy = &fault.Error{Kind: fault.Busy, Detail: "Somebody else is changing these records at this moment. Try again.",
	RetryAfter: time.Second}

// Rehearse is Write without the commit: every statement runs, and what a commit would check is checked. Then
// everything is rolled back.
func (s *Store) Rehearse(ctx context.Context, by access.Asker, fn func(*Tx) error) error {
	for until := time.Now().Add(rehearsalPatience); ; {
		err := s.transact(ctx, by, func(tx *Tx) error {
			tx.rehearsal = true
			tx.exec(fmt.Sprintf("SET LOCAL lock_timeout = %d", rehearsalPatience.Milliseconds())) // for other locks than those of rows
			return fn(tx)
		}, (*Tx).undo)
		if !Locked(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return errBusy
		case <-time.After(rehearsalPause):
		}
		if time.Now().After(until) {
			return errBusy
		}
	}
}

func (s *Store) transact(ctx context.Context, by access.Asker, fn func(*Tx) error, end func(*Tx, context.Context) error) error {
	for try := 1; ; try++ {
		err := s.write(ctx, by, fn, end)
		if try == writeTries || !isConflict(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(conflictPause + rand.N(2*conflictPause)):
		}
	}
}

// write runs a change set once, with one of the connections that callers share for writing.
func (s *Store) write(ctx context.Context, by access.Asker, fn func(*Tx) error, end func(*Tx, context.Context) error) error {
	done, err := s.writes.Acquire(ctx, by, 1)
	if err != nil {
		named(&err, "wait for a connection")
		return err
	}
	defer done()
	return s.run(ctx, s.pool, "BEGIN", fn, end)
}

// Read runs fn in a transaction that can write nothing, with the connections and the limits of lists. All that it reads
// is as it was at one moment. fn uses the context that it gets, which ends when the time for a list is over.
func (s *Store) Read(ctx context.Context, scope access.Scope, fn func(context.Context, *Tx) error) error {
	return s.translate(s.inTurn(ctx, scope, func(ctx context.Context) error {
		return s.run(ctx, s.lists, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", func(tx *Tx) error {
			tx.reading = true
			return fn(ctx, tx)
		}, (*Tx).leave)
	}))
}

func (s *Store) run(ctx context.Context, pool *pgxpool.Pool, begin string, fn func(*Tx) error,
	end func(*Tx, context.Context) error) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		err = s.translate(err)
		named(&err, "begin")
		return err
	}
	defer conn.Release()
	tx := &Tx{conn: conn, s: s, batch: &pgx.Batch{}}
	tx.exec(begin)
	prove(ctx, tx.batch)
	err = fn(tx)
	if err == nil {
		err = tx.blocked
	}
	if err == nil && Unproven(ctx) {
		err = tx.Flush(ctx) // COMMIT must not be sent before the claim is proven
	}
	if err == nil && Unproven(ctx) {
		err = ErrStale
	}
	if err == nil {
		err = end(tx, ctx)
	}
	if err != nil {
		return errors.Join(err, rollback(ctx, conn))
	}
	return nil
}

func (tx *Tx) commit(ctx context.Context) (err error) {
	defer named(&err, "commit")
	tx.batch.Queue("COMMIT").Exec(func(tag pgconn.CommandTag) error {
		if tag.String() != "COMMIT" {
			return fmt.Errorf("the database answered %s", tag)
		}
		return nil
	})
	commit, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return tx.s.ended(tx.send(commit))
}

func (tx *Tx) undo(ctx context.Context) error {
	tx.exec("SET CONSTRAINTS ALL IMMEDIATE")
	if err := tx.Flush(ctx); err != nil {
		return err
	}
	return rollback(ctx, tx.conn)
}

// leave ends a transaction that has only read.
func (tx *Tx) leave(ctx context.Context) error { return rollback(ctx, tx.conn) }

// idle is the state of a connection without a transaction.
const idle = 'I'

func rollback(ctx context.Context, conn *pgxpool.Conn) error {
	if pg := conn.Conn().PgConn(); pg.IsClosed() || pg.TxStatus() == idle {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if _, err := conn.Exec(ctx, "ROLLBACK"); err != nil {
		return fmt.Errorf("roll back: %w", err)
	}
	return nil
}

// isConflict reports whether an error is a deadlock or a serialisation failure.
func isConflict(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "40P01" || pg.Code == "40001")
}

// quote returns a declared name as an identifier.
func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// Type finds a record type by its name.
func (s *Store) Type(key string) *record.Type { return s.reg.Type(key) }

// Types lists the record types, in the order in which change sets process them.
func (s *Store) Types() []*record.Type { return s.reg.Types() }
