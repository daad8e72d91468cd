// Package storetest gives tests below the API a store on a database of its own.
package storetest

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/dbtest"
	"terrier/internal/inventory"
	"terrier/internal/record"
	"terrier/internal/store"
)

// Open returns a store on a fresh database, the types that it knows, and connections beside it. More types than ours get tables
// from their declarations. The tracer, which may be nil, is that of the store's connections.
func Open(tb testing.TB, tracer pgx.QueryTracer, more ...record.Type) (*store.Store, *record.Registry, *pgxpool.Pool) {
	tb.Helper()
	reg, err := record.NewRegistry(append(inventory.Types(), more...)...)
	if err != nil {
		tb.Fatal(err)
	}
	url := dbtest.New(tb)
	s, err := store.Open(tb.Context(), url, reg, tracer)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	db, err := pgxpool.New(tb.Context(), url)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(db.Close)
	var types []*record.Type
	for _, t := range more {
		types = append(types, reg.Type(t.Key()))
	}
	for _, draft := range store.DraftTables(types) {
		if _, err := db.Exec(tb.Context(), draft); err != nil {
			tb.Fatal(err)
		}
	}
	return s, reg, db
}
