package ledger

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// keyTest is a part of a filter whose values name records of another type.
type keyTest struct {
	param string
	test  *record.Predicate
}

// resolveKeys looks up the records that filters name. A text that is no key, but the name of exactly one record, becomes the key of that
// record. Any other text is refused: an empty list for a misspelled slug would look like an answer. A record that the caller may not
// see is as unknown as one that there isn't. Nothing is looked up in a type of which the caller may see no record.
//
// It takes one statement for each type and field that names records, all in one round trip; none if no filter names a record.
func (l *Ledger) resolveKeys(ctx context.Context, c Caller, filters []string, where []record.Predicate) error {
	var tests []keyTest
	for i, filter := range filters {
		tests = append(tests, keyTests(filter, &where[i])...)
	}
	var queries []store.KeyQuery
	var scopes []access.Scope
	asked := map[int][]keyTest{} // by query
	for _, x := range tests {
		scope, err := l.Policy.Scope(c.Subject, x.test.KeyOf, access.View)
		if err != nil {
			continue
		}
		i := slices.IndexFunc(queries, func(q store.KeyQuery) bool {
			return q.Type == x.test.KeyOf && q.Field.Info().Name == x.test.Field.Info().Name
		})
		if i < 0 {
			i = len(queries)
			queries, scopes = append(queries, store.KeyQuery{Type: x.test.KeyOf, Field: x.test.Field}), append(scopes, scope)
		}
		for _, v := range x.test.Values {
			if text, ok := v.(string); ok && !slices.Contains(queries[i].Texts, text) {
				queries[i].Texts = append(queries[i].Texts, text)
			}
		}
		asked[i] = append(asked[i], x)
	}
	if len(queries) == 0 {
		return nil
	}
	missing, err := l.Store.MissingKeys(ctx, queries, scopes)
	if err != nil {
		return err
	}
	refused := fault.Fields{}
	for i, texts := range missing {
		if len(texts) == 0 {
			continue
		}
		queries[i].Texts = texts
		keys, problems, err := l.keysByName(ctx, queries[i], scopes[i])
		if err != nil {
			return err
		}
		for _, x := range asked[i] {
			x.replace(keys, problems, refused)
		}
	}
	if len(refused) > 0 {
		return &fault.Error{Kind: fault.Invalid, Fields: refused}
	}
	return nil
}

// replace puts keys in the place of names. A value that has a problem is refused.
func (x keyTest) replace(keys, problems map[string]string, refused fault.Fields) {
	x.test.Values = slices.Clone(x.test.Values)
	for i, v := range x.test.Values {
		text, _ := v.(string)
		if key, ok := keys[text]; ok {
			x.test.Values[i] = key
		}
		if problem := problems[text]; problem != "" && !slices.Contains(refused[x.param], problem) {
			refused.Add(x.param, "%s", problem)
		}
	}
}

// keyTests returns the parts of a filter whose values name records.
func keyTests(param string, p *record.Predicate) (tests []keyTest) {
	for i := range p.Any {
		tests = append(tests, keyTests(param, &p.Any[i])...)
	}
	if p.KeyOf != nil && len(p.Values) > 0 && p.Field.Column().Storage == record.StoreText { // people misspell texts
		tests = append(tests, keyTest{param, p})
	}
	return tests
}

// mostNamesakes is how many records are read for texts that are no keys.
const mostNamesakes = 1000

// keysByName returns the key of the one record that has a text as its name, for each text of a query, or why there is none.
func (l *Ledger) keysByName(ctx context.Context, q store.KeyQuery, scope access.Scope) (keys, problems map[string]string, err error) {
	t, key, name := q.Type, q.Field.Info().Name, q.Type.NamingField()
	keys, problems = map[string]string{}, map[string]string{}
	found := map[string][]string{}
	if name != "" && name != key {
		page, err := l.keysOf(ctx, q, scope, []record.Predicate{{Field: t.Field(name), Values: record.AnyOf(q.Texts)}})
		if err != nil {
			return nil, nil, err
		}
		for _, v := range page {
			found[v.Text(name)] = append(found[v.Text(name)], v.Text(key))
		}
	}
	var known []string
	for _, text := range q.Texts {
		switch named := found[text]; {
		case slices.Contains(named, ""):
			problems[text] = fmt.Sprintf("The %s %q has no %s. Filter by its id.", t.Title(), text, t.Field(key).Info().Label)
		case len(named) == 1:
			keys[text] = named[0]
		case len(named) > 1:
			problems[text] = fmt.Sprintf("Several %s are called %q. Write the %s of one of them: %s.", t.PluralTitle(), text,
				t.Field(key).Info().Label, orList(named[:min(len(named), mostInstead)]))
		default:
			if known == nil {
				if known, err = l.knownKeys(ctx, q, scope); err != nil {
					return nil, nil, err
				}
			}
			problems[text] = fmt.Sprintf("There is no %s %q that you may see.", t.Title(), shortened(text))
			if len(problems) > mostSuggested {
				continue
			}
			if near := record.NearestOf(text, known, mostNearest); len(near) > 0 {
				problems[text] += " Did you mean " + orList(near) + "?"
			}
		}
	}
	return keys, problems, nil
}

// mostNearest is how many texts a message suggests, mostSuggested for how many texts of a filter: each is compared with all known ones.
const mostNearest, mostSuggested = 3, 5

// knownKeys returns keys and names of records, to suggest some of them: of all records if there are not too many, else of those
// that begin like the first text.
func (l *Ledger) knownKeys(ctx context.Context, q store.KeyQuery, scope access.Scope) ([]string, error) {
	rows, err := l.keysOf(ctx, q, scope, nil)
	if err == nil && len(rows) == mostNamesakes {
		letters := []rune(q.Texts[0])
		rows, err = l.keysOf(ctx, q, scope, []record.Predicate{{Field: q.Field, Lookup: record.Starts,
			Values: []any{string(letters[:min(len(letters), 2)])}}})
	}
	known := []string{}
	for _, v := range rows {
		for _, name := range []string{q.Field.Info().Name, q.Type.NamingField()} {
			if name == "" {
				continue
			}
			if text := v.Text(name); text != "" && !slices.Contains(known, text) {
				known = append(known, text)
			}
		}
	}
	return known, err
}

func (l *Ledger) keysOf(ctx context.Context, q store.KeyQuery, scope access.Scope, tests []record.Predicate) ([]record.Values, error) {
	page, err := l.Store.List(ctx, q.Type, store.Query{Scope: scope, Where: tests, Limit: mostNamesakes, Count: store.CountNone,
		View: record.View{Only: []string{q.Field.Info().Name, q.Type.NamingField()}}})
	return page.Rows, err
}

// orList returns quoted texts: "a", "b" or "c".
func orList(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = fmt.Sprintf("%q", text)
	}
	last := len(quoted) - 1
	if last == 0 {
		return quoted[0]
	}
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}
