package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/jackc/pgx/v5"

	"terrier/internal/record"
)

// A search looks for a text in the joined texts of a record, folded to lower case by the schema's collation. The joined texts have an
// index of trigrams: see searchindex.go. PostgreSQL must not choose by what it expects of the text, because it knows too little about
// it. So a statement is written to use the index, or so that it can't:
//
//   - at most mostHits records are looked up with the index, and then read by their ids;
//   - if there are more, a page walks the list in its order, and mostly meets enough of them soon. If it does not, because they are
//     all at the end of the list for example, all of them are looked up with the index and sorted;
//   - a text without three letters or digits in a row has no trigram, so that the index would be read as a whole. The records are
//     looked up by comparing all of them.
const mostHits = CountCap

// searchSeparator is between the joined texts of a record.
const searchSeparator = "\n"

// folded is a text as a search compares it.
func folded(expr string) string { return "lower(" + expr + " COLLATE natural_order)" }

// joinedTexts is the expression that the index of a type is on.
func joinedTexts(t *record.Type, alias string) string {
	var texts []string
	for _, f := range t.SearchFields() {
		texts = append(texts, searchedText(f, alias))
	}
	return folded("(" + strings.Join(texts, " || E'\\n' || ") + ")")
}

// searchedText is one text of a record. It is never null.
func searchedText(f record.Field, alias string) string {
	c := f.Column()
	expr := alias + quote(c.Name)
	if c.Storage != record.StoreText {
		expr += "::text"
	}
	if c.Null {
		return "coalesce(" + expr + ", '')"
	}
	return expr
}

// searching is a search in one statement.
type searching struct {
	*where
	text    string
	pattern string // the folded text with wildcards around it
	indexed bool   // the statement uses the indexes
}

// search narrows the statement to what a text is found in, without the index.
func (w *where) search(t *record.Type, text string) {
	if text != "" {
		w.and(w.searching(text, false).matches(t))
	}
}

// hits narrows the statement to what a text is found in, with the index if that helps.
func (s *Store) hits(w *where, t *record.Type, text string) {
	w.and(w.searching(text, s.canUseIndex(t, text)).matches(t))
}

// searching returns the search for a text.
func (w *where) searching(text string, indexed bool) searching {
	return searching{where: w, text: text, indexed: indexed}
}

// withPattern passes the text as the result of a subselect, so that PostgreSQL can't plan by what it expects of it.
func (s searching) withPattern() searching {
	s.pattern = s.inside()
	return s
}

// inside is the folded text with wildcards around it.
func (s searching) inside() string {
	return "(SELECT " + folded(s.arg("%"+escapeLike(s.text)+"%")+"::text") + ")"
}

// beginning is the folded text with a wildcard behind it.
func (s searching) beginning() string {
	return "(SELECT " + folded(s.arg(escapeLike(s.text)+"%")+"::text") + ")"
}

// matches accepts a record in which the text is found: as a whole, or word by word. A text that is in a record as a whole has its words
// there too, unless it is a value, or is found in the texts of other records.
func (s searching) matches(t *record.Type) string {
	words := t.SearchWords(s.text)
	if words != nil && len(t.SearchPaths())+len(t.SearchStart)+len(soughtValues(t, s.text)) == 0 {
		return s.words(t, words)
	}
	if len(t.SearchFields())+len(t.SearchPaths()) > 0 { // otherwise nothing is compared with it
		s = s.withPattern()
	}
	whole := s.whole(t)
	if words == nil {
		return whole
	}
	return "(" + whole + " OR " + s.words(t, words) + ")"
}

// whole accepts a record in which the text is found as a whole.
func (s searching) whole(t *record.Type) string {
	var found []string
	if t.SearchIndexed() {
		found = append(found, s.inTexts(t, "t."))
	} else if len(t.SearchFields()) > 0 {
		found = append(found, s.inValues(t))
	}
	for _, v := range soughtValues(t, s.text) {
		found = append(found, s.predicate(v.test, t, "t"))
	}
	for _, path := range t.SearchPaths() {
		if path.MayFind(s.text) {
			found = append(found, s.behind(t, path))
		}
	}
	if found == nil {
		return "FALSE"
	}
	return "(" + strings.Join(found, " OR ") + ")"
}

// inValues accepts a record of a type without an index with the text in one of its fields. Folding them takes longest, so they are folded
// together.
func (s searching) inValues(t *record.Type) string {
	var values, each []string
	for _, f := range t.SearchFields() {
		v := s.value(t, f.Info().Name)
		values, each = append(values, "coalesce("+v+", '')"), append(each, folded(v)+" LIKE "+s.pattern)
	}
	if strings.Contains(s.text, searchSeparator) {
		return "(" + strings.Join(each, " OR ") + ")"
	}
	return folded("("+strings.Join(values, " || E'\\n' || ")+")") + " LIKE " + s.pattern
}

// inTexts accepts a record with the text in one of its own fields.
func (s searching) inTexts(t *record.Type, alias string) string {
	joined := joinedTexts(t, alias)
	if !s.indexed {
		joined += " || ''" // which is not what the index is on
	}
	cond := joined + " LIKE " + s.pattern
	if spelled, ok := s.spelled(t); ok {
		cond = fmt.Sprintf("(%s OR %s LIKE %s)", cond, joined, spelled.inside())
	}
	if !strings.Contains(s.text, searchSeparator) && len(t.SearchStart) == 0 {
		return cond
	}
	var each []string // the text must not be found across two fields, nor inside one that is found by its beginning
	for _, f := range t.SearchFields() {
		pattern := s.pattern
		if t.FoundByStart(f) {
			pattern = s.beginning()
		}
		each = append(each, folded(searchedText(f, alias))+" LIKE "+pattern)
	}
	return "(" + cond + " AND (" + strings.Join(each, " OR ") + "))"
}

// behind accepts a record that a path leads from to a text of another record which the caller may see. With the index, the others are
// looked up first. Those that are found by their beginning are looked up by their ids, because a short beginning is that of most
// addresses, and few of them are behind this path.
func (s searching) behind(t *record.Type, path record.SearchPath) string {
	o := s.next()
	defer func() { s.depth-- }()
	here, text := quote(path.Here), folded(searchedText(path.Field, o+"."))
	var others string
	if path.ByStart {
		others = fmt.Sprintf("SELECT h.%[1]s FROM %[2]s h CROSS JOIN LATERAL (SELECT * FROM %[3]s x WHERE x.id = h.%[1]s "+
			"OFFSET 0) %[4]s WHERE h.%[1]s IS NOT NULL AND %[5]s LIKE %[6]s%[7]s", here, quote(t.Table()), quote(path.Of.Table()), o, text,
			s.beginning(), s.seen(path.Of, o))
	} else {
		others = fmt.Sprintf("SELECT %s.%s FROM %s %s WHERE %s AND %s LIKE %s%s", o, quote(path.There), quote(path.Of.Table()), o,
			s.inTexts(path.Of, o+"."), text, s.pattern, s.seen(path.Of, o))
	}
	if s.indexed {
		return fmt.Sprintf("t.%s = ANY(ARRAY(%s))", here, others)
	}
	return fmt.Sprintf("t.%s IN (%s)", here, others) // a table is searched for them, and not a list for each record
}

// soughtValue is a value that a text means in a field.
type soughtValue struct {
	field record.Field
	test  record.Predicate
}

// soughtValues are the values that a text means in fields of a type.
func soughtValues(t *record.Type, text string) (values []soughtValue) {
	for _, f := range t.SearchValues() {
		if p, ok := f.Sought(text); ok {
			values = append(values, soughtValue{f, p})
		}
	}
	return values
}

// canUseIndex reports whether the index of a type helps to find a text. A text without a trigram that means a value, such as 10.0.0.1,
// still has parts of some; a short number has none.
func (s *Store) canUseIndex(t *record.Type, text string) bool {
	if words := t.SearchWords(text); words != nil && !slices.ContainsFunc(words, s.hasTrigram) {
		return false
	}
	if !t.SearchIndexed() || s.hasTrigram(text) || hasShortWords(text) {
		return t.SearchIndexed()
	}
	return slices.ContainsFunc(soughtValues(t, text), func(v soughtValue) bool { return v.field.Column().Storage != record.StoreInt })
}

// hasShortWords reports whether a text without three letters or digits in a row has trigrams of the beginnings of words that few records
// have all of, such as 10.0.0.1. Shorter ones, such as 10.0, are in too many.
func hasShortWords(text string) bool {
	isOther := func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return len(strings.FieldsFunc(text, isOther)) > 2
}

// hasTrigram reports whether a text has three letters or digits in a row.
func (s *Store) hasTrigram(text string) bool { return hasTrigram(text, s.isASCII) }

func hasTrigram(text string, isASCII bool) bool {
	run := 0
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) || isASCII && r > unicode.MaxASCII {
			run = 0
		} else if run++; run == 3 {
			return true
		}
	}
	return false
}

// hits are what a search finds. Its zero value says that nothing was looked up.
type hits struct {
	looked bool
	ids    []int64
	many   bool // more than mostHits: the list is walked
}

// few reports whether ids are all there are.
func (h hits) few() bool { return h.looked && !h.many }

// total returns how many there are, as far as it is known.
func (h hits) total(mode CountMode) Total {
	switch {
	case h.few():
		return Total{Count: int64(len(h.ids)), Counted: true}
	case h.many && mode != CountExact:
		return Total{Count: CountCap + 1, Counted: true, Capped: true}
	}
	return Total{}
}

// findHits looks up what the search of a list finds, or its filters by a part of a text.
func (s *Store) findHits(ctx context.Context, t *record.Type, q Query) (h hits, err error) {
	if q.Search == "" {
		return s.findContained(ctx, t, q)
	}
	if !t.SearchIndexed() {
		return h, nil
	}
	if total, err := q.known(); err == nil && total.Count > mostHits {
		return hits{looked: true, many: true}, nil
	}
	x := s.hitsStatement(t, q)
	batch := &pgx.Batch{}
	prove(ctx, batch)
	batch.Queue(x.sql, x.args...).Query(func(rows pgx.Rows) (err error) {
		h.ids, err = pgx.CollectRows(rows, pgx.RowTo[int64])
		return err
	})
	err = s.list(ctx, q.Scope, batch)
	h.looked, h.many = err == nil, len(h.ids) > mostHits
	return h, err
}

// hitsStatement reads the ids of what the search of a list finds.
func (s *Store) hitsStatement(t *record.Type, q Query) statement {
	w := &where{}
	s.listHits(w, t, q)
	return statement{fmt.Sprintf("SELECT t.id FROM %s t%s LIMIT %d", quote(t.Table()), w, mostHits+1), w.args}
}

// countHits counts all that the search of a list finds.
func (s *Store) countHits(t *record.Type, q Query) statement {
	w := &where{}
	s.listHits(w, t, q)
	return statement{fmt.Sprintf("SELECT count(*) FROM %s t%s", quote(t.Table()), w), w.args}
}

// pageCut is how a page is cut out of a list.
type pageCut struct {
	after string // the condition on what follows the cursor; "" without a cursor
	by    string // the order
	part  string // the order, the limit and the offset
}

// walkEach is how many records of a list are read, for each that a page needs, before all hits are looked up and sorted. If fewer than
// one in so many match, that is quicker.
const walkEach = 200

// farthest is how many are read at most because of an offset.
const farthest = 10_000_000

// cutMany reads a page of a search that finds more than mostHits. It reads the list in its order, but not further than walkEach says: all
// hits may be at its end. w has the conditions of the list.
func (s *Store) cutMany(w *where, t *record.Type, q Query, c pageCut) string {
	list, conditions := "", w.String()
	w.parts = nil
	far := max(mostHits, walkEach*(q.Limit+1))
	for far < min(q.Offset, farthest) { // doubled, because each number is a statement of its own
		far *= 2
	}
	sorted := fmt.Sprintf("SELECT t.* FROM %s t WHERE (SELECT count(*) FROM walked) <= %d", s.hitsFrom(w, t, q), q.Limit)
	if c.after != "" {
		list, sorted = " WHERE "+c.after, sorted+" AND "+c.after
	}
	return fmt.Sprintf("WITH walked AS MATERIALIZED (SELECT t.* FROM (SELECT t.* FROM %s t%s ORDER BY %s LIMIT %d) t%s %[6]s) "+
		"SELECT t.* FROM walked t WHERE (SELECT count(*) FROM walked) > %[7]d UNION ALL (%[8]s %[6]s)",
		quote(t.Table()), list, c.by, far, conditions, c.part, q.Limit, sorted)
}

// walkable reports whether an index has the records in this order, or in its reverse.
func walkable(t *record.Type, order []term) bool {
	own, err := orderOf(t, Query{})
	return err == nil && (len(order) == 1 || order[0].expr == own[0].expr)
}

// hitsFrom returns all that the search of a list finds, to select from. OFFSET keeps PostgreSQL from reading them in the order of the page.
func (s *Store) hitsFrom(w *where, t *record.Type, q Query) string {
	s.listHits(w, t, q)
	from := fmt.Sprintf("(SELECT t.* FROM %s t%s OFFSET 0)", quote(t.Table()), w)
	w.parts = nil
	return from
}

func (s *Store) listHits(w *where, t *record.Type, q Query) {
	w.scope(q.Scope, t)
	w.filters(q.Where, t)
	s.hits(w, t, q.Search)
}
