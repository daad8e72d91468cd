package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// droppedAtOnce is how many positions are deleted in one transaction.
const droppedAtOnce = 10_000

// errUnnumbered says that a partition has changes without positions. They are not dropped: a reader of the feed would miss them, and
// not be told.
var errUnnumbered = errors.New("changes have no positions yet")

// lastPosition returns the newest position of the changes up to the end of a partition, 0 if there is none. Positions follow the order of
// commits, not of times. So a few later changes may have smaller ones; their positions expire with the others.
func (p *Partition) lastPosition(ctx context.Context, conn *pgx.Conn) (position int64, err error) {
	var unnumbered bool
	err = conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+p.Name+` c WHERE c.id > (SELECT settled FROM extras_sequencer)
		AND NOT EXISTS (SELECT FROM extras_position x WHERE x.change_id = c.id))`).Scan(&unnumbered)
	if err == nil && unnumbered {
		err = errUnnumbered
	}
	if err == nil {
		err = conn.QueryRow(ctx, "SELECT coalesce(max(position), 0) FROM extras_position WHERE changed_at < $1", p.Till).Scan(&position)
	}
	return position, err
}

// raiseOldest finds the oldest position that is kept after somebody else has dropped changes: the program of a version that knows no
// positions, or a person. Then the first position is older than all partitions.
func raiseOldest(ctx context.Context, conn *pgx.Conn, now time.Time) error {
	partitions, err := partitionsBefore(ctx, conn, "extras_objectchange", now.AddDate(100, 0, 0))
	if err != nil || len(partitions) == 0 {
		return err
	}
	_, err = conn.Exec(ctx, `
		UPDATE extras_sequencer SET oldest = greatest(oldest, (SELECT max(position) FROM extras_position WHERE changed_at < $1) + 1)
		WHERE (SELECT changed_at FROM extras_position ORDER BY position LIMIT 1) < $1`, partitions[0].from)
	return err
}

// dropPositions deletes the positions whose changes have been dropped. Readers know that they are gone by the oldest position that is
// kept.
func dropPositions(ctx context.Context, conn *pgx.Conn, now time.Time) error {
	if err := raiseOldest(ctx, conn, now); err != nil {
		return err
	}
	for {
		deleted, err := conn.Exec(ctx, `DELETE FROM extras_position WHERE position < (SELECT oldest FROM extras_sequencer)
			AND position < (SELECT min(position) FROM extras_position) + $1`, droppedAtOnce)
		if err != nil || deleted.RowsAffected() < droppedAtOnce {
			return err
		}
	}
}
