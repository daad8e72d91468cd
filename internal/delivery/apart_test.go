package delivery_test

import (
	"context"
	"testing"

	"terrier/internal/ledger"
)

// TestARowThatIsHeld: somebody who holds a delivery's row holds up its outcome alone. Those
// that were to be written with it are, and nothing is sent twice.
func TestARowThatIsHeld(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, nil)
	held := b.create(t, "dcim.site", site("Ams"))[0]
	tx, err := b.db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }() // or the worker waits for it
	if _, err := tx.Exec(t.Context(), "SELECT FROM extras_delivery WHERE object_id = $1 FOR UPDATE", held.ID()); err != nil {
		t.Fatal(err)
	}
	b.create(t, "dcim.site", site("Ber"), site("Cph"), site("Dub"))
	b.work(t)
	for range 4 {
		b.next(t)
	}
	b.eventually(t, "SELECT count(*) = 3 FROM extras_delivery WHERE state = 'successful'")
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.eventually(t, "SELECT count(*) = 4 FROM extras_delivery WHERE state = 'successful' AND attempt_count = 1")
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
