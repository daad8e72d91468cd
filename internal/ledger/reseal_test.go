package ledger_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"terrier/internal/access"
	"terrier/internal/account"
	"terrier/internal/inventory"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// vault is a record type of these tests alone.
var vault = record.Type{App: "trial", Name: "vault", Plural: "vaults", Order: []string{"name"}, Brief: []string{"name"},
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true},
		record.Secret{Name: "pin", Seal: record.Encrypted},
	}}

// resealing is a bundle whose secret key has been changed. The bundle's own ledger writes with the old key, and after writes with the
// new one.
type resealing struct {
	*bundle
	after    *ledger.Ledger
	old, now *account.Keyring // with one key each
	hook     *record.Type
}

// watchedSealer signals each secret that is about to be sealed.
type watchedSealer struct {
	account.Sealer
	sealing func(row string)
}

func (s *watchedSealer) Seal(ctx context.Context, f record.Secrecy, row string, plain record.Plain) (record.Sealed, string, error) {
	s.sealing(row)
	return s.Sealer.Seal(ctx, f, row, plain)
}

func hookInput(more ledger.Input) ledger.Input {
	in := ledger.Input{"name": "hook", "payload_url": "http://127.0.0.1:1/in", "content_types": []any{"dcim.site"},
		"type_create": true, "type_update": true, "type_delete": true}
	maps.Copy(in, more)
	return in
}

func newResealing(t *testing.T) *resealing {
	t.Helper()
	b := newBundle(t)
	oldKey, newKey := strings.Repeat("the old key ", 5), strings.Repeat("the new key ", 5)
	ring := func(current string, old ...string) *account.Keyring {
		keys, err := account.NewKeyring(current, old)
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	r := &resealing{bundle: b, old: ring(oldKey), now: ring(newKey), hook: b.reg.Type("extras.webhook")}
	b.Sealer = &account.Sealer{Keys: ring(oldKey, newKey)}
	b.exec(t, "CREATE TABLE trial_vault (id bigint PRIMARY KEY, version bigint NOT NULL DEFAULT 1, name text NOT NULL DEFAULT '', "+
		"pin_sealed text NOT NULL, last_updated timestamptz)")
	reg, err := record.NewRegistry(append(inventory.Types(), vault)...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), b.db.Config().ConnString(), reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	r.after = &ledger.Ledger{Store: s, Policy: &access.Policy{}, Sealer: &account.Sealer{Keys: ring(newKey, oldKey)},
		Printer: b.Printer, Now: time.Now}
	return r
}

func (r *resealing) reseal(t *testing.T, reencrypted, whole, locked int) ledger.Resealed {
	t.Helper()
	got, err := r.after.Reseal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got.Reencrypted != reencrypted || got.Whole != whole || len(got.Locked) != locked {
		t.Fatalf("%d re-encrypted, %d open, %v; want %d, %d and %d locked", got.Reencrypted, got.Whole, got.Locked, reencrypted, whole, locked)
	}
	return got
}

// holds checks that these keys open a secret, and what the secret is.
func (r *resealing) holds(t *testing.T, keys *account.Keyring, table, place, want string) {
	t.Helper()
	parts := strings.Split(place, "/")
	var sealed string
	if err := r.db.QueryRow(t.Context(), fmt.Sprintf("SELECT %s_sealed FROM %s WHERE id = %s", parts[2], table, parts[1])).
		Scan(&sealed); err != nil {
		t.Fatal(err)
	}
	if plain, err := keys.Open(place, sealed); err != nil || string(plain) != want {
		t.Errorf("%s holds %q, want %q (%v)", place, plain, want, err)
	}
}

func (r *resealing) vaults(t *testing.T, keys *account.Keyring, from, n int) {
	t.Helper()
	for id := from; id < from+n; id++ {
		sealed, err := keys.Seal(fmt.Sprintf("trial.vault/%d/pin", id), fmt.Append(nil, "pin ", id))
		if err != nil {
			t.Fatal(err)
		}
		r.exec(t, "INSERT INTO trial_vault (id, pin_sealed) VALUES ($1, $2)", id, sealed)
	}
}

// TestReseal moves the secrets of two types, in several batches, and nothing else changes.
func TestReseal(t *testing.T) {
	r := newResealing(t)
	r.create(t, "extras.webhook",
		hookInput(ledger.Input{"name": "1", "secret": "s1", "previous_secret": "p1", "additional_headers": "X-Key: h1"}),
		hookInput(ledger.Input{"name": "2", "secret": "s2"}), hookInput(ledger.Input{"name": "3"}))
	r.vaults(t, r.old, 1, 250)
	r.vaults(t, r.now, 301, 5)
	r.exec(t, "INSERT INTO trial_vault (id, pin_sealed) VALUES (400, '')")
	rest := func() map[string]string {
		all := r.contents(t)
		delete(all, "extras_webhook")
		delete(all, "trial_vault")
		var hooks string
		err := r.db.QueryRow(t.Context(), `SELECT string_agg((to_jsonb(w) - ARRAY['secret_sealed', 'previous_secret_sealed',
			'additional_headers_sealed'])::text, ' ' ORDER BY id)
			FROM extras_webhook w`).Scan(&hooks)
		if err != nil {
			t.Fatal(err)
		}
		all["the webhooks without their secrets"] = hooks
		return all
	}
	before := rest()
	r.reseal(t, 254, 259, 0)
	for table, content := range rest() {
		if content != before[table] {
			t.Errorf("%s has changed: %s\nwas %s", table, content, before[table])
		}
	}
	for place, want := range map[string]string{"extras.webhook/1/secret": "s1", "extras.webhook/1/previous_secret": "p1",
		"extras.webhook/1/additional_headers": "X-Key: h1", "extras.webhook/2/secret": "s2"} {
		r.holds(t, r.now, "extras_webhook", place, want)
	}
	for _, id := range []int{1, 100, 101, 250, 301} {
		r.holds(t, r.now, "trial_vault", fmt.Sprintf("trial.vault/%d/pin", id), fmt.Sprint("pin ", id))
	}
	if n := r.number(t, "SELECT count(*) FROM trial_vault WHERE pin_sealed = ''"); n != 1 {
		t.Error("a secret was made where there was none")
	}
	r.reseal(t, 0, 259, 0)
}

// TestResealNamesWhatItCannotOpen seals what it can and names the rest, without a secret.
func TestResealNamesWhatItCannotOpen(t *testing.T) {
	r := newResealing(t)
	r.vaults(t, r.old, 1, 3)
	third, err := account.NewKeyring(strings.Repeat("a forgotten key ", 5), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.vaults(t, third, 4, 1)
	r.exec(t, "UPDATE trial_vault SET pin_sealed = (SELECT pin_sealed FROM trial_vault WHERE id = 1) WHERE id = 2")
	r.vaults(t, r.now, 5, 2)
	r.exec(t, "UPDATE trial_vault SET pin_sealed = (SELECT pin_sealed FROM trial_vault WHERE id = 5) WHERE id = 6")
	r.exec(t, "INSERT INTO trial_vault (id, pin_sealed) VALUES (7, 'in clear')")
	got := r.reseal(t, 2, 3, 4)
	for i, place := range []string{"trial.vault/2/pin", "trial.vault/4/pin", "trial.vault/6/pin", "trial.vault/7/pin"} {
		if message := got.Locked[i].Error(); !strings.Contains(message, place) || strings.Contains(message, "in clear") {
			t.Errorf("%q does not name %s", message, place)
		}
	}
}

// TestResealBesideAnEdit lets a process that still writes with the old key replace a secret
// after it was read and before it is written: the edit wins, and its secret is moved too.
func TestResealBesideAnEdit(t *testing.T) {
	r := newResealing(t)
	id := r.create(t, "extras.webhook", hookInput(ledger.Input{"secret": "before", "additional_headers": "X-Key: kept"}))[0].ID()
	edits := 0
	r.after.Sealer = &watchedSealer{*r.after.Sealer.(*account.Sealer), func(row string) {
		if edits == 0 && strings.HasSuffix(row, "/secret") {
			edits++
			if _, err := r.Update(t.Context(), r.root, r.hook,
				[]ledger.Edit{{ID: id, Input: ledger.Input{"secret": "after", "enabled": false}}}); err != nil {
				t.Error(err)
			}
		}
	}}
	r.reseal(t, 2, 2, 0)
	r.holds(t, r.now, "extras_webhook", fmt.Sprintf("extras.webhook/%d/secret", id), "after")
	r.holds(t, r.now, "extras_webhook", fmt.Sprintf("extras.webhook/%d/additional_headers", id), "X-Key: kept")
	if v, err := r.Store.Webhook(t.Context(), id); err != nil || v.Version != 2 || v.Bool("enabled") || edits != 1 {
		t.Errorf("the edit is lost: version %d (%v)", v.Version, err)
	}
}

// TestResealWaitsForAnEdit begins while an edit has read the record and not yet written it.
func TestResealWaitsForAnEdit(t *testing.T) {
	r := newResealing(t)
	id := r.create(t, "extras.webhook", hookInput(ledger.Input{"secret": "before", "additional_headers": "X-Key: kept"}))[0].ID()
	type outcome struct {
		done ledger.Resealed
		err  error
	}
	ended := make(chan outcome, 1)
	r.Sealer = &watchedSealer{*r.Sealer.(*account.Sealer), func(string) {
		go func() {
			done, err := r.after.Reseal(t.Context())
			ended <- outcome{done, err}
		}()
		r.waitForWaiter(t)
	}}
	if _, err := r.Update(t.Context(), r.root, r.hook, []ledger.Edit{{ID: id, Input: ledger.Input{"secret": "after"}}}); err != nil {
		t.Fatal(err)
	}
	if got := <-ended; got.err != nil || got.done.Reencrypted != 2 || got.done.Whole != 2 {
		t.Errorf("%+v", got)
	}
	r.holds(t, r.now, "extras_webhook", fmt.Sprintf("extras.webhook/%d/secret", id), "after")
	r.holds(t, r.now, "extras_webhook", fmt.Sprintf("extras.webhook/%d/additional_headers", id), "X-Key: kept")
}

// TestResealGivesUp: Reseal gives up if a process goes on writing with the old key.
func TestResealGivesUp(t *testing.T) {
	r := newResealing(t)
	id := r.create(t, "extras.webhook", hookInput(ledger.Input{"secret": "0"}))[0].ID()
	edits := 0
	r.after.Sealer = &watchedSealer{*r.after.Sealer.(*account.Sealer), func(string) {
		edits++
		if _, err := r.Update(t.Context(), r.root, r.hook,
			[]ledger.Edit{{ID: id, Input: ledger.Input{"secret": fmt.Sprint(edits)}}}); err != nil {
			t.Error(err)
		}
	}}
	if _, err := r.after.Reseal(t.Context()); err == nil || !strings.Contains(err.Error(), "TERRIER_SECRET_KEY") || edits < 2 {
		t.Errorf("after %d edits: %v", edits, err)
	}
}

// TestSavingASecretAgainMovesIt: saving a secret again seals it with the current key. Saved once more it does not change.
func TestSavingASecretAgainMovesIt(t *testing.T) {
	r := newResealing(t)
	in := ledger.Input{"secret": "s", "additional_headers": "X-Key: h"}
	id := r.create(t, "extras.webhook", hookInput(in))[0].ID()
	for range 2 {
		rows, err := r.after.Update(t.Context(), r.root, r.after.Store.Type("extras.webhook"), []ledger.Edit{{ID: id, Input: in}})
		if err != nil || rows[0].Version != 2 {
			t.Fatalf("version %d, want 2 (%v)", rows[0].Version, err)
		}
	}
	r.holds(t, r.now, "extras_webhook", fmt.Sprintf("extras.webhook/%d/secret", id), "s")
	r.holds(t, r.now, "extras_webhook", fmt.Sprintf("extras.webhook/%d/additional_headers", id), "X-Key: h")
	r.reseal(t, 0, 2, 0)
}
