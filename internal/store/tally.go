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

// folds are the steps in which the tally is kept: by the minute for a little longer than the chart by the minute covers, because clocks
// differ, then by the half hour, and after two days by the hour. A fold looks only at the rows before that for the time of its window.
// Rows that nobody folded in time stay as they are.
var folds = []struct{ step, after, window time.Duration }{
	{step: time.Minute, after: time.Minute, window: time.Hour},
	{step: 30 * time.Minute, after: 65 * time.Minute, window: 24 * time.Hour},
	{step: time.Hour, after: 48 * time.Hour, window: 24 * time.Hour},
}

// foldAtOnce is how many sums a fold writes at most, the oldest first. The next call goes on.
const foldAtOnce = 5_000

// FoldTally sums the tally rows of each webhook and step of time, and forgets those older than a time.
func (s *Store) FoldTally(ctx context.Context, now, oldest time.Time) (err error) {
	defer named(&err, "fold the counts of requests")
	return s.upkeep(ctx, func(tx pgx.Tx) error {
		for _, fold := range folds {
			to := now.Add(-fold.after).Truncate(fold.step)
			if _, err := tx.Exec(ctx, foldTally, fold.step, to.Add(-fold.window), to, foldAtOnce); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, "DELETE FROM extras_tally WHERE minute < $1", oldest)
		return err
	})
}

// foldTally sums the rows of each webhook and step between two times. The range of minutes is there for plans that look each sum up in the
// index.
var foldTally = `
	WITH many AS (SELECT date_bin($1, minute, 'epoch') AS at, webhook_id FROM extras_tally WHERE minute >= $2 AND minute < $3
			GROUP BY 1, 2 HAVING count(*) > 1 ORDER BY 1, 2 LIMIT $4),
		gone AS (DELETE FROM extras_tally t USING many m WHERE t.minute >= $2 AND t.minute < $3 AND t.webhook_id = m.webhook_id
			AND date_bin($1, t.minute, 'epoch') = m.at AND t.minute >= m.at AND t.minute < m.at + $1 RETURNING m.at, t.*)
	INSERT INTO extras_tally (minute, webhook_id, successful, failed, milliseconds, durations)
	SELECT at, webhook_id, sum(successful), sum(failed), sum(milliseconds), ` + sumDurations + ` FROM gone GROUP BY at, webhook_id`
