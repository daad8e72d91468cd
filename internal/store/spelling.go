package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Spelling is what the records of some types say about a word.
type Spelling struct {
	Found bool     // a text has the word, or may have it
	Names []string // names of records which have it, but for one letter
}

// nearNames is how many names of each type Spellings returns for a word.
const nearNames = 20

// Spellings looks up words of two letters or more, for one caller, in the texts of types that have an index for searches. A type that
// takes too long is left out: see SearchAll.
func (s *Store) Spellings(ctx context.Context, types []SearchedType, words []string) (_ []Spelling, err error) {
	defer named(&err, "look for words like those of a search")
	spellings := make([]Spelling, len(words))
	if len(types) == 0 || len(words) == 0 {
		return spellings, nil
	}
	var searches []typeSearch
	for _, in := range types {
		for i, word := range words {
			searches = append(searches, typeSearch{s.spellingStatement(in, word), func(rows pgx.Rows) error {
				var name *string
				_, err := pgx.ForEachRow(rows, []any{&name}, func() error {
					if x := &spellings[i]; name == nil {
						x.Found = true
					} else if !slices.Contains(x.Names, *name) {
						x.Names = append(x.Names, *name)
					}
					return nil
				})
				return err
			}})
		}
	}
	err = s.searchEach(ctx, types[0].Scope, searches, func(int) {})
	return spellings, err
}

// spellingStatement returns null if a text of the type has a word, and otherwise names like it. A word with one wrong letter still has a
// half that is right, which the index finds. Where it can't, because a half is too short, only small tables are read. A word that the
// index can't find counts as found in a large one.
func (s *Store) spellingStatement(in SearchedType, word string) statement {
	t, w := in.Type, &where{}
	table, name := quote(t.Table()), t.NamingField()
	small := fmt.Sprintf("(SELECT c.reltuples FROM pg_class c WHERE c.oid = '%s'::regclass) < %d", table, largeTable)
	w.scope(in.Scope, t)
	indexed, unknown := s.hasTrigram(word), ""
	if !indexed {
		w.and(small)
		unknown = " OR NOT " + small
	}
	w.and(w.searching(word, indexed).withPattern().inTexts(t, "t."))
	sql := fmt.Sprintf("WITH found AS MATERIALIZED (SELECT t.id FROM %s t%s)", table, w)
	found := "SELECT NULL::text WHERE EXISTS (SELECT FROM found)" + unknown
	if name == "" || !slices.Contains(t.SearchFields(), t.Field(name)) {
		return statement{sql + " " + found, w.args}
	}
	w.parts = nil
	w.and("NOT EXISTS (SELECT FROM found)")
	w.scope(in.Scope, t)
	pieces, joined := wordPieces(word), joinedTexts(t, "t.")
	if slices.ContainsFunc(pieces, func(piece string) bool { return !s.hasTrigram(piece) }) {
		w.and(small)
		joined += " || ''" // which is not what the index is on
	}
	var right []string
	for _, piece := range pieces {
		right = append(right, joined+" LIKE "+w.searching(piece, true).inside())
	}
	w.and("(" + strings.Join(right, " OR ") + ")")
	w.and(fmt.Sprintf("%s LIKE ANY(ARRAY(SELECT %s FROM unnest(%s::text[]) x))", folded(w.value(t, name)+"::text"), folded("x"),
		w.arg(misspellings(word))))
	return statement{fmt.Sprintf("%s, near AS MATERIALIZED (SELECT DISTINCT %s::text AS name FROM %s t%s) "+
		"%s UNION ALL (SELECT name FROM near ORDER BY name LIMIT %d)", sql, w.value(t, name), table, w, found, nearNames), w.args}
}

// wordPieces returns the halves of a word, and the word with its two middle letters swapped. Each misspelling of the word by one letter, or
// by two swapped neighbors, contains one of them.
func wordPieces(word string) []string {
	r := []rune(word)
	half := len(r) / 2
	return []string{string(r[:half]), string(r[half:]), string(slices.Concat(r[:half-1], []rune{r[half], r[half-1]}, r[half+1:]))}
}

// misspellings returns patterns for texts with a word that this one becomes if one letter is changed, added or left out, or two
// neighbors are swapped.
func misspellings(word string) (patterns []string) {
	r := []rune(word)
	add := func(parts ...string) { patterns = append(patterns, "%"+strings.Join(parts, "")+"%") }
	for i := range r {
		before, after := escapeLike(string(r[:i])), escapeLike(string(r[i+1:]))
		add(before, "_", after)
		add(before, after)
		if i > 0 {
			add(before, "_", escapeLike(string(r[i:])))
			add(escapeLike(string(r[:i-1])), escapeLike(string([]rune{r[i], r[i-1]})), after)
		}
	}
	return patterns
}
