package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/fault"
)

// retryAfter is when callers may try again: a restart or a failover of the database takes seconds.
const retryAfter = 5 * time.Second

// What callers get while the database can't be used.
var (
	errAway = &fault.Error{Kind: fault.Unavailable, Detail: "The database can't be reached at the moment: try again.",
		RetryAfter: retryAfter}
	errFull = &fault.Error{Kind: fault.Unavailable,
		Detail: "The database is out of connections, memory or disk space at the moment: try again.", RetryAfter: retryAfter}
	errReadOnly  = &fault.Error{Kind: fault.Unavailable, Detail: "The database is read-only at the moment: try again.", RetryAfter: retryAfter}
	errUncertain = fault.New(fault.Uncertain, "The connection to the database was lost while the change was being committed. "+
		"It may have been saved or not: read the record before you try again.")
)

// PostgreSQL's codes for a server that goes away or takes no writes.
const (
	readOnly      = "25006" // read_only_sql_transaction: a standby, or a server that was made read-only
	adminShutdown = "57P01"
	crashShutdown = "57P02"
	starting      = "57P03" // cannot_connect_now
	tooIdle       = "25P03" // idle_in_transaction_session_timeout
	tooLong       = "25P04" // transaction_timeout
	unused        = "57P05" // idle_session_timeout
	classBroken   = "58"    // system_error: of the machine, such as a disk that can't be read
	classFull     = "53"    // insufficient_resources
	classLost     = "08"    // connection_exception; pgbouncer's too
)

// unavailable returns what callers get for an error of a database that can't be used now, or nil for any other error.
func unavailable(err error) *fault.Error {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch {
		case pg.Code == readOnly:
			return errReadOnly
		case strings.HasPrefix(pg.Code, classFull):
			return errFull
		case slices.Contains([]string{adminShutdown, crashShutdown, starting, tooIdle, tooLong, unused}, pg.Code),
			strings.HasPrefix(pg.Code, classLost), strings.HasPrefix(pg.Code, classBroken):
			return errAway
		}
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return errAway
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return nil // the caller's time is up
	}
	_, network := errors.AsType[net.Error](err)
	if network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || pgconn.SafeToRetry(err) {
		return errAway
	}
	return nil
}

// ended translates the error of a commit. If the connection was lost after COMMIT was sent, the outcome is unknown.
// If PostgreSQL answered with an error and the connection lived on, the outcome is known.
func (s *Store) ended(err error) error {
	if err == nil || pgconn.SafeToRetry(err) {
		return s.translate(err)
	}
	pg, answered := errors.AsType[*pgconn.PgError](err)
	lost := unavailable(err) != nil || errors.Is(err, context.DeadlineExceeded)
	if lost && !(answered && pg.SeverityUnlocalized == "ERROR") {
		return fmt.Errorf("%w: %w", errUncertain, err)
	}
	return s.translate(err)
}

// inTransaction runs fn between BEGIN and COMMIT, each in its own round trip: for rare work.
func (s *Store) inTransaction(ctx context.Context, fn func(pgx.Tx) error) error {
	done := false
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		err := fn(tx)
		done = err == nil
		return err
	})
	if done {
		return s.ended(err)
	}
	return s.translate(err)
}

// resetPause is the minimum time between two resets. While the database is read-only every write would ask for one.
const resetPause = 3 * time.Second

// resets closes all connections of some pools when PostgreSQL says on one of them that it is going away or accepts no
// writes. New ones go where target_session_attrs, or a proxy, leads by then. River's statements count too.
type resets struct {
	mu    sync.Mutex
	pools []*pgxpool.Pool
	last  time.Time
	again bool // one is to follow when the pause is over
}

// watch makes the connections of a pool ask for a reset.
func (r *resets) watch(config *pgxpool.Config) {
	before := config.ConnConfig.OnPgError
	config.ConnConfig.OnPgError = func(conn *pgconn.PgConn, err *pgconn.PgError) bool {
		switch err.Code {
		case readOnly, adminShutdown, crashShutdown:
			r.reset()
		}
		return before(conn, err)
	}
}

func (r *resets) add(pool *pgxpool.Pool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pools = append(r.pools, pool)
}

// reset closes all connections, now or as soon as the pause is over: those that were made since the last reset may
// lead to the old place.
func (r *resets) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if wait := resetPause - time.Since(r.last); wait > 0 {
		if !r.again {
			r.again = true
			time.AfterFunc(wait, r.reset)
		}
		return
	}
	r.last, r.again = time.Now(), false
	for _, pool := range r.pools {
		pool.Reset()
	}
}

// CheckWritable returns an error if the database accepts no writes: it is a standby, or was made read-only. All
// connections are then replaced, also those on which nobody writes.
func (s *Store) CheckWritable(ctx context.Context) (err error) {
	defer named(&err, "check that the database takes writes")
	var state string
	if err := s.spare.QueryRow(ctx, "SELECT current_setting('transaction_read_only')").Scan(&state); err != nil {
		return s.translate(err)
	}
	if state == "off" {
		return nil
	}
	s.resets.reset()
	return errReadOnly
}
