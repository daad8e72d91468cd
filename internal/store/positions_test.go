package store_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"terrier/internal/store"
)

// numbered gives positions to all changes, in two looks: what was made by the second function comes last, whatever its time.
func (a *archive) numbered(t *testing.T, first, second func()) {
	t.Helper()
	conn, err := a.OpenNumbering(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, make := range []func(){first, second} {
		make()
		at, err := conn.Numbered(t.Context())
		if err == nil {
			_, _, err = conn.Number(t.Context(), at, at.Seen)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestNumberByID: changes are looked for by the index of their ids, however many there are: the plan is made once for a connection.
func TestNumberByID(t *testing.T) {
	t.Parallel()
	s, _, db := open(t)
	_, err := db.Exec(t.Context(), `
		INSERT INTO extras_objectchange (changed_at, user_name, request_id, action, object_type, object_id, object_repr, version, data)
		SELECT now(), '', gen_random_uuid(), 'update', 'dcim.site', n, '', 1, repeat('x', 500) FROM generate_series(1, 20000) n`)
	if err == nil {
		_, err = db.Exec(t.Context(), "VACUUM ANALYZE extras_objectchange")
	}
	if err != nil {
		t.Fatal(err)
	}
	plan := genericPlan(t, s.Pool(), store.NumberChanges, "19990", "{5,9}", "{5,10}", "4", "0")
	read := regexp.MustCompile(`Scan .*on extras_objectchange_\d+`).FindAllString(plan, -1)
	for _, scan := range read {
		if !strings.Contains(scan, "_id_idx ") {
			t.Errorf("it reads by %s", scan)
		}
	}
	if len(read) < 4 || t.Failed() {
		t.Errorf("the plan is\n%s", plan)
	}
}

// TestRetainPositions: positions go with their changes. The oldest one that is kept has no dropped change after it, even where a change
// of a dropped week was committed after one of a week that stays.
func TestRetainPositions(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	now := time.Now()
	old := now.Add(-20 * week)
	before := a.number(t, "SELECT count(*) FROM extras_objectchange")
	a.numbered(t, func() {
		a.sites(t, old, "one", "two")
		a.sites(t, now, "three")
	}, func() {
		a.sites(t, old, "four")
		a.sites(t, now, "five", "six")
	})
	keep := store.Retention{Changes: 90, Deliveries: 90}
	a.retain(t, keep, now)
	at, err := a.Positions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := (store.Positions{Newest: before + 6, Oldest: before + 5}); at != want {
		t.Errorf("positions are %+v, want %+v", at, want)
	}
	if n := a.number(t, "SELECT min(position) FROM extras_position"); n != at.Oldest {
		t.Errorf("the first position is %d, want %d", n, at.Oldest)
	}
	n := a.number(t, "SELECT count(*) FROM extras_position p LEFT JOIN extras_objectchange c ON c.id = p.change_id WHERE c.id IS NULL")
	if n != 0 {
		t.Errorf("%d positions have no change", n)
	}
	a.retain(t, keep, now) // nothing is left to do
	if again, err := a.Positions(t.Context()); err != nil || again != at {
		t.Errorf("positions are %+v, %v after a second time", again, err)
	}
}

// TestFeedLag: monitoring sees the newest position, and how old the first change is that has none.
func TestFeedLag(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	read := func() (int64, time.Duration) {
		t.Helper()
		newest, lag, err := a.Watch().Feed(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return newest, lag
	}
	a.numbered(t, func() {}, func() {})
	all := a.number(t, "SELECT count(*) FROM extras_objectchange")
	if newest, lag := read(); newest != all || lag != 0 {
		t.Errorf("all have positions, but the newest of %d is %d and the lag %v", all, newest, lag)
	}
	a.sites(t, time.Now().Add(-time.Minute), "late")
	a.sites(t, time.Now(), "later")
	if newest, lag := read(); newest != all || lag < time.Minute || lag > time.Minute+30*time.Second {
		t.Errorf("the newest is %d and the lag %v", newest, lag)
	}
}
