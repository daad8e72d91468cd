package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"terrier/internal/app"
)

// base is what links begin with; nobody listens there.
const base = "http://terrier.example.com"

// poolSize is the number of database connections of each side.
const poolSize = 8

// bench is everything a run needs.
type bench struct {
	o        options
	out      io.Writer
	db       *database
	pool     *pgxpool.Pool
	terrier  *side
	bare     *side
	token    string
	report   report
	created  int64 // sites made so far: their names must differ
	cleanups []func() error
}

func newBench(ctx context.Context, o options, out io.Writer) (_ *bench, err error) {
	b := &bench{o: o, out: out, report: report{Rows: o.rows, User: o.user, Concurrency: o.concurrency, Started: time.Now().UTC()}}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	if b.db, err = newDatabase(ctx); err != nil {
		return nil, err
	}
	if o.keep {
		b.note("the database stays: %s", b.db.url)
	} else {
		b.cleanups = append(b.cleanups, b.db.drop)
	}
	started := time.Now()
	if err := load(ctx, b.db.url, o.rows); err != nil {
		return nil, err
	}
	b.report.LoadSeconds = time.Since(started).Seconds()
	b.note("loaded %d sites in %.1f s", o.rows, b.report.LoadSeconds)

	url, err := withParam(b.db.url, "pool_max_conns", strconv.Itoa(poolSize))
	if err != nil {
		return nil, err
	}
	a, err := b.startTerrier(ctx, url)
	if err != nil {
		return nil, err
	}
	address, err := b.serve(a.Handler)
	if err != nil {
		return nil, err
	}
	if b.token, err = newToken(ctx, a, b.db.url, o.user); err != nil {
		return nil, err
	}
	if b.terrier, err = newSide("terrier", address, b.authorization(), o.concurrency); err != nil {
		return nil, err
	}
	if b.pool, err = pgxpool.New(ctx, url); err != nil {
		return nil, err
	}
	b.cleanups = append(b.cleanups, func() error { b.pool.Close(); return nil })
	jobs, err := river.NewClient(riverpgxv5.New(b.pool), &river.Config{FetchCooldown: time.Millisecond, Logger: slog.New(slog.DiscardHandler)}) // notifies of nearly every insert
	if err != nil {
		return nil, err
	}
	if address, err = b.serve((&bare{pool: b.pool, base: base, jobs: jobs}).handler()); err != nil {
		return nil, err
	}
	b.bare, err = newSide("bare", address, "", o.concurrency)
	return b, err
}

func (b *bench) authorization() string { return "Authorization: Token " + b.token + "\r\n" }

// startTerrier builds the program as the command does. Its log is written out, to nowhere.
func (b *bench) startTerrier(ctx context.Context, database string) (*app.App, error) {
	cfg := app.Config{DatabaseURL: database, SecretKey: strings.Repeat("bench", 12), Listen: "127.0.0.1:0", BaseURL: base, StrictFilters: true, Version: "bench", WebhookTimeout: 10 * time.Second}
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	a, err := app.New(ctx, cfg, slog.New(slog.NewTextHandler(nowhere{}, nil)))
	if err != nil {
		return nil, err
	}
	b.cleanups = append(b.cleanups, func() error { a.Close(); return nil })
	b.cleanups = append(b.cleanups, foldCounts(a))
	return a, nil
}

// nowhere is not slog's own discarding handler: making the log lines is part of the work.
type nowhere struct{}

func (nowhere) Write(b []byte) (int, error) { return len(b), nil }

// foldCounts does the upkeep that a serving process does while requests are answered.
func foldCounts(a *app.App) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		tick := time.NewTicker(10 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				done <- nil
				return
			case <-tick.C:
				if err := a.Store.FoldCounts(ctx); err != nil && ctx.Err() == nil {
					done <- fmt.Errorf("fold counts: %w", err)
					return
				}
			}
		}
	}()
	return func() error {
		cancel()
		return <-done
	}
}

// serve listens on the loopback, with the same server settings for both sides.
func (b *bench) serve(h http.Handler) (address string, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 40 * time.Second, WriteTimeout: 60 * time.Second, IdleTimeout: 2 * time.Minute}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(listener) }()
	b.cleanups = append(b.cleanups, func() error {
		err := srv.Close()
		if e := <-done; !errors.Is(e, http.ErrServerClosed) {
			err = errors.Join(err, e)
		}
		return err
	})
	return listener.Addr().String(), nil
}

const userName = "bench"

// newToken makes the caller: a superuser, or a member of a group that may do what the
// cases do.
func newToken(ctx context.Context, a *app.App, database, kind string) (string, error) {
	_, err := a.CreateUser(ctx, app.NewUser{Username: userName, Password: "a-password-of-the-benchmark", Superuser: kind == "superuser"})
	if err != nil {
		return "", err
	}
	if kind == "member" {
		err := execute(ctx, database,
			`INSERT INTO users_group (version, name, description, created, last_updated) VALUES (1, 'planners', '', now(), now())`,
			`UPDATE users_user SET groups = ARRAY(SELECT id FROM users_group)`,
			`INSERT INTO users_permission (version, name, description, enabled, object_types, groups, users, actions, created, last_updated)
				SELECT 1, 'sites', '', true, ARRAY['dcim.site', 'dcim.region', 'dcim.sitegroup', 'tenancy.tenant', 'extras.tag'], ARRAY[id], '{}', ARRAY['view', 'add', 'change', 'delete'], now(), now()
				FROM users_group`)
		if err != nil {
			return "", err
		}
	}
	t, err := a.CreateToken(ctx, app.NewToken{Username: userName})
	return t.Key, err
}

func (b *bench) note(format string, args ...any) {
	_, _ = fmt.Fprintf(b.out, format+"\n", args...) // the table at the end reports a broken pipe
}

func (b *bench) close() error {
	for _, s := range []*side{b.terrier, b.bare} {
		if s != nil {
			s.close()
		}
	}
	var errs []error
	for i := len(b.cleanups) - 1; i >= 0; i-- {
		errs = append(errs, b.cleanups[i]())
	}
	return errors.Join(errs...)
}
