package webhookadmin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"terrier/internal/access"
	"terrier/internal/dbtest"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhookadmin"
)

// where parses filters of the change log.
func (b *bundle) where(t *testing.T, filters ...string) (tests []record.Predicate) {
	t.Helper()
	for i := 0; i < len(filters); i += 2 {
		p, known, err := b.reg.Type(store.ChangeType).ParseFilter(filters[i], []string{filters[i+1]})
		if err != nil || !known {
			t.Fatalf("%s: %v", filters[i], err)
		}
		tests = append(tests, p)
	}
	return tests
}

// replay counts with a dry run, then replays. It checks that both counts are the same and that the tables are sound.
func (b *bundle) replay(t *testing.T, hook int64, want webhookadmin.ReplayCount, filters ...string) {
	t.Helper()
	where := b.where(t, filters...)
	first, err := b.Replay(t.Context(), b.root, hook, webhookadmin.ReplayInput{Where: where, DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	done, err := b.Replay(t.Context(), b.root, hook, webhookadmin.ReplayInput{Where: where})
	if err != nil {
		t.Fatal(err)
	}
	want.Reached = done.Reached
	if done != want || first != want {
		t.Errorf("the replay did\n%+v, counted\n%+v, want\n%+v", done, first, want)
	}
	b.sound(t)
}

// sound checks the invariants of deliveries and jobs.
func (b *bundle) sound(t *testing.T) {
	t.Helper()
	for what, sql := range map[string]string{
		"queued deliveries without their job": `SELECT count(*) FROM extras_delivery d WHERE state = 'queued' AND NOT EXISTS (SELECT
			FROM river_job j
			WHERE j.id = d.job_id AND j.queue = 'webhook_' || d.webhook_id AND j.args = jsonb_build_object('delivery', d.id, 'round', d.round)
				AND j.state = 'available')`,
		"deliveries that are not of their change": `SELECT count(*) FROM extras_delivery d WHERE NOT EXISTS (SELECT FROM extras_objectchange c
			WHERE c.id = d.change_id AND c.changed_at = d.changed_at AND c.version = d.version AND c.object_id = d.object_id
				AND c.object_type = d.object_type
			AND c.request_id = d.request_id AND left(d.event, 6) = left(c.action || 'd', 6))`,
		"ids that lead elsewhere": `SELECT count(*) FROM extras_delivery WHERE id >> 21 <> floor(extract(epoch FROM ` +
			`changed_at) * 1000)`,
		"ids that stand twice": `SELECT count(*) - count(DISTINCT id) FROM extras_delivery`,
		"deliveries that are counted too often": `SELECT (SELECT coalesce(sum(n), 0) FROM record_count WHERE type = 'extras.delivery') - ` +
			`(SELECT count(*) FROM extras_delivery)`,
		"changes that are counted too often": `SELECT (SELECT coalesce(sum(n), 0) FROM record_count WHERE type = 'extras.objectchange') - ` +
			`(SELECT count(*) FROM extras_objectchange)`,
	} {
		if n := b.number(t, sql); n != 0 {
			t.Errorf("%d %s", n, what)
		}
	}
}

// end ends every queued delivery of a webhook, as a worker would.
func (b *bundle) end(t *testing.T, hook int64, state string) {
	t.Helper()
	b.exec(t, "DELETE FROM river_job WHERE queue = 'webhook_' || $1::bigint", hook)
	b.exec(t, "UPDATE extras_delivery SET state = $2, finished_at = now(), attempt_count = attempt_count + 1, tries = 1, status_code = "+
		"200, reason = 'x' WHERE webhook_id = $1 AND state = 'queued'", hook, state)
}

func TestReplay(t *testing.T) {
	b := newBundle(t)
	old := b.listener(t, nil)
	b.create(t, "dcim.region", named(1)) // not one of its types
	made := b.sites(t, 1, 4)
	if _, err := b.Update(t.Context(), b.root, b.reg.Type("dcim.site"),
		[]ledger.Edit{{ID: made[0].ID(), Input: ledger.Input{"status": "planned"}}}); err != nil {
		t.Fatal(err)
	}
	if err := b.Delete(t.Context(), b.root, b.reg.Type("dcim.site"), []ledger.Edit{{ID: made[1].ID()}}); err != nil {
		t.Fatal(err)
	}
	b.replay(t, old, webhookadmin.ReplayCount{Changes: 6, Matching: 6, Waiting: 6})

	// One of the ended deliveries has a retry scheduled.
	b.end(t, old, store.Successful)
	b.exec(t, "UPDATE extras_delivery SET state = 'failed' WHERE object_id = ANY($1)", []int64{made[0].ID(), made[2].ID()})
	b.exec(t, "UPDATE extras_delivery SET retry_at = now() + interval '1 day' WHERE object_id = $1", made[2].ID())
	b.replay(t, old, webhookadmin.ReplayCount{Changes: 6, Matching: 6, Existing: 5, Waiting: 1})
	if n := b.number(t,
		"SELECT count(*) FROM extras_delivery WHERE state = 'queued' AND round = 2 AND tries = 0 AND attempt_count = 1 AND finished_at IS "+
			"NULL AND status_code IS NULL AND reason = ''"); n != 5 {
		t.Errorf("%d deliveries are queued again", n)
	}
	b.replay(t, old, webhookadmin.ReplayCount{Changes: 6, Matching: 6, Waiting: 6}) // twice in a row

	// A webhook that did not exist at the time of the changes.
	b.replay(t, b.listener(t, nil), webhookadmin.ReplayCount{Changes: 6, Matching: 6, New: 6})
	// The webhook's events and conditions apply as usual.
	b.replay(t, b.listener(t, ledger.Input{"type_create": false, "type_delete": false}),
		webhookadmin.ReplayCount{Changes: 6, Matching: 1, New: 1})
	some := b.listener(t, ledger.Input{"conditions": json.RawMessage(`{"attr": "status", "value": "planned"}`)})
	b.replay(t, some, webhookadmin.ReplayCount{Changes: 6, Matching: 1, New: 1})
	b.replay(t, b.listener(t, ledger.Input{"conditions": json.RawMessage(`{"attr": "nosuch.thing", "value": 1}`)}),
		webhookadmin.ReplayCount{Changes: 6})
	// First a part of the changes, then the rest.
	both := b.listener(t, ledger.Input{"content_types": []any{"dcim.site", "dcim.region"}})
	b.replay(t, both, webhookadmin.ReplayCount{Changes: 1, Matching: 1, New: 1}, "changed_object_type", "dcim.region")
	b.replay(t, both, webhookadmin.ReplayCount{Changes: 2, Matching: 2, New: 2}, "changed_object_type", "dcim.site",
		"changed_object_id", fmt.Sprint(made[0].ID()))
	b.replay(t, both, webhookadmin.ReplayCount{}, "time__gte", time.Now().Add(time.Hour).Format(time.RFC3339))
	b.end(t, both, store.Failed)
	b.replay(t, both, webhookadmin.ReplayCount{Changes: 7, Matching: 7, Existing: 3, New: 4}, "request_id", b.root.RequestID)
	b.replay(t, both, webhookadmin.ReplayCount{Changes: 1, Matching: 1, Waiting: 1}, "action", "delete")
}

// TestReplayInBatches stops a replay between batches, runs it again, and runs two at once.
func TestReplayInBatches(t *testing.T) {
	b := newBundle(t)
	const all = 2500
	for from := 0; from < all; from += 500 {
		b.sites(t, from, 500)
	}
	stopped := b.listener(t, nil)
	ctx, stop := context.WithCancel(t.Context())
	var steps []int64
	done, err := b.Replay(ctx, b.root, stopped, webhookadmin.ReplayInput{Progress: func(n webhookadmin.ReplayCount) {
		steps = append(steps, n.New)
		stop()
	}})
	if !errors.Is(err, context.Canceled) || done.New != 1000 || len(steps) != 1 {
		t.Errorf("stopped after the first batch: %+v, %v, progress %v", done, err, steps)
	}
	b.sound(t)
	b.replay(t, stopped, webhookadmin.ReplayCount{Changes: all, Matching: all, New: 1500, Waiting: 1000})
	b.end(t, stopped, store.Successful)
	b.replay(t, stopped, webhookadmin.ReplayCount{Changes: all, Matching: all, Existing: all})

	// The rest begins at the time that the stopped replay reached.
	b.replay(t, b.listener(t, nil), webhookadmin.ReplayCount{Changes: 1500, Matching: 1500, New: 1500}, "time__gte",
		done.Reached.Format(time.RFC3339Nano))

	shared := b.listener(t, nil)
	first, second := b.replayTwice(t, shared)
	if first.New+second.New != all || first.Waiting+second.Waiting != all {
		t.Errorf("two at once: %+v, %+v", first, second)
	}
	b.end(t, shared, store.Failed)
	first, second = b.replayTwice(t, shared)
	if first.Existing+second.Existing != all || first.Waiting+second.Waiting != all {
		t.Errorf("two at once, again: %+v, %+v", first, second)
	}
}

// replayTwice runs two replays of everything at once.
func (b *bundle) replayTwice(t *testing.T, hook int64) (first, second webhookadmin.ReplayCount) {
	t.Helper()
	var both sync.WaitGroup
	for _, into := range []*webhookadmin.ReplayCount{&first, &second} {
		both.Go(func() {
			var err error
			if *into, err = b.Replay(t.Context(), b.root, hook, webhookadmin.ReplayInput{}); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	b.sound(t)
	return first, second
}

// TestReplayDrawsFreeIDs: new deliveries get free ids, even if the counter is back at its value from the time of the changes.
func TestReplayDrawsFreeIDs(t *testing.T) {
	b := newBundle(t)
	for range 3 {
		b.listener(t, nil)
	}
	b.sites(t, 1, 100)
	b.exec(t, "SELECT setval('extras_delivery_id_seq', (SELECT min(id & ((1 << 21) - 1)) FROM extras_delivery) + (1 << 21))")
	b.replay(t, b.listener(t, nil), webhookadmin.ReplayCount{Changes: 100, Matching: 100, New: 100})
}

// TestReplayOfExpiredChanges: the change log is kept longer than deliveries are.
func TestReplayOfExpiredChanges(t *testing.T) {
	b := newBundle(t)
	b.sites(t, 1, 3)
	b.exec(t, "CREATE TABLE extras_objectchange_old PARTITION OF extras_objectchange FOR VALUES FROM ('2020-01-06') TO ('2020-01-13')")
	b.exec(t, "UPDATE extras_objectchange SET changed_at = '2020-01-07' WHERE object_id = (SELECT min(object_id) FROM extras_objectchange)")
	hook := b.listener(t, nil)
	b.replay(t, hook, webhookadmin.ReplayCount{Changes: 3, Matching: 3, New: 2, Expired: 1})
	// While retention counts what it drops, nothing is written into old weeks.
	other := b.hold(t, "SELECT pg_advisory_xact_lock($1)", store.RetentionLock)
	replayed := make(chan error, 1)
	go func() {
		_, err := b.Replay(t.Context(), b.root, hook, webhookadmin.ReplayInput{})
		replayed <- err
	}()
	dbtest.AwaitWaiters(t, b.db, 1)
	if err := other.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-replayed; err != nil {
		t.Error(err)
	}
}

// TestReplaySome: more changes than a caller can wait for are refused.
func TestReplaySome(t *testing.T) {
	b := newBundle(t)
	b.exec(t, `INSERT INTO extras_objectchange (changed_at, user_name, request_id, action, object_type, object_id, object_repr, version,
		postchange, data)
		SELECT now(), '', gen_random_uuid(), 'create', 'dcim.site', i, '', 1, '{}', '{}' FROM generate_series(1, $1) i`, webhookadmin.MaxReplay+1)
	b.exec(t, "ANALYZE extras_objectchange")
	hook := b.listener(t, nil)
	_, err := b.replaySome(t.Context(), hook, ledger.Input{})
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "100001 changes match") ||
		!strings.Contains(err.Error(), fmt.Sprintf("terrier webhook replay %d", hook)) {
		t.Errorf("too many at once: %v", err)
	}
	if n := b.number(t, "SELECT count(*) FROM extras_delivery"); n != 0 {
		t.Errorf("%d were queued all the same", n)
	}
	if n, err := b.replaySome(t.Context(), hook, ledger.Input{"changed_object_id": "7"}); err != nil || n.New != 1 {
		t.Errorf("one of them: %+v, %v", n, err)
	}
}

// hurried is a context whose deadline comes near at a given moment.
type hurried struct {
	context.Context
	end time.Time
}

func (h *hurried) Deadline() (time.Time, bool) { return h.end, true }

// TestReplayInTime: the caller gets an answer before the deadline, with how far the replay came.
func TestReplayInTime(t *testing.T) {
	b := newBundle(t)
	b.sites(t, 1, 1000)
	b.sites(t, 2000, 500)
	hook := b.listener(t, nil)
	late := &hurried{t.Context(), time.Now().Add(4 * time.Second)}
	for what, run := range map[string]func() (webhookadmin.ReplayCount, error){
		"count": func() (webhookadmin.ReplayCount, error) {
			return b.Replay(late, b.root, hook, webhookadmin.ReplayInput{DryRun: true})
		},
		"replay": func() (webhookadmin.ReplayCount, error) {
			return b.replaySome(late, hook, ledger.Input{})
		},
	} {
		if _, err := run(); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "of the first 0, 0 match") {
			t.Errorf("%s: %v", what, err)
		}
	}
	late.end = time.Now().Add(time.Minute)
	done, err := b.Replay(late, b.root, hook, webhookadmin.ReplayInput{Progress: func(webhookadmin.ReplayCount) { late.end = time.Now() }})
	since := done.Reached.UTC().Format(time.RFC3339Nano)
	if fault.KindOf(err) != fault.Invalid || done.New != 1000 || !strings.Contains(err.Error(), "1000 deliveries are queued") ||
		!strings.Contains(err.Error(), fmt.Sprintf("replay %d --since %s`", hook, since)) {
		t.Errorf("in the middle: %+v, %v", done, err)
	}
	b.sound(t)
	b.replay(t, hook, webhookadmin.ReplayCount{Changes: 500, Matching: 500, New: 500}, "time__gte", since)
}

// TestReplayReadsEachChangeOnce: this also holds if the planner has no statistics of the webhook, and if it uses a generic plan because it
// has seen the statement often.
func TestReplayReadsEachChangeOnce(t *testing.T) {
	b := newBundle(t)
	const all = 12 * 1000
	b.exec(t, `INSERT INTO extras_objectchange (changed_at, user_name, request_id, action, object_type, object_id, object_repr, version,
		postchange, data)
		SELECT now(), '', gen_random_uuid(), 'create', 'dcim.site', i, '', 1, '{}', '{}' FROM generate_series(1, $1::bigint) i`, all)
	if _, err := b.Replay(t.Context(), b.root, b.listener(t, nil), webhookadmin.ReplayInput{}); err != nil {
		t.Fatal(err)
	}
	b.exec(t, "ANALYZE extras_objectchange, extras_delivery")
	fresh := b.listener(t, nil)
	b.Store.Close() // which makes PostgreSQL count what it read
	read := func(table string) int64 {
		for b.number(t, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'terrier'") > 0 {
			runtime.Gosched()
		}
		return b.number(t, "SELECT sum(coalesce(idx_tup_fetch, 0) + seq_tup_read) FROM pg_stat_user_tables WHERE relname LIKE $1", table+"\\_%")
	}
	changes, deliveries := read("extras_objectchange"), read("extras_delivery")
	var err error
	if b.Store, err = store.Open(t.Context(), b.db.Config().ConnString(), b.reg, nil); err != nil {
		t.Fatal(err)
	}
	n, err := b.Replay(t.Context(), b.root, fresh, webhookadmin.ReplayInput{})
	if err != nil || n.New != all {
		t.Fatalf("%+v, %v", n, err)
	}
	b.Store.Close()
	if n := read("extras_objectchange") - changes; n > all*3/2 {
		t.Errorf("to replay %d changes, %d rows of the log were read", all, n)
	}
	if n := read("extras_delivery") - deliveries; n > all*30 { // some are read to find free ids
		t.Errorf("to make %d deliveries, %d were read", all, n)
	}
}

func TestReplayIsForThoseWhoMay(t *testing.T) {
	b := newBundle(t)
	hook, other := b.listener(t, nil), b.listener(t, nil)
	made := b.sites(t, 1, 3)
	b.end(t, hook, store.Successful)
	b.end(t, other, store.Successful)
	grant := func(key, action, constraints string) access.Grant {
		return access.Grant{Types: []string{key}, Actions: []string{action}, Constraints: json.RawMessage(constraints)}
	}
	mine := grant("extras.webhook", "change", fmt.Sprintf(`{"id": %d}`, hook))
	log := grant("extras.objectchange", "view", fmt.Sprintf(`{"changed_object_id": %d}`, made[0].ID()))
	for _, row := range []struct {
		name     string
		hook     int64
		readOnly bool
		grants   []access.Grant
		want     int64
		kind     fault.Kind
	}{
		{"nobody", hook, false, nil, 0, fault.Denied},
		{"a viewer of webhooks", hook, false, []access.Grant{grant("extras.webhook", "view", "null"), log}, 0, fault.Denied},
		{"who sees no changes", hook, false, []access.Grant{mine}, 0, fault.Denied},
		{"by a read-only token", hook, true, []access.Grant{mine, log}, 0, fault.Denied},
		{"somebody else's webhook", other, false, []access.Grant{mine, log}, 0, fault.NotFound},
		{"who sees one change", hook, false, []access.Grant{mine, log}, 1, fault.Internal},
	} {
		c := ledger.Caller{Subject: &access.Subject{UserID: 2, Username: "someone", ReadOnly: row.readOnly, Grants: row.grants},
			RequestID: uuid.NewString()}
		for what, run := range map[string]func() (webhookadmin.ReplayCount, error){
			"count": func() (webhookadmin.ReplayCount, error) {
				return b.Replay(t.Context(), c, row.hook, webhookadmin.ReplayInput{DryRun: true})
			},
			"replay": func() (webhookadmin.ReplayCount, error) {
				return b.Replay(t.Context(), c, row.hook, webhookadmin.ReplayInput{})
			},
		} {
			n, err := run()
			if fault.KindOf(err) != row.kind || (err == nil) != (row.want > 0) || n.Matching != row.want {
				t.Errorf("%s, %s: %+v, %v", row.name, what, n, err)
			}
		}
	}
	if n := b.number(t, "SELECT count(*) FROM extras_delivery WHERE state = 'queued'"); n != 1 {
		t.Errorf("%d deliveries are queued, want 1", n)
	}
	b.sound(t)
}
