package store_test

import (
	"context"
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"

	"terrier/internal/dbtest"
	"terrier/internal/store"
)

// asPlainRole makes a role that may only connect, and returns the address with it.
func asPlainRole(t *testing.T, db *pgx.Conn, address string) (role, as string) {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	role = "plain " + parsed.Path[len(parsed.Path)-8:]
	if _, err := db.Exec(t.Context(), `CREATE ROLE "`+role+`" LOGIN`); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, statement := range []string{`DROP OWNED BY "` + role + `" CASCADE`, `DROP ROLE "` + role + `"`} {
			if _, err := db.Exec(context.Background(), statement); err != nil {
				t.Error(err)
			}
		}
	})
	parsed.User = url.User(role)
	return role, parsed.String()
}

func connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func inspect(t *testing.T, address string) (*store.Inspector, store.ServerState) {
	t.Helper()
	i, err := store.Inspect(t.Context(), address, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(i.Close)
	state, err := i.Server(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return i, state
}

// TestServerAsPlainRole: a user who may not see what others do still counts their connections, and knows what it can't see.
func TestServerAsPlainRole(t *testing.T) {
	t.Parallel()
	address := dbtest.New(t)
	db := connect(t, address)
	role, plain := asPlainRole(t, db, address)
	const others = 10
	for range others {
		connect(t, address)
	}
	if _, err := db.Exec(t.Context(), "BEGIN"); err != nil {
		t.Fatal(err)
	}
	i, state := inspect(t, plain)
	if state.Connections <= others || state.SeesAll {
		t.Errorf("%d connections, sees all: %t", state.Connections, state.SeesAll)
	}
	if open, err := i.LongTransactions(t.Context(), 0); err != nil || ofOthers(open, state.User) {
		t.Errorf("transactions of others: %+v %v", open, err)
	}
	if _, err := db.Exec(t.Context(), `COMMIT; GRANT pg_read_all_stats TO "`+role+`"`); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(t.Context(), "BEGIN"); err != nil {
		t.Fatal(err)
	}
	i, state = inspect(t, plain)
	if open, err := i.LongTransactions(t.Context(), 0); err != nil || !ofOthers(open, state.User) || !state.SeesAll {
		t.Errorf("with the role: %+v %v, sees all: %t", open, err, state.SeesAll)
	}
	if _, err := db.Exec(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
}

// TestGiveTo: the statement gives a user the tables that it needs, also those of the role that the cluster was made with.
func TestGiveTo(t *testing.T) {
	t.Parallel()
	address := dbtest.New(t)
	db := connect(t, address)
	role, plain := asPlainRole(t, db, address)
	i, _ := inspect(t, plain)
	foreign, err := i.ForeignTables(t.Context())
	if err != nil || len(foreign) == 0 {
		t.Fatalf("%d tables, %v", len(foreign), err)
	}
	other := foreign[0]
	other.Owner, other.OwnerID = "some one", 4711
	if got, want := other.GiveTo(role), `REASSIGN OWNED BY "some one" TO "`+role+`"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if _, err := db.Exec(t.Context(), foreign[0].GiveTo(role)); err != nil {
		t.Fatal(err)
	}
	if left, err := i.ForeignTables(t.Context()); err != nil || len(left) > 0 {
		t.Errorf("%d of %d tables are left, such as %+v: %v", len(left), len(foreign), left, err)
	}
}

// ofOthers reports whether a transaction is of another user.
func ofOthers(open []store.Transaction, user string) bool {
	for _, o := range open {
		if o.User != user {
			return true
		}
	}
	return false
}
