package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/record"
)

// SchemaState compares the migrations of the database with those of this program.
type SchemaState struct {
	Empty   bool // none was applied
	Missing int
	Newest  int64 // that this program has
	Newer   int   // applied, but unknown to this program
}

// Schema reads which migrations were applied.
func (i *Inspector) Schema(ctx context.Context) (s SchemaState, err error) {
	defer named(&err, "read the version of the schema")
	versions, err := embeddedVersions()
	if err != nil {
		return s, err
	}
	s.Newest = slices.Max(versions)
	err = i.Read(ctx, func(tx pgx.Tx) error {
		s.Missing, err = pending(ctx, tx)
		if s.Empty = s.Missing == len(versions); err != nil || s.Empty {
			return err
		}
		return tx.QueryRow(ctx, "SELECT count(DISTINCT version_id) FROM "+migrationTable+" WHERE is_applied AND version_id > $1",
			s.Newest).Scan(&s.Newer)
	})
	return s, err
}

// WeeksAhead returns for how many weeks after now a growing table has partitions, and which table has the fewest.
func (i *Inspector) WeeksAhead(ctx context.Context, now time.Time) (table string, weeks int, err error) {
	defer named(&err, "look for the partitions of coming weeks")
	err = i.Read(ctx, func(tx pgx.Tx) error {
		weeks = -1
		for _, t := range growing {
			n, err := weeksAhead(ctx, tx, t, now)
			if err != nil {
				return err
			}
			if weeks < 0 || n < weeks {
				table, weeks = t, n
			}
		}
		return nil
	})
	return table, weeks, err
}

func weeksAhead(ctx context.Context, tx pgx.Tx, table string, now time.Time) (weeks int, err error) {
	for from := weekOf(now); from.Before(now.Add(partitionsAhead)); from = from.Add(week) {
		var exists bool
		name := fmt.Sprintf("%s_%s", table, from.Format("20060102"))
		if err := tx.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", quote(name)).Scan(&exists); err != nil || !exists {
			return weeks, err
		}
		weeks++
	}
	return weeks, nil
}

// PartitionsPast lists the partitions that Retain should have dropped at a time.
func (i *Inspector) PartitionsPast(ctx context.Context, keep Retention, now time.Time) (past []string, err error) {
	defer named(&err, "look for partitions past their retention")
	err = i.Read(ctx, func(tx pgx.Tx) error {
		for _, kept := range keep.tables() {
			if kept.days == 0 {
				continue
			}
			found, err := partitionsBefore(ctx, tx, kept.table, now.AddDate(0, 0, -kept.days))
			if err != nil {
				return err
			}
			for _, p := range found {
				past = append(past, p.Name)
			}
		}
		return nil
	})
	return past, err
}

// InvalidIndexes lists the indexes that PostgreSQL does not use, because making them was interrupted.
func (i *Inspector) InvalidIndexes(ctx context.Context) (_ []string, err error) {
	defer named(&err, "look for invalid indexes")
	return i.texts(ctx, `SELECT c.oid::regclass::text FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
		WHERE NOT x.indisvalid AND c.relnamespace = current_schema()::regnamespace ORDER BY 1`)
}

// SearchesScan reports whether searches read whole tables.
func (i *Inspector) SearchesScan(ctx context.Context) (scan bool, err error) {
	defer named(&err, "look for missing search indexes")
	err = i.Read(ctx, func(tx pgx.Tx) error {
		scan, err = searchesScan(ctx, tx, i.reg.Types())
		return err
	})
	return scan, err
}

// Drift is a type whose count rows are wrong.
type Drift struct {
	Type string
	Off  int64 // how many too many are counted
}

// Drifts compares the counts of lists with the tables, the smallest table first, until ctx ends. It returns the types whose counts are
// wrong, and how many types it compared.
func (i *Inspector) Drifts(ctx context.Context) (drifts []Drift, compared int, err error) {
	defer named(&err, "compare counts with tables")
	sizes, err := i.tableSizes(ctx)
	if err != nil {
		return nil, 0, err
	}
	types := slices.Clone(i.reg.Types())
	slices.SortStableFunc(types, func(a, b *record.Type) int { return int(min(1, max(-1, sizes[a.Table()]-sizes[b.Table()]))) })
	err = i.Read(ctx, func(tx pgx.Tx) error {
		for _, t := range types {
			var off int64
			err := tx.QueryRow(ctx, fmt.Sprintf("SELECT (SELECT coalesce(sum(n), 0)::bigint FROM record_count WHERE type = $1) - "+
				"(SELECT count(*) FROM %s)", quote(t.Table())), t.Key()).Scan(&off)
			if err != nil {
				return err
			}
			if compared++; off != 0 {
				drifts = append(drifts, Drift{t.Key(), off})
			}
		}
		return nil
	})
	if ctx.Err() != nil && compared > 0 {
		err = nil
	}
	return drifts, compared, err
}

// tableSizes estimates the rows of the tables, with those of their partitions.
func (i *Inspector) tableSizes(ctx context.Context) (map[string]int64, error) {
	type size struct {
		Table string
		Rows  int64
	}
	found, err := inspectRows[size](ctx, i, `SELECT c.relname::text, sum(greatest(coalesce(p.reltuples, c.reltuples), 0))::bigint
		FROM pg_class c LEFT JOIN pg_inherits i ON i.inhparent = c.oid LEFT JOIN pg_class p ON p.oid = i.inhrelid
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') GROUP BY c.oid, c.relname`)
	sizes := make(map[string]int64, len(found))
	for _, s := range found {
		sizes[s.Table] = s.Rows
	}
	return sizes, err
}

// RiverVersion returns the newest of River's migrations that was applied, 0 for none.
func (i *Inspector) RiverVersion(ctx context.Context) (version int, err error) {
	defer named(&err, "read the version of River's tables")
	err = i.row(ctx, []any{&version}, "SELECT coalesce(max(version), 0)::int FROM river_migration")
	if Undefined(err) {
		return 0, nil
	}
	return version, err
}
