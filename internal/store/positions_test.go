package store_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"terrier/internal/store"
)

// numbered gives positions to all changes.
func (a *archive) numbered(t *testing.T) {
	t.Helper()
	conn, err := a.OpenNumbering(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	at, err := conn.Numbered(t.Context())
	if err == nil {
		_, _, err = conn.Number(t.Context(), at, at.Seen)
	}
	if err != nil {
		t.Fatal(err)
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
	a.sites(t, old, "one", "two")
	a.sites(t, now, "three")
	a.numbered(t)
	a.sites(t, old, "four")
	a.sites(t, now, "five", "six")
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

// TestRetainUnnumbered: a change is not dropped before it has a position, because a reader of the feed would miss it without notice.
func TestRetainUnnumbered(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	now := time.Now()
	old := now.Add(-20 * week)
	a.sites(t, old, "one")
	a.numbered(t)
	a.sites(t, old, "two")
	keep := store.Retention{Changes: 90, Deliveries: 90}
	done, err := a.Retain(t.Context(), keep, now)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(done.Busy, partitionOf("extras_objectchange", old)) {
		t.Errorf("a change without a position was dropped: %+v", done)
	}
	before, err := a.Positions(t.Context())
	if err != nil || before.Oldest != 1 {
		t.Errorf("positions are %+v, %v", before, err)
	}
	if done := a.retain(t, keep, now); !slices.Contains(names(done.Dropped), partitionOf("extras_objectchange", old)) {
		t.Errorf("all have positions, but: %+v", done)
	}
	if at, err := a.Positions(t.Context()); err != nil || at != (store.Positions{Newest: before.Newest + 1, Oldest: before.Newest + 2}) {
		t.Errorf("positions are %+v, %v", at, err)
	}
}

// TestRetainedElsewhere: if somebody else has dropped changes, such as a program that knows no positions, the oldest position is raised.
func TestRetainedElsewhere(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	now := time.Now()
	old := now.Add(-20 * week)
	a.exec(t, "DELETE FROM extras_objectchange")
	a.sites(t, old, "one", "two")
	a.numbered(t)
	dropped, err := a.Positions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a.sites(t, now, "three")
	a.exec(t, "DROP TABLE "+partitionOf("extras_objectchange", old))
	a.retain(t, store.Retention{Changes: 365, Deliveries: 90}, now)
	at, err := a.Positions(t.Context())
	if want := (store.Positions{Newest: dropped.Newest + 1, Oldest: dropped.Newest + 1}); err != nil || at != want {
		t.Errorf("positions are %+v, want %+v (%v)", at, want, err)
	}
	if n := a.number(t, "SELECT count(*) FROM extras_position"); n != 1 {
		t.Errorf("%d positions are kept", n)
	}
}

// TestFeedLag: monitoring sees the newest position, and how old the first change is that has none. terrier doctor sees the same, and
// who numbers changes.
func TestFeedLag(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	inspector, err := store.Inspect(t.Context(), a.db.Config().ConnString(), a.reg)
	if err != nil {
		t.Fatal(err)
	}
	defer inspector.Close()
	read := func() (int64, time.Duration) {
		t.Helper()
		newest, lag, err := a.Watch().Feed(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		seen, late, pid, err := inspector.Feed(t.Context())
		if err != nil || seen != newest || late < lag || pid != 0 {
			t.Errorf("doctor sees %d and %v, numbered by %d (%v)", seen, late, pid, err)
		}
		return newest, lag
	}
	a.numbered(t)
	all := a.number(t, "SELECT count(*) FROM extras_objectchange")
	if newest, lag := read(); newest != all || lag != 0 {
		t.Errorf("all have positions, but the newest of %d is %d and the lag %v", all, newest, lag)
	}
	a.sites(t, time.Now().Add(-time.Minute), "late")
	a.sites(t, time.Now(), "later")
	if newest, lag := read(); newest != all || lag < time.Minute || lag > time.Minute+30*time.Second {
		t.Errorf("the newest is %d and the lag %v", newest, lag)
	}
	conn, err := a.OpenNumbering(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if mine, err := conn.Lock(t.Context()); err != nil || !mine {
		t.Fatalf("the lock is taken: %v", err)
	}
	if _, _, pid, err := inspector.Feed(t.Context()); err != nil || pid == 0 {
		t.Errorf("nobody numbers changes (%v)", err)
	}
}
