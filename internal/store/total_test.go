package store_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"terrier/internal/access"
	"terrier/internal/dbtest"
	"terrier/internal/fault"
	"terrier/internal/inventory"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/test/storetest"
)

// counted is a filtered list that finds every tag, and counts its statements.
type counted struct {
	*dbtest.Counter
	list func(q store.Query) (store.Page, error)
}

func newCounted(t *testing.T, tags int) counted {
	t.Helper()
	c := counted{Counter: &dbtest.Counter{}}
	s, reg, db := storetest.Open(t, c.Counter)
	if _, err := db.Exec(t.Context(), `INSERT INTO extras_tag (version, name, slug, color, description, created, last_updated)
		SELECT 1, 'n' || i, 's' || i, '', 'found', now(), now() FROM generate_series(1, $1) i`, tags); err != nil {
		t.Fatal(err)
	}
	typ := reg.Type("extras.tag")
	c.list = func(q store.Query) (store.Page, error) {
		q.Scope, q.View = access.Machine(), record.View{Brief: true}
		q.Where = []record.Predicate{{Field: typ.Field("description"), Values: []any{"found"}}}
		return s.List(t.Context(), typ, q)
	}
	return c
}

// page reads a page and checks its count and the number of statements.
func (c counted) page(t *testing.T, q store.Query, want store.Total, statements int64) store.Page {
	t.Helper()
	var page store.Page
	var err error
	n := c.During(func() { page, err = c.list(q) })
	if err != nil || page.Total != want || n != statements {
		t.Fatalf("%+v: %+v with %d statements (%v), want %+v with %d", q, page.Total, n, err, want, statements)
	}
	return page
}

// TestCountTravels: whoever reads a filtered list by its cursors counts it once, on the first page.
func TestCountTravels(t *testing.T) {
	t.Parallel()
	const manyTags = 100_000
	c := newCounted(t, manyTags)
	all, capped := store.Total{Count: manyTags, Counted: true}, store.Total{Count: store.CountCap + 1, Counted: true, Capped: true}

	q := store.Query{Limit: 1000}
	page := c.page(t, q, all, 2)
	read := len(page.Rows)
	for page.Next != "" {
		q.Cursor = page.Next
		page = c.page(t, q, all, 1)
		read += len(page.Rows)
	}
	if read != manyTags {
		t.Errorf("%d of %d were read", read, manyTags)
	}
	q.Cursor = page.Prev
	c.page(t, q, all, 1)

	q = store.Query{Limit: 10, Count: store.CountCapped}
	page = c.page(t, q, capped, 2)
	q.Cursor = page.Next
	c.page(t, q, capped, 1)
	q.Count = store.CountExact // a capped count is no exact one
	page = c.page(t, q, all, 2)
	q.Cursor, q.Count = page.Next, store.CountCapped // but an exact one is as good as a capped one
	c.page(t, q, all, 1)

	q.Cursor, _, _ = strings.Cut(page.Next, ".") // as it was before cursors had counts
	c.page(t, q, capped, 2)

	page = c.page(t, store.Query{Limit: 10, Count: store.CountNone}, store.Total{}, 1)
	c.page(t, store.Query{Limit: 10, Count: store.CountNone, Cursor: page.Next}, store.Total{}, 1)
	c.page(t, store.Query{Limit: 10, MaxBytes: 1}, all, 2) // the page ends early, and the count is asked for again
}

// TestForgedCount: a cursor with another count answers with that count. One that is no count is refused.
func TestForgedCount(t *testing.T) {
	t.Parallel()
	c := newCounted(t, 3)
	first, err := c.list(store.Query{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	cursor, _, _ := strings.Cut(first.Next, ".")
	c.page(t, store.Query{Limit: 1, Cursor: cursor + ".7"}, store.Total{Count: 7, Counted: true}, 1)
	c.page(t, store.Query{Limit: 1, Cursor: cursor + ".7c", Count: store.CountCapped}, store.Total{Count: 7, Counted: true, Capped: true}, 1)
	for _, count := range []string{"", "c", "-1", "+1", "x", "1x", "1cc", "1.1", "0x1", "1_0", " 1", "9223372036854775808"} {
		n := c.During(func() { _, err = c.list(store.Query{Limit: 1, Cursor: cursor + "." + count}) })
		if fault.KindOf(err) != fault.Invalid || n != 0 {
			t.Errorf("%q: %v, with %d statements", count, err, n)
		}
	}
	if _, err = c.list(store.Query{Limit: 1, Cursor: ".1"}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a count alone: %v", err)
	}
}

// TestSlowCount: the error of a list that can't be counted in time says what to do. A page that waits only some time for the count
// is shown without.
func TestSlowCount(t *testing.T) {
	t.Parallel()
	reg, err := record.NewRegistry(inventory.Types()...)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		query  store.Query
		remedy string
	}{
		"exact":   {store.Query{}, "Narrow the filters, or ask for count=capped, which stops at 10001."},
		"capped":  {store.Query{Count: store.CountCapped}, "Narrow the filters."},
		"bounded": {store.Query{CountTime: 10 * time.Millisecond}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := store.Open(t.Context(), dbtest.New(t)+"&statement_timeout=2s&pool_max_conns=2", reg, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Close)
			list := func() (store.Page, error) {
				q := c.query
				q.Scope, q.Limit = access.Machine(), 1
				return s.List(t.Context(), reg.Type("extras.tag"), q)
			}
			if _, err := list(); err != nil { // it prepares the statements, which would wait for the lock too
				t.Fatal(err)
			}
			tx, err := s.Pool().Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = tx.Rollback(context.Background()) }()
			// An unfiltered list is counted there.
			if _, err := tx.Exec(t.Context(), "LOCK TABLE record_count IN ACCESS EXCLUSIVE MODE"); err != nil {
				t.Fatal(err)
			}
			page, err := list()
			switch {
			case page.Total != (store.Total{}):
				t.Errorf("counted %+v", page.Total)
			case c.remedy == "" && err != nil:
				t.Error(err)
			case c.remedy != "" && (fault.KindOf(err) != fault.Slow || !strings.HasSuffix(err.Error(), c.remedy)):
				t.Errorf("%v, want %s", err, c.remedy)
			}
		})
	}
}
