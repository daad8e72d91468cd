package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// Migrations holds the SQL files that build the database, in the order of their numbers.
//
//go:embed migrations/*.sql
var Migrations embed.FS

// migrationTable is where goose records what it has applied.
const migrationTable = "goose_db_version"

// Processes that migrate at the same time wait for each other: a migration of a large table takes long, so the wait
// is long, and the lock is tried once a second.
const (
	lockRetrySeconds = 1
	lockRetries      = 1800
)

// Migrate brings the database at url to the newest schema. Several processes may call it at once: one does
// the work and the others find nothing left to do.
func Migrate(ctx context.Context, url string, logf func(string, ...any)) (err error) {
	defer named(&err, "migrate")
	pool, err := poolConfig(url) // the URL may hold settings of a pool
	if err != nil {
		return err
	}
	config := pool.ConnConfig
	db := stdlib.OpenDB(*config)
	defer func() { err = errors.Join(err, db.Close()) }()

	provider, err := newProvider(db)
	if err != nil {
		return err
	}
	results, err := provider.Up(ctx)
	var partial *goose.PartialError
	if errors.As(err, &partial) {
		results = partial.Applied
	}
	for _, result := range results {
		logf("applied migration %s in %s", result.Source.Path, result.Duration)
	}
	if err != nil {
		return err
	}
	if len(results) == 0 {
		logf("no migrations to apply")
	}
	return firstPartitions(ctx, config)
}

// firstPartitions makes a fresh database writable; afterwards the server keeps making them.
func firstPartitions(ctx context.Context, config *pgx.ConnConfig) (err error) {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", UpkeepLock); err != nil {
			return err
		}
		return makePartitions(ctx, tx, time.Now())
	})
}

func newProvider(db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(Migrations, "migrations")
	if err != nil {
		return nil, err
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(lockRetrySeconds, lockRetries))
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithSessionLocker(locker), goose.WithTableName(migrationTable), goose.WithDisableGlobalRegistry(true))
}

// Pending counts the migrations that this program has and the database lacks. It only reads: goose's own check would
// create its table, which a server that refuses to start should not do.
func Pending(ctx context.Context, pool *pgxpool.Pool) (_ int, err error) {
	defer named(&err, "count missing migrations")
	return pending(ctx, pool)
}

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func pending(ctx context.Context, db querier) (int, error) {
	versions, err := embeddedVersions()
	if err != nil {
		return 0, err
	}
	var exists bool
	if err := db.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL`, migrationTable).Scan(&exists); err != nil {
		return 0, err
	}
	if !exists {
		return len(versions), nil
	}
	var applied int
	err = db.QueryRow(ctx, `SELECT count(DISTINCT version_id) FROM `+migrationTable+`
		WHERE is_applied AND version_id = ANY($1)`, versions).Scan(&applied)
	if err != nil {
		return 0, err
	}
	return len(versions) - applied, nil
}

func embeddedVersions() ([]int64, error) {
	names, err := fs.Glob(Migrations, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	versions := make([]int64, len(names))
	for i, name := range names {
		if versions[i], err = goose.NumericComponent(name); err != nil {
			return nil, fmt.Errorf("migration %s: %w", name, err)
		}
	}
	return versions, nil
}
