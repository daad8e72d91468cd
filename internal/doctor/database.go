package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"terrier/internal/store"
)

const databaseGroup = "database"

var databaseChecks = []Check{
	{databaseGroup, "hosts", "pg_isready -h HOST -p PORT", address, (*examination).hosts},
	{databaseGroup, "version", "upgrade PostgreSQL to 15 or newer", database, (*examination).version},
	{databaseGroup, "encoding", "createdb --encoding=UTF8 --template=template0 terrier", database, (*examination).encoding},
	{databaseGroup, "collation", "install a PostgreSQL that was built with ICU", database, (*examination).collation},
	{databaseGroup, "owner", sql(anyDatabase, "REASSIGN OWNED BY other TO terrier"), database, (*examination).owner},
	{databaseGroup, "durability", sql(anyDatabase, alter("fsync = on")...), database, (*examination).durability},
	{databaseGroup, "autovacuum", sql(anyDatabase, alter("autovacuum = on")...), database, (*examination).autovacuum},
	{databaseGroup, "writable", "add target_session_attrs=read-write to TERRIER_DATABASE_URL, and name all hosts of the cluster in it",
		database, (*examination).writable},
	{databaseGroup, "tls", "add sslmode=verify-full to TERRIER_DATABASE_URL", database, (*examination).tls},
	{databaseGroup, "pooler", "set pool_mode = session in the pooler, or let TERRIER_DATABASE_URL lead to PostgreSQL itself",
		database, (*examination).pooler},
	{databaseGroup, "connections", sql(anyDatabase, alter("max_connections = 200")...) + " and restart PostgreSQL", database,
		(*examination).connections},
	{databaseGroup, "transactions", sql(anyDatabase, "SELECT pg_terminate_backend(PID)"), database, (*examination).transactions},
	{databaseGroup, "wraparound", "vacuumdb --freeze " + anyDatabase, database, (*examination).wraparound},
}

// hosts asks every host for its role.
func (e *examination) hosts(ctx context.Context) (Finding, error) {
	hosts, err := store.Hosts(ctx, e.Settings.DatabaseURL)
	if err != nil {
		return found(Fail, "", "%s", err)
	}
	var seen []string
	away, suspect := 0, hosts[0]
	for _, h := range hosts {
		if h.Err != nil {
			if away++; away == 1 {
				suspect = h
			}
			seen = append(seen, h.Address+": "+store.Cause(h.Err))
			continue
		}
		seen = append(seen, h.Address+" is "+h.Role)
	}
	remedy := fmt.Sprintf("pg_isready -h %s -p %d", word(suspect.Name), suspect.Port)
	switch {
	case away == 0 && e.dbErr != nil:
		return found(Fail, remedy, "%s, but it can't be used: %s", some(seen), store.Cause(e.dbErr))
	case e.dbErr != nil || away == len(hosts):
		return found(Fail, remedy, "%s", some(seen))
	case away > 0:
		return found(Warn, remedy, "%s", some(seen))
	}
	return ok("%s", some(seen))
}

func (e *examination) version(context.Context) (Finding, error) {
	if e.server.Version < e.Limits.LeastVersion {
		return found(Fail, fmt.Sprintf("upgrade PostgreSQL to %d or newer", e.Limits.LeastVersion/10_000), "PostgreSQL %s is too old",
			e.server.VersionText)
	}
	return ok("PostgreSQL %s", e.server.VersionText)
}

func (e *examination) encoding(context.Context) (Finding, error) {
	if e.server.Encoding != "UTF8" {
		return found(Fail, "", "the encoding of the database is %s and must be UTF8", e.server.Encoding)
	}
	return ok("UTF8")
}

func (e *examination) collation(ctx context.Context) (Finding, error) {
	changed, hasICU, err := e.db.Collations(ctx)
	if err != nil {
		return Finding{}, err
	}
	if !hasICU {
		return found(Fail, "", "this PostgreSQL was built without ICU, which sorts names")
	}
	var seen []string
	statements := []string{"REINDEX DATABASE " + ident(e.server.Database)}
	for _, c := range changed {
		seen = append(seen, fmt.Sprintf("%s was built with version %s, and the system has %s", strings.ToLower(c.Name), c.Built, c.Now))
		refresh := "ALTER " + c.Name + " REFRESH VERSION"
		if strings.HasPrefix(c.Name, "DATABASE") {
			refresh = "ALTER " + c.Name + " REFRESH COLLATION VERSION"
		}
		statements = append(statements, refresh)
	}
	if len(seen) > 0 {
		return found(Warn, e.sql(statements...), "indexes may be wrong: %s", some(seen))
	}
	return ok("ICU, with the versions that the indexes were built with")
}

func (e *examination) owner(ctx context.Context) (Finding, error) {
	foreign, err := e.db.ForeignTables(ctx)
	if err != nil {
		return Finding{}, err
	}
	if len(foreign) > 0 {
		return found(Fail, e.sql(foreign[0].GiveTo(e.server.User)),
			"%s owns neither %s nor %s, which belongs to %s: migrations and upkeep fail", e.server.User, count(len(foreign)-1, "other table"),
			foreign[0].Table, foreign[0].Owner)
	}
	return ok("%s owns all tables of %s", e.server.User, e.server.Database)
}

// durability checks the settings without which a crash loses or damages what was acknowledged.
func (e *examination) durability(context.Context) (Finding, error) {
	var off []string
	for _, s := range []struct{ name, value string }{{"fsync", e.server.Fsync}, {"full_page_writes", e.server.FullPages},
		{"synchronous_commit", e.server.SynchronousCommit}} {
		if s.value == "off" {
			off = append(off, s.name)
		}
	}
	if len(off) > 0 {
		statements := make([]string, len(off))
		for i, name := range off {
			statements[i] = "ALTER SYSTEM RESET " + name
		}
		return found(Warn, e.sql(append(statements, "SELECT pg_reload_conf()")...),
			"%s off: a crash may lose or damage what was saved", strings.Join(off, ", "))
	}
	return ok("fsync and full_page_writes are on, synchronous_commit is %s", e.server.SynchronousCommit)
}

func (e *examination) autovacuum(ctx context.Context) (Finding, error) {
	if !e.server.Autovacuum {
		return found(Warn, e.sql("ALTER SYSTEM RESET autovacuum", "ALTER SYSTEM RESET track_counts", "SELECT pg_reload_conf()"),
			"autovacuum or track_counts is off: tables grow, and plans get slow")
	}
	tables, err := e.db.UnvacuumedTables(ctx)
	if err != nil {
		return Finding{}, err
	}
	if len(tables) > 0 {
		return found(Warn, e.sql("ALTER TABLE "+tables[0]+" RESET (autovacuum_enabled)"), "autovacuum is off for %s", some(tables))
	}
	return ok("on")
}

func (e *examination) writable(context.Context) (Finding, error) {
	switch {
	case e.server.InRecovery:
		return found(Fail, "", "this is a standby, which accepts no writes")
	case e.server.ReadOnly != "off":
		return found(Fail, e.sql("ALTER DATABASE "+ident(e.server.Database)+" RESET default_transaction_read_only"),
			"default_transaction_read_only is %s: no writes are accepted", e.server.ReadOnly)
	}
	return ok("writes are accepted")
}

func (e *examination) tls(ctx context.Context) (Finding, error) {
	link, err := e.db.Link(ctx)
	switch {
	case err != nil:
		return Finding{}, err
	case link.Encrypted:
		return ok("TLS to %s", link.Address)
	case link.IsLocal:
		return ok("no TLS, and none needed: %s is on this machine", link.Address)
	}
	return found(Warn, "", "no TLS to %s: anybody in between can read passwords and records", link.Address)
}

// pooler checks that a pooler, where there is one, reserves connections.
func (e *examination) pooler(ctx context.Context) (Finding, error) {
	dropped, err := store.CheckPooling(ctx, e.Settings.DatabaseURL, true)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return Finding{}, err
	case err != nil:
		seen, _, _ := strings.Cut(err.Error(), ": set pool_mode")
		return found(Fail, "", "%s", seen)
	case len(dropped) > 0:
		return found(Warn, "let the pooler pass on "+some(dropped), "a pooler drops settings: %s", some(dropped))
	}
	return ok("settings, locks and notifications of a connection last")
}

// usedShare is the part of all connections that may be in use.
const usedShare = 0.8

func (e *examination) connections(context.Context) (Finding, error) {
	used, most := e.server.Connections, e.server.MaxConnections
	seen := fmt.Sprintf("%d of %d connections are in use", used, most)
	if float64(used) >= usedShare*float64(most) {
		return found(Warn, e.sql(alter(fmt.Sprintf("max_connections = %d", 2*most))...)+" and restart PostgreSQL, or add pool_max_conns to "+
			"TERRIER_DATABASE_URL", "%s", seen)
	}
	return ok("%s", seen)
}

func (e *examination) transactions(ctx context.Context) (Finding, error) {
	open, err := e.db.LongTransactions(ctx, e.Limits.LongTransaction)
	if err != nil {
		return Finding{}, err
	}
	if len(open) == 0 && !e.server.SeesAll {
		return ok("none of %s is older than %s; those of other users are not seen without the role pg_read_all_stats", e.server.User,
			span(e.Limits.LongTransaction))
	}
	if len(open) == 0 {
		return ok("none is older than %s", span(e.Limits.LongTransaction))
	}
	oldest := open[0]
	remedy := e.sql(fmt.Sprintf("SELECT pg_terminate_backend(%d)", oldest.PID))
	if oldest.PID == 0 {
		remedy = e.sql("ROLLBACK PREPARED '" + strings.ReplaceAll(oldest.Application, "'", "''") + "'")
	}
	return found(Warn, remedy, "%s open for long: the oldest for %s, by %s (%s, %s). What was deleted since is not cleared away",
		count(len(open), "transaction"), span(oldest.Age), oldest.User, oldest.Application, oldest.State)
}

func (e *examination) wraparound(context.Context) (Finding, error) {
	const stops = 2_000_000_000
	seen := fmt.Sprintf("the oldest transaction id is %d million old; PostgreSQL stops at %d million", e.server.OldestID/1e6, stops/1_000_000)
	if e.server.OldestID >= e.Limits.OldIDs {
		return found(Warn, "vacuumdb --freeze "+word(e.server.Database), "%s", seen)
	}
	return ok("%s", seen)
}
