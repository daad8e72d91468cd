package webhookadmin_test

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/store"
	"terrier/internal/webhookadmin"
)

func TestHistory(t *testing.T) {
	b := newBundle(t)
	hook, other := b.listener(t, nil), b.listener(t, nil)
	now := time.Date(2025, 3, 1, 12, 0, 30, 0, time.UTC)
	b.Now = func() time.Time { return now }
	at := func(clock string) time.Time {
		x, err := time.Parse("2006-01-02 15:04", "2025-03-01 "+clock)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for _, row := range []struct {
		at                 string
		hook               int64
		good, bad, elapsed int64
	}{
		{"09:59", hook, 7, 7, 7}, // before
		{"10:00", hook, 1, 0, 10}, {"10:29", hook, 2, 1, 20}, {"10:29", hook, 1, 0, 5},
		{"11:30", hook, 0, 4, 0}, {"11:30", other, 9, 9, 9},
		{"12:00", hook, 1, 1, 3}, {"12:31", hook, 5, 5, 5}, // of a worker whose clock is ahead
	} {
		b.exec(t, "INSERT INTO extras_tally VALUES ($1, $2, $3, $4, $5)", at(row.at), row.hook, row.good, row.bad, row.elapsed)
	}
	got, err := b.History(t.Context(), b.root, hook, webhookadmin.HistoryRange{Since: at("10:07"), Step: 30 * time.Minute})
	want := []store.Bucket{{At: at("10:00"), Successful: 4, Failed: 1, Milliseconds: 35}, {At: at("10:30")}, {At: at("11:00")},
		{At: at("11:30"), Failed: 4}, {At: at("12:00"), Successful: 1, Failed: 1, Milliseconds: 3}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("history\n%v, %v, want\n%v", got, err, want)
	}
	all, err := b.HistoryOfAll(t.Context(), b.root, webhookadmin.HistoryRange{Since: at("10:07"), Step: 30 * time.Minute})
	want[3] = store.Bucket{At: at("11:30"), Successful: 9, Failed: 13, Milliseconds: 9}
	if err != nil || !slices.Equal(all, want) {
		t.Errorf("history of all\n%v, %v, want\n%v", all, err, want)
	}
	if got, err := b.History(t.Context(), b.root, hook,
		webhookadmin.HistoryRange{Since: now.Add(-24 * time.Hour), Step: time.Minute}); err != nil || len(got) != 24*60+1 {
		t.Errorf("a day in minutes has %d parts, %v", len(got), err)
	}
	if got, err := b.History(t.Context(), b.root, hook,
		webhookadmin.HistoryRange{Since: now.Add(time.Hour), Step: time.Minute}); err != nil || len(got) != 0 {
		t.Errorf("the future has %d parts, %v", len(got), err)
	}

	viewer := ledger.Caller{RequestID: uuid.NewString(),
		Subject: &access.Subject{UserID: 2, Grants: []access.Grant{{Types: []string{store.WebhookType}, Actions: []string{"view"},
			Constraints: []byte(`{"id": 2}`)}}}}
	seen, err := b.HistoryOfAll(t.Context(), viewer, webhookadmin.HistoryRange{Since: at("11:30"), Step: 30 * time.Minute})
	if err != nil || !slices.Equal(seen, []store.Bucket{{At: at("11:30"), Successful: 9, Failed: 9, Milliseconds: 9}, {At: at("12:00")}}) {
		t.Errorf("history of what somebody may see: %v, %v", seen, err)
	}
	lately := webhookadmin.HistoryRange{Since: at("11:30"), Step: 30 * time.Minute}
	each, err := b.HistoryOfEach(t.Context(), b.root, []int64{hook, other, 999}, lately)
	ofHook := []store.Bucket{{At: at("11:30"), Failed: 4}, {At: at("12:00"), Successful: 1, Failed: 1}}
	ofOther := []store.Bucket{{At: at("11:30"), Successful: 9, Failed: 9}, {At: at("12:00")}}
	if err != nil || len(each) != 2 || !slices.Equal(each[hook], ofHook) || !slices.Equal(each[other], ofOther) {
		t.Errorf("histories: %v, %v", each, err)
	}
	each, err = b.HistoryOfEach(t.Context(), viewer, []int64{hook, other}, lately)
	if err != nil || len(each) != 1 || !slices.Equal(each[other], ofOther) {
		t.Errorf("histories of what somebody may see: %v, %v", each, err)
	}
	for _, row := range []struct {
		name   string
		caller ledger.Caller
		hook   int64
		since  time.Duration
		step   time.Duration
		kind   fault.Kind
	}{
		{"nobody", ledger.Caller{Subject: &access.Subject{UserID: 3}}, hook, time.Hour, time.Minute, fault.Denied},
		{"another's", viewer, hook, time.Hour, time.Minute, fault.NotFound},
		{"seconds", b.root, hook, time.Hour, time.Second, fault.Invalid},
		{"half minutes", b.root, hook, time.Hour, 90 * time.Second, fault.Invalid},
		{"for ever", b.root, hook, 30 * 24 * time.Hour, time.Minute, fault.Invalid},
	} {
		if _, err := b.History(t.Context(), row.caller, row.hook,
			webhookadmin.HistoryRange{Since: now.Add(-row.since), Step: row.step}); fault.KindOf(err) != row.kind {
			t.Errorf("%s: %v", row.name, err)
		}
	}
	if _, err := b.History(t.Context(), viewer, other, webhookadmin.HistoryRange{Since: now.Add(-time.Hour), Step: time.Minute}); err != nil {
		t.Error(err)
	}
}

func TestEnded(t *testing.T) {
	b := newBundle(t)
	hook := b.listener(t, nil)
	b.listener(t, nil) // its deliveries stay queued
	b.sites(t, 1, 4)
	b.end(t, hook, store.Successful)
	b.exec(t, "UPDATE extras_delivery SET finished_at = now() - (5 - object_id) * interval '1 minute', state = CASE object_id WHEN 2 "+
		"THEN 'failed' ELSE state END WHERE webhook_id = $1", hook)
	b.exec(t, `INSERT INTO extras_attempt SELECT id, changed_at, now() + x * interval '1 second', x * 10, 'POST', '', '{}', NULL, 200,
		'{}', '', FALSE, ''
		FROM extras_delivery, generate_series(1, 2) x WHERE webhook_id = $1 AND object_id = 3`, hook)
	ended := func(c ledger.Caller, since time.Duration, limit int) (ids []int64) {
		t.Helper()
		rows, err := b.Ended(t.Context(), c, webhookadmin.EndedQuery{Since: time.Now().Add(-since), Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range rows {
			ids = append(ids, e.ObjectID)
			if e.WebhookName == nil || e.Webhook != hook || (e.ObjectID == 3) != (e.Milliseconds != nil && *e.Milliseconds == 20) ||
				(e.State == store.Failed) != (e.ObjectID == 2) {
				t.Errorf("what has ended: %+v", e)
			}
		}
		return ids
	}
	if got := ended(b.root, time.Hour, 10); !slices.Equal(got, []int64{1, 2, 3, 4}) {
		t.Errorf("in the order in which they ended: %v", got)
	}
	if got := ended(b.root, time.Hour, 2); !slices.Equal(got, []int64{3, 4}) {
		t.Errorf("the last two: %v", got)
	}
	if got := ended(b.root, 150*time.Second, 10); !slices.Equal(got, []int64{3, 4}) {
		t.Errorf("the last minutes: %v", got)
	}
	viewer := ledger.Caller{Subject: &access.Subject{UserID: 2,
		Grants: []access.Grant{{Types: []string{store.DeliveryType}, Actions: []string{"view"}, Constraints: []byte(`{"object_id": 2}`)}}}}
	if got := ended(viewer, time.Hour, 10); !slices.Equal(got, []int64{2}) {
		t.Errorf("those that somebody may see: %v", got)
	}
	if _, err := b.Ended(t.Context(), ledger.Caller{Subject: &access.Subject{UserID: 3}},
		webhookadmin.EndedQuery{Since: time.Now(), Limit: 1}); fault.KindOf(err) != fault.Denied {
		t.Errorf("for nobody: %v", err)
	}
}

// TestEndedLooksAtFew: the deliveries that ended last are found without reading all that ever ended.
func TestEndedLooksAtFew(t *testing.T) {
	b := newBundle(t)
	hook := b.listener(t, nil)
	const all = 50_000
	b.exec(t, `INSERT INTO extras_delivery (id, changed_at, change_id, webhook_id, version, event, object_type, object_id, request_id,
		state, round, tries, attempt_count, job_id, queued_at, finished_at, reason)
		SELECT i, now(), i, $1, 1, 'updated', 'dcim.site', i, gen_random_uuid(), 'successful', 1, 1, 1, i, now(), now() - interval '1 hour',
			'' FROM generate_series(1, $2::bigint) i`, hook, all)
	b.exec(t, "VACUUM (ANALYZE) extras_delivery")
	b.exec(t, "UPDATE extras_delivery SET finished_at = now() WHERE id = 7")
	b.Store.Close() // which makes PostgreSQL count what it read
	read := func() int64 {
		for b.number(t, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'terrier'") > 0 {
			runtime.Gosched()
		}
		return b.number(t,
			`SELECT sum(coalesce(idx_tup_fetch, 0) + seq_tup_read) FROM pg_stat_user_tables WHERE relname LIKE 'extras\_delivery\_%'`)
	}
	before := read()
	var err error
	if b.Store, err = store.Open(t.Context(), b.db.Config().ConnString(), b.reg, nil); err != nil {
		t.Fatal(err)
	}
	for range 10 { // often enough for PostgreSQL to use a generic plan
		if got, err := b.Ended(t.Context(), b.root, webhookadmin.EndedQuery{Since: time.Now().
			Add(-time.Minute), Limit: 100}); err != nil || len(got) != 1 || got[0].ID != 7 {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	b.Store.Close()
	if n := read() - before; n > 10*all/4 {
		t.Errorf("in ten looks at one of %d, %d were read", all, n)
	}
}
