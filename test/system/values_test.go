package system_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
)

type object = map[string]any

// randomHex returns n random bytes, written as text.
func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails, by its documentation
	return hex.EncodeToString(b)
}

// randomKey is a token's key.
func randomKey() string { return randomHex(20) }

// connect opens the database beside the servers, to look at what they did.
func connect(t *testing.T, database string) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(context.Background(), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// number reads one number.
func number(t *testing.T, pool *pgxpool.Pool, query string, args ...any) int {
	t.Helper()
	var n int
	if err := pool.QueryRow(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}
