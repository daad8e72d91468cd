package ledger_test

import (
	"context"
	"testing"
	"time"

	"terrier/internal/ledger"
)

// TestRehearsalTakesNoRuleLocks: a rehearsal does not wait for a change set that has the rules between records alone.
func TestRehearsalTakesNoRuleLocks(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	site := b.create(t, "dcim.site", named(1))[0]
	parent := b.create(t, "dcim.location", within(named(1), "site", site))[0]
	tx, err := b.db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	locations := b.reg.Type("dcim.location")
	locked := 0
	for _, w := range locations.Watches() {
		locked++
		if _, err := tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock(hashtextextended('same:' || $1, 0))", w.Rule.Key()); err != nil {
			t.Fatal(err)
		}
	}
	if locked == 0 {
		t.Fatal("locations have no rules")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	ctx, _ = ledger.Rehearse(ctx)
	input := within(within(named(2), "site", site), "parent", parent)
	if _, err := b.Create(ctx, b.root, locations, []ledger.Input{input}); err != nil {
		t.Errorf("a rehearsal of a location below another: %v", err)
	}
}
