package webhookadmin_test

import (
	"context"
	"encoding/json"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"terrier/internal/ledger"
	"terrier/internal/webhookadmin"
)

const (
	largeChanges = 200
	mostHeld     = 32 << 20
)

// large writes changes of a mebibyte each, half of them with large data and half with a large state.
func (b *bundle) large(t *testing.T) {
	t.Helper()
	b.exec(t, `INSERT INTO extras_objectchange (changed_at, user_name, request_id, action, object_type, object_id, object_repr, version,
		prechange, postchange, data)
		SELECT now() - (1 + i / 4) * interval '1 second', '', gen_random_uuid(), 'update', 'dcim.site', i, '', 1, CASE WHEN i > $1 / 2
			THEN doc END, jsonb_build_object('n', i)::text, CASE WHEN i > $1 / 2 THEN '{}' ELSE doc END
		FROM generate_series(1, $1) i, to_jsonb(repeat('x', $2)) x, CAST(x AS text) doc`, largeChanges, 1<<20)
	b.exec(t, "INSERT INTO record_count (type, n) VALUES ('extras.objectchange', $1)", largeChanges)
}

// heldBy returns by how much the heap grows at most while fn runs.
func heldBy(t *testing.T, fn func()) uint64 {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // memory that is no longer used must not count
	inUse := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapInuse
	}
	runtime.GC()
	before := inUse()
	most := before
	ctx, stop := context.WithCancel(t.Context())
	var watch sync.WaitGroup
	watch.Go(func() {
		for tick := time.NewTicker(time.Millisecond); ctx.Err() == nil; <-tick.C {
			most = max(most, inUse())
		}
	})
	fn()
	stop()
	watch.Wait()
	return most - before
}

// TestLargeChanges: conditions are tried on changes of any size, without keeping all of them in memory.
func TestLargeChanges(t *testing.T) {
	b := newPreviewBundle(t)
	b.large(t)
	hook := b.listener(t,
		ledger.Input{"conditions": json.RawMessage(`{"attr": "snapshots.postchange.n", "op": "in", "value": [1, 7, 198, 200]}`)})
	trial := func(n int) (fired, of int64, err error) {
		got, err := b.Trial(t.Context(), b.root, hook, webhookadmin.TrialInput{Webhook: nil, Changes: n})
		seen := map[int64]bool{}
		for _, line := range got.Lines {
			seen[line.Change.ID()] = true
		}
		return int64(got.Fired), int64(len(seen)), err
	}
	for _, row := range []struct {
		name      string
		run       func() (fired, of int64, err error)
		fired, of int64
	}{
		{"trial", func() (int64, int64, error) { return trial(webhookadmin.MaxTrial) }, 4, largeChanges},
		{"trial of the newest", func() (int64, int64, error) { return trial(20) }, 2, 20},
		{"replay", func() (int64, int64, error) {
			got, err := b.Replay(t.Context(), b.root, hook, webhookadmin.ReplayInput{})
			return got.New, got.Changes, err
		}, 4, largeChanges},
	} {
		held := heldBy(t, func() {
			if fired, of, err := row.run(); err != nil || fired != row.fired || of != row.of {
				t.Errorf("%s: %d of %d, %v", row.name, fired, of, err)
			}
		})
		if held > mostHeld {
			t.Errorf("%s: %d MiB were held at once", row.name, held>>20)
		}
	}
	b.sound(t)
}
