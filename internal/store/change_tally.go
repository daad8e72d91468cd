package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
)

// tallyDays is for how many days changes are counted by type, today included.
const tallyDays = 14

// talliedAtOnce is how many changes one transaction counts. Upkeep counts every ten seconds, so it keeps up with 10,000 changes a second.
const talliedAtOnce = 100_000

// tallyChanges counts the next changes in the order of their positions. Every change has one position, which is passed once, so no change
// is counted twice or left out. Those of earlier days are passed without reading them. LIMIT 1 makes the planner look each change up,
// in the one partition that has it.
var tallyChanges = fmt.Sprintf(`
	WITH next AS MATERIALIZED (
		SELECT position, change_id, changed_at FROM extras_position
		WHERE position > (SELECT position FROM extras_change_tallied) ORDER BY position LIMIT $1),
	added AS (
		INSERT INTO extras_change_tally AS t (day, object_type, n)
		SELECT (next.changed_at AT TIME ZONE 'UTC')::date, c.object_type, count(*) FROM next
		CROSS JOIN LATERAL (SELECT object_type FROM extras_objectchange c
			WHERE c.id = next.change_id AND c.changed_at = next.changed_at LIMIT 1) c
		WHERE next.changed_at >= %s GROUP BY 1, 2 ORDER BY 1, 2
		ON CONFLICT (day, object_type) DO UPDATE SET n = t.n + excluded.n)
	UPDATE extras_change_tallied SET position = (SELECT max(position) FROM next) WHERE EXISTS (SELECT FROM next)`, firstTallied)

// firstTallied is the first day whose changes are counted, by the clock of the database: one process whose clock is wrong loses no counts.
var firstTallied = fmt.Sprintf("date_trunc('day', now(), 'UTC') - make_interval(days => %d)", tallyDays-1)

// TallyChanges counts changes that have got a position since the last time, and forgets days that are over for long enough.
func (s *Store) TallyChanges(ctx context.Context) (err error) {
	defer named(&err, "count changes by day")
	return s.upkeep(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "DELETE FROM extras_change_tally WHERE day < ("+firstTallied+") AT TIME ZONE 'UTC'"); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, tallyChanges, talliedAtOnce)
		return err
	})
}

// FirstTallied returns the first day whose changes are counted, in UTC.
func FirstTallied(now time.Time) time.Time {
	return now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-tallyDays)
}

// ChangeDay is how many changes of a type there were on a day, in UTC.
type ChangeDay struct {
	Day        time.Time
	ObjectType string
	N          int64
}

// ChangeDays returns how many changes there were in the last days, by day and type. For a caller who may see all changes these are the
// counts of the upkeep, which are some seconds old. For others the changes that they may see are counted now, which may take long.
func (s *Store) ChangeDays(ctx context.Context, scope access.Scope, now time.Time) (found []ChangeDay, err error) {
	defer named(&err, "read how many changes there were by day")
	w := &where{}
	since, sql := w.arg(FirstTallied(now)), ""
	if scope.All() {
		sql = "SELECT day, object_type, n FROM extras_change_tally WHERE day >= " + since
	} else {
		w.scope(scope, s.reg.Type(ChangeType))
		w.and("t.changed_at >= " + since)
		sql = "SELECT (t.changed_at AT TIME ZONE 'UTC')::date, t.object_type, count(*) FROM extras_objectchange t" + w.String() + " GROUP BY 1, 2"
	}
	batch := &pgx.Batch{}
	batch.Queue(sql+" ORDER BY 1, 2", w.args...).Query(func(rows pgx.Rows) (err error) {
		found, err = pgx.CollectRows(rows, pgx.RowToStructByPos[ChangeDay])
		return err
	})
	return found, s.translate(s.list(ctx, scope, batch))
}
