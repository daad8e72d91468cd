package store

import (
	"encoding/json"
	"fmt"
	"strings"

	"terrier/internal/record"
)

// customForms are what lists are ordered by for each kind of custom field. What has no such value is null, because the kind of a
// definition may have changed.
var customForms = map[record.Storage]string{
	record.StoreInt:   "CASE jsonb_typeof(%[1]s) WHEN 'number' THEN (%[1]s #>> '{}')::numeric END",
	record.StoreFloat: "CASE jsonb_typeof(%[1]s) WHEN 'number' THEN (%[1]s #>> '{}')::numeric END",
	record.StoreBool:  "CASE jsonb_typeof(%[1]s) WHEN 'boolean' THEN (%[1]s #>> '{}')::boolean END",
	record.StoreText:  "CASE jsonb_typeof(%[1]s) WHEN 'string' THEN nullif(%[1]s #>> '{}', '') END",
}

// customTerm returns the term for a name such as cf_owner, nil if it is not that of a custom field with an order.
func (q Query) customTerm(t *record.Type, name string, desc bool) *term {
	bare, ok := strings.CutPrefix(name, record.CustomPrefix)
	if !ok || t.Field(name) != nil {
		return nil
	}
	for _, c := range q.Custom {
		if c.Name != bare || !c.Orderable() {
			continue
		}
		x := &term{field: t.Index("custom_fields"), custom: c, storage: c.Kind.Column().Storage, null: true, nullsLast: true, desc: desc}
		if x.isNumber() {
			x.key = "%s::text::numeric" // every digit counts
		}
		x.of = x.customOf
		return x
	}
	return nil
}

func (x term) isNumber() bool { return x.storage == record.StoreInt || x.storage == record.StoreFloat }

// bind makes the expressions of custom fields for a statement.
func (w *where) bind(order []term) {
	for i, x := range order {
		if x.custom == nil {
			continue
		}
		expr := "(" + fmt.Sprintf(customForms[x.storage], customValue("t", w.arg(x.custom.Name))) + ")"
		switch {
		case x.custom.Kind.Column().Natural:
			expr += " COLLATE natural_order"
		case x.storage == record.StoreText: // a date or a time
			expr += ` COLLATE "C"`
		}
		order[i].expr = "(" + expr + ")"
	}
}

// customOf returns what a record is ordered by, as customForms do.
func (x term) customOf(v record.Values) any {
	members, err := decodeNumbers[map[string]any](v.Raw("custom_fields"))
	if err != nil {
		panic(err) // it was read from the database
	}
	return x.customSort(members[x.custom.Name])
}

// customSort returns a value if it is of the term's kind.
func (x term) customSort(value any) any {
	ok := false
	switch value.(type) {
	case json.Number:
		ok = x.isNumber()
	case bool:
		ok = x.storage == record.StoreBool
	case string:
		ok = x.storage == record.StoreText && value != ""
	}
	if !ok {
		return nil
	}
	return value
}

// customCursorValue reads what customOf has written. PostgreSQL must be able to read it, whoever wrote it.
func customCursorValue(raw json.RawMessage, x term) (any, error) {
	value, err := decodeNumbers[any](raw)
	if err == nil {
		_, err = record.EncodeJSON(value)
	}
	if value = x.customSort(value); err != nil || value == nil {
		return nil, errCursor
	}
	if n, ok := value.(json.Number); ok {
		return n.String(), nil
	}
	return value, nil
}
