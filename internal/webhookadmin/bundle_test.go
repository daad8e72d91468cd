package webhookadmin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/access"
	"terrier/internal/account"
	"terrier/internal/dbtest"
	"terrier/internal/delivery"
	"terrier/internal/egress"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhookadmin"
	"terrier/test/storetest"
)

// bundle is a ledger on a database of its own and its webhook administration, with a count of the statements they send.
type bundle struct {
	*ledger.Ledger
	*webhookadmin.Admin
	reg        *record.Registry
	db         *pgxpool.Pool
	root       ledger.Caller
	statements *dbtest.Counter
}

func newBundle(t *testing.T) *bundle {
	t.Helper()
	statements := &dbtest.Counter{}
	s, reg, db := storetest.Open(t, statements)
	keys, err := account.NewKeyring("a-key-for-tests-that-is-long-enough-to-be-accepted-0123456789", nil)
	if err != nil {
		t.Fatal(err)
	}
	l := &ledger.Ledger{Store: s, Policy: &access.Policy{}, Sealer: &account.Sealer{Keys: keys, Passwords: account.NewPasswords()},
		Printer: &record.Printer{Base: "http://terrier.test"}, Now: time.Now}
	root := ledger.Caller{Subject: &access.Subject{UserID: 1, Username: "root", Superuser: true}, RequestID: uuid.NewString()}
	admin := &webhookadmin.Admin{Ledger: l, Guard: egress.New(egress.Config{})}
	b := &bundle{Ledger: l, Admin: admin, reg: reg, db: db, root: root, statements: statements}
	if err := b.Bind(b.Actions()); err != nil {
		t.Fatal(err)
	}
	return b
}

// act carries out a declared action on a webhook, as pages and the API do.
func act[T any](ctx context.Context, b *bundle, c ledger.Caller, name string, hook int64, in ledger.Input) (T, error) {
	answer, err := b.Act(ctx, c, b.reg.Action("POST extras.webhook/"+name), hook, in)
	got, _ := answer.(T)
	return got, err
}

func (b *bundle) test(t *testing.T, c ledger.Caller, hook int64, s webhookadmin.Sample) (record.Values, error) {
	t.Helper()
	return act[record.Values](t.Context(), b, c, "test", hook, s.Input())
}

func (b *bundle) rotate(t *testing.T, c ledger.Caller, hook int64, secret record.Plain) (record.Values, error) {
	t.Helper()
	return act[record.Values](t.Context(), b, c, "rotate", hook, ledger.Input{"secret": string(secret)})
}

// replaySome replays the changes that a filter of the change log selects, with the limit of the action.
func (b *bundle) replaySome(ctx context.Context, hook int64, filter ledger.Input) (webhookadmin.ReplayCount, error) {
	return act[webhookadmin.ReplayCount](ctx, b, b.root, "replay", hook, ledger.Input{"filter": filter})
}

// newPreviewBundle returns a bundle that checks webhooks as the program does, with a stopped clock.
func newPreviewBundle(t *testing.T) *bundle {
	t.Helper()
	b := newBundle(t)
	b.Rules = map[string]func(before, after record.Values) fault.Fields{
		store.WebhookType: delivery.Rule(egress.New(egress.Config{}), b.Sealer.(*account.Sealer).Keys)}
	now := time.Now()
	b.Now = func() time.Time { return now }
	return b
}

func (b *bundle) create(t *testing.T, key string, inputs ...ledger.Input) []record.Values {
	t.Helper()
	rows, err := b.Create(t.Context(), b.root, b.reg.Type(key), inputs)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func named(n int) ledger.Input {
	return ledger.Input{"name": fmt.Sprintf("n%d", n), "slug": fmt.Sprintf("n%d", n)}
}

func (b *bundle) sites(t *testing.T, from, n int) []record.Values {
	t.Helper()
	inputs := make([]ledger.Input, n)
	for i := range inputs {
		inputs[i] = named(from + i)
	}
	return b.create(t, "dcim.site", inputs...)
}

// hookInput returns the input for a webhook that is notified of all changes to sites. more overrides its fields.
func hookInput(more ledger.Input) ledger.Input {
	in := ledger.Input{"name": "hook", "payload_url": "http://127.0.0.1:1/in", "content_types": []any{"dcim.site"},
		"type_create": true, "type_update": true, "type_delete": true}
	maps.Copy(in, more)
	return in
}

// listener creates such a webhook, with a name that must not appear in the change log.
func (b *bundle) listener(t *testing.T, fields ledger.Input) int64 {
	t.Helper()
	in := hookInput(ledger.Input{"name": "secret name " + uuid.NewString(), "payload_url": "http://receiver.test/"})
	maps.Copy(in, fields)
	return b.create(t, "extras.webhook", in)[0].ID()
}

// user returns a caller with permissions. Each is a type, an action and constraints.
func user(grants ...[3]string) ledger.Caller {
	s := &access.Subject{UserID: 7, Username: "anna"}
	for _, g := range grants {
		s.Grants = append(s.Grants, access.Grant{Types: []string{g[0]}, Actions: []string{g[1]}, Constraints: json.RawMessage(g[2])})
	}
	return ledger.Caller{Subject: s, RequestID: uuid.NewString()}
}

func (b *bundle) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := b.db.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func (b *bundle) number(t *testing.T, sql string, args ...any) (n int64) {
	t.Helper()
	if err := b.db.QueryRow(t.Context(), sql, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}
