package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/record"
)

// Query says which records to list.
type Query struct {
	Scope  access.Scope
	Where  []record.Predicate
	Search string
	Order  []string         // field names, "-" for descending; the type's own order when empty
	Custom []*record.Custom // the definitions of the custom fields that Order names as cf_<name>
	Limit  int
	Offset int    // rows to skip, where there is no cursor
	Cursor string // continue after (or before) this row
	Tree   bool   // in the type's own order, each record is followed by those below it, if there are not too many

	View      record.View // what will be shown: nothing else has to be read
	MaxBytes  int         // the page ends early if its rows exceed this; 0 means MaxPiece
	Count     CountMode
	CountTime time.Duration // the list stays uncounted, and flat, if reading all of it takes longer; 0 for no such limit

	places []int64 // the ids of the page, in its order
}

// CountMode says how a list is counted. A cursor carries the count of the first page, so that other pages don't count again.
type CountMode int

// How a list is counted.
const (
	CountExact  CountMode = iota // reads all its rows
	CountCapped                  // stops after CountCap rows and one
	CountNone
)

// CountCap is how far a capped count goes.
const CountCap = 10_000

// The maximum size of a page, in bytes from the database. A single record may be longer.
const (
	MaxPiece = 4 << 20  // small enough for any number of callers
	MaxPage  = 32 << 20 // for a few at a time
)

// Page is a part of a list.
type Page struct {
	Rows []record.Values
	Total
	Offset int    // rows of the list before these, as far as the query tells
	Next   string // cursor of the following page, "" at the end
	Prev   string // cursor of the page before, "" when there are no rows
	More   bool   // there are rows after these
	Full   bool   // it ended early, because of its bytes
	Depths []int  // of a Tree: how many of the rows that each is below are in the list; nil if the list is not in the order of the tree
}

// Bytes returns about how much memory the rows take.
func (p Page) Bytes() (n int) {
	for _, row := range p.Rows {
		n += row.Bytes()
	}
	return n
}

// List reads one page and the count of the whole list in one round trip: two statements, and a third to prove a
// claim, however many rows and references there are. A count with a time limit, that of a page that ended early and
// that of a test that looks for other records has a round trip of its own, and so have a search that uses an index, a
// test of a number that is worked out, and fields that other records make up. A tree takes two round trips.
func (s *Store) List(ctx context.Context, t *record.Type, q Query) (_ Page, err error) {
	defer named(&err, "list %s", t)
	q, h, err := s.looked(ctx, t, q)
	if err != nil {
		return Page{}, s.translate(err)
	}
	if q.Tree && len(q.Order) == 0 && q.Cursor == "" { // a cursor comes from a list that is not in the order of its tree
		list, slow, err := s.branches(ctx, t, q, h)
		switch {
		case err != nil:
			return Page{}, err
		case len(list) > 0:
			return s.outlined(ctx, t, q, list)
		case slow:
			q.Count = CountNone // its time is used up
		}
	}
	l, err := s.listing(t, q, h)
	if err != nil {
		return Page{}, err
	}
	page := Page{Offset: q.Offset, Total: l.known}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	batch := &pgx.Batch{}
	prove(ctx, batch)
	read := false
	batch.Queue(l.page.sql, l.page.args...).Query(func(rows pgx.Rows) (err error) {
		if page.Rows, page.Full, err = l.read.scanUpTo(rows, cmp.Or(q.MaxBytes, MaxPiece)); page.Full {
			stop() // and the connection with it: the rest may be gigabytes
		}
		read = err == nil
		return err
	})
	counts := q.Count != CountNone && !page.Counted
	waits := slices.ContainsFunc(q.Where, looksAround)
	if counts && q.CountTime == 0 && !waits {
		l.queueCount(batch, &page.Total)
	}
	if err = s.translate(s.list(reading, q.Scope, batch)); page.Full {
		err = nil
	}
	if counts && waits && err == nil && q.isWhole(page) {
		page.Total = Total{Count: int64(len(page.Rows)), Counted: true}
	}
	if err == nil && counts && !page.Counted {
		err = s.count(ctx, l, q, &page.Total)
	}
	switch {
	case read && errors.Is(err, errSlow):
		return Page{}, errCountSlow[q.Count]
	case err != nil:
		return Page{}, err
	}
	if err := s.mergePage(ctx, t, q, &page, cmp.Or(q.MaxBytes, MaxPiece)); err != nil {
		return Page{}, err
	}
	page.cut(l.order, q.Limit, l.backward)
	return page, nil
}

// looksAround reports whether a test looks for other records of each one. That costs so much that a list is counted only if its first
// page is not all of it.
func looksAround(p record.Predicate) bool { return p.Has != nil }

// isWhole reports whether a page that was read is the whole list.
func (q Query) isWhole(p Page) bool {
	return q.Offset == 0 && q.Cursor == "" && !p.Full && len(p.Rows) <= q.Limit
}

// listing is a query compiled into its two statements.
type listing struct {
	count, page statement
	capped      bool  // the count is one that stops
	known       Total // from the cursor, or from the search
	read        selection
	order       []term
	backward    bool
}

type statement struct {
	sql  string
	args []any
}

// listing compiles a query. If h has what its search finds, it is looked for among that.
func (s *Store) listing(t *record.Type, q Query, h hits) (l listing, err error) {
	if l.order, err = orderOf(t, q); err != nil {
		return l, err
	}
	if l.known, err = q.known(); err != nil {
		return l, err
	}
	if !l.known.Counted {
		l.known = h.total(q.Count)
	}
	w := &where{}
	from := w.list(t, q, h)
	only := onlyValue(t, q)
	l.count, l.capped = countStatement(t, from, w, q.Count, only)
	walks := h.many && walkable(t, l.order)
	if h.many {
		l.count = s.countHits(t, q)
	}
	if h.many && !walks {
		w = &where{}
		from = s.hitsFrom(w, t, q)
	}
	w.bind(l.order)
	by := orderBy(l.order, l.backward)
	if q.places != nil {
		ids := w.arg(q.places)
		w.and("t.id = ANY(" + ids + ")")
		by = fmt.Sprintf("array_position(%s, t.id)", ids)
	}
	after := ""
	if q.Cursor != "" {
		var values []any
		cursor, _, _ := strings.Cut(q.Cursor, ".")
		if values, l.backward, err = decodeCursor(cursor, l.order); err != nil {
			return l, err
		}
		after = w.after(l.order, values, l.backward)
		by = orderBy(l.order, l.backward)
		q.Offset = 0
	}
	if only != "" {
		by = orderBy([]term{{expr: only, desc: l.order[0].desc}}, l.backward) + ", " + by
	}
	p := s.plans[t]
	// The page is cut out first and then joined, so that the cost of nested references does not depend on the planner's
	// view of the whole table. The limit is a literal: with a parameter PostgreSQL expects a tenth of the table and
	// plans every page again, which costs as much as reading it.
	part := fmt.Sprintf("ORDER BY %s LIMIT %d", by, q.Limit+1)
	if q.Offset > 0 {
		part += " OFFSET " + w.arg(q.Offset)
	}
	cut := ""
	if walks {
		cut = s.cutMany(w, t, q, pageCut{after, by, part})
	} else {
		if after != "" {
			w.and(after)
		}
		if slices.ContainsFunc(q.Where, lookedUp) {
			from, w.parts = fmt.Sprintf("(SELECT t.* FROM %s t%s OFFSET 0)", from, w), nil
		}
		cut = fmt.Sprintf("SELECT t.* FROM %s t%s %s", from, w, part)
	}
	l.read = p.selectionOf(q.View, l.order)
	// The second limit cuts off nothing. PostgreSQL computes costly columns, such as custom fields, after the sort only
	// if there is a limit: without it all rows are read completely before the first is sent, however early the page
	// ends.
	l.page.sql = fmt.Sprintf("SELECT %s FROM (%s) t%s ORDER BY %s LIMIT %d", l.read.list(w, q.Scope), cut, l.read.joins, by, q.Limit+1)
	l.page.args = w.args
	return l, nil
}

// goesOn are the fields of deliveries whose index goes on with the default order, the most selective one first. Of types that people write
// they are the choices.
var goesOn = map[string][]string{DeliveryType: {"webhook", "status_code", "event"}}

// onlyValue returns the column of a filter with one value that has an index which goes on with the default order, "" if there is none.
// A list that is ordered by this column first has the same order, and PostgreSQL reads it from that index. Otherwise it may look for a
// rare value in the whole index of the default order, because it does not know the value when it plans.
func onlyValue(t *record.Type, q Query) string {
	if len(q.Order) > 0 || q.Search != "" {
		return "" // another index may be better
	}
	column, rank := "", len(goesOn[t.Key()])
	for _, p := range q.Where {
		if p.Field == nil || p.Custom != "" || len(p.Via) > 0 || p.Lookup != record.Exact || len(p.Values) != 1 || p.Values[0] == nil {
			continue
		}
		of := "t." + quote(p.Field.Column().Name)
		if isMask(t, p.Field) && !slices.ContainsFunc(q.Where, func(other record.Predicate) bool { return isRange(other, p.Field) }) {
			return fmt.Sprintf(partForms[record.MaskLength], of)
		}
		if i := slices.Index(goesOn[t.Key()], p.Field.Info().Name); i >= 0 && i < rank {
			column, rank = of, i
		}
		if !t.ReadOnly && isChoice(p.Field) {
			return of
		}
	}
	return column
}

// isMask reports whether a field is the length of a mask that has an index.
func isMask(t *record.Type, f record.Field) bool {
	c := f.Column()
	return c.Part == record.MaskLength && slices.ContainsFunc(t.Filters, func(x record.Filter) bool {
		return x.Lookup == record.NetMaskLength && t.Field(x.Field).Column().Name == c.Name && hasMaskIndex(t, x)
	})
}

// isRange reports whether a test narrows the networks of a field by more than their masks. Then the index of the networks is better.
func isRange(p record.Predicate, f record.Field) bool {
	within := func(one record.Predicate) bool { return isRange(one, f) }
	if slices.ContainsFunc(p.Any, within) || slices.ContainsFunc(p.Every, within) {
		return true
	}
	if p.Field == nil || p.Custom != "" || len(p.Via) > 0 {
		return false
	}
	c := p.Field.Column()
	return c.Name == f.Column().Name && c.Part == record.Whole
}

// lookedUp reports whether a test finds records in one of several ways, each through an index. They are looked up before they are sorted:
// PostgreSQL expects more of them than there are, and would rather look for them in the whole index of the order.
func lookedUp(p record.Predicate) bool {
	return p.Lookup == record.Exact && len(p.Any) > 0 && every(p.Any, func(one record.Predicate) bool { return one.First })
}

// list narrows a statement to the records of a list, and returns what they are read from.
func (w *where) list(t *record.Type, q Query, h hits) (from string) {
	w.scope(q.Scope, t)
	w.filters(q.Where, t)
	if h.few() { // OFFSET keeps PostgreSQL from looking for these ids in an index of the order or of a filter
		return fmt.Sprintf("(SELECT t.* FROM %s t WHERE t.id = ANY(%s) OFFSET 0)", quote(t.Table()), w.arg(h.ids))
	}
	from = w.searched(t, q.Search)
	w.search(t, q.Search)
	return from
}

// cut drops the row that was read only to see whether there is another page, and makes the cursors.
func (p *Page) cut(order []term, limit int, backward bool) {
	p.More = len(p.Rows) > limit || p.Full || backward && len(p.Rows) > 0
	if len(p.Rows) >= limit {
		p.Rows, p.Full = p.Rows[:limit], false
	}
	if p.Full && backward {
		p.Offset += limit - len(p.Rows)
	}
	if backward {
		slices.Reverse(p.Rows)
	}
	if len(p.Rows) == 0 {
		return
	}
	if p.More {
		p.Next = encodeCursor(p.Rows[len(p.Rows)-1], order, false) + p.Total.encode()
	}
	p.Prev = encodeCursor(p.Rows[0], order, true) + p.Total.encode()
}
