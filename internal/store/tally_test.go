package store_test

import (
	"fmt"
	"testing"
	"time"
)

// TestFoldTally: rows of one webhook and minute become one when the minute is over, those of one hour after two days, and nothing that was
// counted changes, however often upkeep looks. Rows of earlier versions have no durations. What is too old is forgotten.
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
		"10 12:24 webhook 1: 2 1 30 [1]",
		"10 12:25 webhook 1: 6 3 90 [1 2 3]",
		"10 12:25 webhook 2: 2 1 30 [7]",
		"10 12:30 webhook 1: 2 1 30 [1]", "10 12:30 webhook 1: 2 1 30 [1]",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("after the fold\n%q, want\n%q", got, want)
	}
}
