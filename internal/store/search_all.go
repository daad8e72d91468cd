package store

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
)

// SearchedType is a type to search, and the records of it that the caller may see.
type SearchedType struct {
	Type  *record.Type
	Scope access.Scope
}

// Findings is what a search found in one type.
type Findings struct {
	Type    *record.Type
	Hits    []Hit  // the best first, at most HitsEach
	More    bool   // there are others
	Newest  int    // only so many of the newest records were searched; 0 for all
	By      string // the text is an id, and this is the filter that finds it; "" where texts were searched
	TooSlow bool   // the search was stopped: there may be hits
}

// Hit is a record that a search found.
type Hit struct {
	Record record.Values // what its full name is made of
	Rank   Rank
	Field  record.Field // the field that matched best; nil for the id
	Of     *record.Type // the type of another record, through which it was found and which has the field; nil for the record itself
	Text   string       // its value. A long one is cut to what surrounds the match
}

// Rank is how well a record matches. Exact matches come first, then names, then other texts.
type Rank int

const (
	NameExact Rank = iota
	TextExact
	NamePrefix
	NameWord
	NameInside
	TextPrefix
	TextWord
	TextInside
	// NetworkAround is the rank of a single address that is a network. One of n bits ranks behind it by 128-n, so that the innermost
	// network around an address comes first.
	NetworkAround

	nameRanks = TextPrefix - NamePrefix // how far a text ranks behind a name that matches in the same way
)

const (
	// HitsEach is how many records of each type a search returns.
	HitsEach = 10
	// NewestSearched is how many of its newest records are searched, in a type without an index: the logs.
	NewestSearched = 5000
	// ranked is how many matching records of a type are compared to find the best. If there are more, those whose name begins with the text
	// are compared too.
	ranked = 1000
	// A text is common if it is in so many of the first records of a large table, as many as are ranked. Then only these are compared.
	largeTable, commonHits = 200_000, 50
	// slowShare is the part of the time left that one type may take.
	slowShare   = 4
	longestMask = 128
	// How much of a long text is returned: this many characters before the match, and this many in all besides the match.
	textBefore, textAround = 50, 150
)

// SearchAll looks for a text in several types, for one caller. The types share the time until the deadline of ctx: one that takes more
// than a quarter of what is left is stopped and reported as too slow, and the search goes on with the others.
func (s *Store) SearchAll(ctx context.Context, types []SearchedType, text string) (_ []Findings, err error) {
	defer named(&err, "search")
	if len(types) == 0 {
		return nil, nil
	}
	found, searches := make([]Findings, len(types)), make([]typeSearch, len(types))
	for i, in := range types {
		found[i].Type = in.Type
		var err error
		if searches[i], err = s.typeSearch(in, text, &found[i]); err != nil {
			return nil, err
		}
	}
	err = s.searchEach(ctx, types[0].Scope, searches, func(i int) { found[i].TooSlow = true })
	return found, err
}

// searchEach runs searches for one caller, and calls slow with the number of each that was stopped.
func (s *Store) searchEach(ctx context.Context, scope access.Scope, searches []typeSearch, slow func(i int)) error {
	return s.translate(s.inTurn(ctx, scope, func(ctx context.Context) error {
		atOnce := len(searches)
		for next := 0; next < len(searches); {
			done, err := s.searchSome(ctx, searches[next:min(next+atOnce, len(searches))])
			next += done
			switch {
			case err == nil:
			case errors.Is(ctx.Err(), context.DeadlineExceeded):
				for ; next < len(searches); next++ {
					slow(next)
				}
			case fault.KindOf(err) != fault.Slow:
				return err
			case done == 0 && atOnce > 1:
				atOnce = 1 // any of them may have waited for a lock, before the first one ran
			default:
				slow(next)
				next++
			}
		}
		return nil
	}))
}

// typeSearch is a statement that searches one type, and what reads its rows.
type typeSearch struct {
	statement
	read func(pgx.Rows) error
}

// searchSome sends searches together and returns how many have answered: one that fails ends those after it, too. Each gets a share of
// the time left.
func (s *Store) searchSome(ctx context.Context, searches []typeSearch) (done int, err error) {
	err = s.run(ctx, s.lists, "BEGIN READ ONLY", func(tx *Tx) error {
		if deadline, ok := ctx.Deadline(); ok {
			share := max(1, time.Until(deadline).Milliseconds()/slowShare)
			tx.exec("SELECT set_config('statement_timeout', $1, true)", strconv.FormatInt(share, 10))
			if err := tx.Flush(ctx); err != nil { // before the others: preparing them can take long, too
				return err
			}
		}
		for _, search := range searches {
			tx.batch.Queue(search.sql, search.args...).Query(func(rows pgx.Rows) error {
				err := search.read(rows)
				if err == nil {
					done++
				}
				return err
			})
		}
		return tx.Flush(ctx)
	}, (*Tx).leave)
	return done, err
}

// typeSearch compiles the search for a text in a type. Its rows become hits.
func (s *Store) typeSearch(in SearchedType, text string, found *Findings) (typeSearch, error) {
	if name, test, ok := identified(in.Type, text); ok {
		found.By = name
		l, err := s.listing(in.Type, Query{Scope: in.Scope, Where: []record.Predicate{test}, Limit: HitsEach, View: record.View{Brief: true}},
			hits{})
		return typeSearch{l.page, func(rows pgx.Rows) error {
			records, err := l.read.scan(rows)
			for _, r := range records {
				found.add(Hit{Record: r, Rank: TextExact, Field: in.Type.Field(name), Text: text})
			}
			return err
		}}, err
	}
	order, err := orderOf(in.Type, Query{})
	if err != nil {
		return typeSearch{}, err
	}
	if !in.Type.SearchIndexed() {
		found.Newest = NewestSearched
	}
	read := s.plans[in.Type].selectionOf(in.Type.FullNameView(), order)
	w := &where{}
	by := "t.found_rank, " + orderBy(order, false)
	best := fmt.Sprintf("SELECT t.*, m.* FROM (%s) t CROSS JOIN LATERAL (%s) m", s.candidates(w, in, order, text), w.best(in.Type, text))
	sql := fmt.Sprintf("SELECT %s, t.found_rank, t.found_field, %s FROM (SELECT t.* FROM (%s) t ORDER BY %s LIMIT %d) t%s "+
		"ORDER BY %s LIMIT %[5]d",
		read.list(w, in.Scope), w.around("t.found_text", text), best, by, HitsEach+1, read.joins, by)
	return typeSearch{statement{sql, w.args}, func(rows pgx.Rows) error {
		found.Hits = nil // it may have failed before
		for rows.Next() {
			cols := rows.RawValues()
			r, err := read.row(cols[:read.width])
			if err != nil {
				rows.Close()
				return err
			}
			rank, _ := readInt(cols[read.width])
			field, _ := readInt(cols[read.width+1])
			h := Hit{Record: r, Rank: Rank(rank.(int64)), Text: string(cols[read.width+2])}
			if i := int(field.(int64)); i < len(in.Type.All()) {
				h.Field = in.Type.All()[i]
			} else {
				path := in.Type.SearchPaths()[i-len(in.Type.All())]
				h.Field, h.Of = path.Field, path.Of
			}
			found.add(h)
		}
		rows.Close()
		return rows.Err()
	}}, nil
}

func (f *Findings) add(h Hit) {
	if f.More = len(f.Hits) == HitsEach; !f.More {
		f.Hits = append(f.Hits, h)
	}
}

// identified returns the test for a text that is an id: that of a record, or of the request that made it.
func identified(t *record.Type, text string) (name string, test record.Predicate, ok bool) {
	if t.TimedID {
		if id, err := t.ParseID(text); err == nil {
			return "id", record.Predicate{Values: []any{id}}, true
		}
	}
	for i, f := range t.All() {
		if f.Column().Storage != record.StoreUUID {
			continue
		}
		if id, err := f.ParseText(text); err == nil {
			return t.Infos()[i].Name, record.Predicate{Field: f, Values: []any{id}}, true
		}
	}
	return "", record.Predicate{}, false
}

// candidates returns the records among which the best are chosen.
func (s *Store) candidates(w *where, in SearchedType, order []term, text string) string {
	t, table := in.Type, quote(in.Type.Table())
	if !t.SearchIndexed() {
		w.scope(in.Scope, t)
		newest := w.newestRecords(t, NewestSearched)
		return fmt.Sprintf("SELECT t.* FROM %s t%s LIMIT %d", newest, w.narrowed(in, text, false), ranked)
	}
	common := "FALSE"
	with := ""
	if s.canUseIndex(t, text) {
		// The index returns all that match before any of them is read. A word that is in many records is soon met without it.
		with = fmt.Sprintf("first AS MATERIALIZED (SELECT t.id FROM (SELECT t.* FROM %[1]s t WHERE (SELECT c.reltuples FROM pg_class c WHERE "+
			"c.oid = '%[1]s'::regclass) >= %[2]d ORDER BY %[3]s LIMIT %[4]d) t%[5]s), ", table, largeTable, orderBy(order, false), ranked,
			w.narrowed(in, text, false))
		common = fmt.Sprintf("(SELECT count(*) FROM first) >= %d", commonHits)
	}
	matching := fmt.Sprintf("SELECT t.id FROM %s t%s AND NOT %s LIMIT %d", table, w.narrowed(in, text, with != ""), common, ranked)
	if with != "" {
		matching = "SELECT id FROM first UNION (" + matching + ")"
	}
	with += "hits AS MATERIALIZED (" + matching + ")"
	found := "SELECT id FROM hits"
	if name := t.NamingField(); name != "" && t.Index(name) == order[0].field && !order[0].desc && t.Field(name).Column().Natural {
		// The index of names has the order of a dictionary: names that begin with the text follow it, in capitals or not. The scope is tested
		// after the limit, so that this costs the same for everybody.
		w.scope(in.Scope, t)
		w.and(folded(order[0].expr) + " LIKE " + folded(w.arg(escapeLike(text)+"%")+"::text"))
		found += fmt.Sprintf(" UNION SELECT t.id FROM (SELECT t.* FROM %[1]s t WHERE (%[2]s OR (SELECT count(*) FROM hits) >= %[3]d) AND "+
			"%[4]s >= %[5]s ORDER BY %[4]s LIMIT %[3]d) t%[6]s", table, common, ranked, order[0].expr, folded(w.arg(text)+"::text"), w)
		w.parts = nil
	}
	return fmt.Sprintf("WITH %s SELECT t.* FROM (%s) h JOIN %s t ON t.id = h.id", with, found, table)
}

// narrowed is the condition for records that the caller may see and in which the text is found.
func (w *where) narrowed(in SearchedType, text string, indexed bool) string {
	w.scope(in.Scope, in.Type)
	w.and(w.searching(text, indexed).matches(in.Type))
	defer func() { w.parts = nil }()
	return w.String()
}

// best returns the field of a record that matches best, and how.
func (w *where) best(t *record.Type, text string) string {
	pattern := func(text string) string { return "(SELECT " + folded(w.arg(text)+"::text") + ")" } // once, not for each record
	escaped := escapeLike(text)
	texts := make([]string, len(t.SearchFields()))
	for i, f := range t.SearchFields() {
		name, behind := f.Info().Name, nameRanks
		if name == t.NamingField() {
			behind = 0
		}
		texts[i] = fmt.Sprintf("(%d, %d, %s COLLATE natural_order)", t.Index(name), behind, w.value(t, name))
	}
	match := fmt.Sprintf(`SELECT f.i::bigint AS found_field, f.v AS found_text, (CASE WHEN f.folded = %s THEN least(f.behind, %d)
		WHEN f.folded LIKE %s THEN %d + f.behind WHEN f.folded ~ %s THEN %d + f.behind ELSE %d + f.behind END)::bigint AS found_rank
		FROM (SELECT *, %s AS folded FROM (VALUES %s) f (i, behind, v) OFFSET 0) f WHERE f.folded LIKE %s`,
		pattern(text), TextExact, pattern(escaped+"%"), NamePrefix,
		pattern("(^|[^[:alnum:]])"+regexp.QuoteMeta(text)+"($|[^[:alnum:]])"), NameWord, NameInside,
		folded("f.v"), strings.Join(texts, ", "), pattern("%"+escaped+"%"))
	for _, v := range soughtValues(t, text) {
		name := v.field.Info().Name
		rank := strconv.Itoa(int(TextExact))
		if v.field.Column().Storage == record.StoreNetwork {
			rank = fmt.Sprintf("CASE WHEN %s::text = %s THEN %d ELSE %d - masklen(t.%s::inet) END", w.value(t, name),
				w.arg(record.NormalNet(text)), TextExact, int(NetworkAround)+longestMask, quote(v.field.Column().Name))
		}
		match += fmt.Sprintf(" UNION ALL SELECT %d, %s::text, %s WHERE %s", t.Index(name), w.value(t, name), rank,
			w.predicate(v.test, t, "t"))
	}
	if spelled, ok := (searching{text: text}).spelled(t); ok {
		match += w.wordRanks(t, []string{spelled.text})
	}
	if words := t.SearchWords(text); words != nil {
		match += w.wordRanks(t, words)
	}
	for i, path := range t.SearchPaths() {
		if path.MayFind(text) {
			match += fmt.Sprintf(" UNION ALL (%s)", searching{where: w, text: text}.behindText(path, len(t.All())+i))
		}
	}
	return match + " ORDER BY found_rank LIMIT 1"
}

// behindText reads a text of another record that a path leads to, if it matches and the caller may see it.
func (s searching) behindText(path record.SearchPath, field int) string {
	o := s.next()
	defer func() { s.depth-- }()
	text, pattern := searchedText(path.Field, o+"."), ""
	if path.ByStart {
		pattern = s.beginning()
	} else {
		pattern = s.inside()
	}
	exact := fmt.Sprintf("%s = (SELECT %s)", folded(text), folded(s.arg(s.text)+"::text"))
	if path.Field.Column().Storage == record.StoreAddress { // with or without its mask
		exact = fmt.Sprintf("(%s OR host(%s.%s::inet) = %s)", exact, o, quote(path.Field.Column().Name), s.arg(s.text))
	}
	return fmt.Sprintf("SELECT %d, %s, CASE WHEN %s THEN %d ELSE %d END FROM %s %s WHERE %s.%s = t.%s AND %s LIKE %s%s LIMIT 1", field, text,
		exact, NamePrefix, TextInside, quote(path.Of.Table()), o, o, quote(path.There), quote(path.Here), folded(text), pattern,
		s.seen(path.Of, o))
}

// around cuts a long text to what surrounds the match.
func (w *where) around(expr, text string) string {
	most := w.arg(utf8.RuneCountInString(text)+textAround) + "::int" // an argument: each length would be a statement of its own
	return fmt.Sprintf(`(SELECT CASE WHEN at > 0 THEN '…' ELSE '' END || substr(%[1]s, at + 1, %[2]s) ||
		CASE WHEN length(%[1]s) > at + %[2]s THEN '…' ELSE '' END
		FROM (SELECT CASE WHEN length(%[1]s) > %[2]s THEN greatest(0, strpos(%[5]s, %[3]s) - %[4]d) ELSE 0 END) x (at))`,
		expr, most, folded(w.arg(text)+"::text"), textBefore, folded(expr))
}
