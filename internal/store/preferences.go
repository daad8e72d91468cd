package store

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
)

// MaxPreferences limits the bytes of a user's preferences. A constraint of the table holds it too.
const MaxPreferences = 64 << 10

const readPreferences = "SELECT data FROM users_preference WHERE user_id = $1"

// Preferences reads what a user has chosen about the pages. It is nil if that is nothing.
func (s *Store) Preferences(ctx context.Context, user int64) (data json.RawMessage, err error) {
	defer named(&err, "read the preferences of user %d", user)
	err = s.records.QueryRow(ctx, readPreferences, user).Scan(&data)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return data, s.translate(err)
}

// PreferencesWith reads the preferences of a user, none for 0, and the custom fields of a type, in one round trip.
func (s *Store) PreferencesWith(ctx context.Context, user int64, t *record.Type) (data json.RawMessage, defs []*record.Custom, err error) {
	defer named(&err, "read preferences")
	batch := &pgx.Batch{}
	prove(ctx, batch)
	if user != 0 {
		batch.Queue(readPreferences, user).Query(func(rows pgx.Rows) error {
			found, err := pgx.CollectRows(rows, pgx.RowTo[json.RawMessage])
			if len(found) > 0 {
				data = found[0]
			}
			return err
		})
	}
	if record.HasCustomFields(t) {
		def, tests := s.definitions(t)
		sql, args := s.findStatement(def, access.Machine(), tests, maxCustomFields)
		batch.Queue(sql, args...).Query(func(rows pgx.Rows) error {
			found, err := s.plans[def].scan(rows)
			defs = s.customs(found)
			return err
		})
	}
	if batch.Len() == 0 {
		return nil, nil, nil
	}
	return data, defs, s.translate(s.records.SendBatch(ctx, batch).Close())
}

// ChangePreferences replaces the preferences of a user with what change returns for them. Of two at once, one waits for the other.
func (s *Store) ChangePreferences(ctx context.Context, user int64, change func(json.RawMessage) (json.RawMessage, error)) (err error) {
	defer named(&err, "change the preferences of user %d", user)
	return s.translate(pgx.BeginFunc(ctx, s.records, func(tx pgx.Tx) error {
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
