package store

import (
	"fmt"
	"strconv"
	"strings"

	"terrier/internal/record"
)

// Called reads what the record is called.
func (s *selector) Called(forms []record.CalledForm) {
	expr := calledExpr(s.alias, forms, 0)
	if s.isNested { // there may be no such record, which would have the last form
		expr = fmt.Sprintf("CASE WHEN %s.id IS NOT NULL THEN %s END", s.alias, expr)
	}
	s.one(expr, readers[record.StoreText], decoders[record.StoreText])
	s.part.isPlain = true
}

// calledExpr writes the first form whose values are all set. The last one counts in any case. Only a record that has no earlier form pays
// for what a later one looks up.
func calledExpr(alias string, forms []record.CalledForm, depth int) string {
	var b strings.Builder
	for i, form := range forms {
		var tests, words []string
		for _, word := range form {
			value, test := calledWord(alias, word, depth)
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
func calledWord(alias string, word record.CalledWord, depth int) (text, test string) {
	switch {
	case word.ID:
		return alias + ".id", ""
	case word.Text != "":
		return quoteText(word.Text), ""
	}
	first := word.Steps[0]
	column := alias + "." + quote(first.Column().Name)
	if first.Column().Null {
		test = column + " IS NOT NULL"
	}
	target := record.TargetOf(first)
	if target == nil {
		if first.Column().Storage == record.StoreText && !first.Info().Required {
			test = column + " <> ''"
		}
		return column, test
	}
	inner := "c" + strconv.Itoa(depth)
	rest := record.CalledForm{{Steps: word.Steps[1:]}}
	if len(word.Steps) == 1 {
		return fmt.Sprintf("(SELECT %s FROM %s %s WHERE %s.id = %s)", nameExpr(target, inner, depth+1), quote(target.Table()), inner, inner,
			column), test
	}
	return fmt.Sprintf("(SELECT %s FROM %s %s WHERE %s.id = %s)", calledExpr(inner, []record.CalledForm{rest}, depth+1),
		quote(target.Table()), inner, inner, column), test
}

// nameExpr writes what a record of a type is called.
func nameExpr(t *record.Type, alias string, depth int) string {
	if forms := t.CalledForms(); len(forms) > 0 {
		return calledExpr(alias, forms, depth)
	}
	return alias + "." + quote(t.Field(t.NamingField()).Column().Name)
}

// quoteText writes a text as a literal of SQL.
func quoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
