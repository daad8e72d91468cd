package install

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
)

// RandomHex returns n random bytes, written as text.
func RandomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails, by its documentation
	return hex.EncodeToString(b)
}

// Connect opens the database beside the servers, to look at what they did.
func Connect(t *testing.T, database string) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(context.Background(), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// Number reads one number.
func Number(t *testing.T, pool *pgxpool.Pool, query string, args ...any) int {
	t.Helper()
	var n int
	if err := pool.QueryRow(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// Dump is everything that the database keeps.
func Dump(t *testing.T, database string) string {
	t.Helper()
	program, err := exec.LookPath("pg_dump")
	if installed, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pg_dump"); len(installed) > 0 {
		program, err = slices.Max(installed), nil // not Debian's wrapper, which looks for clusters of its own
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), program, "--dbname="+database).Output()
	if err != nil {
		t.Fatalf("pg_dump: %v", err)
	}
	return string(out)
}
