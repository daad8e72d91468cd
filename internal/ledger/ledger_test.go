package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/access"
	"terrier/internal/account"
	"terrier/internal/dbtest"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/test/storetest"
)

// bundle is a ledger on a database of its own, with a count of the statements it sends.
type bundle struct {
	*ledger.Ledger
	reg        *record.Registry
	db         *pgxpool.Pool
	root       ledger.Caller
	statements *dbtest.Counter
}

// newBundle returns a bundle. It creates the tables of more record types.
func newBundle(t *testing.T, more ...record.Type) *bundle {
	t.Helper()
	statements := &dbtest.Counter{}
	s, reg, db := storetest.Open(t, statements, more...)
	keys, err := account.NewKeyring("a-key-for-tests-that-is-long-enough-to-be-accepted-0123456789", nil)
	if err != nil {
		t.Fatal(err)
	}
	return &bundle{reg: reg, db: db, statements: statements,
		root: ledger.Caller{Subject: &access.Subject{UserID: 1, Username: "root", Superuser: true}, RequestID: uuid.NewString()},
		Ledger: &ledger.Ledger{Store: s, Policy: &access.Policy{}, Sealer: &account.Sealer{Keys: keys, Passwords: account.NewPasswords()},
			Printer: &record.Printer{Base: "http://terrier.test"}, Now: time.Now}}
}

func (b *bundle) create(t *testing.T, key string, inputs ...ledger.Input) []record.Values {
	t.Helper()
	rows, err := b.Create(t.Context(), b.root, b.reg.Type(key), inputs)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// count returns how many statements fn sends.
func (b *bundle) count(fn func()) int64 { return b.statements.During(fn) }

func (b *bundle) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := b.db.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func (b *bundle) number(t *testing.T, sql string, args ...any) (n int64) {
	t.Helper()
	if err := b.db.QueryRow(t.Context(), sql, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}

func named(n int) ledger.Input {
	return ledger.Input{"name": fmt.Sprintf("n%d", n), "slug": fmt.Sprintf("n%d", n)}
}

// TestStatements checks the number of statements of each kind of request: the same for
// one record and for a thousand, with references, tags and custom fields.
func TestStatements(t *testing.T) {
	b := newBundle(t)
	sites := b.reg.Type("dcim.site")
	b.create(t, "dcim.region", named(1))
	b.create(t, "dcim.sitegroup", named(1))
	b.create(t, "tenancy.tenant", named(1))
	b.create(t, "extras.tag", named(1))
	b.create(t, "extras.customfield", ledger.Input{"name": "owner", "content_types": []any{"dcim.site"}})
	full := func(n int) ledger.Input {
		in := named(n)
		in["region"], in["group"], in["tenant"] = "1", ledger.Input{"slug": "n1"}, "1"
		in["tags"], in["custom_fields"] = []any{ledger.Input{"slug": "n1"}}, ledger.Input{"owner": "x"}
		return in
	}
	many := func(from, n int) []ledger.Input {
		out := make([]ledger.Input, n)
		for i := range out {
			out[i] = full(from + i)
		}
		return out
	}
	var made []record.Values
	edits := func(n int, field string, value any) []ledger.Edit {
		out := make([]ledger.Edit, n)
		for i := range out {
			out[i] = ledger.Edit{ID: made[i].ID(), Input: ledger.Input{field: value}}
		}
		return out
	}
	for _, size := range []int{1, 1000} {
		for _, c := range []struct {
			what string
			want int64
			do   func() error
		}{
			// BEGIN, ids, custom fields, group, region, tags, tenant; insert, read back, webhooks;
			// change rows, counts, COMMIT: three round trips
			{"create", 13, func() (err error) {
				made, err = b.Create(t.Context(), b.root, sites, many(10*size, size))
				return err
			}},
			// page, count
			{"list", 2, func() error {
				page, err := b.List(t.Context(), b.root, sites, store.Query{Limit: size})
				if err == nil && len(page.Rows) != size {
					err = fmt.Errorf("%d rows", len(page.Rows))
				}
				return err
			}},
			{"get", 1, func() error {
				_, err := b.Get(t.Context(), b.root, sites, made[0].ID())
				return err
			}},
			// BEGIN, lock, read; custom fields; update, read back, webhooks; change rows, counts,
			// COMMIT
			{"update", 10, func() error {
				_, err := b.Update(t.Context(), b.root, sites, edits(size, "description", fmt.Sprint("new ", size)))
				return err
			}},
			// BEGIN, lock, read; custom fields; COMMIT
			{"update without a change", 5, func() error {
				_, err := b.Update(t.Context(), b.root, sites, edits(size, "description", fmt.Sprint("new ", size)))
				return err
			}},
			// BEGIN, lock, read; lock for deletion, lock locations, VLAN groups, config contexts and journal entries, read them, look for
			// what protects the site: racks, devices, prefixes, VLANs, clusters and virtual machines; delete, webhooks; change rows,
			// counts, COMMIT
			{"delete", 25, func() error { return b.Delete(t.Context(), b.root, sites, edits(size, "", nil)) }},
		} {
			var err error
			if got := b.count(func() { err = c.do() }); got != c.want || err != nil {
				t.Errorf("%s of %d: %d statements, want %d (%v)", c.what, size, got, c.want, err)
			}
		}
	}
}

// TestTwoMovesCanNotFormACycle moves two regions below each other at the same time.
func TestTwoMovesCanNotFormACycle(t *testing.T) {
	b := newBundle(t)
	regions := b.reg.Type("dcim.region")
	for round := range 10 {
		rows := b.create(t, "dcim.region", named(2*round), named(2*round+1))
		var done sync.WaitGroup
		errs := make([]error, 2)
		for i := range 2 {
			done.Go(func() {
				_, errs[i] = b.Update(t.Context(), b.root, regions,
					[]ledger.Edit{{ID: rows[i].ID(), Input: ledger.Input{"parent": fmt.Sprint(rows[1-i].ID())}}})
			})
		}
		done.Wait()
		if (errs[0] == nil) == (errs[1] == nil) {
			t.Fatalf("round %d: exactly one of two crossing moves must win: %v, %v", round, errs[0], errs[1])
		}
		if fault.KindOf(errors.Join(errs...)) != fault.Invalid {
			t.Fatalf("round %d: %v", round, errors.Join(errs...))
		}
	}
}

// TestCreationsAwaitMoves: a record that is created below a branch, while that is being moved, can't become too deep.
func TestCreationsAwaitMoves(t *testing.T) {
	b := newBundle(t)
	regions := b.reg.Type("dcim.region")
	var branch []int64
	for n := range 100 {
		in := named(n)
		if n > 0 {
			in["parent"] = fmt.Sprint(branch[n-1])
		}
		branch = append(branch, b.create(t, "dcim.region", in)[0].ID())
	}
	top := b.create(t, "dcim.region", named(100))[0].ID()
	move, err := b.db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = move.Rollback(context.Background()) }()
	if _, err := move.Exec(t.Context(), "SELECT pg_advisory_xact_lock(hashtextextended('tree:dcim.region', 0))"); err != nil {
		t.Fatal(err)
	}
	if _, err := move.Exec(t.Context(), "UPDATE dcim_region SET parent_id = $1 WHERE id = $2", top, branch[0]); err != nil {
		t.Fatal(err)
	}
	created := make(chan error, 1)
	go func() {
		in := named(101)
		in["parent"] = fmt.Sprint(branch[99])
		_, err := b.Create(t.Context(), b.root, regions, []ledger.Input{in})
		created <- err
	}()
	for waiting := 0; waiting == 0; {
		err := b.db.QueryRow(t.Context(), "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = "+
			"(SELECT oid FROM pg_database WHERE datname = current_database())").Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-created:
			t.Fatalf("a region was created below a branch that is being moved (%v)", err)
		default:
		}
	}
	if err := move.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-created; fault.KindOf(err) != fault.Invalid {
		t.Errorf("a region with 101 others above it: %v", err)
	}
}

// TestVersionsAreGapless changes one record in many requests at once.
func TestVersionsAreGapless(t *testing.T) {
	b := newBundle(t)
	sites := b.reg.Type("dcim.site")
	id := b.create(t, "dcim.site", named(1))[0].ID()
	const writers, each = 4, 10
	var done sync.WaitGroup
	for w := range writers {
		done.Go(func() {
			for i := range each {
				if _, err := b.Update(t.Context(), b.root, sites,
					[]ledger.Edit{{ID: id, Input: ledger.Input{"description": fmt.Sprintf("%d-%d", w, i)}}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
	var gaps, broken int
	err := b.db.QueryRow(t.Context(), `
		WITH c AS (SELECT version, prechange, lag(postchange) OVER w AS before, lag(version) OVER w AS last
			FROM extras_objectchange WHERE object_type = 'dcim.site' AND object_id = $1 WINDOW w AS (ORDER BY version))
		SELECT count(*) FILTER (WHERE last IS NOT NULL AND version <> last + 1), count(*) FILTER (WHERE last IS NOT NULL
			AND prechange <> before) FROM c`, id).Scan(&gaps, &broken)
	if err != nil || gaps != 0 || broken != 0 {
		t.Errorf("%d gaps, %d states that do not follow from the one before (%v)", gaps, broken, err)
	}
	v, err := b.Get(t.Context(), b.root, sites, id)
	if err != nil || v.Version != writers*each+1 {
		t.Errorf("version %d after %d changes (%v)", v.Version, writers*each, err)
	}
}

// TestCrossingBulksFinish updates the same records in opposite orders at once.
func TestCrossingBulksFinish(t *testing.T) {
	b := newBundle(t)
	sites := b.reg.Type("dcim.site")
	rows := b.create(t, "dcim.site", named(1), named(2), named(3))
	var done sync.WaitGroup
	for w := range 4 {
		done.Go(func() {
			for i := range 10 {
				edits := make([]ledger.Edit, len(rows))
				for n := range rows {
					at := n
					if w%2 == 1 {
						at = len(rows) - 1 - n
					}
					edits[n] = ledger.Edit{ID: rows[at].ID(), Input: ledger.Input{"facility": fmt.Sprintf("%d-%d", w, i)}}
				}
				if _, err := b.Update(t.Context(), b.root, sites, edits); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
}

// TestTagCanNotVanish deletes a tag while it is set on records: no record is left with a tag that does not exist.
func TestTagCanNotVanish(t *testing.T) {
	b := newBundle(t)
	for round := range 10 {
		tag := b.create(t, "extras.tag", named(round))[0].ID()
		var done sync.WaitGroup
		done.Go(func() {
			in := named(round)
			in["tags"] = []any{fmt.Sprint(tag)}
			_, err := b.Create(t.Context(), b.root, b.reg.Type("dcim.site"), []ledger.Input{in})
			if err != nil && fault.KindOf(err) != fault.Invalid {
				t.Error(err)
			}
		})
		done.Go(func() {
			if err := b.Delete(t.Context(), b.root, b.reg.Type("extras.tag"), []ledger.Edit{{ID: tag}}); err != nil {
				t.Error(err)
			}
		})
		done.Wait()
	}
	var lost int
	err := b.db.QueryRow(t.Context(),
		"SELECT count(*) FROM dcim_site s, unnest(s.tags) g WHERE NOT EXISTS (SELECT FROM extras_tag WHERE id = g)").Scan(&lost)
	if err != nil || lost != 0 {
		t.Errorf("%d sites wear a tag that does not exist (%v)", lost, err)
	}
}
