package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/background"
	"terrier/internal/record"
)

// Each type that people search has an index of the trigrams in its texts, made from its declaration by MakeSearchIndexes. It
// is not part of a migration: the extension pg_trgm may be missing, and a large table must stay writable meanwhile.

const (
	lockPause     = time.Second      // between two tries to get SearchLock
	progressPause = 10 * time.Second // between two messages about an index that takes long
)

// findTrigrams lets a connection find gin_trgm_ops in whichever schema the extension is.
const findTrigrams = `SELECT set_config('search_path',
	concat_ws(', ', nullif(current_setting('search_path'), ''), quote_ident(nspname)), false)
	FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE extname = 'pg_trgm'`

// extensionRefused are PostgreSQL's codes for an extension that may not be created, or is not installed.
var extensionRefused = []string{"42501", "0A000", "58P01"}

func searchIndexName(t *record.Type) string { return t.Table() + "_search" }

// searchIndex is the statement that makes the index of a type. It is also the index's comment: if it changes, the index is made again.
func searchIndex(t *record.Type) string {
	return fmt.Sprintf("CREATE INDEX CONCURRENTLY %s ON %s USING gin (%s gin_trgm_ops)", quote(searchIndexName(t)), quote(t.Table()),
		joinedTexts(t, ""))
}

// SearchIndexes returns what MakeSearchIndexes makes.
func SearchIndexes(types []*record.Type) (statements []string) {
	for _, t := range types {
		if t.SearchIndexed() {
			statements = append(statements, searchIndex(t))
		}
	}
	return statements
}

// MakeSearchIndexes makes the missing search indexes of the types, and those whose declaration has changed. The tables stay writable.
// Without the extension pg_trgm it makes none: searches then read whole tables.
func MakeSearchIndexes(ctx context.Context, url string, types []*record.Type, logf func(string, ...any)) (err error) {
	defer named(&err, "make the search indexes")
	pool, err := OpenPool(ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close()
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	unlock, err := lockForSearch(ctx, conn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	_, err = conn.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS pg_trgm")
	if refusal, ok := errors.AsType[*pgconn.PgError](err); ok && slices.Contains(extensionRefused, refusal.Code) {
		logf("searches will read whole tables, because the extension pg_trgm is missing and can't be created: %v. "+
			"Let a superuser run CREATE EXTENSION pg_trgm in this database, and run `terrier migrate` again", err)
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, findTrigrams); err != nil {
		return err
	}
	made := 0
	for _, t := range types {
		if !t.SearchIndexed() {
			continue
		}
		done, err := makeSearchIndex(ctx, pool, conn, t, logf)
		if err != nil {
			return fmt.Errorf("%s: %w", t.Key(), err)
		}
		if done {
			made++
		}
	}
	if made > 0 {
		logf("made %d search indexes", made)
	}
	return nil
}

// lockForSearch waits for SearchLock without holding a snapshot, which CREATE INDEX CONCURRENTLY would wait for.
func lockForSearch(ctx context.Context, conn *pgxpool.Conn) (unlock func() error, err error) {
	for {
		var mine bool
		if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", SearchLock).Scan(&mine); err != nil {
			return nil, err
		}
		if mine {
			return func() error {
				_, err := conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", SearchLock)
				return err
			}, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockPause):
		}
	}
}

// makeSearchIndex makes one index, unless it is there. One that was not finished is made again.
func makeSearchIndex(ctx context.Context, pool *pgxpool.Pool, conn *pgxpool.Conn, t *record.Type, logf func(string, ...any)) (made bool,
	err error) {
	name, statement := searchIndexName(t), searchIndex(t)
	var hasTable bool
	var is string
	err = conn.QueryRow(ctx, `SELECT to_regclass($2) IS NOT NULL, coalesce((SELECT obj_description(i.indexrelid) FROM pg_index i
		WHERE i.indexrelid = to_regclass($1) AND i.indisvalid), '')`, quote(name), quote(t.Table())).Scan(&hasTable, &is)
	if err != nil || !hasTable || is == statement { // tables of types that tests add are made later
		return false, err
	}
	stop := reportProgress(ctx, pool, t, logf)
	defer stop()
	for _, step := range []string{
		"SELECT set_config('maintenance_work_mem', '256MB', false) WHERE pg_size_bytes(current_setting('maintenance_work_mem')) < 256 << 20",
		"SET statement_timeout = 0",
		"DROP INDEX CONCURRENTLY IF EXISTS " + quote(name),
		statement,
		fmt.Sprintf("COMMENT ON INDEX %s IS %s", quote(name), "'"+strings.ReplaceAll(statement, "'", "''")+"'"),
	} {
		if _, err := conn.Exec(ctx, step); err != nil {
			return false, err
		}
	}
	return true, nil
}

// reportProgress says from time to time how far an index is.
func reportProgress(ctx context.Context, pool *pgxpool.Pool, t *record.Type, logf func(string, ...any)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	background.Go(slog.Default(), "progress of an index", func() {
		defer close(done)
		tick := time.NewTicker(progressPause)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			var phase string
			var percent int
			err := pool.QueryRow(ctx, `SELECT phase, coalesce(100 * blocks_done / nullif(blocks_total, 0), 0)
				FROM pg_stat_progress_create_index WHERE relid = to_regclass($1)`, quote(t.Table())).Scan(&phase, &percent)
			if err == nil {
				logf("making the search index of %s: %s, %d %%", t.Plural, phase, percent)
			}
		}
	})
	return func() {
		cancel()
		<-done
	}
}

// SearchesScan reports whether searches read whole tables, because search indexes are missing or were made for another declaration.
func (s *Store) SearchesScan(ctx context.Context) (_ bool, err error) {
	defer named(&err, "look for missing search indexes")
	missing, err := searchesScan(ctx, s.spare, s.reg.Types())
	return missing, s.translate(err)
}

func searchesScan(ctx context.Context, db querier, types []*record.Type) (missing bool, err error) {
	err = db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM unnest($1::text[], $2::text[]) x (name, statement) WHERE NOT EXISTS
		(SELECT FROM pg_index i WHERE i.indexrelid = to_regclass(name) AND i.indisvalid AND obj_description(i.indexrelid) = statement))`,
		searchIndexNames(types), SearchIndexes(types)).Scan(&missing)
	return missing, err
}

// searchIndexNames returns the quoted names of all search indexes.
func searchIndexNames(types []*record.Type) (names []string) {
	for _, t := range types {
		if t.SearchIndexed() {
			names = append(names, quote(searchIndexName(t)))
		}
	}
	return names
}

// TidySearchIndexes merges what was written lately into the search indexes, or returns ErrElsewhere. Otherwise a writer would
// do so now and then, when much has come together, and take long.
func (s *Store) TidySearchIndexes(ctx context.Context) (err error) {
	defer named(&err, "tidy the search indexes")
	var mine bool
	err = s.pool.QueryRow(ctx, `WITH turn AS MATERIALIZED (SELECT pg_try_advisory_xact_lock($2) AS mine),
		tidied AS MATERIALIZED (SELECT gin_clean_pending_list(i.indexrelid) FROM turn JOIN unnest($1::text[]) name ON turn.mine
			JOIN pg_index i ON i.indexrelid = to_regclass(name) AND i.indisvalid)
		SELECT mine FROM turn, (SELECT count(*) FROM tidied) all_of_them`, searchIndexNames(s.reg.Types()), SearchLock).Scan(&mine)
	if err == nil && !mine {
		return ErrElsewhere
	}
	return s.translate(err)
}
