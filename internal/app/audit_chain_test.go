package app

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"terrier/internal/audit"
	"terrier/internal/dbtest"
	"terrier/internal/record"
	"terrier/internal/store"
)

// TestAlteredAuditLogIsFound: events and entries of the chain that were deleted, changed, moved, inserted or cut off by SQL are named, and
// what is found is an event. Events that retention has removed are not missed, and entries made with an old key still verify.
func TestAlteredAuditLogIsFound(t *testing.T) {
	t.Parallel()
	cfg := valid()
	cfg.DatabaseURL = dbtest.New(t)
	ctx := t.Context()
	open := func() *App {
		t.Helper()
		a, err := New(ctx, cfg, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(a.Close)
		return a
	}
	a := open()
	exec := func(sql string) {
		t.Helper()
		if _, err := a.Store.Pool().Exec(ctx, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	chain := func(a *App) audit.Link {
		t.Helper()
		head, err := a.Store.ChainEvents(ctx, a.keys, time.Now().Add(2*time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		return head
	}
	add := func(n int, at time.Time) {
		t.Helper()
		for i := range n {
			e := a.Ledger.Event(machine(), audit.KeysResealed, record.Values{})
			e.At, e.Detail = at.Add(time.Duration(i)*time.Second).UTC().Truncate(time.Microsecond), fmt.Sprint("event ", i)
			if err := a.Ledger.Note(ctx, e); err != nil {
				t.Fatal(err)
			}
		}
	}
	verify := func(a *App, since time.Time, head string) (n int64, found string) {
		t.Helper()
		_, n, err := a.Store.VerifyChain(ctx, a.keys, since, head)
		if what, is := errors.AsType[*audit.AlteredError](err); is {
			return n, what.What
		}
		if err != nil {
			t.Fatal(err)
		}
		return n, ""
	}

	add(10, time.Now().Add(-3*time.Hour))
	head := chain(a)
	if n, found := verify(a, time.Time{}, head.Head()); n != 10 || found != "" {
		t.Fatalf("%d entries, %q", n, found)
	}
	exec("CREATE TABLE kept_event AS SELECT * FROM extras_auditevent")
	exec("CREATE TABLE kept_chain AS SELECT * FROM extras_auditchain")
	for _, row := range []struct{ name, sql, want string }{
		{"event deleted", "DELETE FROM extras_auditevent WHERE id = 4", "event 4 at"},
		{"event changed", "UPDATE extras_auditevent SET user_name = 'mallory' WHERE id = 4", "event 4 at"},
		{"time of an event changed", "UPDATE extras_auditevent SET happened_at = happened_at - interval '1 s' WHERE id = 4", "event 4 at"},
		{"count changed", "UPDATE extras_auditevent SET times = 7 WHERE id = 4", "event 4 at"},
		{"events swapped", "UPDATE extras_auditevent SET detail = 'event ' || 8 - id WHERE id IN (4, 5)", "event 4 at"},
		{"entry deleted too", "DELETE FROM extras_auditevent WHERE id = 4; DELETE FROM extras_auditchain WHERE event_id = 4",
			"entries 4 to 4 of the chain were deleted"},
		{"entries renumbered", `DELETE FROM extras_auditevent WHERE id = 4; DELETE FROM extras_auditchain WHERE position = 4;
			UPDATE extras_auditchain SET position = position - 1 WHERE position > 4`, "entry 4 of the chain"},
		{"entries swapped", `UPDATE extras_auditchain SET position = -4 WHERE position = 4; UPDATE extras_auditchain SET position = 4
			WHERE position = 5; UPDATE extras_auditchain SET position = 5 WHERE position = -4`, "entry 4 of the chain"},
		{"digest made to fit", `UPDATE extras_auditevent SET user_name = 'mallory' WHERE id = 4;
			UPDATE extras_auditchain SET digest = sha256('x') WHERE event_id = 4`, "entry 4 of the chain"},
		{"key of an entry renamed", "UPDATE extras_auditchain SET key_id = 'none' WHERE position = 4", "entry 4 of the chain"},
		{"tail cut", "DELETE FROM extras_auditevent WHERE id > 7; DELETE FROM extras_auditchain WHERE position > 7",
			"the chain ends at entry 7 and does not contain the head"},
		{"beginning cut", "DELETE FROM extras_auditevent WHERE id < 3; DELETE FROM extras_auditchain WHERE position < 3",
			"entries 1 to 2 of the chain were deleted"},
		{"anchor forged", `DELETE FROM extras_auditevent WHERE id < 3; INSERT INTO extras_auditanchor (position, mac, before, key_id, proof)
			SELECT 2, mac, now(), key_id, mac FROM extras_auditchain WHERE position = 2; DELETE FROM extras_auditchain WHERE position < 3`,
			"the anchor of the chain"},
		{"event inserted", `UPDATE extras_auditchain SET chained_at = chained_at - interval '4 hours';
			INSERT INTO extras_auditevent SELECT (jsonb_populate_record(e, '{"id": 0}')).* FROM extras_auditevent e WHERE id = 4`,
			"event 0 at"},
	} {
		exec(row.sql)
		if _, found := verify(a, time.Time{}, head.Head()); !strings.Contains(found, row.want) {
			t.Errorf("%s: found %q, want %q", row.name, found, row.want)
		}
		if row.name == "event deleted" {
			if _, found := verify(a, time.Now().Add(-24*time.Hour), ""); !strings.Contains(found, row.want) {
				t.Errorf("the last day: %q", found)
			}
			if _, err := a.VerifyAudit(ctx, ""); err == nil {
				t.Error("the command finds nothing")
			}
			exec(`DO $$ BEGIN IF (SELECT count(*) FROM extras_auditevent WHERE event = 'audit_altered' AND detail LIKE 'event 4 at%'
				AND way = 'command line') <> 1 THEN RAISE 'no event'; END IF; END $$`)
		}
		exec(`TRUNCATE extras_auditevent, extras_auditchain, extras_auditanchor; INSERT INTO extras_auditevent SELECT * FROM kept_event;
			INSERT INTO extras_auditchain SELECT * FROM kept_chain`)
	}

	// Another key takes over; then the oldest week is dropped.
	cfg.SecretKeyOld, cfg.SecretKey = []string{cfg.SecretKey}, cfg.SecretKey+"-next"
	b := open()
	exec("SELECT setval(pg_get_serial_sequence('extras_auditevent', 'id'), 100)")
	add(3, time.Now().Add(-2*time.Hour))
	chain(b)
	if n, found := verify(b, time.Time{}, head.Head()); n != 13 || found != "" {
		t.Errorf("with two keys: %d entries, %q", n, found)
	}
	var limit time.Time
	if err := a.Store.Pool().QueryRow(ctx, "SELECT happened_at FROM extras_auditevent WHERE id = 6").Scan(&limit); err != nil {
		t.Fatal(err)
	}
	exec("UPDATE extras_auditchain SET happened_at = '2000-01-01' WHERE position = 9")
	var forged *audit.AlteredError
	if err := b.Store.AnchorChain(ctx, b.keys, time.Now().Add(time.Hour)); !errors.As(err, &forged) {
		t.Errorf("an entry with another time is anchored: %v", err)
	}
	exec("UPDATE extras_auditchain c SET happened_at = e.happened_at FROM extras_auditevent e WHERE e.id = c.event_id")
	if err := b.Store.AnchorChain(ctx, b.keys, limit); err != nil {
		t.Fatal(err)
	}
	exec("DELETE FROM extras_auditevent WHERE id < 6")
	if n, found := verify(b, time.Time{}, head.Head()); n != 8 || found != "" {
		t.Errorf("after retention: %d entries, %q", n, found)
	}
	exec("DELETE FROM extras_auditevent WHERE id = 6")
	if _, found := verify(b, time.Time{}, ""); !strings.Contains(found, "event 6 at") {
		t.Errorf("after retention, an event is deleted: %q", found)
	}
}

// TestChainAfterALongStop: an event that had to wait until its hour was over enters the chain also if no process runs for days
// meanwhile. An attempt that is counted after that changes nothing.
func TestChainAfterALongStop(t *testing.T) {
	t.Parallel()
	cfg := valid()
	cfg.DatabaseURL = dbtest.New(t)
	ctx, now := t.Context(), time.Now()
	a, err := New(ctx, cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	refused := a.Ledger.Event(machine(), audit.TokenRefused, record.Values{})
	refused.At, refused.Detail, refused.Count = now.Add(-72*time.Hour).UTC().Truncate(time.Hour), "Invalid token", 1
	count := func() {
		t.Helper()
		if _, err := (store.Accounts{Store: a.Store}).AddRefused(ctx, []audit.Event{refused}); err != nil {
			t.Fatal(err)
		}
	}
	count()
	e := a.Ledger.Event(machine(), audit.KeysResealed, record.Values{})
	e.At = refused.At.Add(time.Minute)
	if err := a.Ledger.Note(ctx, e); err != nil {
		t.Fatal(err)
	}
	for _, at := range []time.Time{refused.At.Add(2 * time.Minute), now} { // the second one waits no longer than the stop
		if _, err := a.Store.ChainEvents(ctx, a.keys, at); err != nil {
			t.Fatal(err)
		}
	}
	count()
	if _, n, err := a.Store.VerifyChain(ctx, a.keys, time.Time{}, ""); n != 2 || err != nil {
		t.Errorf("%d entries: %v", n, err)
	}
}
