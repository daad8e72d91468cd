package webhookadmin_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/dbtest"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/store"
	"terrier/internal/webhookadmin"
)

// hold runs a statement and keeps its locks until the returned transaction ends.
func (b *bundle) hold(t *testing.T, sql string, args ...any) pgx.Tx {
	t.Helper()
	other, err := b.db.Begin(t.Context())
	if err == nil {
		_, err = other.Exec(t.Context(), sql, args...)
	}
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	t.Cleanup(func() { _ = other.Rollback(context.Background()) }) // a pool is not closed before
	return other
}

// TestReplayStopsBetweenMoments: all changes of a request have one time. Wherever a replay is stopped among them, continuing from the
// reported time sends each change once.
func TestReplayStopsBetweenMoments(t *testing.T) {
	b := newBundle(t)
	const bulk, later = 2500, 500
	b.sites(t, 0, bulk)
	b.sites(t, bulk, later)
	for _, row := range []struct {
		name   string
		replay func(hook int64) (webhookadmin.ReplayCount, error)
		why    func(error) bool
	}{
		{"interrupted between two batches", func(hook int64) (webhookadmin.ReplayCount, error) {
			ctx, stop := context.WithCancel(t.Context())
			return b.Replay(ctx, b.root, hook, webhookadmin.ReplayInput{Progress: func(webhookadmin.ReplayCount) { stop() }})
		}, interrupted},
		{"interrupted in a batch", func(hook int64) (webhookadmin.ReplayCount, error) { return b.interruptedBatch(t, hook) }, interrupted},
		{"short of time", func(hook int64) (webhookadmin.ReplayCount, error) {
			late := &hurried{t.Context(), time.Now().Add(time.Minute)}
			return b.Replay(late, b.root, hook, webhookadmin.ReplayInput{Progress: func(webhookadmin.ReplayCount) { late.end = time.Now() }})
		}, func(err error) bool { return fault.KindOf(err) == fault.Invalid }},
	} {
		hook := b.listener(t, nil)
		done, err := row.replay(hook)
		if !row.why(err) || done.New != bulk || done.Changes != bulk {
			t.Errorf("%s: %+v, %v", row.name, done, err)
		}
		b.end(t, hook, "successful") // they may have been sent before the replay is continued
		b.replay(t, hook, webhookadmin.ReplayCount{Changes: later, Matching: later, New: later}, "time__gte",
			done.Reached.Format(time.RFC3339Nano))
	}
}

func interrupted(err error) bool { return errors.Is(err, context.Canceled) }

// interruptedBatch interrupts a replay while its second batch waits.
func (b *bundle) interruptedBatch(t *testing.T, hook int64) (done webhookadmin.ReplayCount, err error) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	begun, held := make(chan struct{}), make(chan struct{})
	first := sync.OnceFunc(func() {
		close(begun)
		<-held
	})
	var running sync.WaitGroup
	running.Go(func() {
		done, err = b.Replay(ctx, b.root, hook, webhookadmin.ReplayInput{Progress: func(webhookadmin.ReplayCount) { first() }})
	})
	<-begun
	other := b.hold(t, "SELECT FROM extras_webhook WHERE id = $1 FOR UPDATE", hook)
	close(held)
	dbtest.AwaitWaiters(t, b.db, 1)
	stop()
	if err := other.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	running.Wait()
	return done, err
}

// TestReplayThatFails: a replay that fails among changes of one time is continued with all of them. Sending some twice is better than not
// at all.
func TestReplayThatFails(t *testing.T) {
	b := newBundle(t)
	b.sites(t, 0, 1500)
	hook := b.listener(t, nil)
	done, err := b.Replay(t.Context(), b.root, hook, webhookadmin.ReplayInput{Progress: func(webhookadmin.ReplayCount) {
		b.exec(t, "DELETE FROM extras_webhook WHERE id = $1", hook)
	}})
	if fault.KindOf(err) != fault.NotFound || done.Changes != 1000 {
		t.Errorf("%+v, %v", done, err)
	}
	b.replay(t, b.listener(t, nil), webhookadmin.ReplayCount{Changes: 1500, Matching: 1500, New: 1500}, "time__gte",
		done.Reached.Format(time.RFC3339Nano))
}

// TestReplayWhileRetentionWorks: a replay of old changes is refused while retention runs. The error says why, and how far it came. A dry
// run still works.
func TestReplayWhileRetentionWorks(t *testing.T) {
	b := newBundle(t)
	b.exec(t, "CREATE TABLE extras_objectchange_old PARTITION OF extras_objectchange FOR VALUES FROM ('2020-01-06') TO ('2020-01-13')")
	b.exec(t, `INSERT INTO extras_objectchange (changed_at, user_name, request_id, action, object_type, object_id, object_repr, version,
		postchange, data)
		SELECT '2020-01-07', '', gen_random_uuid(), CASE WHEN i <= 1000 THEN 'delete' ELSE 'create' END, 'dcim.site', i, '', 1, '{}', '{}'
			FROM generate_series(1, 1010) i`)
	hook := b.listener(t, ledger.Input{"type_delete": false})
	other := b.hold(t, "SELECT pg_advisory_xact_lock($1)", store.RetentionLock)
	want := webhookadmin.ReplayCount{Changes: 1010, Matching: 10, Expired: 10}
	n, err := b.Replay(t.Context(), b.root, hook, webhookadmin.ReplayInput{DryRun: true})
	want.Reached = n.Reached
	if n != want || err != nil {
		t.Errorf("counted %+v, %v", n, err)
	}
	n, err = b.replaySome(t.Context(), hook, ledger.Input{})
	if fault.KindOf(err) != fault.Busy || n.Changes != 1000 {
		t.Fatalf("replayed %+v, %v", n, err)
	}
	for _, text := range []string{"past their retention are being removed", "Try again in a few minutes", "0 deliveries are queued",
		"--since 2020-01-07T00:00:00Z"} {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q is without %q", err, text)
		}
	}
	if err := other.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, err = b.replaySome(t.Context(), hook, ledger.Input{}); n != want || err != nil {
		t.Errorf("afterwards %+v, %v", n, err)
	}
}
