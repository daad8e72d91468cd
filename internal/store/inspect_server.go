package store

import (
	"context"
	"crypto/tls"
	"net"
	"strconv"
	"time"
)

// ServerState is what PostgreSQL says about itself and the database.
type ServerState struct {
	Version           int // 150018
	VersionText       string
	Database, User    string
	Encoding          string
	Fsync, FullPages  string
	SynchronousCommit string
	Autovacuum        bool // and the statistics that it needs
	InRecovery        bool
	ReadOnly          string // default_transaction_read_only
	Connections       int    // of all users
	SeesAll           bool   // transactions of other users, too
	MaxConnections    int    // for users that are not superusers
	OldestID          int64
}

// Server reads the state of the server.
func (i *Inspector) Server(ctx context.Context) (s ServerState, err error) {
	defer named(&err, "read the settings of the database")
	found, err := inspectRows[ServerState](ctx, i, `
		SELECT current_setting('server_version_num')::int, current_setting('server_version'), current_database()::text, current_user::text,
			current_setting('server_encoding'), current_setting('fsync'), current_setting('full_page_writes'),
			current_setting('synchronous_commit'), current_setting('autovacuum')::bool AND current_setting('track_counts')::bool,
			pg_is_in_recovery(), current_setting('default_transaction_read_only'),
			(SELECT sum(numbackends) FROM pg_stat_database)::int, pg_has_role('pg_read_all_stats', 'USAGE'),
			current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
			(SELECT age(datfrozenxid) FROM pg_database WHERE datname = current_database())::bigint`)
	if err != nil {
		return s, err
	}
	return found[0], nil
}

// Link is how this process is connected to the database.
type Link struct {
	Address   string
	IsLocal   bool // a socket, or an address of this machine's loopback
	Encrypted bool
}

// Link returns how this process is connected.
func (i *Inspector) Link(ctx context.Context) (l Link, err error) {
	defer named(&err, "look at the connection to the database")
	conn, err := i.pool.Acquire(ctx)
	if err != nil {
		return l, err
	}
	defer conn.Release()
	raw := conn.Conn().PgConn().Conn()
	_, l.Encrypted = raw.(*tls.Conn)
	l.Address = raw.RemoteAddr().String()
	switch addr := raw.RemoteAddr().(type) {
	case *net.UnixAddr:
		l.IsLocal = true
	case *net.TCPAddr:
		l.IsLocal = addr.IP.IsLoopback()
	}
	return l, nil
}

// UnvacuumedTables lists our tables for which autovacuum is switched off.
func (i *Inspector) UnvacuumedTables(ctx context.Context) (_ []string, err error) {
	defer named(&err, "look for tables without autovacuum")
	return i.texts(ctx, `SELECT c.oid::regclass::text FROM pg_class c
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
			AND EXISTS (SELECT FROM unnest(c.reloptions) o WHERE o IN ('autovacuum_enabled=false', 'autovacuum_enabled=off')) ORDER BY 1`)
}

// Collation is a collation that indexes were built with, and the version that the operating system has of it now.
type Collation struct{ Name, Built, Now string }

// Collations lists the collations whose version has changed since: the database's own, and ours. HasICU reports
// whether ours exists or could be made.
func (i *Inspector) Collations(ctx context.Context) (changed []Collation, hasICU bool, err error) {
	defer named(&err, "compare the versions of collations")
	err = i.row(ctx, []any{&hasICU}, "SELECT EXISTS (SELECT FROM pg_collation WHERE collprovider = 'i')")
	if err != nil {
		return nil, false, err
	}
	changed, err = inspectRows[Collation](ctx, i, `
		SELECT 'DATABASE ' || quote_ident(datname), datcollversion, pg_database_collation_actual_version(oid) FROM pg_database
		WHERE datname = current_database() AND datcollversion <> pg_database_collation_actual_version(oid)
		UNION ALL
		SELECT 'COLLATION ' || oid::regcollation, collversion, pg_collation_actual_version(oid) FROM pg_collation
		WHERE collname = 'natural_order' AND collversion <> pg_collation_actual_version(oid)`)
	return changed, hasICU, err
}

// ForeignTables lists tables of ours that the user does not own, and the owner: migrations and upkeep change them.
func (i *Inspector) ForeignTables(ctx context.Context) (_ []Owned, err error) {
	defer named(&err, "look for tables of other owners")
	return inspectRows[Owned](ctx, i, `SELECT c.relnamespace::regnamespace::text, c.oid::regclass::text, pg_get_userbyid(c.relowner)::text,
		c.relowner FROM pg_class c
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT pg_has_role(c.relowner, 'USAGE') ORDER BY 2`)
}

// Owned is a table and its owner.
type Owned struct {
	Schema, Table, Owner string
	OwnerID              uint32
}

// firstRole is the id of the role that a cluster is made with, often postgres. The system's own objects belong to it, so
// that REASSIGN refuses it.
const firstRole = 10

// GiveTo returns the statement that gives a user what the owner of the table has in its schema.
func (o Owned) GiveTo(user string) string {
	if o.OwnerID != firstRole {
		return "REASSIGN OWNED BY " + quote(o.Owner) + " TO " + quote(user)
	}
	return "DO $do$ DECLARE t regclass; BEGIN FOR t IN SELECT oid FROM pg_class WHERE relnamespace = $s$" + o.Schema + "$s$::regnamespace " +
		"AND relowner = " + strconv.Itoa(firstRole) + " AND relkind = ANY ($k${r,p}$k$) " +
		"LOOP EXECUTE format($f$ALTER TABLE %s OWNER TO %I$f$, t, $u$" + user + "$u$); END LOOP; END $do$"
}

// Transaction is an open transaction. Its statement is not read: it may contain a secret.
type Transaction struct {
	PID               int
	User, Application string
	State             string
	Age               time.Duration
}

// LongTransactions lists the transactions that have been open for a time, the oldest first; prepared ones too, which have no process.
// Those of other users are seen only where ServerState.SeesAll.
func (i *Inspector) LongTransactions(ctx context.Context, atLeast time.Duration) (_ []Transaction, err error) {
	defer named(&err, "list long transactions")
	return inspectRows[Transaction](ctx, i, `
		SELECT pid, user_name, application_name, state, age FROM (
			SELECT pid, coalesce(usename::text, '') AS user_name, application_name, coalesce(state, '') AS state,
				clock_timestamp() - xact_start AS age
			FROM pg_stat_activity WHERE datname = current_database() AND xact_start IS NOT NULL AND backend_type = 'client backend'
			UNION ALL
			SELECT 0, owner::text, gid, 'prepared', clock_timestamp() - prepared FROM pg_prepared_xacts WHERE database = current_database()) t
		WHERE age >= $1::interval ORDER BY age DESC`, atLeast)
}

// DataDirectory returns where the server keeps its files, "" if this user may not know.
func (i *Inspector) DataDirectory(ctx context.Context) (dir string, err error) {
	defer named(&err, "read where the data directory is")
	err = i.row(ctx, []any{&dir}, "SELECT coalesce(max(setting), '') FROM pg_settings WHERE name = 'data_directory'")
	return dir, err
}
