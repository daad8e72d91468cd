package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"terrier/internal/access"
	"terrier/internal/account"
	"terrier/internal/delivery"
	"terrier/internal/egress"
	"terrier/internal/inventory"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// rig is a database with a ledger that writes, a worker that sends and a receiver.
type rig struct {
	*ledger.Ledger
	reg      *record.Registry
	db       *pgxpool.Pool
	stock    *pgxpool.Pool // a database with River's tables as it makes them, and nothing else
	worker   *delivery.Worker
	receiver *receiver
	sites    int
	close    []func()
}

var root = ledger.Caller{Subject: &access.Subject{Username: "bench", Superuser: true}, RequestID: "0f8fad5b-d9cb-469f-a165-70867728950e"}

func newRig(ctx context.Context) (_ *rig, err error) {
	r := &rig{}
	defer func() {
		if err != nil {
			r.end()
		}
	}()
	database, drop, err := newDatabase(ctx, func(url string) error { return delivery.Migrate(ctx, url, func(string, ...any) {}) })
	if err != nil {
		return nil, err
	}
	r.close = append(r.close, drop)
	stock, drop, err := newDatabase(ctx, func(url string) error { return migrateRiver(ctx, url) })
	if err != nil {
		return nil, err
	}
	r.close = append(r.close, drop)
	if r.stock, err = pgxpool.New(ctx, stock); err != nil {
		return nil, err
	}
	r.close = append(r.close, r.stock.Close)
	if r.reg, err = record.NewRegistry(inventory.Types()...); err != nil {
		return nil, err
	}
	writer, err := store.Open(ctx, database, r.reg, nil)
	if err != nil {
		return nil, err
	}
	r.close = append(r.close, writer.Close)
	worker, err := store.Open(ctx, database, r.reg, nil, store.ForWorkers...)
	if err != nil {
		return nil, err
	}
	r.close = append(r.close, worker.Close)
	if r.receiver, err = startReceiver(ctx); err != nil {
		return nil, err
	}
	r.close = append(r.close, r.receiver.stop)
	keys, err := account.NewKeyring(strings.Repeat("k", 60), nil)
	if err != nil {
		return nil, err
	}
	policy, err := egress.ParsePolicy("127.0.0.1/32")
	if err != nil {
		return nil, err
	}
	r.db = worker.Pool()
	if err := r.prepareWAL(ctx); err != nil {
		return nil, err
	}
	r.Ledger = &ledger.Ledger{Store: writer, Policy: &access.Policy{}, Sealer: &account.Sealer{Keys: keys}, Printer: &record.Printer{Base: "http://terrier.example.com"}, Now: time.Now}
	r.worker = &delivery.Worker{Store: worker, Client: egress.New(egress.Config{Policy: policy}), Keys: keys, Now: time.Now, Program: "bench",
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))}
	return r, nil
}

func (r *rig) end() {
	for i := len(r.close) - 1; i >= 0; i-- {
		r.close[i]()
	}
}

// hook makes a webhook that is told of the sites of one facility.
func (r *rig) hook(ctx context.Context, facility, path string, concurrency int) (int64, error) {
	rows, err := r.Create(ctx, root, r.reg.Type(store.WebhookType), []ledger.Input{{"name": facility, "payload_url": r.receiver.url + path, "secret": "s3cret",
		"content_types": []any{"dcim.site"}, "type_create": true, "concurrency": fmt.Sprint(concurrency),
		"conditions": map[string]any{"attr": "facility", "value": facility}}})
	if err != nil {
		return 0, err
	}
	return rows[0].ID(), nil
}

func (r *rig) site(facility string) ledger.Input {
	r.sites++
	return ledger.Input{"name": fmt.Sprint("event ", r.sites), "slug": fmt.Sprint("e", r.sites), "facility": facility, "description": "Made by the benchmark",
		"comments": strings.Repeat("Opened for the new ring. ", 8)}
}

// queue makes n sites in bulk, in turn of these facilities.
func (r *rig) queue(ctx context.Context, n int, facilities ...string) error {
	for n > 0 {
		sites := make([]ledger.Input, min(n, 1000))
		for i := range sites {
			sites[i] = r.site(facilities[i%len(facilities)])
		}
		if _, err := r.Create(ctx, root, r.reg.Type("dcim.site"), sites); err != nil {
			return err
		}
		n -= len(sites)
	}
	return nil
}

// work runs the worker until the returned function is called.
func (r *rig) work(ctx context.Context) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- r.worker.Run(ctx) }()
	return func() error {
		cancel()
		return <-done
	}
}

// prepareWAL makes the log files that the run will fill, as every server has them that has
// run for a while. A new one makes them in the middle of a commit, and all others wait.
func (r *rig) prepareWAL(ctx context.Context) error {
	if _, err := r.db.Exec(ctx, "ALTER SYSTEM SET min_wal_size = '1GB'"); err != nil {
		return err
	}
	if _, err := r.db.Exec(ctx, "SELECT pg_reload_conf()"); err != nil {
		return err
	}
	for range 30 {
		if _, err := r.db.Exec(ctx, "SELECT pg_logical_emit_message(false, 'hookbench', 'fill'), pg_switch_wal()"); err != nil {
			return err
		}
	}
	_, err := r.db.Exec(ctx, "CHECKPOINT")
	return err
}

// newDatabase makes a migrated database on the server that the environment names.
func newDatabase(ctx context.Context, migrate func(url string) error) (string, func(), error) {
	server, err := url.Parse(os.Getenv("TERRIER_TEST_DATABASE_URL"))
	if err != nil || server.Host == "" {
		return "", nil, errors.New("TERRIER_TEST_DATABASE_URL is not set: start it with test/hookbench/run")
	}
	var random [6]byte
	_, _ = rand.Read(random[:]) // never fails, by its documentation
	name := "terrier_hookbench_" + hex.EncodeToString(random[:])
	execute := func(sql string) error {
		conn, err := pgx.Connect(context.WithoutCancel(ctx), server.String())
		if err != nil {
			return err
		}
		_, err = conn.Exec(context.WithoutCancel(ctx), sql)
		return errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
	}
	if err := execute("CREATE DATABASE " + name); err != nil {
		return "", nil, err
	}
	own := *server
	own.Path = "/" + name
	drop := func() {
		if err := execute("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			fmt.Fprintln(os.Stderr, "hookbench:", err)
		}
	}
	if err := migrate(own.String()); err != nil {
		drop()
		return "", nil, err
	}
	return own.String(), drop, nil
}

func migrateRiver(ctx context.Context, url string) error {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close()
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	if err != nil {
		return err
	}
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}
