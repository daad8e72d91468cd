package ledger_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/ledger"
	"terrier/internal/record"
)

// logged is a row of the change log with its delivery.
type logged struct {
	Type     string
	ID       int64
	Action   string
	Version  int64
	At       time.Time
	Updated  *time.Time // last_updated in the state after the change
	Delivery int64
	Moment   time.Time // of the id of the delivery
	Queued   time.Time
	SameWeek bool // change and delivery are in the partitions of the same week
}

// byTime returns the change log in the order in which it is shown and replayed.
func (b *bundle) byTime(t *testing.T) []logged {
	t.Helper()
	rows, err := b.db.Query(t.Context(), `SELECT c.object_type, c.object_id, c.action, c.version, c.changed_at,
			(c.postchange::json->>'last_updated')::timestamptz, d.id, to_timestamp((d.id >> $1::int) / 1000.0), d.queued_at,
			right(c.tableoid::regclass::text, 8) = right(d.tableoid::regclass::text, 8)
		FROM extras_objectchange c JOIN extras_delivery d ON d.change_id = c.id AND d.changed_at = c.changed_at
		WHERE c.object_type <> 'extras.webhook' ORDER BY c.changed_at, c.id`, deliveryShift())
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[logged])
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// deliveryShift is where the milliseconds of a delivery's id begin.
func deliveryShift() int {
	_, shift, _ := record.TimedIDs(time.Now())
	return shift
}

// clocked is a rig with a webhook that is notified of everything, and a clock that can be set.
func clocked(t *testing.T) (r *rig, set func(time.Time)) {
	t.Helper()
	r = newRig(t)
	r.create(t, "extras.webhook", ledger.Input{"name": "all", "payload_url": "http://127.0.0.1:1/", "type_create": true, "type_update": true,
		"type_delete": true, "content_types": []any{"dcim.region", "dcim.site", "extras.tag"}})
	return r, func(at time.Time) { r.Now = func() time.Time { return at } }
}

// checkOrder checks that versions of records follow each other in the order of the times, and that all that was written with a change is
// of its time.
func checkOrder(t *testing.T, log []logged, want int) {
	t.Helper()
	if len(log) != want {
		t.Errorf("%d changes, want %d", len(log), want)
	}
	type object struct {
		Type string
		ID   int64
	}
	versions := map[object]int64{}
	for _, c := range log {
		key := object{c.Type, c.ID}
		if c.Version != versions[key]+1 {
			t.Errorf("%s %d goes from version %d to %d", c.Type, c.ID, versions[key], c.Version)
		}
		versions[key] = c.Version
		if c.Updated != nil && !c.Updated.Equal(c.At) {
			t.Errorf("%+v: last_updated is not the time of the change", c)
		}
		if !c.Moment.Equal(c.At.Truncate(time.Millisecond)) || !c.Queued.Equal(c.At) || !c.SameWeek {
			t.Errorf("%+v: the delivery is not of the time of the change", c)
		}
	}
}

// TestChangesOfServersWhoseClocksDiffer: a change is later than the change before it to the same record and to the records that it refers
// to, although the clock of the server that made those is ahead. The order by time, which the change log and replays have, is then the
// order of the changes.
func TestChangesOfServersWhoseClocksDiffer(t *testing.T) {
	t.Parallel()
	r, clock := clocked(t)
	now := time.Now().UTC().Truncate(time.Millisecond)
	ahead := now.Add(2 * time.Second)
	clock(ahead)
	region := r.create(t, "dcim.region", named(1))[0]
	tag := r.create(t, "extras.tag", ledger.Input{"name": "n", "slug": "n", "color": "ff0000"})[0]
	clock(now)
	region = r.update(t, region, "description", "first")
	region = r.update(t, region, "description", "second")
	site := r.create(t, "dcim.site", in("name", "s", "slug", "s", "region", map[string]any{"slug": "n1"}))[0]
	r.update(t, site, "tags", []any{map[string]any{"slug": "n"}})
	clock(now.Add(-time.Second))
	if err := r.delete(t, region); err != nil { // the site loses its region
		t.Fatal(err)
	}
	r.update(t, tag, "description", "by a clock that is behind")
	clock(ahead.Add(time.Second))
	r.update(t, tag, "description", "by a clock that is ahead again")

	log := r.byTime(t)
	checkOrder(t, log, 10)
	for n, c := range log[:len(log)-1] {
		if c.At.Before(ahead) || c.At.After(ahead.Add(time.Millisecond)) {
			t.Errorf("change %d is of %v, want the time right after %v", n, c.At, ahead)
		}
	}
	if last := log[len(log)-1]; !last.At.Equal(ahead.Add(time.Second)) {
		t.Errorf("the last change is of %v, and the clock was at %v", last.At, ahead.Add(time.Second))
	}
	at := map[string]time.Time{}
	for _, c := range log {
		at[fmt.Sprint(c.Type, c.Version)] = c.At
	}
	for before, after := range map[string]string{"dcim.region3": "dcim.site1", "extras.tag1": "dcim.site2"} {
		if !at[before].Before(at[after]) {
			t.Errorf("%s is of %v, and %s, which refers to it, of %v", before, at[before], after, at[after])
		}
	}
}

// TestClockAheadAtTheEndOfAWeek: a change right after one of the last microsecond of a week is in the partition of the next week, with its
// delivery.
func TestClockAheadAtTheEndOfAWeek(t *testing.T) {
	t.Parallel()
	r, clock := clocked(t)
	var end time.Time
	if err := r.db.QueryRow(t.Context(), `SELECT min(upper) FROM (
			SELECT (regexp_match(pg_get_expr(c.relpartbound, c.oid), $$TO \('(.*?)'\)$$))[1]::timestamptz AS upper
			FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'extras_objectchange'::regclass) p
		WHERE upper > now() + interval '1 minute'`).Scan(&end); err != nil {
		t.Fatal(err)
	}
	clock(end.Add(-time.Microsecond))
	region := r.create(t, "dcim.region", named(1))[0]
	clock(time.Now())
	r.update(t, region, "description", "first")
	log := r.byTime(t)
	checkOrder(t, log, 2)
	if len(log) == 2 && !log[1].At.Equal(end) {
		t.Errorf("updated at %v, want %v", log[1].At, end)
	}
}
