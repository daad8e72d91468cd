package store

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// newestPoll is how long the newest position may stay unknown if a notification is lost.
const newestPoll = 5 * time.Second

// answerTime is how long a quick statement on a connection of its own may take, pageTime how long the changes of one page. A database
// whose host has vanished never answers.
const (
	answerTime = 5 * time.Second
	pageTime   = 20 * time.Second
)

func within(ctx context.Context, limit time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return do(ctx)
}

// Listener is a connection on which a process hears of new positions, and reads the changes.
type Listener struct {
	conn *pgx.Conn
	s    *Store
}

// Feed reads changes, as Store.Feed does, without taking a turn.
func (l *Listener) Feed(ctx context.Context, q FeedQuery) (part FeedPart, err error) {
	defer named(&err, "read the change feed after position %d", q.After)
	err = within(ctx, pageTime, func(ctx context.Context) error {
		part, err = l.s.feed(ctx, q, func(batch *pgx.Batch) error { return l.conn.SendBatch(ctx, batch).Close() })
		return err
	})
	return part, err
}

// ListenPositions calls each with the newest position, now and whenever there is a newer one, on a connection of its own. It ends
// with an error, at the latest when ctx ends.
func (s *Store) ListenPositions(ctx context.Context, each func(l *Listener, newest int64) error) (err error) {
	defer named(&err, "listen for new changes")
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return s.translate(err)
	}
	defer closeConn(ctx, conn.PgConn())
	if err := within(ctx, answerTime, func(ctx context.Context) error {
		_, err := conn.Exec(ctx, "LISTEN "+positionsChannel)
		return err
	}); err != nil {
		return s.translate(err)
	}
	l := &Listener{conn, s}
	for {
		var newest int64
		if err := within(ctx, answerTime, func(ctx context.Context) error {
			return conn.QueryRow(ctx, "SELECT newest FROM extras_sequencer").Scan(&newest)
		}); err != nil {
			return s.translate(err)
		}
		if err := each(l, newest); err != nil {
			return err
		}
		if err := l.hear(ctx, each); err != nil {
			return s.translate(err)
		}
	}
}

// hear passes on notifications until none has come for a while.
func (l *Listener) hear(ctx context.Context, each func(l *Listener, newest int64) error) error {
	for {
		wait, cancel := context.WithTimeout(ctx, newestPoll)
		heard, err := l.conn.WaitForNotification(wait)
		cancel()
		switch {
		case err != nil && ctx.Err() == nil && pgconn.Timeout(err):
			return nil
		case err != nil:
			return err
		}
		newest, err := strconv.ParseInt(heard.Payload, 10, 64)
		if err != nil {
			return fmt.Errorf("a notification of %s has no position: %w", heard.Channel, err)
		}
		if err := each(l, newest); err != nil {
			return err
		}
	}
}
