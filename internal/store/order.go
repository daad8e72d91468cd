package store

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// term is one part of an ordering.
type term struct {
	field   int // position in the type, -1 for the id
	column  string
	expr    string
	storage record.Storage
	null    bool
	asNull  any // what null is compared as; nil where the value can't be null, or null is not compared
	desc    bool
	named   *record.Type            // a reference: the order is that of the names of its records, not of their ids
	key     string                  // how a value becomes what it is ordered by; "" where it is that itself
	of      func(record.Values) any // works out what a record is ordered by; nil where that is the field itself

	custom    *record.Custom // a custom field: expr is made for each statement, because the name is a parameter
	nullsLast bool           // also when descending
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

// orNull lets null be compared as a value, so that one range of an index follows a cursor.
func orNull(expr string, asNull any) string {
	if _, isText := asNull.(string); isText {
		return "coalesce(" + expr + ", chr(65535))"
	}
	return fmt.Sprintf("coalesce(%s, %d)", expr, asNull)
}

// No id is as small as firstID or as large as lastID. The natural order has lastText after all letters.
const (
	firstID  = int64(0)
	lastID   = int64(math.MaxInt64)
	lastText = "\uffff"
)

// value hands over what is compared with a term.
func (x term) value(w *where, v any) string {
	if x.key == "" {
		return w.arg(v)
	}
	return fmt.Sprintf(x.key, w.arg(v))
}

// orderOf makes a total order: where the wanted terms do not already decide, the id does.
func orderOf(t *record.Type, q Query) ([]term, error) {
	names, own := q.Order, len(q.Order) == 0
	if own {
		names = t.Order
	}
	var order []term
	for _, name := range names {
		bare, desc := strings.CutPrefix(name, "-")
		x := byID(desc)
		if custom := q.customTerm(t, bare, desc); custom != nil {
			x = *custom
		} else if bare != "id" {
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
			ref, _ := record.ReferenceOf(f)
			switch {
			case own && ref.NullFirst:
				x.asNull = firstID
			case own && x.null && (record.TargetOf(f) != nil || x.storage == record.StoreInt && f.Info().HalfOf != ""):
				x.asNull = lastID
			case x.null && x.named == nil && column.Natural:
				x.asNull = lastText
			}
			if x.asNull != nil {
				x.expr, x.null = orNull(x.expr, x.asNull), false
			}
		}
		if slices.ContainsFunc(order, func(y term) bool { return y.field == x.field && y.custom == x.custom }) {
			continue // it is decided already, and every term multiplies the statement
		}
		order = append(order, x)
		if x.field < 0 || (t.Infos()[x.field].Unique && !x.null && x.asNull == nil && x.key == "") { // two names may have one key
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
		if x.nullsLast && x.desc { // PostgreSQL would have them at the other end
			parts[i] += map[bool]string{false: " NULLS LAST", true: " NULLS FIRST"}[backward]
		}
	}
	return strings.Join(parts, ", ")
}

// after accepts the rows after a given one. If every term can be compared the same way it is a single row comparison,
// which one index answers.
func (w *where) after(order []term, values []any, backward bool) string {
	if x := order[0]; values[0] == nil && x.endsWithNulls(backward) { // nothing is beyond
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
		if beyond := w.beyond(x, values[i], backward); beyond != "" {
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

// endsWithNulls reports whether null is the last value of a term. PostgreSQL sorts null last, and first when descending.
func (x term) endsWithNulls(backward bool) bool { return (!x.desc || x.nullsLast) != backward }

// beyond accepts what one term sorts after a value.
func (w *where) beyond(x term, value any, backward bool) string {
	ends := x.endsWithNulls(backward)
	switch {
	case value == nil && ends:
		return ""
	case value == nil:
		return x.expr + " IS NOT NULL"
	}
	op := " > "
	if x.desc != backward {
		op = " < "
	}
	cond := x.expr + op + x.value(w, value)
	if x.null && ends {
		return "(" + cond + " OR " + x.expr + " IS NULL)"
	}
	return cond
}
