package doctor

import (
	"context"
	"fmt"

	"terrier/internal/delivery"
)

const schemaGroup = "schema"

var schemaChecks = []Check{
	{schemaGroup, "migrations", "terrier migrate", database, (*examination).migrations},
	{schemaGroup, "river", "terrier migrate", tables, (*examination).river},
	{schemaGroup, "partitions", "terrier serve, whose log says why it can't make them", tables, (*examination).partitions},
	{schemaGroup, "retention", "terrier serve, whose log says why it can't drop them", tables, (*examination).past},
	{schemaGroup, "indexes", sql(anyDatabase, "REINDEX INDEX CONCURRENTLY name"), tables, (*examination).indexes},
	{schemaGroup, "search", "terrier migrate", tables, (*examination).search},
	{schemaGroup, "counts", "terrier recount", tables, (*examination).counts},
}

func (e *examination) migrations(context.Context) (Finding, error) {
	s := e.schema
	switch {
	case s.Missing > 0:
		return found(Fail, "", "the database lacks %s", count(s.Missing, "migration"))
	case s.Newer > 0:
		return found(Warn, "install the version of Terrier that migrated the database",
			"the database has %s that this program (%s) does not know: it is older", count(s.Newer, "migration"), e.Program)
	}
	return ok("all up to %05d were applied", s.Newest)
}

func (e *examination) river(ctx context.Context) (Finding, error) {
	brings, err := delivery.SchemaVersion()
	if err != nil {
		return Finding{}, err
	}
	has, err := e.db.RiverVersion(ctx)
	switch {
	case err != nil:
		return Finding{}, err
	case has < brings:
		return found(Fail, "", "River's tables have version %d and must have %d", has, brings)
	case has > brings:
		return found(Fail, "install the version of Terrier that migrated the database",
			"River's tables have version %d and this program (%s) knows %d: it is older, and does not start", has, e.Program, brings)
	}
	return ok("version %d", has)
}

const (
	weeksLow  = 2 // a server is not ready with less
	weeksFull = 4
)

func (e *examination) partitions(ctx context.Context) (Finding, error) {
	table, weeks, err := e.db.WeeksAhead(ctx, e.Now())
	if err != nil {
		return Finding{}, err
	}
	seen := fmt.Sprintf("%s of %s, from this one on", count(weeks, "week"), table)
	switch {
	case weeks < weeksLow:
		return found(Fail, "", "%s: soon nothing can be saved", seen)
	case weeks < weeksFull:
		return found(Warn, "", "%s, but a server makes %d: none has run for a week", seen, weeksFull)
	}
	return ok("%s", seen)
}

const wrongRetention = "the retention is wrong: see settings-retention"

// grace is how many days late the upkeep may be: it runs every hour, and waits for those who read.
const grace = 2

func (e *examination) past(ctx context.Context) (Finding, error) {
	if e.Settings.Retention != nil {
		return blocked(wrongRetention), nil
	}
	past, err := e.db.PartitionsPast(ctx, e.Settings.Keep, e.Now().AddDate(0, 0, -grace))
	if err != nil {
		return Finding{}, err
	}
	if len(past) > 0 {
		return found(Warn, "", "%s should have been dropped: %s", count(len(past), "partition"), some(past))
	}
	return ok("nothing is kept longer than it should be")
}

func (e *examination) indexes(ctx context.Context) (Finding, error) {
	invalid, err := e.db.InvalidIndexes(ctx)
	if err != nil {
		return Finding{}, err
	}
	if len(invalid) > 0 {
		return found(Warn, e.sql("REINDEX INDEX CONCURRENTLY "+invalid[0]), "PostgreSQL does not use %s, which was not finished", some(invalid))
	}
	return ok("all are valid")
}

func (e *examination) search(ctx context.Context) (Finding, error) {
	scan, err := e.db.SearchesScan(ctx)
	switch {
	case err != nil:
		return Finding{}, err
	case scan:
		return found(Warn, "", "searches read whole tables: search indexes are missing or outdated, or the extension pg_trgm is")
	}
	return ok("all search indexes are there")
}

func (e *examination) counts(ctx context.Context) (Finding, error) {
	drifts, compared, err := e.db.Drifts(ctx)
	if err != nil {
		return Finding{}, err
	}
	all := len(e.db.Types())
	if len(drifts) > 0 {
		return found(Warn, "", "wrong for %s: %s shows %d too many", count(len(drifts), "type"), drifts[0].Type, drifts[0].Off)
	}
	if compared < all {
		return ok("right for the %d smallest of %d types; there was no time for the others", compared, all)
	}
	return ok("right for all %d types", all)
}
