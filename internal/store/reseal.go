package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"terrier/internal/access"
	"terrier/internal/record"
)

// Kept is an encrypted secret of a record.
type Kept struct {
	ID     int64
	Sealed record.Sealed
}

// KeptSecrets reads the secrets of a field, at most limit, of the records behind an id in the
// order of their ids.
func (s *Store) KeptSecrets(ctx context.Context, t *record.Type, secret record.Secrecy, after int64, limit int) (_ []Kept, err error) {
	defer named(&err, "read secrets of %s", t)
	kept, err := keptSecrets(ctx, s.pool, keptQuery{t, secret, after, limit})
	return kept, s.translate(err)
}

// keptQuery says which secrets to read.
type keptQuery struct {
	t      *record.Type
	secret record.Secrecy
	after  int64
	limit  int
}

func keptSecrets(ctx context.Context, db querier, q keptQuery) ([]Kept, error) {
	column := quote(q.t.Field(q.secret.Name).Column().Name)
	rows, err := db.Query(ctx, fmt.Sprintf("SELECT id, %[1]s FROM %[2]s WHERE id > $1 AND %[1]s <> '' ORDER BY id LIMIT $2",
		column, quote(q.t.Table())), q.after, q.limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (k Kept, err error) {
		var sealed string
		err = row.Scan(&k.ID, &sealed)
		k.Sealed = record.Sealed(sealed)
		return k, err
	})
}

// Reseal replaces secrets by newly sealed ones, and returns how many. One that somebody has changed since it was read
// is left alone. The records have not changed: version, time and change log stay as they are.
func (s *Store) Reseal(ctx context.Context, t *record.Type, secret record.Secrecy, read []Kept,
	resealed []record.Sealed) (done int, err error) {
	defer named(&err, "seal secrets of %s again", t)
	ids, before, after := make([]int64, len(read)), make([]string, len(read)), make([]string, len(read))
	for i, k := range read {
		ids[i], before[i], after[i] = k.ID, string(k.Sealed), string(resealed[i])
	}
	update := fmt.Sprintf(`UPDATE %[1]s t SET %[2]s = x.after FROM unnest($1::bigint[], $2::text[], $3::text[]) AS x(id, before, after)
		WHERE t.id = x.id AND t.%[2]s = x.before`, quote(t.Table()), quote(t.Field(secret.Name).Column().Name))
	err = s.Write(ctx, access.Asker{}, func(tx *Tx) error {
		// Change sets write whole records, and lock them before they read them.
		tx.Lock(t, []record.Predicate{{Values: record.AnyOf(ids)}}, len(ids), LockWrite)
		tx.batch.Queue(update, ids, before, after).Exec(func(tag pgconn.CommandTag) error {
			done = int(tag.RowsAffected())
			return nil
		})
		return nil
	})
	return done, err
}

// TokensOfOldKeys counts the tokens that have not expired and whose digest was not made with
// the secret of this id.
func (s *Store) TokensOfOldKeys(ctx context.Context, current string, now time.Time) (n int, err error) {
	defer named(&err, "count tokens of old keys")
	err = s.pool.QueryRow(ctx, countOldTokens, current, now).Scan(&n)
	return n, s.translate(err)
}

const countOldTokens = "SELECT count(*) FROM users_token WHERE NOT starts_with(key_sealed, $1) AND (expires IS NULL OR expires > $2)"
