package store

import (
	"fmt"
	"strings"

	"terrier/internal/record"
)

// words accepts a record that has every word: in its own texts and values, or in those of its owners. One word at least must be its own,
// because otherwise all ports of a device would be found by the name of the device.
func (s searching) words(t *record.Type, words []string) string {
	owners := t.SearchOwners()
	var all, own []string
	for _, word := range words {
		here := s.about(word)
		found := here.whole(t)
		own = append(own, found)
		for _, o := range owners {
			found += " OR " + here.owner("t.", o)
		}
		all = append(all, "("+found+")")
	}
	if len(owners) > 0 && len(words) > 1 {
		all = append(all, "("+strings.Join(own, " OR ")+")")
	}
	return "(" + strings.Join(all, " AND ") + ")"
}

// about returns the search for another text in the same statement.
func (s searching) about(text string) searching {
	s.text, s.indexed = text, s.indexed && hasTrigram(text, false)
	return s.withPattern()
}

// spelled returns the search for the text as the type spells hardware addresses; ok is false if it has none, or the text is no part of one.
func (s searching) spelled(t *record.Type) (other searching, ok bool) {
	for _, f := range t.SearchFields() {
		if record.IsSpelled(f) {
			s.text, ok = record.SearchSpelling(s.text)
			return s, ok
		}
	}
	return s, false
}

// owner accepts a record whose owner has the text, or the owner of that. With the index the owners are looked up first, without it they
// are those of a record: a word that the index can't find is in many of them. The caller must see them.
func (s searching) owner(alias string, o record.SearchOwner) string {
	a := s.next()
	defer func() { s.depth-- }()
	var texts []string
	for _, f := range o.Texts {
		texts = append(texts, folded(searchedText(f, a+"."))+" LIKE "+s.pattern)
	}
	found := "(" + strings.Join(texts, " OR ") + ")"
	if joined := joinedTexts(o.Of, a+"."); s.indexed {
		found = fmt.Sprintf("(%s LIKE %s AND %s)", joined, s.pattern, found)
	}
	for _, next := range o.Owners {
		found += " OR " + s.owner(a+".", next)
	}
	reference, table := alias+quote(o.Field.Column().Name), quote(o.Of.Table())
	if !s.indexed {
		return fmt.Sprintf("coalesce((SELECT %s FROM %s %s WHERE %[3]s.id = %[4]s%[5]s), FALSE)", found, table, a, reference, s.seen(o.Of, a))
	}
	return fmt.Sprintf("%s = ANY(ARRAY(SELECT %s.id FROM %s %[2]s WHERE (%[4]s)%[5]s))", reference, a, table, found, s.seen(o.Of, a))
}

// wordRanks are how well a record matches a text of several words, for a statement that knows how well it matches the whole text.
func (w *where) wordRanks(t *record.Type, words []string) string {
	name := t.NamingField()
	if name == "" {
		name = t.SearchFields()[0].Info().Name
	}
	value := w.value(t, name) + "::text"
	var all, one []string
	for _, word := range words {
		all = append(all, folded(value)+" LIKE (SELECT "+folded(w.arg("%"+escapeLike(word)+"%")+"::text")+")")
		one = append(one, folded(value)+" = (SELECT "+folded(w.arg(word)+"::text")+")")
	}
	ranks := fmt.Sprintf(" UNION ALL SELECT %d, %s, CASE WHEN %s THEN %d WHEN %s THEN %d ELSE %d END", t.Index(name), value,
		strings.Join(one, " OR "), NamePrefix, strings.Join(all, " AND "), NameWord, TextInside)
	if len(words) > 1 {
		return ranks
	}
	for _, v := range soughtValues(t, words[0]) { // the number in AS64512
		name := v.field.Info().Name
		ranks += fmt.Sprintf(" UNION ALL SELECT %d, %s::text, %d WHERE %s", t.Index(name), w.value(t, name), TextExact,
			w.predicate(v.test, t, "t"))
	}
	return ranks
}
