package delivery_test

import (
	"context"
	"fmt"
	"testing"

	"terrier/internal/ledger"
)

// TestRowsThatAreHeld: somebody who locks rows of deliveries delays only the outcomes of those deliveries, however
// many. Other outcomes of the same batch are written, and nothing is sent twice.
func TestRowsThatAreHeld(t *testing.T) {
	t.Parallel()
	const held, free = 10, 40
	b := newBundle(t)
	b.hook(t, ledger.Input{"concurrency": "100"})
	sites := func(name string, n int) (all []ledger.Input) {
		for i := range n {
			all = append(all, site(fmt.Sprint(name, i)))
		}
		return all
	}
	b.create(t, "dcim.site", sites("held", held)...)
	tx, err := b.db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }() // else the worker waits for it
	if _, err := tx.Exec(t.Context(), "SELECT FROM extras_delivery FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	b.create(t, "dcim.site", sites("free", free)...)
	b.work(t)
	for range held + free {
		b.next(t)
	}
	b.eventually(t, fmt.Sprintf("SELECT count(*) = %d FROM extras_delivery WHERE state = 'successful'", free))
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.eventually(t, fmt.Sprintf("SELECT count(*) = %d FROM extras_delivery WHERE state = 'successful' AND attempt_count = 1", held+free))
	if len(b.received) != 0 {
		t.Error("something was sent twice")
	}
}

// TestAQueueThatCouldNotBeOpened is opened later.
func TestAQueueThatCouldNotBeOpened(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.exec(t, `CREATE SEQUENCE refused;
		CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF NEW.name LIKE 'webhook%' AND nextval('refused') < 3 THEN RAISE 'not now'; END IF; RETURN NEW; END $$;
		CREATE TRIGGER refuse BEFORE INSERT ON river_queue FOR EACH ROW EXECUTE FUNCTION refuse()`)
	b.work(t)
	b.hook(t, ledger.Input{"concurrency": "1"})
	b.create(t, "dcim.site", site("Ams"))
	b.next(t)
	if n := b.number(t, "SELECT last_value FROM refused"); n < 3 {
		t.Errorf("it was opened at try %d", n)
	}
}

// TestLoadedTwice: when two jobs of one delivery are loaded together, each gets its own copy.
func TestLoadedTwice(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, nil)
	b.create(t, "dcim.site", site("Ams"))
	id := b.number(t, "SELECT id FROM extras_delivery")
	due, err := b.worker.Load(t.Context(), []int64{id, id})
	if err != nil || len(due) != 2 || due[0] == due[1] || due[0].Event != due[1].Event {
		t.Errorf("loaded as %+v (%v)", due, err)
	}
}
