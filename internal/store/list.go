package store

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
)

// Query says which records to list.
type Query struct {
	Scope  access.Scope
	Where  []record.Predicate
	Search string
	Order  []string // field names, "-" for descending; the type's own order when empty
	Limit  int
	Offset int    // rows to skip, where there is no cursor
	Cursor string // continue after (or before) this row

	View      record.View // what will be shown: nothing else has to be read
	MaxBytes  int         // the page ends early if its rows exceed this; 0 means MaxPiece
	Count     CountMode
	CountTime time.Duration // the list stays uncounted if counting takes longer; 0 for no such limit
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
	Full   bool   // it ended early, because of its bytes
}

// List reads one page and the count of the whole list in one round trip: two statements, and a third to prove a
// claim, however many rows and references there are. A count with a time limit, and that of a page that ended early,
// has a round trip of its own, and so has a search that uses an index.
func (s *Store) List(ctx context.Context, t *record.Type, q Query) (Page, error) {
	h, err := s.findHits(ctx, t, q)
	if err != nil {
		return Page{}, s.translate(err)
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
	if counts && q.CountTime == 0 {
		l.queueCount(batch, &page.Total)
	}
	if err = s.translate(s.list(reading, q.Scope, batch)); page.Full {
		err = nil
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
	page.cut(l.order, q.Limit, l.backward)
	return page, nil
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
	if l.order, err = orderOf(t, q.Order); err != nil {
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
	after := ""
	if q.Cursor != "" {
		var values []any
		cursor, _, _ := strings.Cut(q.Cursor, ".")
		if values, l.backward, err = decodeCursor(cursor, l.order); err != nil {
			return l, err
		}
		after = w.after(l.order, values, l.backward)
		q.Offset = 0
	}
	by := orderBy(l.order, l.backward)
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
		if i := slices.Index(goesOn[t.Key()], p.Field.Info().Name); i >= 0 && i < rank {
			column, rank = of, i
		}
		if !t.ReadOnly && isChoice(p.Field) {
			return of
		}
	}
	return column
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
	more := len(p.Rows) > limit || p.Full
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
	if more || backward {
		p.Next = encodeCursor(p.Rows[len(p.Rows)-1], order, false) + p.Total.encode()
	}
	p.Prev = encodeCursor(p.Rows[0], order, true) + p.Total.encode()
}

// term is one part of an ordering.
type term struct {
	field   int // position in the type, -1 for the id
	column  string
	expr    string
	storage record.Storage
	null    bool
	last    bool // a reference that may be null: null is compared as the largest number
	desc    bool
	named   *record.Type            // a reference: the order is that of the names of its records, not of their ids
	key     string                  // how a value becomes what it is ordered by; "" where it is that itself
	of      func(record.Values) any // works out what a record is ordered by; nil where that is the field itself
}

// by makes a column the order of a term: its key, where it has one.
func (x *term) by(c record.Column, alias string) string {
	x.storage, x.null, x.column = c.Storage, c.Null, cmp.Or(c.Key.Name, c.Name)
	if c.Key.Name != "" {
		x.key, x.of = keyForms[c.Key.From], c.Key.Of
	}
	if x.of != nil {
		x.storage = c.Key.Storage
	}
	return alias + "." + quote(x.column)
}

// nullLast puts null where PostgreSQL does, and lets it be compared, so that one range of an index follows a cursor. No id is as large.
const nullLast = "coalesce(%s, 9223372036854775807)"

// value hands over what is compared with a term.
func (x term) value(w *where, v any) string {
	if x.key == "" {
		return w.arg(v)
	}
	return fmt.Sprintf(x.key, w.arg(v))
}

// orderOf makes a total order: where the wanted terms do not already decide, the id does.
func orderOf(t *record.Type, names []string) ([]term, error) {
	own := len(names) == 0
	if own {
		names = t.Order
	}
	var order []term
	for _, name := range names {
		bare, desc := strings.CutPrefix(name, "-")
		x := byID(desc)
		if bare != "id" {
			f := t.Field(bare)
			if f == nil || !record.Orderable(f) {
				return nil, fault.Field("ordering", "%q is not a field to order by.", bare)
			}
			x.field = t.Index(bare)
			column := f.Column()
			x.expr = x.by(column, "t")
			// The type's own order means the id of a reference, so that an index of one table carries it.
			if target := record.TargetOf(f); !own && target != nil && target.NamingField() != "" {
				key := target.Field(target.NamingField()).Column()
				x.expr = fmt.Sprintf("(SELECT %s FROM %s o WHERE o.id = %s)", x.by(key, "o"), quote(target.Table()), x.expr)
				x.null, x.named = true, target
			}
			if own && x.null && (record.TargetOf(f) != nil || x.storage == record.StoreInt && f.Info().HalfOf != "") {
				x.expr, x.null, x.last = fmt.Sprintf(nullLast, x.expr), false, true
			}
		}
		if slices.ContainsFunc(order, func(y term) bool { return y.field == x.field }) {
			continue // it is decided already, and every term multiplies the statement
		}
		order = append(order, x)
		if x.field < 0 || (t.Infos()[x.field].Unique && !x.null && x.key == "") { // two names may have one key
			return order, nil
		}
	}
	// The id follows the last term's direction, so that one index serves both.
	return append(order, byID(len(order) > 0 && order[len(order)-1].desc)), nil
}

func byID(desc bool) term {
	return term{field: -1, column: "id", expr: "t.id", storage: record.StoreInt, desc: desc}
}

func orderBy(order []term, backward bool) string {
	parts := make([]string, len(order))
	for i, x := range order {
		parts[i] = x.expr
		if x.desc != backward {
			parts[i] += " DESC"
		}
	}
	return strings.Join(parts, ", ")
}

// after accepts the rows after a given one. If every term can be compared the same way it is a single row comparison,
// which one index answers.
func (w *where) after(order []term, values []any, backward bool) string {
	if x := order[0]; values[0] == nil && x.desc == backward { // null is last: nothing is beyond
		return "(" + x.expr + " IS NULL AND " + w.after(order[1:], values[1:], backward) + ")"
	}
	simple := true
	for _, x := range order {
		simple = simple && !x.null && x.desc == order[0].desc
	}
	if simple {
		var exprs, params []string
		for i, x := range order {
			exprs = append(exprs, x.expr)
			params = append(params, x.value(w, values[i]))
		}
		op := ">"
		if order[0].desc != backward {
			op = "<"
		}
		return fmt.Sprintf("(%s) %s (%s)", strings.Join(exprs, ", "), op, strings.Join(params, ", "))
	}
	var alternatives, equal []string
	for i, x := range order {
		if beyond := w.beyond(x, values[i], x.desc != backward); beyond != "" {
			alternatives = append(alternatives, strings.Join(append(slices.Clone(equal), beyond), " AND "))
		}
		switch {
		case i == len(order)-1:
		case values[i] == nil:
			equal = append(equal, x.expr+" IS NULL")
		default:
			equal = append(equal, x.expr+" = "+x.value(w, values[i]))
		}
	}
	return "((" + strings.Join(alternatives, ") OR (") + "))"
}

// beyond accepts what one term sorts after a value. PostgreSQL sorts null last, and first when descending.
func (w *where) beyond(x term, value any, desc bool) string {
	switch {
	case value == nil && desc:
		return x.expr + " IS NOT NULL"
	case value == nil:
		return ""
	case desc:
		return x.expr + " < " + x.value(w, value)
	case x.null:
		return "(" + x.expr + " > " + x.value(w, value) + " OR " + x.expr + " IS NULL)"
	}
	return x.expr + " > " + x.value(w, value)
}

// A cursor is the direction (n for next, p for previous) and the sort values of its row, and then the count of the
// list, if it is known.
func encodeCursor(v record.Values, order []term, backward bool) string {
	values := make([]any, len(order))
	for i, x := range order {
		if x.field < 0 {
			values[i] = v.ID()
			continue
		}
		if x.of != nil {
			values[i] = x.of(v)
			continue
		}
		values[i] = v.At(x.field)
		if l, ok := values[i].(record.Link); ok {
			if values[i] = any(l.ID); x.named != nil {
				values[i] = x.named.NameOf(l)
			}
		}
	}
	raw, err := json.Marshal(values)
	if err != nil {
		panic(err) // sort values are plain
	}
	direction := "n"
	if backward {
		direction = "p"
	}
	return direction + base64.RawURLEncoding.EncodeToString(raw)
}

var errCursor = fault.Field("cursor", "This is not a cursor of this list; start again from the first page.")

func decodeCursor(s string, order []term) (values []any, backward bool, err error) {
	if s == "" || (s[0] != 'n' && s[0] != 'p') {
		return nil, false, errCursor
	}
	raw, err := base64.RawURLEncoding.DecodeString(s[1:])
	if err != nil {
		return nil, false, errCursor
	}
	var texts []json.RawMessage
	if json.Unmarshal(raw, &texts) != nil || len(texts) != len(order) {
		return nil, false, errCursor
	}
	for i, x := range order {
		v, err := cursorValue(texts[i], x)
		if err != nil {
			return nil, false, errCursor
		}
		values = append(values, v)
	}
	return values, s[0] == 'p', nil
}

func cursorValue(raw json.RawMessage, x term) (any, error) {
	if string(raw) == "null" {
		switch {
		case x.last:
			return int64(math.MaxInt64), nil
		case !x.null:
			return nil, errCursor
		}
		return nil, nil
	}
	var err error
	switch x.storage {
	case record.StoreInt:
		var n int64
		err = json.Unmarshal(raw, &n)
		return n, err
	case record.StoreFloat:
		var n float64
		err = json.Unmarshal(raw, &n)
		return n, err
	case record.StoreBool:
		var b bool
		err = json.Unmarshal(raw, &b)
		return b, err
	case record.StoreTime:
		var t time.Time
		err = json.Unmarshal(raw, &t)
		return t, err
	case record.StoreNumbers:
		var n []int64
		err = json.Unmarshal(raw, &n)
		return n, err
	}
	var s string
	if err = json.Unmarshal(raw, &s); err == nil && strings.ContainsRune(s, 0) {
		err = errCursor
	}
	return s, err
}
