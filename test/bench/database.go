package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"terrier/internal/app"
)

// testServer names the address of the throw-away PostgreSQL of tests.
const testServer = "TERRIER_TEST_DATABASE_URL"

// serverURL returns the address of the PostgreSQL to measure on.
func serverURL() (string, error) {
	server := cmp.Or(os.Getenv("TERRIER_BENCH_DATABASE_URL"), os.Getenv(testServer))
	if server == "" {
		return "", errors.New("TERRIER_BENCH_DATABASE_URL is not set: start with test/bench/run")
	}
	return server, nil
}

// newDatabase creates a database with a schema. It returns its address and a function that drops it.
func newDatabase(ctx context.Context, purpose string, migrate func(ctx context.Context, database string) error) (string,
	func() error, error) {
	server, err := serverURL()
	if err != nil {
		return "", nil, err
	}
	u, err := url.Parse(server)
	if err != nil {
		return "", nil, err
	}
	name := fmt.Sprintf("bench_%s_%d", purpose, time.Now().UnixNano())
	if err := execute(ctx, server, "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		return "", nil, fmt.Errorf("make a database: %w", err)
	}
	drop := func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		return execute(ctx, server, "DROP DATABASE "+name+" WITH (FORCE)")
	}
	u.Path = "/" + name
	if err := migrate(ctx, u.String()); err != nil {
		return "", nil, errors.Join(err, drop())
	}
	return u.String(), drop, nil
}

func migrateTerrier(ctx context.Context, database string) error {
	return app.Migrate(ctx, settings{Database: database}.config(), slog.New(slog.DiscardHandler))
}

func migrateRiver(ctx context.Context, database string) error {
	pool, err := pgxpool.New(ctx, database)
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

// withPool returns a database's address with the size of the pool added.
func withPool(database string, size int) (string, error) {
	u, err := url.Parse(database)
	if err != nil {
		return "", err
	}
	q := u.Query()
	q.Set("pool_max_conns", fmt.Sprint(size))
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// prepareLog creates the log files that the run will fill. Every server that has run for a while has them. A new one creates them in the
// middle of a commit, and all other commits wait.
func prepareLog(ctx context.Context) error {
	server, err := serverURL()
	if err != nil {
		return err
	}
	statements := []string{"ALTER SYSTEM SET min_wal_size = '1GB'", "SELECT pg_reload_conf()"}
	for range 30 {
		statements = append(statements, "SELECT pg_logical_emit_message(false, 'bench', 'fill'), pg_switch_wal()")
	}
	return execute(ctx, server, append(statements, "CHECKPOINT")...)
}

// execute runs statements one after the other on a separate connection.
func execute(ctx context.Context, database string, statements ...string) (err error) {
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	return executeOn(ctx, conn, statements...)
}

func executeOn(ctx context.Context, conn *pgx.Conn, statements ...string) error {
	for _, s := range statements {
		if _, err := conn.Exec(ctx, s); err != nil {
			return fmt.Errorf("%.60s…: %w", s, err)
		}
	}
	return nil
}
