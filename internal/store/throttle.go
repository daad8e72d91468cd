package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/account"
	"terrier/internal/audit"
)

// errThrottled rolls a reservation back.
var errThrottled = errors.New("throttled")

// Reserve counts an attempt under every key, or under none if one of them is full. All processes count in the same
// rows.
func (a Accounts) Reserve(ctx context.Context, keys []account.ThrottleKey, now time.Time) (_ []time.Duration, err error) {
	defer named(&err, "reserve a login attempt")
	order := make([]int, len(keys)) // the order in which everybody locks the rows
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return strings.Compare(keys[i].Subject, keys[j].Subject) })
	waits, full := make([]time.Duration, len(keys)), false
	err = pgx.BeginFunc(ctx, a.spare, func(tx pgx.Tx) error {
		for _, i := range order {
			k := keys[i]
			var attempts []time.Time // of this window, the oldest first
			err := tx.QueryRow(ctx, `
				INSERT INTO users_throttle AS w (subject, attempts, expires) VALUES ($1, ARRAY[$2::timestamptz], $3)
				ON CONFLICT (subject) DO UPDATE SET expires = greatest(w.expires, $3),
					attempts = (SELECT array_agg(at ORDER BY at) FROM unnest(w.attempts || $2) at WHERE at > $4)
				RETURNING attempts`, k.Subject, now, now.Add(k.Window), now.Add(-k.Window)).Scan(&attempts)
			if err != nil {
				return err
			}
			if over := len(attempts) - k.Limit; over > 0 {
				waits[i], full = attempts[over-1].Add(k.Window).Sub(now), true
			}
		}
		if full {
			return errThrottled
		}
		return nil
	})
	switch {
	case full && errors.Is(err, errThrottled):
		return waits, nil
	case err != nil:
		return nil, a.translate(err)
	}
	return nil, nil
}

// Release gives an attempt back.
func (a Accounts) Release(ctx context.Context, keys []account.ThrottleKey, reservedAt time.Time) (err error) {
	defer named(&err, "release a login attempt")
	subjects := make([]string, len(keys))
	for i, k := range keys {
		subjects[i] = k.Subject
	}
	_, err = a.spare.Exec(ctx, `
		WITH mine AS (SELECT subject, array_position(attempts, $2) AS i FROM users_throttle WHERE subject = ANY($1) ORDER BY subject FOR UPDATE)
		UPDATE users_throttle w SET attempts = w.attempts[:i-1] || w.attempts[i+1:] FROM mine WHERE w.subject = mine.subject AND i IS NOT NULL`,
		subjects, reservedAt)
	return a.translate(err)
}

// Forget empties counters, and records that in the audit log: both or neither.
func (a Accounts) Forget(ctx context.Context, subjects []string, e audit.Event) (err error) {
	defer named(&err, "forget failed logins")
	return a.translate(pgx.BeginFunc(ctx, a.spare, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "DELETE FROM users_throttle WHERE subject = ANY($1)", subjects); err != nil {
			return err
		}
		return writeEvent(ctx, tx, e)
	}))
}

// KnownAddress reports whether a user has logged in from an address since a time.
func (a Accounts) KnownAddress(ctx context.Context, username, address string, since time.Time) (known bool, err error) {
	defer named(&err, "look for an address of an account")
	err = a.spare.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM users_user u JOIN users_login_address n ON n.user_id = u.id
			WHERE u.username = $1 AND n.address = $2 AND n.seen > $3)`, username, address, since).Scan(&known)
	return known, a.translate(err)
}

// noteInterval is how old a recorded login must be before a newer one is written.
const noteInterval = time.Hour

// NoteAddress records where a user logged in from, and forgets the oldest of too many addresses.
func (a Accounts) NoteAddress(ctx context.Context, userID int64, address string, at time.Time) (err error) {
	defer named(&err, "note an address of user %d", userID)
	_, err = a.spare.Exec(ctx, `
		WITH noted AS (
			INSERT INTO users_login_address AS n (user_id, address, seen) VALUES ($1, $2, $3)
			ON CONFLICT (user_id, address) DO UPDATE SET seen = $3 WHERE n.seen <= $4)
		DELETE FROM users_login_address WHERE user_id = $1 AND address IN (
			SELECT address FROM users_login_address WHERE user_id = $1 AND address <> $2 ORDER BY seen DESC, address OFFSET $5)`,
		userID, address, at, at.Add(-noteInterval), account.MaxAddresses-1)
	return a.translate(err)
}
