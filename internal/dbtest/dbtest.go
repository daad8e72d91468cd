// Package dbtest gives each test its own PostgreSQL database.
//
// A database is copied from a template that has the migrated schema. The template is made once for a set of
// migrations and shared by all test programs that use the same server. scripts/postgres starts a server.
//
// The package imports delivery and store, so tests of theirs that use it are in separate packages (store_test).
package dbtest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/delivery"
	"terrier/internal/inventory"
	"terrier/internal/record"
	"terrier/internal/store"
)

const (
	variable = "TERRIER_TEST_DATABASE_URL"
	missing  = variable + " is not set: run the tests with: make test (or scripts/postgres run -- go test ./...)"

	// templateLock is the advisory lock held while a template is made. The number has no meaning.
	templateLock = 7_252_431_606

	// patience bounds every step, so that a hanging server fails the test and not the whole run.
	patience = time.Minute
)

// New returns the URL of a fresh, migrated database that is dropped when the test ends.
func New(tb testing.TB) string {
	tb.Helper()
	server := serverURL(tb)
	from, err := template()
	if err != nil {
		tb.Fatalf("make the template database: %v", err)
	}
	return create(tb, server, from)
}

// Pool returns connections to a fresh, migrated database. They are closed, and the database dropped, when the test ends.
func Pool(tb testing.TB) *pgxpool.Pool {
	tb.Helper()
	return open(tb, New(tb))
}

// EmptyPool is like Pool, without a schema: for tests of the migrations.
func EmptyPool(tb testing.TB) *pgxpool.Pool {
	tb.Helper()
	return open(tb, create(tb, serverURL(tb), "template0"))
}

func serverURL(tb testing.TB) string {
	tb.Helper()
	server := os.Getenv(variable)
	if server == "" {
		tb.Fatal(missing)
	}
	return server
}

func create(tb testing.TB, server, from string) string {
	tb.Helper()
	name := "terrier_test_" + randomHex()
	if err := execute(server, "CREATE DATABASE "+quote(name)+" TEMPLATE "+quote(from)); err != nil {
		tb.Fatalf("make a database for the test: %v", err)
	}
	tb.Cleanup(func() {
		if err := execute(server, "DROP DATABASE "+quote(name)+" WITH (FORCE)"); err != nil {
			tb.Errorf("drop the database of the test: %v", err)
		}
	})
	own, err := withDatabase(server, name)
	if err != nil {
		tb.Fatal(err)
	}
	return own
}

func open(tb testing.TB, database string) *pgxpool.Pool {
	tb.Helper()
	pool, err := pgxpool.New(context.Background(), database)
	if err != nil {
		tb.Fatalf("connect to the database of the test: %v", err)
	}
	tb.Cleanup(pool.Close)
	return pool
}

// template makes the template when this process first needs it, and returns its name.
var template = sync.OnceValues(func() (string, error) {
	sum, err := migrationsHash()
	if err != nil {
		return "", err
	}
	name := "terrier_template_" + sum
	return name, makeTemplate(os.Getenv(variable), name)
})

// makeTemplate migrates under another name and renames last, so that a database with the template's name is always complete.
func makeTemplate(server, name string) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()

	// The lock ends with the connection.
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(templateLock)); err != nil {
		return err
	}
	var exists bool
	err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&exists)
	if err != nil || exists {
		return err
	}

	unfinished := name + "_unfinished"
	for _, statement := range []string{
		"DROP DATABASE IF EXISTS " + quote(unfinished) + " WITH (FORCE)",
		"CREATE DATABASE " + quote(unfinished) + " TEMPLATE template0",
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	target, err := withDatabase(server, unfinished)
	if err != nil {
		return err
	}
	if err := delivery.Migrate(ctx, target, func(string, ...any) {}); err != nil {
		return err
	}
	types, err := recordTypes()
	if err != nil {
		return err
	}
	if err := store.MakeSearchIndexes(ctx, target, types, func(string, ...any) {}); err != nil {
		return err
	}
	// Nobody may connect to a template: CREATE DATABASE fails while somebody is connected.
	for _, statement := range []string{
		"ALTER DATABASE " + quote(unfinished) + " ALLOW_CONNECTIONS false",
		"ALTER DATABASE " + quote(unfinished) + " RENAME TO " + quote(name),
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func recordTypes() ([]*record.Type, error) {
	reg, err := record.NewRegistry(inventory.Types()...)
	if err != nil {
		return nil, err
	}
	return reg.Types(), nil
}

func migrationsHash() (string, error) {
	hash := sha256.New()
	version, err := delivery.SchemaVersion()
	if err != nil {
		return "", err
	}
	types, err := recordTypes()
	if err != nil {
		return "", err
	}
	if _, err := fmt.Fprintln(hash, "river", version, store.SearchIndexes(types)); err != nil {
		return "", err
	}
	err = fs.WalkDir(store.Migrations, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := store.Migrations.ReadFile(path)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(hash, "%s %d\n%s", path, len(text), text)
		return err
	})
	return hex.EncodeToString(hash.Sum(nil)[:8]), err
}

// servers are connections on which databases are made and dropped, by the address of the server: connecting each time
// would cost as much as dropping.
var servers sync.Map // of string → func() (*pgxpool.Pool, error)

// execute has its own context, because a test's is cancelled before its cleanup runs.
func execute(server, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	connect, _ := servers.LoadOrStore(server, sync.OnceValues(func() (*pgxpool.Pool, error) {
		return pgxpool.New(context.Background(), server)
	}))
	pool, err := connect.(func() (*pgxpool.Pool, error))()
	if err != nil {
		return err
	}
	_, err = pool.Exec(ctx, statement)
	return err
}

func withDatabase(server, name string) (string, error) {
	parsed, err := url.Parse(server)
	if err != nil || parsed.Host == "" {
		return "", errors.New(variable + " must be a URL such as postgres://terrier@127.0.0.1:5432/postgres")
	}
	parsed.Path = "/" + name
	return parsed.String(), nil
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

func randomHex() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails, by its documentation
	return hex.EncodeToString(b[:])
}
