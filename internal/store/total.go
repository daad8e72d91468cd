package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// Total is the number of records in a list, at the moment of its first page.
type Total struct {
	Count   int64
	Counted bool // Count is known
	Capped  bool // counting stopped: there are at least Count
}

// errCountSlow refuses a list whose page was read, but whose count took too long.
var errCountSlow = map[CountMode]error{
	CountExact: &fault.Error{Kind: fault.Slow, RetryAfter: retryAfter,
		Detail: fmt.Sprintf("The list could not be counted in time. Narrow the filters, or ask for count=capped, which stops at %d.",
			CountCap+1)},
	CountCapped: &fault.Error{Kind: fault.Slow, RetryAfter: retryAfter, Detail: "The list could not be counted in time. Narrow the filters."},
}

// countStatement counts the list. The unfiltered one is the sum of a few rows, and needs no cap. A capped count follows the index of the
// only value of a filter, if there is one.
func countStatement(t *record.Type, from string, w *where, mode CountMode, only string) (count statement, capped bool) {
	if len(w.parts) == 0 {
		return statement{"SELECT coalesce(sum(n), 0)::bigint FROM record_count WHERE type = $1", []any{t.Key()}}, false
	}
	count.args = slices.Clone(w.args)
	if mode == CountCapped {
		by := ""
		if only != "" {
			by = " ORDER BY " + only
		}
		count.sql = fmt.Sprintf("SELECT count(*) FROM (SELECT FROM %s t%s%s LIMIT %d) t", from, w, by, CountCap+1)
		return count, true
	}
	count.sql = "SELECT count(*) FROM " + from + " t" + w.String()
	return count, false
}

func (l listing) queueCount(batch *pgx.Batch, total *Total) {
	batch.Queue(l.count.sql, l.count.args...).QueryRow(func(row pgx.Row) error {
		err := row.Scan(&total.Count)
		total.Counted, total.Capped = err == nil, l.capped && total.Count > CountCap
		return err
	})
}

// count counts a list whose page was read. If that takes longer than the query allows, the list stays uncounted.
func (s *Store) count(ctx context.Context, l listing, q Query, total *Total) error {
	batch := &pgx.Batch{}
	l.queueCount(batch, total)
	_, err := s.inCountTime(ctx, q, batch)
	return err
}

// inCountTime sends statements that read a whole list. If that takes longer than the query allows, they read nothing, and slow is true.
func (s *Store) inCountTime(ctx context.Context, q Query, batch *pgx.Batch) (slow bool, err error) {
	if q.CountTime > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, q.CountTime)
		defer cancel()
	}
	err = s.translate(s.list(ctx, q.Scope, batch))
	if kind := fault.KindOf(err); q.CountTime > 0 && (kind == fault.Slow || kind == fault.Busy) {
		return true, nil
	}
	return false, err
}

// encode returns what a cursor carries: ".25", or ".10001c" for a capped count.
func (t Total) encode() string {
	switch {
	case !t.Counted:
		return ""
	case t.Capped:
		return "." + strconv.FormatInt(t.Count, 10) + "c"
	}
	return "." + strconv.FormatInt(t.Count, 10)
}

// known returns the count that the cursor carries. A count that stopped is none if the exact one is wanted.
func (q Query) known() (total Total, err error) {
	if _, text, ok := strings.Cut(q.Cursor, "."); ok {
		total, err = decodeTotal(text)
	}
	if total.Capped && q.Count == CountExact {
		return Total{}, err
	}
	return total, err
}

// decodeTotal reads what encode wrote, without the dot. Whoever changes the number deceives only themselves.
func decodeTotal(s string) (Total, error) {
	digits, capped := strings.CutSuffix(s, "c")
	n, err := strconv.ParseUint(digits, 10, 63)
	if err != nil {
		return Total{}, errCursor
	}
	return Total{Count: int64(n), Counted: true, Capped: capped}, nil
}
