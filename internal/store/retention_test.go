package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/access"
	"terrier/internal/account"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

const (
	day  = 24 * time.Hour
	week = 7 * day
)

// archive is a store with changes of any age and two webhooks: one is notified, the conditions of the other fail.
type archive struct {
	*store.Store
	reg    *record.Registry
	db     *pgxpool.Pool
	ledger *ledger.Ledger
	root   ledger.Caller
}

func newArchive(t *testing.T) *archive {
	t.Helper()
	s, reg, db := open(t)
	keys, err := account.NewKeyring(strings.Repeat("k", 60), nil)
	if err != nil {
		t.Fatal(err)
	}
	a := &archive{Store: s, reg: reg, db: db,
		root: ledger.Caller{Subject: &access.Subject{Username: "root", Superuser: true}, RequestID: "0f8fad5b-d9cb-469f-a165-70867728950e"},
		ledger: &ledger.Ledger{Store: s, Policy: &access.Policy{}, Sealer: &account.Sealer{Keys: keys},
			Printer: &record.Printer{Base: "http://terrier.test"}}}
	hook := ledger.Input{"name": "notified", "payload_url": "http://receiver.test/", "content_types": []any{"dcim.site"}, "type_create": true}
	missing := ledger.Input{"name": "missing", "payload_url": "http://receiver.test/", "content_types": []any{"dcim.site"},
		"type_create": true,
		"conditions":  map[string]any{"attr": "name", "op": "gt", "value": json.Number("5")}}
	a.create(t, time.Now(), "extras.webhook", hook, missing)
	a.permission(t, time.Now(), "first")
	return a
}

// permission makes a permission at a time, which the audit log records.
func (a *archive) permission(t *testing.T, at time.Time, name string) {
	t.Helper()
	a.create(t, at, "users.permission", ledger.Input{"name": name, "object_types": []any{"dcim.site"}, "actions": []any{"view"}})
}

func (a *archive) create(t *testing.T, at time.Time, key string, inputs ...ledger.Input) {
	t.Helper()
	if err := a.MakePartitions(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	a.ledger.Now = func() time.Time { return at }
	if _, err := a.ledger.Create(t.Context(), a.root, a.reg.Type(key), inputs); err != nil {
		t.Fatal(err)
	}
}

// sites makes a site of each name at a time, which queues a delivery and records a condition error of each.
func (a *archive) sites(t *testing.T, at time.Time, names ...string) {
	t.Helper()
	var inputs []ledger.Input
	for _, name := range names {
		inputs = append(inputs, ledger.Input{"name": name, "slug": name})
	}
	a.create(t, at, "dcim.site", inputs...)
}

// retain drops what is past its retention. All changes have positions by then.
func (a *archive) retain(t *testing.T, keep store.Retention, now time.Time) store.Retained {
	t.Helper()
	a.numbered(t)
	done, err := a.Retain(t.Context(), keep, now)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func (a *archive) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := a.db.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func (a *archive) number(t *testing.T, sql string, args ...any) (n int64) {
	t.Helper()
	if err := a.db.QueryRow(t.Context(), sql, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// deliveries lists the rows, each with the state of its job.
func (a *archive) deliveries(t *testing.T, where string) string {
	t.Helper()
	var all string
	err := a.db.QueryRow(t.Context(),
		"SELECT coalesce(string_agg(d::text || ' ' || j.state, E'\n' ORDER BY d.id), '') FROM extras_delivery d JOIN river_job j ON "+
			"j.id = d.job_id WHERE "+where).Scan(&all)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// countsAreTrue compares the counts of lists with the rows.
func (a *archive) countsAreTrue(t *testing.T) {
	t.Helper()
	for _, key := range []string{store.ChangeType, store.DeliveryType, store.ConditionErrorType, store.AuditType} {
		typ := a.reg.Type(key)
		page, err := a.List(t.Context(), typ, store.Query{Scope: access.Machine(), Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		if n := a.number(t, "SELECT count(*) FROM "+typ.Table()); page.Count != n || n == 0 {
			t.Errorf("the list of %s counts %d of %d", key, page.Count, n)
		}
	}
}

func names(partitions []store.Partition) (all []string) {
	for _, p := range partitions {
		all = append(all, p.Name)
	}
	return all
}

func partitionOf(table string, at time.Time) string {
	return table + "_" + at.UTC().Truncate(week).Format("20060102")
}

// TestRetain: what is past its limit is dropped, in whatever state, with its jobs; the rest stays as it is.
func TestRetain(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	now := time.Now()
	ancient, old, recent := now.Add(-120*day), now.Add(-40*day), now.Add(-10*day)
	for i, at := range []time.Time{ancient, old, recent} {
		prefix := string(rune('a' + i))
		a.permission(t, at, prefix)
		a.sites(t, at, prefix+"-sent", prefix+"-waits", prefix+"-again")
	}
	byName := "FROM dcim_site s WHERE s.id = d.object_id AND s.name LIKE "
	a.exec(t, "UPDATE extras_delivery d SET state = 'successful', finished_at = now() "+byName+"'%-sent'")
	a.exec(t, "UPDATE extras_delivery d SET state = 'failed', finished_at = now(), retry_at = now() + interval '1 day' "+byName+"'%-again'")
	a.exec(t, "DELETE FROM river_job j USING extras_delivery d WHERE d.job_id = j.id AND d.state = 'successful'")
	a.exec(t, `INSERT INTO extras_attempt (delivery_id, changed_at, started_at, milliseconds, method, target, request_headers,
		response_headers, response_body, truncated, error)
		SELECT id, changed_at, now(), 1, 'POST', '', '{}', '{}', '', false, '' FROM extras_delivery WHERE state <> 'queued'`)
	// Bounds count, not names.
	a.exec(t, "CREATE TABLE errors_by_hand PARTITION OF extras_conditionerror FOR VALUES FROM ('2020-01-01') TO ('2020-02-01')")
	const young = "d.changed_at > now() - interval '20 days'"
	before := a.deliveries(t, young)

	done := a.retain(t, store.Retention{Changes: 90, Deliveries: 30}, now)

	if done.Expired != 4 || len(done.Busy) != 0 {
		t.Errorf("%+v", done)
	}
	for table, gone := range map[string][]time.Time{"extras_delivery": {ancient, old}, "extras_attempt": {ancient, old},
		"extras_conditionerror": {ancient, old}, "extras_objectchange": {ancient}, "extras_auditevent": {ancient}} {
		for _, at := range []time.Time{ancient, old, recent} {
			want := slices.Contains(gone, at)
			if got := slices.Contains(names(done.Dropped), partitionOf(table, at)); got != want {
				t.Errorf("%s: dropped is %v", partitionOf(table, at), got)
			}
			if there := a.number(t, "SELECT count(*) FROM pg_class WHERE relname = $1", partitionOf(table, at)); there != 0 == want {
				t.Errorf("%s: there are %d", partitionOf(table, at), there)
			}
		}
	}
	if !slices.Contains(names(done.Dropped), "errors_by_hand") {
		t.Error("the partition made by hand is still there")
	}
	if i := slices.IndexFunc(done.Dropped, func(p store.Partition) bool {
		return p.Name == partitionOf("extras_delivery",
			old)
	}); i < 0 || done.Dropped[i].Rows != 3 {
		t.Errorf("dropped %+v", done.Dropped)
	}
	for question, want := range map[string]int64{
		"SELECT count(*) FROM extras_delivery": 3, "SELECT count(*) FROM extras_attempt": 2, "SELECT count(*) FROM extras_conditionerror": 3,
		"SELECT count(*) FROM extras_objectchange WHERE object_type = 'dcim.site'":  6,
		"SELECT count(*) FROM river_job":                                            2,
		"SELECT count(*) FROM extras_auditevent WHERE event = 'permission_changed'": 3,
		"SELECT sum(failed) FROM extras_tally":                                      4,
	} {
		if got := a.number(t, question); got != want {
			t.Errorf("%s: %d, want %d", question, got, want)
		}
	}
	if after := a.deliveries(t, young); after != before || before == "" {
		t.Errorf("what is young was touched:\n%s\n%s", before, after)
	}
	a.countsAreTrue(t)
	if again := a.retain(t, store.Retention{Changes: 90, Deliveries: 30}, now); again.Expired != 0 || len(again.Dropped) != 0 {
		t.Errorf("the second time: %+v", again)
	}
}

// TestRetainForEver: 0 keeps everything.
func TestRetainForEver(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.sites(t, time.Now().Add(-400*day), "a")
	if done := a.retain(t, store.Retention{}, time.Now()); len(done.Dropped) != 0 || done.Expired != 0 {
		t.Errorf("%+v", done)
	}
	done := a.retain(t, store.Retention{Deliveries: 30}, time.Now())
	changes := func(name string) bool { return strings.HasPrefix(name, "extras_objectchange") }
	if done.Expired != 1 || slices.ContainsFunc(names(done.Dropped), changes) {
		t.Errorf("%+v", done)
	}
}

// TestExpire: a delivery fails once it is past the limit, even if its week is not, and is shown until the whole week
// is dropped.
func TestExpire(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	monday := time.Now().UTC().Truncate(week).Add(-6 * week)
	thursday := monday.Add(3*day + 30*day) // the limit is a Thursday
	keep := store.Retention{Deliveries: 30}
	a.sites(t, monday.Add(1*day), "past")
	a.sites(t, monday.Add(5*day), "later")
	before := a.deliveries(t, "d.changed_at > '"+monday.Add(4*day).Format(time.RFC3339)+"'")

	done := a.retain(t, keep, thursday)
	if done.Expired != 1 || slices.Contains(names(done.Dropped), partitionOf("extras_delivery", monday)) {
		t.Errorf("%+v", done)
	}
	if after := a.deliveries(t, "d.state = 'queued'"); after != before || before == "" {
		t.Errorf("left is %q, want %q", after, before)
	}
	page, err := a.List(t.Context(), a.reg.Type(store.DeliveryType), store.Query{Scope: access.Machine(), Limit: 10, Order: []string{"id"}})
	if err != nil || len(page.Rows) != 2 {
		t.Fatal(page, err)
	}
	v := page.Rows[0]
	if v.Text("state") != store.Failed || !strings.Contains(v.Text("reason"), "30 days") || v.Get("finished_at") == nil ||
		v.Get("retry_at") != nil {
		t.Errorf("the expired delivery is %v, because %q", v.Text("state"), v.Text("reason"))
	}
	due, err := a.LoadDue(t.Context(), []int64{v.ID()})
	if err != nil || len(due) != 1 || due[0].Awaited() {
		t.Errorf("a worker would see %+v, %v", due, err)
	}

	done = a.retain(t, keep, thursday.Add(week))
	if done.Expired != 1 || !slices.Contains(names(done.Dropped), partitionOf("extras_delivery", monday)) {
		t.Errorf("a week later: %+v", done)
	}
	if due, err := a.LoadDue(t.Context(), []int64{v.ID()}); err != nil || len(due) != 0 {
		t.Errorf("a worker would see %+v, %v", due, err)
	}
}

// TestExpireInParts: a large backlog is many transactions.
func TestExpireInParts(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	monday := time.Now().UTC().Truncate(week).Add(-6 * week)
	a.sites(t, monday.Add(day), "a")
	a.exec(t, `INSERT INTO extras_delivery SELECT id + 1000 + n, changed_at, change_id, webhook_id + n, version, event, object_type,
		object_id, request_id, state, round, tries,
		attempt_count, job_id, queued_at, finished_at, retry_at, status_code, reason FROM extras_delivery, generate_series(1, 2499) AS n`)
	done := a.retain(t, store.Retention{Deliveries: 30}, monday.Add(3*day+30*day))
	if done.Expired != 2500 {
		t.Errorf("expired %d", done.Expired)
	}
	if n := a.number(t,
		"SELECT max(n) FROM (SELECT count(*) AS n FROM extras_delivery WHERE state = 'failed' GROUP BY xmin::text) x"); n != 1000 {
		t.Errorf("%d in one transaction", n)
	}
}

// TestRetainLeavesWhatIsUsed: a request under way ends normally, and what deliveries are made from stays as long as
// they do.
func TestRetainLeavesWhatIsUsed(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	now := time.Now()
	old := now.Add(-40 * day)
	a.sites(t, old, "a")
	a.exec(t, "DELETE FROM extras_objectchange WHERE object_type <> 'dcim.site'")
	if done := a.retain(t, store.Retention{Changes: 30}, now); !slices.Contains(done.Busy, partitionOf("extras_objectchange", old)) {
		t.Errorf("a change that has deliveries: %+v", done)
	}
	a.exec(t, "UPDATE river_job SET state = 'running'")
	keep := store.Retention{Changes: 30, Deliveries: 30}
	done := a.retain(t, keep, now)
	for _, table := range []string{"extras_delivery", "extras_attempt", "extras_objectchange"} {
		if done.Expired != 0 || !slices.Contains(done.Busy, partitionOf(table, old)) {
			t.Errorf("a delivery that is being sent: %s: %+v", table, done)
		}
	}
	a.exec(t, "UPDATE extras_delivery SET state = 'successful'")
	if done := a.retain(t, keep, now); len(done.Busy) != 0 || !slices.Contains(names(done.Dropped), partitionOf("extras_objectchange", old)) {
		t.Errorf("when it was sent: %+v", done)
	}
}

// TestRetainAtOnce: of several processes one does the work, and the counts stay right.
func TestRetainAtOnce(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	now := time.Now()
	for i, name := range []string{"a", "b", "c", "d"} {
		a.sites(t, now.Add(-40*day-time.Duration(i)*week), name)
	}
	a.sites(t, now, "today")
	a.numbered(t)
	before := a.number(t, "SELECT count(*) FROM pg_inherits WHERE inhparent = 'extras_delivery'::regclass")
	done := make([]store.Retained, 4)
	var all sync.WaitGroup
	for i := range done {
		all.Go(func() {
			var err error
			if done[i], err = a.Retain(t.Context(), store.Retention{Changes: 30, Deliveries: 30}, now); err != nil &&
				!errors.Is(err, store.ErrElsewhere) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	seen, expired := map[string]int{}, int64(0)
	for _, d := range done {
		expired += d.Expired
		for _, p := range d.Dropped {
			seen[p.Name]++
		}
	}
	for name, n := range seen {
		if n != 1 {
			t.Errorf("%s was dropped %d times", name, n)
		}
	}
	if left := a.number(t, "SELECT count(*) FROM pg_inherits WHERE inhparent = 'extras_delivery'::regclass"); expired != 4 || left == before {
		t.Errorf("expired %d; of %d partitions %d are left", expired, before, left)
	}
	a.countsAreTrue(t)
}

// TestRetainDoesNotHoldUpWriters: during a long read, a drop makes others wait for a moment and gives up. Later it
// succeeds.
func TestRetainDoesNotHoldUpWriters(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	now := time.Now()
	old := now.Add(-40 * day)
	a.sites(t, old, "a")
	a.numbered(t)
	reader, err := a.db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Rollback(t.Context()) }()
	if _, err := reader.Exec(t.Context(), "SELECT FROM extras_objectchange, extras_delivery"); err != nil {
		t.Fatal(err)
	}
	keep := store.Retention{Changes: 30, Deliveries: 30}
	var done store.Retained
	ended := make(chan error, 1)
	go func() {
		var err error
		done, err = a.Retain(t.Context(), keep, now)
		ended <- err
	}()
	var slowest time.Duration
	for n, going := 0, true; going; n++ {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			going = false // one write more
		default:
		}
		began := time.Now()
		a.sites(t, began, fmt.Sprintf("w%d", n))
		slowest = max(slowest, time.Since(began))
	}
	t.Logf("the slowest write took %v", slowest)
	if slowest > 5*time.Second { // a wait is over after 250 ms; the rest is for slow machines
		t.Errorf("a write took %v", slowest)
	}
	if want := []string{partitionOf("extras_delivery", old), partitionOf("extras_attempt", old),
		partitionOf("extras_objectchange", old)}; !slices.Equal(done.Busy, want) {
		t.Errorf("in use were %v, want %v", done.Busy, want)
	}
	if err := reader.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if done := a.retain(t, keep, now); len(done.Busy) != 0 || !slices.Contains(names(done.Dropped), partitionOf("extras_objectchange", old)) {
		t.Errorf("when nobody reads: %+v", done)
	}
	a.countsAreTrue(t)
}
