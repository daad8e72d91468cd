package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// droppedAtOnce is how many positions are deleted in one transaction.
const droppedAtOnce = 10_000

// lastPosition returns the newest position of a change before a time, 0 if there is none. Positions follow the order of commits, not of
// times. So a few changes after that time may have smaller ones; their positions expire with the others.
func lastPosition(ctx context.Context, conn *pgx.Conn, before time.Time) (position int64, err error) {
	err = conn.QueryRow(ctx, "SELECT coalesce(max(position), 0) FROM extras_position WHERE changed_at < $1", before).Scan(&position)
	return position, err
}

// dropPositions deletes the positions whose changes have been dropped. Readers already know that they are gone: the oldest position that
// is kept was raised when the changes were dropped.
func dropPositions(ctx context.Context, conn *pgx.Conn) error {
	for {
		deleted, err := conn.Exec(ctx, `DELETE FROM extras_position WHERE position < (SELECT oldest FROM extras_sequencer)
			AND position < (SELECT min(position) FROM extras_position) + $1`, droppedAtOnce)
		if err != nil || deleted.RowsAffected() < droppedAtOnce {
			return err
		}
	}
}
