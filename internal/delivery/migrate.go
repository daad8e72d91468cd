package delivery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"terrier/internal/store"
)

// Migrate brings the database to the newest schema, River's tables included.
func Migrate(ctx context.Context, url string, logf func(string, ...any)) (err error) {
	if err := store.Migrate(ctx, url, logf); err != nil {
		return err
	}
	pool, err := store.OpenPool(ctx, url)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer pool.Close()
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", store.RiverMigrateLock); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer func() {
		_, unlockErr := conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", store.RiverMigrateLock)
		err = errors.Join(err, unlockErr)
	}()
	migrator, err := newMigrator(pool)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	result, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	if err != nil {
		return fmt.Errorf("migrate River's tables: %w", err)
	}
	for _, v := range result.Versions {
		logf("applied River's migration %d", v.Version)
	}
	_, err = conn.Exec(ctx, "DROP INDEX IF EXISTS "+unusedIndexes)
	return err
}

// unusedIndexes serve searches of jobs by arguments, metadata and kind. Nobody searches jobs here, and each of a
// job's three writes would pay for them.
const unusedIndexes = "river_job_args_index, river_job_metadata_index, river_job_kind"

// SchemaVersion returns which of River's schemas this program brings.
func SchemaVersion() (int, error) {
	migrator, err := newMigrator(nil)
	if err != nil {
		return 0, err
	}
	all := migrator.AllVersions()
	return all[len(all)-1].Version, nil
}

// Pending counts the migrations that the database lacks, ours and River's.
func Pending(ctx context.Context, s *store.Store) (int, error) {
	n, err := s.Pending(ctx)
	if err != nil || n > 0 { // River's come after ours
		return n, err
	}
	migrator, err := newMigrator(s.Spare())
	if err != nil {
		return 0, err
	}
	done, err := migrator.ExistingVersions(ctx)
	return len(migrator.AllVersions()) - len(done), err
}

func newMigrator(pool *pgxpool.Pool) (*rivermigrate.Migrator[pgx.Tx], error) {
	return rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
}
