package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// paceError is how far ahead the turns of a webhook can't be. If they are, the database's clock was set back.
const paceError = time.Minute

// TakeTurns reserves the next n turns of a webhook with a rate limit, whichever worker asks. Turns are so far apart, and
// time in which nobody took one is not made up for. It returns how long it is to the first turn, or false if that is more
// than within: then it has reserved none.
func (s *Store) TakeTurns(ctx context.Context, hook int64, n int, apart, within time.Duration) (first time.Duration, ok bool, err error) {
	defer named(&err, "reserve requests of webhook %d", hook)
	err = s.pool.QueryRow(ctx, `
		INSERT INTO extras_webhook_pace AS p (webhook_id, next_at) VALUES ($1, clock_timestamp() + $2::integer * $3::interval)
		ON CONFLICT (webhook_id) DO UPDATE SET next_at = $2::integer * $3::interval + CASE
			WHEN p.next_at BETWEEN clock_timestamp() AND clock_timestamp() + $5::interval THEN p.next_at ELSE clock_timestamp() END
		WHERE p.next_at NOT BETWEEN clock_timestamp() + $4::interval AND clock_timestamp() + $5::interval
		RETURNING next_at - $2::integer * $3::interval - clock_timestamp()`,
		hook, n, apart, within, paceError).Scan(&first)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	return first, err == nil, err
}
