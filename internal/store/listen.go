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

// answerTime is how long a quick statement on a connection of its own may take. A database whose host has vanished never answers.
const answerTime = 5 * time.Second

func within(ctx context.Context, limit time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return do(ctx)
}

// ListenPositions calls each with the newest position, now and whenever there is a newer one, on a connection of its own. It ends
// with an error, at the latest when ctx ends.
func (s *Store) ListenPositions(ctx context.Context, each func(newest int64)) error {
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
	for {
		var newest int64
		if err := within(ctx, answerTime, func(ctx context.Context) error {
			return conn.QueryRow(ctx, "SELECT newest FROM extras_sequencer").Scan(&newest)
		}); err != nil {
			return s.translate(err)
		}
		each(newest)
		if err := hear(ctx, conn, each); err != nil {
			return s.translate(err)
		}
	}
}

// hear passes on notifications until none has come for a while.
func hear(ctx context.Context, conn *pgx.Conn, each func(newest int64)) error {
	for {
		wait, cancel := context.WithTimeout(ctx, newestPoll)
		heard, err := conn.WaitForNotification(wait)
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
		each(newest)
	}
}
