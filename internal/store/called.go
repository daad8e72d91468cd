package store

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"terrier/internal/access"
	"terrier/internal/record"
)

// Called reads what the record is called.
func (s *selector) Called(forms []record.CalledForm) {
	expr := func(w *where, caller access.Scope) string {
		expr := naming{w, caller}.calledExpr(s.alias, s.t, forms, 0)
		if s.isNested { // there may be no such record, which would have the last form
			expr = fmt.Sprintf("CASE WHEN %s.id IS NOT NULL THEN %s END", s.alias, expr)
		}
		return expr
	}
	if of := s.t.All()[s.part.field].(record.NamedBy).NamedBy(); len(of) > 0 {
		s.part.scoped = []scoped{{of: of, expr: expr}}
	}
	s.one(expr(nil, access.Machine()), readers[record.StoreText], decoders[record.StoreText])
	s.part.isPlain = true
}

// naming writes what records are called, for a caller. Records that the caller may not see name no other.
type naming struct {
	w      *where
	caller access.Scope
}

// calledExpr writes the first form whose values are all set. The last one counts in any case. Only a record that has no earlier form pays
// for what a later one looks up.
func (n naming) calledExpr(alias string, t *record.Type, forms []record.CalledForm, depth int) string {
	var b strings.Builder
	for i, form := range forms {
		var tests, words []string
		for _, word := range form {
			value, test := n.calledWord(alias, t, word, depth)
			words = append(words, value)
			if test != "" {
				tests = append(tests, test)
			}
		}
		text := "concat(" + strings.Join(words, ", ") + ")"
		switch last := i == len(forms)-1 || len(tests) == 0; {
		case last && i == 0:
			return text
		case last:
			fmt.Fprintf(&b, " ELSE %s END", text)
			return "CASE" + b.String()
		}
		fmt.Fprintf(&b, " WHEN %s THEN %s", strings.Join(tests, " AND "), text)
	}
	return b.String()
}

// calledWord returns the text of one word, and the test whether it is set; "" where it always is.
func (n naming) calledWord(alias string, t *record.Type, word record.CalledWord, depth int) (text, test string) {
	switch {
	case word.ID:
		return alias + ".id", ""
	case word.Text != "":
		return quoteText(word.Text), ""
	case word.Back != nil:
		return n.calledBack(alias, t, word, depth)
	}
	first := word.Steps[0]
	if ref, _ := record.ReferenceOf(first); ref.TypeField != "" {
		return n.calledAny(alias, t, ref, depth)
	}
	column := alias + "." + quote(first.Column().Name)
	if first.Column().Null {
		test = column + " IS NOT NULL"
	}
	target := record.TargetOf(first)
	if target == nil {
		switch {
		case first.Column().Storage == record.StoreText && !first.Info().Required:
			test = column + " <> ''"
		case word.NonZero:
			test = column + " <> 0"
		}
		return calledValue(first, column), test
	}
	if len(word.Steps) == 1 {
		return n.called(target, column, depth), test
	}
	inner := "c" + strconv.Itoa(depth)
	rest := record.CalledForm{{Steps: word.Steps[1:], NonZero: word.NonZero}}
	return fmt.Sprintf("(SELECT %s FROM %s %s WHERE %s.id = %s)", n.calledExpr(inner, target, []record.CalledForm{rest}, depth+1),
		quote(target.Table()), inner, inner, column), test
}

// called looks up what the record with an id is called.
func (n naming) called(t *record.Type, id string, depth int) string {
	inner := "c" + strconv.Itoa(depth)
	return fmt.Sprintf("(SELECT %s FROM %s %s WHERE %s.id = %s)", n.nameExpr(t, inner, depth+1), quote(t.Table()), inner, inner, id)
}

// calledValue writes a value for people: a choice by its label, a time in UTC to the minute.
func calledValue(f record.Field, column string) string {
	choices := f.Info().Choices
	if f.Column().Storage == record.StoreTime {
		return fmt.Sprintf("to_char(%s AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI \"UTC\"')", column)
	}
	if len(choices) == 0 {
		return textOfColumn(column, f.Column().Storage)
	}
	var b strings.Builder
	for _, c := range choices {
		fmt.Fprintf(&b, " WHEN %s THEN %s", quoteText(c.Value), quoteText(c.Label))
	}
	return fmt.Sprintf("CASE %s%s ELSE %s END", column, b.String(), column)
}

// calledAny looks up what the record behind a reference to one of several types is called.
func (n naming) calledAny(alias string, t *record.Type, ref record.Reference, depth int) (text, test string) {
	typ, id := alias+"."+quote(t.Field(ref.TypeField).Column().Name), alias+"."+quote(t.Field(ref.IDField).Column().Name)
	var b strings.Builder
	for _, target := range ref.Targets {
		fmt.Fprintf(&b, " WHEN '%s' THEN %s", target.Key(), n.called(target, id, depth))
	}
	if t.Field(ref.IDField).Column().Null {
		test = id + " IS NOT NULL"
	}
	return "CASE " + typ + b.String() + " END", test
}

// calledBack looks up the lowest value of a field among the records that refer to this one.
func (n naming) calledBack(alias string, t *record.Type, word record.CalledWord, depth int) (text, test string) {
	inner := "c" + strconv.Itoa(depth)
	column, is := referring(*word.Back, t, inner)
	refers := fmt.Sprintf("%s = %s.id", column, alias)
	if word.Back.Many {
		refers = fmt.Sprintf("%s @> ARRAY[%s.id]", column, alias)
	}
	from := fmt.Sprintf("FROM %s %s WHERE %s%s", quote(word.Back.Target.Table()), inner, refers, is)
	if seen := n.caller.Sees(word.Back.Target); !seen.All() {
		from += " AND " + n.w.within(seen, word.Back.Target, inner)
	}
	value, set := n.calledWord(inner, word.Back.Target, record.CalledWord{Steps: word.Steps}, depth+1)
	if set != "" {
		from += " AND " + set
	}
	c := word.Steps[0].Column()
	return fmt.Sprintf("(SELECT %s %s ORDER BY %s.%s, %[3]s.id LIMIT 1)", value, from, inner, quote(cmp.Or(c.Key.Name, c.Name))),
		"EXISTS (SELECT " + from + ")"
}

// nameExpr writes what a record of a type is called.
func (n naming) nameExpr(t *record.Type, alias string, depth int) string {
	if forms := t.CalledForms(); len(forms) > 0 {
		return n.calledExpr(alias, t, forms, depth)
	}
	return alias + "." + quote(t.Field(t.NamingField()).Column().Name)
}

// quoteText writes a text as a literal of SQL.
func quoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
