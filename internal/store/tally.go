package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/health"
)

// sumDurations adds up the durations of tally rows, class by class. Rows of earlier programs have none.
var sumDurations = func() string {
	sums := make([]string, health.DurationClasses)
	for i := range sums {
		sums[i] = fmt.Sprintf("coalesce(sum(durations[%d]), 0)::bigint", i+1)
	}
	return "ARRAY[" + strings.Join(sums, ", ") + "]"
}()

// foldAfter is how long the tally is kept by the minute. After that it is kept by the hour.
const foldAfter = 48 * time.Hour

// FoldTally sums the tally rows of each webhook and minute once the minute is over, those of each hour after two days, and forgets those
// older than a time. It looks only at the last hour and at one day: rows that nobody folded in time stay by the minute.
func (s *Store) FoldTally(ctx context.Context, now, oldest time.Time) error {
	hours := now.Add(-foldAfter).Truncate(time.Hour)
	return s.upkeep(ctx, func(tx pgx.Tx) error {
		for _, fold := range []struct {
			unit     string
			from, to time.Time
		}{{"minute", now.Add(-time.Hour), now.Truncate(time.Minute).Add(-time.Minute)}, {"hour", hours.Add(-24 * time.Hour), hours}} {
			if _, err := tx.Exec(ctx, foldTally(fold.unit), fold.from, fold.to); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, "DELETE FROM extras_tally WHERE minute < $1", oldest)
		return err
	})
}

// foldTally sums the rows of each webhook and minute or hour between two times.
func foldTally(unit string) string {
	return fmt.Sprintf(`
		WITH many AS (SELECT date_trunc('%[1]s', minute, 'UTC') AS at, webhook_id FROM extras_tally WHERE minute >= $1 AND minute < $2
				GROUP BY 1, 2 HAVING count(*) > 1),
		     gone AS (DELETE FROM extras_tally t USING many m WHERE t.minute >= $1 AND t.minute < $2
				AND date_trunc('%[1]s', t.minute, 'UTC') = m.at AND t.webhook_id = m.webhook_id RETURNING m.at, t.*)
		INSERT INTO extras_tally (minute, webhook_id, successful, failed, milliseconds, durations)
		SELECT at, webhook_id, sum(successful), sum(failed), sum(milliseconds), %[2]s FROM gone GROUP BY at, webhook_id`, unit, sumDurations)
}
