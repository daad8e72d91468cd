package store

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/jackc/pgx/v5"

	"terrier/internal/fault"
)

// MaxPreferences limits the bytes of a user's preferences. A constraint of the table holds it too.
const MaxPreferences = 64 << 10

// Preferences reads what a user has chosen about the pages. It is nil if that is nothing.
func (s *Store) Preferences(ctx context.Context, user int64) (data json.RawMessage, err error) {
	err = s.pool.QueryRow(ctx, "SELECT data FROM users_preference WHERE user_id = $1", user).Scan(&data)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return data, s.translate(err)
}

// ChangePreferences replaces the preferences of a user with what change returns for them. Of two at once, one waits for the other.
func (s *Store) ChangePreferences(ctx context.Context, user int64, change func(json.RawMessage) (json.RawMessage, error)) error {
	return s.translate(pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var data json.RawMessage
		err := tx.QueryRow(ctx, `INSERT INTO users_preference AS p (user_id, data) SELECT id, '{}' FROM users_user WHERE id = $1
			ON CONFLICT (user_id) DO UPDATE SET data = p.data RETURNING data`, user).Scan(&data)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.ErrDenied // the user has just been deleted
		}
		if err != nil {
			return err
		}
		if data, err = change(data); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "UPDATE users_preference SET data = $2 WHERE user_id = $1", user, string(data))
		return err
	}))
}
