package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/app"
	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

// base is the beginning of links. No server listens there.
const base = "http://terrier.example.com"

// poolSize is the number of database connections of each server.
const poolSize = 8

// bench is everything a run needs: two databases, the processes of both sides, a receiver, and the results.
type bench struct {
	o      options
	out    io.Writer
	result *figures.Result
	meter  *gauge.Meter

	database, stock string        // their addresses
	pool, stockPool *pgxpool.Pool // the driver's own connections
	register        *register     // fills the first
	server, worker  *gauge.Process
	bareServer      *gauge.Process
	receiver        receiver
	terrier, bare   *gauge.Side
	plain           *plain       // made by the first case that needs it
	fleets          [2]*fleet    // the large and the small one, likewise
	contexts        *fleet       // likewise
	networks        *networks    // likewise
	loaded          int          // sites so far
	deepAt          string       // the current address of the walk through the register
	made            atomic.Int64 // sites created through the servers; it makes their names differ
	cleanups        []func() error
}

func newBench(ctx context.Context, o options, out io.Writer) (_ *bench, err error) {
	b := &bench{o: o, out: out}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	if err := b.makeDatabases(ctx); err != nil {
		return nil, err
	}
	if b.result, err = b.newResult(ctx); err != nil {
		return nil, err
	}
	if b.server, err = b.launch(ctx, "server", b.serving()); err != nil {
		return nil, err
	}
	if b.worker, err = b.launch(ctx, "worker", b.settings()); err != nil {
		return nil, err
	}
	if b.bareServer, err = b.launch(ctx, "bare server", b.serving()); err != nil {
		return nil, err
	}
	if b.receiver.Process, err = b.launch(ctx, "receiver", settings{}); err != nil {
		return nil, err
	}
	key, err := newToken(ctx, b.settings(), b.o.user)
	if err != nil {
		return nil, err
	}
	b.terrier = &gauge.Side{Name: "terrier", Address: b.server.Address, Headers: "Authorization: Token " + key + "\r\n"}
	b.bare = &gauge.Side{Name: "bare", Address: b.bareServer.Address}
	b.cleanups = append(b.cleanups, func() error { b.terrier.Close(); b.bare.Close(); return nil })
	return b, nil
}

func (b *bench) makeDatabases(ctx context.Context) error {
	for _, d := range []struct {
		purpose string
		migrate func(context.Context, string) error
		url     *string
		pool    **pgxpool.Pool
	}{{"terrier", migrateTerrier, &b.database, &b.pool}, {"river", migrateRiver, &b.stock, &b.stockPool}} {
		database, drop, err := newDatabase(ctx, d.purpose, d.migrate)
		if err != nil {
			return err
		}
		b.cleanups = append(b.cleanups, drop)
		*d.url = database
		pool, err := pgxpool.New(ctx, database)
		if err != nil {
			return err
		}
		b.cleanups = append(b.cleanups, func() error { pool.Close(); return nil })
		*d.pool = pool
	}
	var err error
	if b.register, err = newRegister(ctx, b.database); err != nil {
		return err
	}
	b.cleanups = append(b.cleanups, func() error { b.register.store.Close(); return nil })
	return nil
}

func (b *bench) settings() settings { return settings{Database: b.database, Stock: b.stock} }

// serving returns the settings of the servers of both sides. They have the same number of connections.
func (b *bench) serving() settings {
	s := b.settings()
	s.Pool = poolSize
	return s
}

// launch starts a process that ends with the run.
func (b *bench) launch(ctx context.Context, role string, s settings) (*gauge.Process, error) {
	p, err := gauge.Launch(ctx, role, s)
	if err == nil {
		b.cleanups = append(b.cleanups, p.End)
	}
	return p, err
}

const (
	userName = "bench"
	password = "a-password-of-the-benchmark"
)

// newToken creates the caller and returns their token. The caller is a superuser, or a member of a group with the permissions that the
// cases need.
func newToken(ctx context.Context, s settings, user string) (string, error) {
	a, err := app.New(ctx, s.config(), slog.New(slog.DiscardHandler))
	if err != nil {
		return "", err
	}
	defer a.Close()
	if _, err := a.CreateUser(ctx, app.NewUser{Username: userName, Password: password, Superuser: user == superuser}); err != nil {
		return "", err
	}
	if user == member {
		err := execute(ctx, s.Database,
			`INSERT INTO users_group (version, name, description, created, last_updated) VALUES (1, 'planners', '', now(), now())`,
			`UPDATE users_user SET groups = ARRAY(SELECT id FROM users_group), manage_tokens = true`,
			`INSERT INTO users_permission (version, name, description, enabled, object_types, groups, users, actions, created, last_updated)
				SELECT 1, 'sites', '', true, ARRAY['dcim.site', 'dcim.region', 'dcim.sitegroup', 'tenancy.tenant', 'extras.tag', 'extras.webhook',
					'extras.delivery', 'users.token'],
					ARRAY[id], '{}', ARRAY['view', 'add', 'change', 'delete'], now(), now() FROM users_group`)
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
	var errs []error
	for i := len(b.cleanups) - 1; i >= 0; i-- {
		errs = append(errs, b.cleanups[i]())
	}
	return errors.Join(errs...)
}
