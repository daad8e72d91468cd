package store

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/record"
)

// NextIDs draws ids before their rows are written, so that a secret can be bound to its
// row.
func (tx *Tx) NextIDs(t *record.Type, n int, into *[]int64) {
	sql, args := fmt.Sprintf("SELECT nextval('%s_id_seq')", t.Table()), []any(nil)
	if n != 1 { // a statement with a number of rows is planned anew each time
		sql, args = sql+" FROM generate_series(1, $1::int)", []any{n}
	}
	tx.query(sql, args, collect(into))
}

func collect[T any](into *[]T) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*into, err = pgx.CollectRows(rows, pgx.RowTo[T])
		return err
	}
}

// Insert writes new records: one statement, however many.
func (tx *Tx) Insert(t *record.Type, rows []record.Values) {
	c := columnsOf(t, rows)
	tx.exec(fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM unnest(%s) AS x(%s)",
		quote(t.Table()), c.names(), c.casts(), c.params(), c.names()), c.args...)
}

// Update writes whole records back: one statement, however many.
func (tx *Tx) Update(t *record.Type, rows []record.Values) {
	c := columnsOf(t, rows)
	sets := make([]string, len(c.cols))
	for i, col := range c.cols {
		sets[i] = quote(col.name) + " = " + col.cast
	}
	tx.exec(fmt.Sprintf("UPDATE %s t SET %s FROM unnest(%s) AS x(%s) WHERE t.id = x.id",
		quote(t.Table()), strings.Join(sets[1:], ", "), c.params(), c.names()), c.args...)
}

// Delete removes records.
func (tx *Tx) Delete(t *record.Type, ids []int64) {
	tx.exec("DELETE FROM "+quote(t.Table())+" WHERE id = ANY($1)", ids)
}

// AddCounts notes how many records of each type came or went.
func (tx *Tx) AddCounts(counts map[string]int) {
	var types []string
	var ns []int64
	for key, n := range counts {
		if n != 0 {
			types, ns = append(types, key), append(ns, int64(n))
		}
	}
	if len(types) > 0 {
		tx.exec("INSERT INTO record_count (type, n) SELECT * FROM unnest($1::text[], $2::bigint[])", types, ns)
	}
}

// LockTree lets one change set at a time move records of a tree: two moves that are each
// valid can together form a cycle.
func (tx *Tx) LockTree(t *record.Type) {
	tx.exec("SELECT pg_advisory_xact_lock(hashtextextended('tree:' || $1, 0))", t.Key())
}

// Cyclic finds those records of a tree that have become their own ancestors.
func (tx *Tx) Cyclic(t *record.Type, ids []int64, into *[]int64) {
	tx.query(fmt.Sprintf(`
		WITH RECURSIVE up AS (
			SELECT id AS start, parent_id AS at FROM %[1]s WHERE id = ANY($1)
			UNION SELECT up.start, p.parent_id FROM up JOIN %[1]s p ON p.id = up.at)
		SELECT DISTINCT start FROM up WHERE at = start`, quote(t.Table())), []any{ids}, collect(into))
}

// Astray is a record that does not share what it should with the one it refers to.
type Astray struct{ ID, Of int64 }

// Astray finds records that break a Within rule, among the given ones and, where the rule
// is about the type itself, those that refer to them. Two change sets can't break it
// between them as long as what is shared is part of a unique constraint: changing it then
// waits for those who hold the record for a reference.
func (tx *Tx) Astray(t *record.Type, rule record.Within, ids []int64, into *[]Astray) {
	target := t.Field(rule.Ref).(record.Ref).Target()
	ref, same := t.Field(rule.Ref).Column().Name, t.Field(rule.Same).Column().Name
	given := "c.id = ANY($1)"
	if target == t {
		given = "(c.id = ANY($1) OR p.id = ANY($1))"
	}
	sql := fmt.Sprintf("SELECT c.id, p.id FROM %s c JOIN %s p ON p.id = c.%s WHERE %s AND c.%s IS DISTINCT FROM p.%s",
		quote(t.Table()), quote(target.Table()), quote(ref), given, quote(same), quote(target.Field(rule.Same).Column().Name))
	tx.query(sql, []any{ids}, func(rows pgx.Rows) (err error) {
		*into, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Astray])
		return err
	})
}

// columns are the values of several records, turned into one array per column.
type columns struct {
	cols []column
	args []any
}

type column struct {
	name  string
	array string // the parameter's type
	cast  string // how a value of the array becomes the column's
}

func columnsOf(t *record.Type, rows []record.Values) *columns {
	c := &columns{}
	ids, versions := make([]int64, len(rows)), make([]int64, len(rows))
	for i, v := range rows {
		ids[i], versions[i] = v.ID(), v.Version
	}
	c.add("id", "bigint[]", "", ids)
	c.add("version", "bigint[]", "", versions)
	for i, f := range t.All() {
		column := f.Column()
		if column.Storage == record.NoStorage {
			continue
		}
		c.addField(column, rows, i)
	}
	return c
}

func (c *columns) add(name, array, cast string, arg any) {
	expr := "x." + quote(name)
	if cast != "" {
		expr = fmt.Sprintf(cast, expr)
	}
	c.cols = append(c.cols, column{name, array, expr})
	c.args = append(c.args, arg)
}

func (c *columns) addField(column record.Column, rows []record.Values, field int) {
	name := column.Name
	switch column.Storage {
	case record.StoreInt:
		c.add(name, "bigint[]", "", pointers(rows, field, func(v any) int64 {
			if l, ok := v.(record.Link); ok {
				return l.ID
			}
			return v.(int64)
		}))
	case record.StoreFloat:
		c.add(name, "float8[]", "", pointers(rows, field, as[float64]))
	case record.StoreBool:
		c.add(name, "boolean[]", "", pointers(rows, field, as[bool]))
	case record.StoreTime:
		c.add(name, "timestamptz[]", "", pointers(rows, field, as[time.Time]))
	case record.StoreJSON:
		c.add(name, "text[]", "%s::jsonb", pointers(rows, field, func(v any) string { return string(v.(json.RawMessage)) }))
	case record.StoreInts:
		c.add(name, "text[]", "%s::bigint[]", pointers(rows, field, arrayText))
	case record.StoreTexts:
		c.add(name, "text[]", "ARRAY(SELECT json_array_elements_text(%s::json))", pointers(rows, field, func(v any) string {
			return string(record.AppendValue(nil, v))
		}))
	case record.StoreUUID:
		c.add(name, "text[]", "%s::uuid", pointers(rows, field, as[string]))
	default:
		c.add(name, "text[]", "", pointers(rows, field, func(v any) string {
			if s, ok := v.(record.Sealed); ok {
				return string(s)
			}
			return v.(string)
		}))
	}
}

func as[T any](v any) T { return v.(T) }

// pointers collects one field of every record; null is a nil pointer.
func pointers[T any](rows []record.Values, field int, conv func(any) T) []*T {
	out := make([]*T, len(rows))
	for i, v := range rows {
		if value := v.At(field); value != nil {
			x := conv(value)
			out[i] = &x
		}
	}
	return out
}

func arrayText(v any) string {
	b := []byte{'{'}
	for i, l := range v.([]record.Link) {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, l.ID, 10)
	}
	return string(append(b, '}'))
}

func (c *columns) names() string {
	names := make([]string, len(c.cols))
	for i, col := range c.cols {
		names[i] = quote(col.name)
	}
	return strings.Join(names, ", ")
}

func (c *columns) casts() string {
	casts := make([]string, len(c.cols))
	for i, col := range c.cols {
		casts[i] = col.cast
	}
	return strings.Join(casts, ", ")
}

func (c *columns) params() string {
	params := make([]string, len(c.cols))
	for i, col := range c.cols {
		params[i] = fmt.Sprintf("$%d::%s", i+1, col.array)
	}
	return strings.Join(params, ", ")
}
