package store

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"terrier/internal/record"
)

// compare tests a column against the values of a predicate.
func (w *where) compare(expr string, column record.Column, p record.Predicate) string {
	switch p.Lookup {
	case record.Empty:
		return emptyTest(expr, column, p.Values)
	case record.Between:
		return w.between(expr, p.Values)
	case record.NotNull:
		if isArray(column.Storage) {
			return expr + " <> '{}'"
		}
		return expr + " IS NOT NULL"
	case record.Less, record.AtMost, record.Greater, record.AtLeast:
		op := map[record.Lookup]string{record.Less: "<", record.AtMost: "<=", record.Greater: ">", record.AtLeast: ">="}[p.Lookup]
		if column.Storage == record.StoreTime && len(p.Values) == 1 { // can use the partitions, which a list can't
			return expr + " " + op + " " + w.arg(p.Values[0])
		}
		return fmt.Sprintf("%s %s ANY(%s)", expr, op, w.array(column.Storage, p.Values))
	case record.EqualFold: // as an index of a folded text has it
		return fmt.Sprintf("%s = ANY(ARRAY(SELECT %s FROM unnest(%s::text[]) x))", folded(textOfColumn(expr, column.Storage)), folded("x"),
			w.arg(list[string](p.Values)))
	case record.Contains, record.Starts, record.Ends:
		return textOfColumn(expr, column.Storage) + " ILIKE ANY(" + w.arg(patterns(p.Lookup, p.Values)) + ")"
	case record.CaseContains, record.CaseStarts, record.CaseEnds:
		return textOfColumn(expr, column.Storage) + " LIKE ANY(" + w.arg(patterns(p.Lookup, p.Values)) + ")"
	}
	values, null := splitNull(p.Values)
	if null && len(values) == 0 && !isArray(column.Storage) {
		return expr + " IS NULL"
	}
	var cond, none string
	switch {
	case p.Fixed:
		cond, none = fmt.Sprintf("%s IN (%s)", expr, literals(list[string](values))), expr+" IS NULL"
	case column.Part == record.MaskLength && len(values) == 1 && isLength(values[0]): // PostgreSQL should know how frequent it is
		cond, none = fmt.Sprintf("%s = %d", expr, values[0]), expr+" IS NULL"
	case isArray(column.Storage):
		cond, none = expr+" && "+w.array(column.Storage, values), expr+" = '{}'"
	case w.first && column.Storage == record.StoreInt && len(values) == 1:
		// PostgreSQL expects ten values of an array that it does not know, and would plan the statement again for each request. That takes
		// longer than to read what one device has.
		cond, none = expr+" = "+w.arg(values[0]), expr+" IS NULL"
	default:
		cond, none = expr+" = ANY("+w.array(column.Storage, values)+")", expr+" IS NULL"
	}
	if null {
		return "(" + cond + " OR " + none + ")"
	}
	return cond
}

// isLength reports whether a network can have the length. The statements of all others are one.
func isLength(v any) bool {
	n, isInt := v.(int64)
	return isInt && n >= 0 && n <= 128
}

// literals are texts as a statement has them.
func literals(texts []string) string {
	quoted := make([]string, len(texts))
	for i, s := range texts {
		quoted[i] = quoteText(s)
	}
	return strings.Join(quoted, ", ")
}

// between tests a column against ranges, each of which is one of an index.
func (w *where) between(expr string, ranges []any) string {
	conds := []string{"FALSE"}
	for _, v := range ranges {
		r, from := v.(record.Range), ">="
		if r.After {
			from = ">"
		}
		conds = append(conds, fmt.Sprintf("(%s %s %s AND %s <= %s)", expr, from, w.arg(r.From), expr, w.arg(r.To)))
	}
	return "(" + strings.Join(conds, " OR ") + ")"
}

func emptyTest(expr string, column record.Column, values []any) string {
	none := expr + " IS NULL"
	switch {
	case column.Storage == record.StoreText, column.Storage == record.StoreSealed:
		none = "coalesce(" + expr + ", '') = ''"
	case column.Storage == record.StoreJSON, column.Storage == record.StoreJSONText:
		none = "coalesce(" + expr + ", 'null') = 'null'"
	case isArray(column.Storage):
		none = expr + " = '{}'"
	}
	switch yes, no := slices.Contains(values, any(true)), slices.Contains(values, any(false)); {
	case yes && no:
		return "TRUE"
	case yes:
		return none
	}
	return "NOT (" + none + ")"
}

// customValue is the value of a custom field as it is shown: a record without one has the definition's default. The name is a parameter.
func customValue(alias, name string) string {
	return fmt.Sprintf(`coalesce(%s.custom_fields -> %s, (SELECT d."default" FROM extras_customfield d WHERE d.name = %[2]s))`, alias, name)
}

// custom tests a value inside custom_fields. A number is compared as a number only if it is one, because the kind of
// a definition may have changed.
func (w *where) custom(p record.Predicate, alias string) string {
	value := customValue(alias, w.arg(p.Custom))
	text := "(" + value + " #>> '{}')"
	column := record.Column{Storage: p.Field.Column().Storage, Null: true}
	switch column.Storage {
	case record.StoreInt: // a float would take 2⁵³+1 for 2⁵³
		text = fmt.Sprintf("(CASE jsonb_typeof(%s) WHEN 'number' THEN %s::numeric END)", value, text)
	case record.StoreFloat:
		text = fmt.Sprintf("(CASE jsonb_typeof(%s) WHEN 'number' THEN %s::float8 END)", value, text)
	case record.StoreBool:
		text = fmt.Sprintf("(CASE jsonb_typeof(%s) WHEN 'boolean' THEN %s::boolean END)", value, text)
	default:
		column.Storage = record.StoreText
		if p.Lookup == record.Exact { // also one of several selected values
			return fmt.Sprintf("(%s = ANY(%s) OR %s ?| %s)", text, w.arg(typed(column.Storage, p.Values)), value,
				w.arg(typed(column.Storage, p.Values)))
		}
	}
	return w.compare(text, column, p)
}

// hosted tests an address, and its host beside it, because the index is on hosts.
func (w *where) hosted(alias string, column record.Column, p record.Predicate) string {
	values, null := splitNull(p.Values)
	hosts := make([]any, len(values))
	for i, v := range values {
		hosts[i], _, _ = strings.Cut(v.(string), "/")
	}
	p.Values = values
	cond := fmt.Sprintf("%s AND %s.%s = ANY(%s)", w.compare(alias+"."+quote(column.Name), column, p), alias, quote(column.Key.Name),
		w.array(column.Key.Storage, hosts))
	if null {
		return "(" + cond + " OR " + alias + "." + quote(column.Name) + " IS NULL)"
	}
	return "(" + cond + ")"
}

// ofFamily tests the family of a network or an address by its place in their order, in which all of IPv4 come first. An index serves that,
// and PostgreSQL knows how many there are of each family.
func ofFamily(expr string, p record.Predicate) string {
	is := func(family int64) bool {
		return slices.ContainsFunc(list[int64](p.Values), func(v int64) bool {
			switch p.Lookup {
			case record.Less:
				return family < v
			case record.AtMost:
				return family <= v
			case record.Greater:
				return family > v
			case record.AtLeast:
				return family >= v
			}
			return family == v
		})
	}
	switch v4, v6 := is(4), is(6); {
	case v4 && v6:
		return expr + " IS NOT NULL"
	case v4:
		return expr + " < '::/0'"
	case v6:
		return expr + " >= '::/0'"
	}
	return "FALSE"
}

// drawnFrom is the column that timed ids are drawn from. Their tables are partitioned by it, and have no other index
// on it.
const drawnFrom = "changed_at"

// drawn adds a bound on ids to a bound on the time, because the index is on ids. An id has only milliseconds, so the
// bound on the time still decides within one.
func (w *where) drawn(p record.Predicate, alias string) string {
	switch p.Lookup {
	case record.Greater, record.AtLeast: // than any of them: than the earliest
		if first, _, ok := record.IDsAt(slices.MinFunc(list[time.Time](p.Values), time.Time.Compare)); ok {
			return " AND " + alias + ".id >= " + w.arg(first)
		}
	case record.Less, record.AtMost:
		if _, last, ok := record.IDsAt(slices.MaxFunc(list[time.Time](p.Values), time.Time.Compare)); ok {
			return " AND " + alias + ".id <= " + w.arg(last)
		}
	}
	return ""
}

// arrayTypes are the types of array parameters, by what the column keeps.
var arrayTypes = map[record.Storage]string{
	record.StoreText: "text[]", record.StoreInt: "bigint[]", record.StoreFloat: "float8[]", record.StoreBool: "boolean[]",
	record.StoreTime: "timestamptz[]", record.StoreUUID: "uuid[]", record.StoreDate: "text[]::date[]", record.StoreMAC: "text[]::macaddr[]",
	record.StoreNetwork: "text[]::cidr[]", record.StoreAddress: "text[]::inet[]",
}

// array passes values to be compared with a column.
func (w *where) array(s record.Storage, values []any) string {
	arg := w.arg(typed(s, values))
	if kind := arrayTypes[s]; strings.HasPrefix(kind, "text[]::") { // PostgreSQL would expect another form of them
		arg += "::" + kind
	}
	return arg
}

// texts are how a column is searched that holds no text, written as the API shows it.
var texts = map[record.Storage]string{record.StoreMAC: "upper(%s::text)", record.StoreNetwork: "%s::text", record.StoreAddress: "%s::text",
	record.StoreJSON: "%s::text"}

// partForms work a number out from a column.
var partForms = map[record.Part]string{record.Whole: "%s", record.Family: "family(%s)::bigint", record.MaskLength: "masklen(%s)::bigint"}

func textOfColumn(expr string, s record.Storage) string {
	if form := texts[s]; form != "" {
		return fmt.Sprintf(form, expr)
	}
	return expr
}

func isArray(s record.Storage) bool {
	return s == record.StoreInts || s == record.StoreTexts || s == record.StoreNumbers
}

func splitNull(values []any) (rest []any, null bool) {
	rest = make([]any, 0, len(values))
	for _, v := range values {
		if v == nil {
			null = true
		} else {
			rest = append(rest, v)
		}
	}
	return rest, null
}

func distinct(values []any) int {
	seen := map[any]bool{}
	for _, v := range values {
		seen[v] = true
	}
	return len(seen)
}

// typed returns an array parameter of the column's type.
func typed(s record.Storage, values []any) any {
	switch s {
	case record.StoreInt, record.StoreInts, record.StoreNumbers:
		return list[int64](values)
	case record.StoreFloat:
		return list[float64](values)
	case record.StoreBool:
		return list[bool](values)
	case record.StoreTime:
		return list[time.Time](values)
	}
	return list[string](values)
}

func list[T any](values []any) []T {
	out := make([]T, len(values))
	for i, v := range values {
		out[i] = v.(T)
	}
	return out
}

func patterns(l record.Lookup, values []any) []string {
	out := make([]string, len(values))
	for i, v := range values {
		s := escapeLike(v.(string))
		switch l {
		case record.Contains, record.CaseContains:
			s = "%" + s + "%"
		case record.Starts, record.CaseStarts:
			s += "%"
		case record.Ends, record.CaseEnds:
			s = "%" + s
		}
		out[i] = s
	}
	return out
}

var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

func escapeLike(s string) string { return likeEscaper.Replace(s) }
