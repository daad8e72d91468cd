package store_test

import (
	"fmt"
	"testing"
	"time"

	"terrier/internal/access"
)

// TestTallyChanges: each change of the last 14 days is counted once, on its day in UTC, also if it was committed after changes of later
// days, and however often upkeep looks. Days before are forgotten.
func TestTallyChanges(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	now := time.Now()
	days := func(n int) time.Time { return now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -n) }
	tally := func() {
		t.Helper()
		for range 2 {
			if err := a.TallyChanges(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	sites := func(want ...int64) {
		t.Helper()
		found, err := a.ChangeDays(t.Context(), access.Machine(), now)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]int64, len(want))
		for _, d := range found {
			if d.ObjectType == "dcim.site" {
				i := int(days(0).Sub(d.Day) / (24 * time.Hour))
				if i < 0 || i >= len(got) {
					t.Errorf("%d on %s", d.N, d.Day)
					continue
				}
				got[i] = d.N
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("from today backwards %v, want %v", got, want)
		}
	}
	a.sites(t, days(14).Add(23*time.Hour), "too-old")
	a.sites(t, days(13), "first")
	a.sites(t, days(0), "one", "two")
	tally() // nothing has a position yet
	a.numbered(t)
	tally()
	a.sites(t, days(1).Add(24*time.Hour-time.Microsecond), "late")
	a.numbered(t)
	tally()
	sites(2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)
	if _, err := a.db.Exec(t.Context(), "UPDATE extras_change_tally SET day = day - 13"); err != nil {
		t.Fatal(err)
	}
	tally()
	sites(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2)
}
