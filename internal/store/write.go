package store

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"terrier/internal/record"
)

// NextIDs draws ids before their rows are written, so that a secret can be bound to its
// row.
func (tx *Tx) NextIDs(t *record.Type, n int) *Promise[[]int64] {
	sql, args := fmt.Sprintf("SELECT nextval('%s_id_seq')", t.Table()), []any(nil)
	if n != 1 { // a statement with a number of rows is planned again each time
		sql, args = sql+" FROM generate_series(1, $1::int)", []any{n}
	}
	return promise(tx, sql, args, each[int64])
}

// Insert writes new records: one statement, however many.
func (tx *Tx) Insert(t *record.Type, rows []record.Values) {
	w := tx.s.plans[t].writing
	tx.exec(w.insert.of(len(rows)), w.columns.args(rows)...)
}

// Update writes whole records back in one statement, however many. Custom fields are merged into the stored ones.
func (tx *Tx) Update(t *record.Type, rows []record.Values) {
	w := tx.s.plans[t].writing
	tx.exec(w.update.of(len(rows)), w.columns.args(rows)...)
}

// Delete removes records.
func (tx *Tx) Delete(t *record.Type, ids []int64) {
	tx.exec("DELETE FROM "+quote(t.Table())+" WHERE id = ANY($1)", ids)
}

// AddCounts records how many records of each type came or went.
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

// LockTree lets one change set at a time move records of a tree: two valid moves can together form a cycle.
func (tx *Tx) LockTree(t *record.Type) {
	tx.exec("SELECT pg_advisory_xact_lock(hashtextextended('tree:' || $1, 0))", t.Key())
}

// ShareTree lets change sets put new records into a tree at the same time, but not while records are moved: a new record below a branch
// that is moved down can be too deep.
func (tx *Tx) ShareTree(t *record.Type) {
	tx.exec("SELECT pg_advisory_xact_lock_shared(hashtextextended('tree:' || $1, 0))", t.Key())
}

// Cyclic finds those records of a tree that have become their own ancestors.
func (tx *Tx) Cyclic(t *record.Type, ids []int64) *Promise[[]int64] {
	return promise(tx, fmt.Sprintf(`
		WITH RECURSIVE up AS (
			SELECT id AS start, parent_id AS at FROM %[1]s WHERE id = ANY($1)
			UNION SELECT up.start, p.parent_id FROM up JOIN %[1]s p ON p.id = up.at)
		SELECT DISTINCT start FROM up WHERE at = start`, quote(t.Table())), []any{ids}, each[int64])
}

// TooDeep finds those records of a tree through which a path from its top goes down more steps than most.
func (tx *Tx) TooDeep(t *record.Type, ids []int64, most int) *Promise[[]int64] {
	return promise(tx, fmt.Sprintf(`
		WITH RECURSIVE up AS (
			SELECT id AS start, parent_id AS at, 0 AS n FROM %[1]s WHERE id = ANY($1)
			UNION ALL SELECT up.start, p.parent_id, up.n + 1 FROM up
			CROSS JOIN LATERAL (SELECT parent_id FROM %[1]s WHERE id = up.at OFFSET 0) p WHERE up.n <= $2),
		down AS (
			SELECT unnest($1::bigint[]) AS start, unnest($1::bigint[]) AS id, 0 AS n
			UNION ALL SELECT down.start, c.id, down.n + 1 FROM down
			CROSS JOIN LATERAL (SELECT id FROM %[1]s WHERE parent_id = down.id OFFSET 0) c WHERE down.n <= $2)
		SELECT start FROM (SELECT start, max(n) AS n FROM up GROUP BY start) up JOIN (SELECT start, max(n) AS n FROM down GROUP BY start) down
			USING (start) WHERE up.n + down.n > $2`, quote(t.Table())), []any{ids, most}, each[int64])
}

// writing is a type compiled for writing: its columns, and the statements over them.
type writing struct {
	columns        relation[record.Values]
	insert, update sized
}

func newWriting(t *record.Type) *writing {
	w := &writing{columns: relation[record.Values]{
		attr("id", "bigint", func(v *record.Values) *int64 { id := v.ID(); return &id }),
		attr("version", "bigint", func(v *record.Values) *int64 { return &v.Version }),
	}}
	values := []string{"x.id", "x.version"} // how a parameter becomes the column's value
	sets := []string{"version = x.version"}
	for i, f := range t.All() {
		column := f.Column()
		if column.Storage == record.NoStorage {
			continue
		}
		value := "x." + quote(column.Name)
		if cast := casts[column.Storage]; cast != "" {
			value = fmt.Sprintf(cast, value)
		}
		w.columns = append(w.columns, parameter(column, i))
		values = append(values, value)
		if column.Storage == record.StoreMembers {
			value = "t." + quote(column.Name) + " || " + value
		}
		sets = append(sets, quote(column.Name)+" = "+value)
	}
	table := quote(t.Table())
	w.insert = w.columns.over(func(from string) string {
		return fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s", table, w.columns.names(), strings.Join(values, ", "), from)
	})
	w.update = w.columns.over(func(from string) string {
		return fmt.Sprintf("UPDATE %s t SET %s FROM %s WHERE t.id = x.id", table, strings.Join(sets, ", "), from)
	})
	return w
}

// casts turn a text parameter into a column's value.
var casts = map[record.Storage]string{
	record.StoreJSON:    "%s::jsonb",
	record.StoreMembers: "%s::jsonb",
	record.StoreInts:    "%s::bigint[]",
	record.StoreTexts:   "ARRAY(SELECT json_array_elements_text(%s::json))",
	record.StoreUUID:    "%s::uuid",
	record.StoreNumbers: "%s::bigint[]",
	record.StoreDate:    "%s::date",
	record.StoreMAC:     "%s::macaddr",
	record.StoreNetwork: "%s::cidr",
	record.StoreAddress: "%s::inet",
}

// parameter passes the values of one field.
func parameter(column record.Column, field int) attribute[record.Values] {
	name := column.Name
	switch column.Storage {
	case record.StoreInt:
		return attr(name, "bigint", at(field, func(v any) int64 {
			if l, ok := v.(record.Link); ok {
				return l.ID
			}
			return v.(int64)
		}))
	case record.StoreFloat:
		return attr(name, "float8", at(field, as[float64]))
	case record.StoreBool:
		return attr(name, "boolean", at(field, as[bool]))
	case record.StoreTime:
		return attr(name, "timestamptz", at(field, as[time.Time]))
	}
	return attr(name, "text", at(field, textOf(column.Storage)))
}

func textOf(s record.Storage) func(any) string {
	switch s {
	case record.StoreJSON, record.StoreMembers:
		return func(v any) string { return string(v.(json.RawMessage)) }
	case record.StoreInts:
		return func(v any) string { return arrayText(v.([]record.Link), func(l record.Link) int64 { return l.ID }) }
	case record.StoreNumbers:
		return func(v any) string { return arrayText(v.([]int64), func(n int64) int64 { return n }) }
	case record.StoreSealed:
		return func(v any) string { return string(v.(record.Sealed)) }
	case record.StoreTexts:
		return func(v any) string { return string(record.AppendValue(nil, v)) }
	}
	return as[string]
}

func as[T any](v any) T { return v.(T) }

// at reads one field of a record; null is a nil pointer.
func at[T any](field int, conv func(any) T) func(*record.Values) *T {
	return func(v *record.Values) *T {
		value := v.At(field)
		if value == nil {
			return nil
		}
		x := conv(value)
		return &x
	}
}

func arrayText[T any](items []T, number func(T) int64) string {
	b := []byte{'{'}
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, number(item), 10)
	}
	return string(append(b, '}'))
}
