package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/account"
)

// growing tables are partitioned by the time of the change or event.
var growing = []string{"extras_objectchange", "extras_delivery", "extras_attempt", "extras_conditionerror", "extras_auditevent"}

// Partitions are weeks, made this far ahead. Readiness fails when less than the second is left, which leaves days to
// find out why.
const (
	partitionsAhead = 4 * week
	partitionsLow   = 1 * week
	week            = 7 * 24 * time.Hour
)

// firstMonday is where weeks are counted from.
var firstMonday = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

func weekOf(t time.Time) time.Time {
	return firstMonday.Add(t.Sub(firstMonday).Truncate(week))
}

// MakePartitions makes the partitions of every growing table for the weeks to come.
func (s *Store) MakePartitions(ctx context.Context, now time.Time) (err error) {
	defer named(&err, "prepare the coming weeks")
	return s.upkeep(ctx, func(tx pgx.Tx) error {
		return makePartitions(ctx, tx, now)
	})
}

func makePartitions(ctx context.Context, tx pgx.Tx, now time.Time) error {
	for _, table := range growing {
		if err := makeWeeks(ctx, tx, table, now); err != nil {
			return err
		}
	}
	return nil
}

func makeWeeks(ctx context.Context, tx pgx.Tx, table string, now time.Time) error {
	for from := weekOf(now); from.Before(now.Add(partitionsAhead)); from = from.Add(week) {
		name := fmt.Sprintf("%s_%s", table, from.Format("20060102"))
		var exists bool
		if err := tx.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", quote(name)).Scan(&exists); err != nil {
			return err
		}
		if exists {
			continue
		}
		// Made separately and then attached: attaching does not wait for readers and writers.
		_, err := tx.Exec(ctx, fmt.Sprintf("CREATE TABLE %s (LIKE %s INCLUDING ALL EXCLUDING IDENTITY)", quote(name), quote(table)))
		if err != nil {
			return fmt.Errorf("make partition %s: %w", name, err)
		}
		_, err = tx.Exec(ctx, fmt.Sprintf("ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM ('%s') TO ('%s')",
			quote(table), quote(name), from.Format(time.RFC3339), from.Add(week).Format(time.RFC3339)))
		if err != nil {
			return fmt.Errorf("attach partition %s: %w", name, err)
		}
	}
	return nil
}

// PartitionsLow returns a growing table that soon has no partition to write to, or "".
func (s *Store) PartitionsLow(ctx context.Context, now time.Time) (string, error) {
	ahead, err := s.PartitionsAhead(ctx, now)
	for _, table := range growing {
		if err == nil && ahead[table] <= partitionsLow {
			return table, nil
		}
	}
	return "", err
}

// PartitionsAhead returns for how long each growing table has partitions to write to, from now on and without a gap. It
// uses the spare connections.
func (s *Store) PartitionsAhead(ctx context.Context, now time.Time) (_ map[string]time.Duration, err error) {
	defer named(&err, "look for the partitions of coming weeks")
	rows, err := s.spare.Query(ctx, `
		SELECT parent, bound[1]::timestamptz, bound[2]::timestamptz FROM (
			SELECT t.name AS parent, regexp_match(pg_get_expr(c.relpartbound, c.oid), $$FROM \('(.*)'\) TO \('(.*)'\)$$) AS bound
			FROM unnest($1::text[]) AS t(name) JOIN pg_inherits i ON i.inhparent = to_regclass(t.name) JOIN pg_class c ON c.oid = i.inhrelid) p
		WHERE bound[2]::timestamptz > $2 ORDER BY 2`, growing, now)
	if err != nil {
		return nil, s.translate(err)
	}
	until := map[string]time.Time{}
	for _, table := range growing {
		until[table] = now
	}
	var table string
	var from, till time.Time
	_, err = pgx.ForEachRow(rows, []any{&table, &from, &till}, func() error {
		if !from.After(until[table]) {
			until[table] = till
		}
		return nil
	})
	if err != nil {
		return nil, s.translate(err)
	}
	ahead := map[string]time.Duration{}
	for table, t := range until {
		ahead[table] = t.Sub(now)
	}
	return ahead, nil
}

// FoldCounts sums the count rows of each type. Deleting and inserting are one statement, so every snapshot sees the
// same sum.
func (s *Store) FoldCounts(ctx context.Context) (err error) {
	defer named(&err, "fold the counts of records")
	return s.upkeep(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			WITH many AS (SELECT type FROM record_count GROUP BY type HAVING count(*) > 1),
			     gone AS (DELETE FROM record_count c USING many m WHERE c.type = m.type RETURNING c.type, c.n)
			INSERT INTO record_count (type, n) SELECT type, sum(n) FROM gone GROUP BY type`)
		return err
	})
}

// Sweep removes what has expired: sessions, failed logins, addresses of logins, and the notes about deleted tokens,
// webhooks and workers.
func (s *Store) Sweep(ctx context.Context, now time.Time) (err error) {
	defer named(&err, "remove what has expired")
	return s.upkeep(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM users_session WHERE expires < $1", now)
		if err == nil {
			_, err = tx.Exec(ctx, "DELETE FROM users_throttle WHERE expires < $1", now)
		}
		if err == nil {
			_, err = tx.Exec(ctx, "DELETE FROM users_login_address WHERE seen < $1", now.Add(-account.KeepAddresses))
		}
		if err == nil {
			_, err = tx.Exec(ctx, "DELETE FROM extras_worker WHERE seen_at < $1", now.Add(-24*time.Hour))
		}
		if err == nil {
			_, err = tx.Exec(ctx, "DELETE FROM extras_process WHERE seen_at < $1", now.Add(-24*time.Hour))
		}
		if err == nil {
			_, err = tx.Exec(ctx, "DELETE FROM extras_webhook_pause p WHERE NOT EXISTS (SELECT FROM extras_webhook w WHERE w.id = p.webhook_id)")
		}
		if err == nil {
			_, err = tx.Exec(ctx, "DELETE FROM extras_webhook_state h WHERE NOT EXISTS (SELECT FROM extras_webhook w WHERE w.id = h.webhook_id)")
		}
		if err == nil {
			_, err = tx.Exec(ctx, "DELETE FROM extras_webhook_pace p WHERE NOT EXISTS (SELECT FROM extras_webhook w WHERE w.id = p.webhook_id)")
		}
		if err == nil {
			_, err = tx.Exec(ctx, "DELETE FROM users_token_use n WHERE NOT EXISTS (SELECT FROM users_token t WHERE t.id = n.token_id)")
		}
		return err
	})
}

// ErrElsewhere says that a task of the upkeep is left to another process, which is doing it.
var ErrElsewhere = errors.New("another process is doing it")

// upkeep runs fn, or returns ErrElsewhere.
func (s *Store) upkeep(ctx context.Context, fn func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if err := lockUpkeep(ctx, tx, UpkeepLock); err != nil {
			return err
		}
		return fn(tx)
	})
}

// lockUpkeep takes a lock until the transaction ends, or returns ErrElsewhere.
func lockUpkeep(ctx context.Context, tx pgx.Tx, lock int64) error {
	var mine bool
	err := tx.QueryRow(ctx, "SELECT pg_try_advisory_xact_lock($1)", lock).Scan(&mine)
	if err == nil && !mine {
		return ErrElsewhere
	}
	return err
}
