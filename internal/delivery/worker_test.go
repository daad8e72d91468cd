package delivery_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/access"
	"terrier/internal/account"
	"terrier/internal/delivery"
	"terrier/internal/egress"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhookadmin"
	"terrier/test/storetest"
)

// bundle is a ledger, a worker and a receiver on a database of their own.
type bundle struct {
	*ledger.Ledger
	*webhookadmin.Admin
	reg      *record.Registry
	db       *pgxpool.Pool
	root     ledger.Caller
	worker   *delivery.Worker
	url      string // of the receiver
	received chan received
	answer   atomic.Int64 // the status

	poison, retryAfter atomic.Value // a text in requests at which the receiver always fails, and what it asks for
}

// act carries out a declared action.
func (b *bundle) act(ctx context.Context, key string, id int64, in ledger.Input) (any, error) {
	return b.Act(ctx, b.root, b.reg.Action(key), id, in)
}

type received struct {
	header http.Header
	method string
	body   string
}

func newBundle(t *testing.T) *bundle {
	t.Helper()
	s, reg, _ := storetest.Open(t, nil)
	keys, err := account.NewKeyring(strings.Repeat("k", 60), nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &bundle{reg: reg, db: s.Pool(), received: make(chan received, 10_000),
		root: ledger.Caller{Subject: &access.Subject{Username: "root", Superuser: true}, RequestID: "0f8fad5b-d9cb-469f-a165-70867728950e"}}
	b.status(http.StatusOK)
	policy, err := egress.ParsePolicy("127.0.0.1/32")
	if err != nil {
		t.Fatal(err)
	}
	client := egress.New(egress.Config{Policy: policy, Timeout: 5 * time.Second})
	b.Ledger = &ledger.Ledger{Store: s, Policy: &access.Policy{}, Sealer: &account.Sealer{Keys: keys},
		Printer: &record.Printer{Base: "http://terrier.test"},
		Now:     time.Now, Rules: nil}
	b.Admin = &webhookadmin.Admin{Ledger: b.Ledger}
	if err := b.Bind(b.Actions()); err != nil {
		t.Fatal(err)
	}
	b.worker = &delivery.Worker{Store: s, Client: client, Keys: keys,
		Log: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})), Now: time.Now, Program: "test",
		FirstRetry: time.Second}
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		b.received <- received{r.Header, r.Method, string(body)}
		if poison, is := b.poison.Load().(string); is && strings.Contains(string(body), poison) {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		if asked, is := b.retryAfter.Load().(string); is {
			w.Header().Set("Retry-After", asked)
		}
		w.WriteHeader(int(b.answer.Load()))
	}))
	t.Cleanup(receiver.Close)
	b.url = receiver.URL
	return b
}

// status sets what the receiver answers from now on.
func (b *bundle) status(code int64) { b.answer.Store(code) }

func (b *bundle) exec(t *testing.T, sql string) {
	t.Helper()
	if _, err := b.db.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

func (b *bundle) number(t *testing.T, sql string) (n int64) {
	t.Helper()
	if err := b.db.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// work runs the worker until the test ends.
func (b *bundle) work(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- b.worker.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func (b *bundle) create(t *testing.T, key string, inputs ...ledger.Input) []record.Values {
	t.Helper()
	rows, err := b.Create(t.Context(), b.root, b.reg.Type(key), inputs)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func (b *bundle) hook(t *testing.T, more ledger.Input) record.Values {
	t.Helper()
	in := ledger.Input{"name": "hook", "payload_url": b.url + "/", "content_types": []any{"dcim.site"}, "type_create": true,
		"type_update": true, "type_delete": true}
	for k, v := range more {
		in[k] = v
	}
	return b.create(t, "extras.webhook", in)[0]
}

func (b *bundle) next(t *testing.T) received {
	t.Helper()
	select {
	case r := <-b.received:
		return r
	case <-time.After(30 * time.Second):
		t.Fatal("nothing was received")
		panic("unreachable")
	}
}

func site(name string) ledger.Input { return ledger.Input{"name": name, "slug": strings.ToLower(name)} }

func TestAChangeIsTold(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.hook(t, ledger.Input{"secret": "s3cret"})
	b.work(t)
	b.create(t, "dcim.site", site("Ams"))
	got := b.next(t)
	var body map[string]json.RawMessage
	if err := json.Unmarshal([]byte(got.body), &body); err != nil || len(body) != 7 {
		t.Fatalf("%v: %s", err, got.body)
	}
	if got.header.Get("X-Hook-Signature") == "" || got.header.Get("X-Hook-Sequence") != "1" {
		t.Errorf("headers %v", got.header)
	}
	b.state(t, store.Successful)
}

// state waits until the only delivery has this state.
func (b *bundle) state(t *testing.T, want string) {
	t.Helper()
	b.eventually(t, "SELECT state = '"+want+"' FROM extras_delivery")
}

// eventually waits until a query returns true.
func (b *bundle) eventually(t *testing.T, question string) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(30 * time.Second)
	for {
		var yes bool
		if err := b.db.QueryRow(t.Context(), question).Scan(&yes); err != nil {
			t.Fatal(err)
		}
		if yes {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("never true: %s", question)
		case <-tick.C:
		}
	}
}
