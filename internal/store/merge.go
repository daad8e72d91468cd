package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
)

// Fields that other records make up are merged after the records are read, where they are shown: see record.Merged. It takes three
// statements in one round trip, however many records and sources there are. All sources count, also those that the caller may not
// see: the result is part of the record.

// mostMerged is how many bytes the merged fields of the records that one request writes may have.
const mostMerged = 8 * MaxPage

// merging is a merged field compiled into statements.
type merging struct {
	record.Merge
	name    string
	has     []hasColumn
	facts   string // what each of the records $1 has, by selector
	parents string // the trees above that: selector, id, parent; "" if there are none
	sources string // all of them, if their print is another than $1
	known   *atomic.Pointer[sources]
}

// hasColumn is what a record has for a selector.
type hasColumn struct {
	selector int
	many     bool
}

func newMergings(t *record.Type) []merging {
	var all []merging
	for _, x := range t.MergesOf(record.View{}) {
		all = append(all, newMerging(t, x))
	}
	return all
}

func newMerging(t *record.Type, x record.Merge) merging {
	m := merging{Merge: x, name: t.Infos()[x.Field].Name, sources: sourcesStatement(x), known: &atomic.Pointer[sources]{}}
	from, columns := joined{sql: quote(t.Table()) + " t", aliases: map[string]string{}}, []string{"t.id"}
	var trees []string
	for n, s := range x.Selectors {
		if len(s.Via) == 0 {
			continue
		}
		column := from.column(t, s.Via)
		columns = append(columns, column)
		m.has = append(m.has, hasColumn{n, s.Via[len(s.Via)-1].Many})
		if s.Tree != nil {
			trees = append(trees, fmt.Sprintf("SELECT %d::bigint, u.* FROM (WITH RECURSIVE up AS (SELECT n.id, n.parent_id FROM %[2]s n "+
				"WHERE n.id IN (SELECT %[3]s FROM %[4]s WHERE t.id = ANY($1)) "+
				"UNION SELECT n.id, n.parent_id FROM %[2]s n JOIN up ON n.id = up.parent_id) "+
				"SELECT id, parent_id FROM up WHERE parent_id IS NOT NULL) u", n, quote(s.Tree.Table()), column, from.sql))
		}
	}
	m.facts = fmt.Sprintf("SELECT %s FROM %s WHERE t.id = ANY($1)", strings.Join(columns, ", "), from.sql)
	m.parents = strings.Join(trees, " UNION ALL ")
	return m
}

// joined is a table with those that its references lead to.
type joined struct {
	sql     string
	aliases map[string]string // by path
}

// column returns the column that a path ends in, and joins what leads to it.
func (j *joined) column(t *record.Type, via []record.Hop) string {
	alias, path := "t", ""
	for _, hop := range via[:len(via)-1] {
		path += "." + hop.Name
		next := j.aliases[path]
		if next == "" {
			next = fmt.Sprintf("j%d", len(j.aliases))
			j.aliases[path] = next
			j.sql += fmt.Sprintf(" LEFT JOIN %s %s ON %s.id = %s.%s", quote(hop.Target.Table()), next, next, alias,
				quote(t.Field(hop.Name).Column().Name))
		}
		alias, t = next, hop.Target
	}
	return alias + "." + quote(t.Field(via[len(via)-1].Name).Column().Name)
}

// mergings returns the merged fields that a view shows.
func (s *Store) mergings(t *record.Type, view record.View) []merging {
	all := s.plans[t].merges
	if len(all) == 0 || view.Whole() {
		return all
	}
	shown := t.Shown(view)
	return slices.DeleteFunc(slices.Clone(all), func(m merging) bool { return !slices.Contains(shown, m.Field) })
}

// fillAll sets the merged fields of records. It returns how many records have got all of them.
func fillAll(gathered []gathered, rows []record.Values, most int) (int, error) {
	for _, g := range gathered {
		n, err := g.fill(rows, most)
		if err != nil {
			return 0, err
		}
		rows = rows[:n]
	}
	return len(rows), nil
}

// mergePage sets the merged fields of a page that was read. The page ends early if they have too many bytes.
func (s *Store) mergePage(ctx context.Context, t *record.Type, q Query, page *Page, most int) error {
	merges := s.mergings(t, q.View)
	if len(merges) == 0 || len(page.Rows) == 0 {
		return nil
	}
	batch := &pgx.Batch{}
	all := make([]gathered, len(merges))
	for i, m := range merges {
		all[i] = m.queue(batch, page.Rows)
	}
	if err := s.list(ctx, q.Scope, batch); err != nil {
		return s.translate(err)
	}
	n, err := fillAll(all, page.Rows, most)
	if n < len(page.Rows) {
		page.Rows, page.Full = page.Rows[:n], true
	}
	return err
}

// Merge sets the merged fields of a record that a view shows.
func (s *Store) Merge(ctx context.Context, v record.Values, view record.View) (err error) {
	defer named(&err, "read what is merged into %s", v.Type())
	rows := []record.Values{v}
	batch := &pgx.Batch{}
	var all []gathered
	for _, m := range s.mergings(v.Type(), view) {
		all = append(all, m.queue(batch, rows))
	}
	if len(all) == 0 {
		return nil
	}
	if err := s.records.SendBatch(ctx, batch).Close(); err != nil {
		return s.translate(err)
	}
	_, err = fillAll(all, rows, 0)
	return err
}

// Merge sets the merged fields of records of one type, as they are in the transaction.
func (tx *Tx) Merge(ctx context.Context, t *record.Type, rows []record.Values) (err error) {
	defer named(&err, "read what is merged into %s", t)
	var all []gathered
	for _, m := range tx.s.mergings(t, record.View{}) {
		all = append(all, m.queue(tx.batch, rows))
	}
	if len(all) == 0 || len(rows) == 0 {
		return nil
	}
	if err := tx.Flush(ctx); err != nil {
		return err
	}
	n, err := fillAll(all, rows, mostMerged)
	if err == nil && n < len(rows) {
		err = fault.New(fault.Invalid, "The response would have more than %d MiB: send at most %d records at once.", mostMerged>>20, n)
	}
	return err
}

// MergedFrom is what a merged field of a record comes from.
type MergedFrom struct {
	Type    *record.Type // of the sources
	Sources []int64      // those that count, in their order
	Own     json.RawMessage
	Result  json.RawMessage
}

// MergedFrom returns what a merged field of a record comes from. The scope says whose turn it takes: the caller has read the record.
func (s *Store) MergedFrom(ctx context.Context, scope access.Scope, v record.Values, field string) (_ MergedFrom, err error) {
	defer named(&err, "read what is merged into %s", v.Type())
	merges := s.mergings(v.Type(), record.View{Only: []string{field}})
	batch := &pgx.Batch{}
	g := merges[0].queue(batch, []record.Values{v})
	if err := s.list(ctx, scope, batch); err != nil {
		return MergedFrom{}, s.translate(err)
	}
	from := MergedFrom{Type: g.From, Own: g.own(v)}
	has, all := g.has(v), g.sources.Get()
	for _, i := range all.stack.Matching(has) {
		from.Sources = append(from.Sources, all.ids[i])
	}
	from.Result, err = all.stack.Merge(has, from.Own)
	return from, err
}
