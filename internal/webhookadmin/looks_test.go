package webhookadmin_test

import (
	"context"
	"sync"
	"testing"

	"terrier/internal/access"
	"terrier/internal/dbtest"
	"terrier/internal/ledger"
	"terrier/internal/webhookadmin"
)

// TestLooksAreLists: the dry run of a replay and the figures of the queues read many rows. So they use the connections of lists, and not
// those of single records and change sets.
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
		if n, err := b.Replay(t.Context(), b.root, hook, webhookadmin.ReplayInput{DryRun: true}); err != nil || n.Matching != 1 {
			t.Errorf("a dry run: %+v, %v", n, err)
		}
	})
	looks.Go(func() {
		if _, err := b.Queues(t.Context(), other); err != nil {
			t.Errorf("queues: %v", err)
		}
	})
	dbtest.AwaitWaiters(t, b.db, 2)
	if n := b.Store.Pool().Stat().AcquiredConns(); n > 0 {
		t.Errorf("they hold %d connections of records", n)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
}
