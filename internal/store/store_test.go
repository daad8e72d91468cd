package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/test/storetest"
)

// open returns a store on a fresh database, its types, and connections beside it.
func open(t *testing.T, more ...record.Type) (*store.Store, *record.Registry, *pgxpool.Pool) {
	t.Helper()
	return storetest.Open(t, nil, more...)
}

var postgresTypes = map[record.Storage]string{
	record.StoreText: "text", record.StoreInt: "bigint", record.StoreFloat: "double precision", record.StoreBool: "boolean",
	record.StoreTime: "timestamp with time zone", record.StoreJSON: "jsonb", record.StoreJSONText: "text",
	record.StoreTexts: "text[]", record.StoreInts: "bigint[]", record.StoreUUID: "uuid", record.StoreSealed: "text",
	record.StoreMembers: "jsonb",
}

// inner are columns that only the machine uses.
var inner = map[string][]string{
	store.ChangeType:   {"data"},
	store.DeliveryType: {"change_id", "round", "tries", "job_id"},
}

// TestColumnsAreAsDeclared compares the fields of types that only the machine writes with their tables, which are
// made by hand. Those of the others are compared with their drafts.
func TestColumnsAreAsDeclared(t *testing.T) {
	_, reg, db := open(t)
	for _, typ := range reg.Types() {
		if !typ.ReadOnly {
			continue
		}
		t.Run(typ.Key(), func(t *testing.T) {
			have := map[string]string{}
			rows, err := db.Query(t.Context(), `
				SELECT attname, format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' not null' ELSE '' END
				FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`, typ.Table())
			if err != nil {
				t.Fatal(err)
			}
			var name, is string
			if _, err := pgx.ForEachRow(rows, []any{&name, &is}, func() error { have[name] = is; return nil }); err != nil {
				t.Fatal(err)
			}
			want := map[string]string{"id": "bigint not null", "version": "bigint not null"}
			for _, f := range typ.All() {
				c := f.Column()
				if c.Storage == record.NoStorage {
					continue
				}
				want[c.Name] = postgresTypes[c.Storage]
				if ref, ok := f.(record.Ref); !c.Null || ok && ref.Loose && strings.HasSuffix(have[c.Name], " not null") {
					want[c.Name] += " not null" // a loose reference reads as null when its target is gone, and may be kept always
				}
			}
			for name, is := range want {
				if have[name] != is {
					t.Errorf("column %s is declared %q and is %q", name, is, have[name])
				}
				delete(have, name)
			}
			for _, name := range inner[typ.Key()] {
				delete(have, name)
			}
			if len(have) > 0 {
				t.Errorf("columns that no field declares: %v", have)
			}
			checkConstraints(t, db, typ)
		})
	}
}

func checkConstraints(t *testing.T, db *pgxpool.Pool, typ *record.Type) {
	t.Helper()
	// A rule that ignores case or applies to some records is a unique index, since a constraint has no expression or condition.
	rows, err := db.Query(t.Context(), `
		SELECT conname || ' ' || contype::text FROM pg_constraint WHERE conrelid = $1::regclass
		UNION ALL
		SELECT relname || ' index' FROM pg_index JOIN pg_class ON oid = indexrelid
		WHERE indrelid = $1::regclass AND indisunique AND (indexprs IS NOT NULL OR indpred IS NOT NULL)`, typ.Table())
	if err != nil {
		t.Fatal(err)
	}
	have, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, rule := range typ.Rules() {
		if rule.FoldCase || rule.Where != "" {
			want = append(want, rule.Name+" index")
			continue
		}
		want = append(want, rule.Name+" u")
	}
	for _, f := range typ.All() {
		if ref, ok := f.(record.Ref); ok && !ref.Loose {
			want = append(want, typ.RefRule(ref.Name)+" f")
		}
	}
	for _, c := range want {
		if !slices.Contains(have, c) {
			t.Errorf("there is no constraint %q", c)
		}
	}
	switch typ.Key() {
	case store.DeliveryType:
		want = append(want, "extras_delivery_once u") // of columns that no field declares
	case store.AuditType:
		want = append(want, "extras_auditevent_throttled index", "extras_auditevent_refused index") // of one event alone
	}
	for _, c := range have {
		if !strings.HasSuffix(c, " p") && !slices.Contains(want, c) {
			t.Errorf("constraint %q is not declared", c)
		}
	}
}

// TestDefaultOrderIsIndexed: next costs the same however far: the type's own order comes out of an index, without
// sorting, on every page.
func TestDefaultOrderIsIndexed(t *testing.T) {
	_, reg, db := open(t)
	for _, typ := range reg.Types() {
		t.Run(typ.Key(), func(t *testing.T) {
			plan := explain(t, db, store.ExplainList(typ))
			if strings.Contains(plan, "Sort  (") || !strings.Contains(plan, "Index Cond: ") || strings.Contains(plan, "Filter: ") {
				t.Errorf("the default order is not one range of an index:\n%s", plan)
			}
		})
	}
}

// explain returns how a statement would be run on tables with many rows.
func explain(t *testing.T, db *pgxpool.Pool, statement string, args ...any) string {
	t.Helper()
	conn, err := db.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(t.Context(), "SET enable_seqscan = off; SET enable_bitmapscan = off"); err != nil {
		t.Fatal(err)
	}
	rows, err := conn.Query(t.Context(), "EXPLAIN "+statement, append([]any{pgx.QueryExecModeSimpleProtocol}, args...)...)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// TestCountIsExact compares the cheap count with the rows, through folding.
func TestCountIsExact(t *testing.T) {
	s, reg, db := open(t)
	typ := reg.Type("extras.tag")
	ctx := t.Context()
	for i := range 20 {
		err := s.Write(ctx, access.Asker{}, func(tx *store.Tx) error {
			if _, err := db.Exec(ctx, fmt.Sprintf(`INSERT INTO extras_tag (version, name, slug, color, description, created, last_updated)
				VALUES (1, 'n%[1]d', 's%[1]d', '', '', now(), now())`, i)); err != nil {
				return err
			}
			tx.AddCounts(map[string]int{typ.Key(): 1})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if i%7 == 0 {
			if err := s.FoldCounts(ctx); err != nil {
				t.Fatal(err)
			}
		}
		page, err := s.List(ctx, typ, store.Query{Scope: access.Machine(), Limit: 5})
		if err != nil {
			t.Fatal(err)
		}
		if page.Count != int64(i+1) {
			t.Fatalf("after %d inserts the count is %d", i+1, page.Count)
		}
	}
	var n int
	if err := s.FoldCounts(ctx); err != nil {
		t.Fatal(err)
	}
	if err := db.QueryRow(ctx, "SELECT count(*) FROM record_count WHERE type = $1", typ.Key()).Scan(&n); err != nil || n != 1 {
		t.Errorf("folding left %d rows (%v)", n, err)
	}
}

// TestZeroScopeSeesNothing: code that forgets to ask for permission sees nothing.
func TestZeroScopeSeesNothing(t *testing.T) {
	s, reg, db := open(t)
	if _, err := db.Exec(context.Background(),
		`INSERT INTO extras_tag (version, name, slug, color, description, created, last_updated) VALUES (1, 'n', 's', '', '', `+
			`now(), now())`); err != nil {
		t.Fatal(err)
	}
	page, err := s.List(t.Context(), reg.Type("extras.tag"), store.Query{Limit: 5})
	if err != nil || len(page.Rows) != 0 || page.Count != 0 {
		t.Errorf("the zero scope sees %d rows, count %d (%v)", len(page.Rows), page.Count, err)
	}
}

// TestStatementsHaveFewShapes: what callers send ends up in parameters: the text of a statement depends only on the
// names of filters.
func TestStatementsHaveFewShapes(t *testing.T) {
	s, reg, _ := open(t)
	hostile := []string{"x", "'", `"; DROP TABLE dcim_site; --`, "$1", "\\", "%_", "x' OR '1'='1", "ünïcode", strings.Repeat("a", 5000)}
	for _, typ := range reg.Types() {
		shapes := map[string]bool{}
		names := typ.FilterNames()
		for _, name := range names {
			of := map[string]bool{}
			for i := range hostile {
				p, known, err := typ.ParseFilter(name, hostile[:i+1])
				if !known {
					t.Fatalf("%s has no filter %s", typ.Key(), name)
				}
				if err != nil {
					continue // refused before it gets near a statement
				}
				for j, v := range p.Values {
					if key, secret := v.(record.Plain); secret { // the ledger looks for digests of keys
						p.Values[j] = string(key)
					}
				}
				text, err := store.ListStatement(s, typ, store.Query{Scope: access.Machine(), Where: []record.Predicate{p}, Search: "x", Limit: 50})
				if err != nil {
					t.Fatal(err)
				}
				of[text], shapes[text] = true, true
			}
			if len(of) > 1 {
				t.Errorf("%s: %s makes %d statements", typ.Key(), name, len(of))
			}
		}
		if len(shapes) > len(names) {
			t.Errorf("%s: %d filters make %d statements", typ.Key(), len(names), len(shapes))
		}
		searches := map[string]bool{} // one for each number of words
		for _, text := range append(hostile, strings.Repeat("word ", 1000)) {
			text, err := store.ListStatement(s, typ, store.Query{Scope: access.Machine(), Search: text, Limit: 50})
			if err != nil {
				t.Fatal(err)
			}
			searches[text] = true
		}
		if len(searches) > 8 {
			t.Errorf("%s: searches make %d statements", typ.Key(), len(searches))
		}
	}
}

// TestNothingIsCompiled: without JIT. A fetch of jobs beside a million queued ones would take 20 ms to compile and
// one to run.
func TestNothingIsCompiled(t *testing.T) {
	t.Parallel()
	s, _, _ := open(t)
	var jit string
	if err := s.Pool().QueryRow(t.Context(), "SHOW jit").Scan(&jit); err != nil || jit != "off" {
		t.Errorf("jit is %s: %v", jit, err)
	}
}

// TestAPauseAfterADeadlock: a transaction is tried four times in all, and not at once: what blocked it must not meet it again.
func TestAPauseAfterADeadlock(t *testing.T) {
	t.Parallel()
	s, _, _ := open(t)
	var at []time.Time
	err := s.Write(t.Context(), access.Asker{User: 1}, func(*store.Tx) error {
		at = append(at, time.Now())
		return &pgconn.PgError{Code: "40P01"}
	})
	if err == nil || len(at) != 4 {
		t.Fatalf("after %d tries: %v", len(at), err)
	}
	for i := range at[1:] {
		if pause := at[i+1].Sub(at[i]); pause < 10*time.Millisecond {
			t.Errorf("try %d came after %v", i+2, pause)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	tries := 0
	_ = s.Write(ctx, access.Asker{User: 1}, func(*store.Tx) error { // its error is the deadlock
		tries++
		cancel()
		return &pgconn.PgError{Code: "40P01"}
	})
	if tries != 1 {
		t.Errorf("%d tries for a caller who has gone", tries)
	}
}
