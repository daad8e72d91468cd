package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// TestFoldTally: rows of one webhook and minute become one when the minute is over, those of half an hour after an hour, those of an hour
// after two days, and nothing that was counted changes, however often upkeep looks. Rows of earlier versions have no durations. What is too
// old is forgotten.
func TestFoldTally(t *testing.T) {
	t.Parallel()
	s, _, db := open(t)
	now := time.Date(2026, 3, 10, 12, 30, 30, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d).Truncate(time.Minute) }
	day := 24 * time.Hour
	for _, row := range []struct {
		at        time.Time
		webhook   int
		durations string
	}{
		{ago(0), 1, "{1}"}, {ago(0), 1, "{1}"}, // not over yet
		{ago(5 * time.Minute), 1, "{0,2}"}, {ago(5 * time.Minute), 1, "{1,0,3}"}, {ago(5 * time.Minute), 1, "{}"},
		{ago(5 * time.Minute), 2, "{7}"},
		{ago(6 * time.Minute), 1, "{1}"},
		{ago(89 * time.Minute), 1, "{1}"}, {ago(65 * time.Minute), 1, "{1}"}, // the chart by the minute may need them
		{ago(91 * time.Minute), 1, "{1}"}, {ago(91 * time.Minute), 2, "{1}"}, {ago(120 * time.Minute), 1, "{0,1}"},
		{ago(2*day - 40*time.Minute), 1, "{1}"}, // not folded in time
		{ago(2*day - 41*time.Minute), 1, "{1}"},
		{ago(2*day + 40*time.Minute), 1, "{1}"}, {ago(2*day + 50*time.Minute), 1, "{0,1}"}, {ago(2*day + 2*time.Hour), 1, "{5}"},
		{ago(31 * day), 1, "{9}"},
	} {
		if _, err := db.Exec(t.Context(), "INSERT INTO extras_tally VALUES ($1, $2, 2, 1, 30, $3::text::bigint[])",
			row.at, row.webhook, row.durations); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := s.FoldTally(t.Context(), now, now.Add(-30*day)); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := db.Query(t.Context(), `SELECT to_char(minute AT TIME ZONE 'UTC', 'DD HH24:MI'), webhook_id, successful, failed, milliseconds,
		durations[1:3] FROM extras_tally ORDER BY 1, 2`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for rows.Next() {
		var at string
		var webhook, good, bad, took int64
		var durations []int64
		if err := rows.Scan(&at, &webhook, &good, &bad, &took, &durations); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(at, " webhook ", webhook, ": ", good, " ", bad, " ", took, " ", durations))
	}
	want := []string{
		"08 10:30 webhook 1: 2 1 30 [5]", // alone in its hour
		"08 11:00 webhook 1: 4 2 60 [1 1 0]",
		"08 13:10 webhook 1: 2 1 30 [1]", "08 13:11 webhook 1: 2 1 30 [1]", // by the hour later
		"10 10:30 webhook 1: 4 2 60 [1 1 0]",
		"10 10:59 webhook 2: 2 1 30 [1]", // alone in its half hour
		"10 11:01 webhook 1: 2 1 30 [1]", "10 11:25 webhook 1: 2 1 30 [1]",
		"10 12:24 webhook 1: 2 1 30 [1]",
		"10 12:25 webhook 1: 6 3 90 [1 2 3]",
		"10 12:25 webhook 2: 2 1 30 [7]",
		"10 12:30 webhook 1: 2 1 30 [1]", "10 12:30 webhook 1: 2 1 30 [1]",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("after the fold\n%q, want\n%q", got, want)
	}
}

// TestTallyOfBusyWebhooksStaysSmall: of webhooks that are busy each minute of a day, the last day is one row for each half hour, and for
// each minute of the last hour or so. One call folds only so much.
func TestTallyOfBusyWebhooksStaysSmall(t *testing.T) {
	t.Parallel()
	s, _, db := open(t)
	const webhooks = 120
	now := time.Date(2026, 3, 10, 12, 29, 30, 0, time.UTC)
	threshold := time.Date(2026, 3, 10, 11, 0, 0, 0, time.UTC)
	fill := func(from, to time.Time, step time.Duration) {
		t.Helper()
		if _, err := db.Exec(t.Context(), `INSERT INTO extras_tally SELECT m, w, 1, 2, 3, '{4}'
			FROM generate_series($1::timestamptz, $2::timestamptz - interval '1 s', $3) m, generate_series(1, $4::bigint) w`,
			from, to, step, webhooks); err != nil {
			t.Fatal(err)
		}
	}
	fill(threshold.Add(-24*time.Hour), threshold, 15*time.Minute) // each minute would take longer
	fill(threshold, now, time.Minute)
	before := tallied(t, db)
	folded := webhooks*48 + webhooks*90
	for i, rows := range []int{folded + webhooks*48 - 5000, folded, folded} {
		if err := s.FoldTally(t.Context(), now, now.Add(-30*24*time.Hour)); err != nil {
			t.Fatal(err)
		}
		after := tallied(t, db)
		if after.Rows != rows {
			t.Errorf("after fold %d there are %d rows, want %d", i+1, after.Rows, rows)
		}
		if after.Rows = before.Rows; after != before {
			t.Errorf("fold %d made %+v of %+v", i+1, after, before)
		}
	}
}

// tally is the sum of all rows.
type tally struct{ Rows, Successful, Failed, Milliseconds, Durations int }

func tallied(t *testing.T, db *pgxpool.Pool) (all tally) {
	t.Helper()
	if err := db.QueryRow(t.Context(), `SELECT count(*), sum(successful)::bigint, sum(failed)::bigint, sum(milliseconds)::bigint,
		sum(durations[1])::bigint FROM extras_tally`).
		Scan(&all.Rows, &all.Successful, &all.Failed, &all.Milliseconds, &all.Durations); err != nil {
		t.Fatal(err)
	}
	return all
}
