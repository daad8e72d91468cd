package ledger

import (
	"context"
	"fmt"
	"strings"
	"time"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// What is said about a permission is short, also if it has hundreds of values: it goes into a header or a cookie.
const (
	mostUnmatched = 3
	mostLookedFor = 50
	unmatchedTime = time.Second
)

// UnmatchedConstraints says which constraints of a permission lead through a reference to a value that no record has, such as
// region__slug: "lisbn". Nothing is refused for it: the record may be created later. A value of the constrained record itself is not
// looked for, for the same reason. Who writes permissions may give themselves any view, so all records count.
func (l *Ledger) UnmatchedConstraints(ctx context.Context, permission record.Values) string {
	ctx, cancel := context.WithTimeout(ctx, unmatchedTime)
	defer cancel()
	var said []string
	for _, key := range permission.List("object_types") {
		t := l.Store.Type(key)
		if t == nil {
			continue
		}
		alternatives, err := record.ParseConstraints(t, permission.Raw("constraints"), 0)
		if err != nil {
			continue // it is stored, and refused when it is written again
		}
		for _, all := range alternatives {
			for _, p := range all {
				if said = append(said, l.unmatched(ctx, key, p)...); len(said) >= mostUnmatched {
					return strings.Join(said[:mostUnmatched], " ")
				}
			}
		}
	}
	return strings.Join(said, " ")
}

// unmatched returns a sentence for each value of a condition that no record has.
func (l *Ledger) unmatched(ctx context.Context, key string, p record.Predicate) (said []string) {
	if len(p.Via) == 0 || p.Field == nil || p.Asker || p.Lookup == record.Not {
		return nil
	}
	target := p.Via[len(p.Via)-1].Target
	var values []any
	var lists []store.Counting
	for _, value := range p.Values[:min(len(p.Values), mostLookedFor)] {
		if value != nil {
			one := []record.Predicate{{Field: p.Field, Lookup: p.Lookup, Values: []any{value}}}
			values = append(values, value)
			lists = append(lists, store.Counting{Type: target, Query: store.Query{Scope: access.Machine(), Where: one, Limit: 1}})
		}
	}
	if len(lists) == 0 {
		return nil
	}
	counts, err := l.Store.Counts(ctx, lists)
	for i, n := range counts {
		if err == nil && n == 0 {
			said = append(said, fmt.Sprintf("The constraint for %s matches nothing: no %s has the %s %v.", key, target.Title(),
				p.Field.Info().Label, quoted(values[i])))
		}
	}
	return said
}

func quoted(value any) string {
	if text, ok := value.(string); ok {
		return fmt.Sprintf("%q", shortened(text))
	}
	return fmt.Sprint(value)
}
