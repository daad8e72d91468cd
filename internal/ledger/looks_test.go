package ledger_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"terrier/internal/access"
	"terrier/internal/ledger"
)

// TestLooksAreLists: the dry run of a replay and the figures of the queues go through many rows, so they have the connections of
// lists, and leave those of single records and change sets alone.
func TestLooksAreLists(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	hook := b.listener(t, nil)
	b.sites(t, 0, 1)
	other := ledger.Caller{Subject: &access.Subject{UserID: 2, Superuser: true}}
	var looks sync.WaitGroup
	defer looks.Wait()
	tx, err := b.db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	if _, err := tx.Exec(t.Context(), "LOCK TABLE extras_delivery IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	looks.Go(func() {
		if n, err := b.ReplayCount(t.Context(), b.root, hook, nil); err != nil || n.Matching != 1 {
			t.Errorf("a dry run: %+v, %v", n, err)
		}
	})
	looks.Go(func() {
		if _, _, err := b.Queues(t.Context(), other); err != nil {
			t.Errorf("queues: %v", err)
		}
	})
	for b.number(t, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") < 2 {
		runtime.Gosched()
	}
	if n := b.Store.Pool().Stat().AcquiredConns(); n > 0 {
		t.Errorf("they hold %d connections of records", n)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestDefinitionsFollowTheirLastChange: a version of a custom field that was rolled back, or written by SQL, is not taken for another one of the
// same number.
func TestDefinitionsFollowTheirLastChange(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.create(t, "extras.customfield", ledger.Input{"name": "rack", "content_types": []any{"dcim.site"}})
	required := func() bool {
		found, err := b.CustomFields(t.Context(), b.reg.Type("dcim.site"))
		if err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		return found[0].Required
	}
	if required() {
		t.Error("it is required from the start")
	}
	b.exec(t, "UPDATE extras_customfield SET required = TRUE, last_updated = last_updated + interval '1 second'")
	if !required() {
		t.Error("the definition from before the change is still used")
	}
}
