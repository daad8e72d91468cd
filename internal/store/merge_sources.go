package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"terrier/internal/layer"
	"terrier/internal/record"
)

// sources are all that a field is merged from. They are kept from one request to the next, because they rarely change. The ledger bounds
// how many bytes they have when they are written.
type sources struct {
	print string
	ids   []int64
	stack *layer.Stack
}

// sourcesStatement reads the print of all sources, and all of them in their order if it is another than $1. The print is made of the ids,
// the transactions that wrote them and where they lie, so it changes with whatever changes in them, also twice in one transaction.
func sourcesStatement(x record.Merge) string {
	order, err := orderOf(x.From, Query{})
	if err != nil {
		panic(err) // the registry has checked the order
	}
	by := orderBy(order, false)
	columns := []string{"t.id"}
	for _, s := range x.Selectors {
		columns = append(columns, "t."+quote(s.Field.Column().Name))
	}
	columns = append(columns, "t."+quote(x.Data.Column().Name))
	from := fmt.Sprintf("FROM %s t WHERE t.%s", quote(x.From.Table()), quote(x.If.Column().Name))
	return fmt.Sprintf("SELECT f.print, s.* FROM "+
		"(SELECT coalesce(md5(string_agg(concat(t.id, ' ', t.xmin, t.ctid), ',' ORDER BY t.id)), '') AS print %s) f "+
		"LEFT JOIN LATERAL (SELECT %s %[1]s AND f.print <> $1 ORDER BY %[3]s) s ON TRUE", from, strings.Join(columns, ", "), by)
}

// readSources reads the sources, or finds that they are the known ones.
func (m merging) readSources(rows pgx.Rows, known *sources) (*sources, error) {
	defer rows.Close()
	all, of := &sources{}, []layer.Source(nil)
	for rows.Next() {
		cols := rows.RawValues()
		if all.print = string(cols[0]); all.print == known.print {
			return known, rows.Err()
		}
		cols = cols[1:]
		id, err := readInt(cols[0])
		if err != nil {
			return nil, err
		}
		if id == nil { // there are none
			break
		}
		source := layer.Source{Selectors: make([][]int64, len(m.Selectors))}
		for n := range m.Selectors {
			if source.Selectors[n], err = readIDs(cols[n+1], true); err != nil {
				return nil, err
			}
		}
		source.Data = slices.Clone(cols[len(cols)-1])
		all.ids, of = append(all.ids, id.(int64)), append(of, source)
	}
	rows.Close()
	if err := rows.Err(); err != nil {
		return nil, err
	}
	all.stack = layer.NewStack(of)
	m.known.Store(all)
	return all, nil
}

// LockSources lets one change set at a time add to what fields of other records are merged from, until the transaction ends.
func (tx *Tx) LockSources(t *record.Type) {
	tx.exec("SELECT pg_advisory_xact_lock(hashtextextended('sources:' || $1, 0))", t.Key())
}

// SourceBytes is how many bytes fields of other records are merged from.
type SourceBytes struct {
	All    int64
	After  int64 // of the written sources, as they are now
	Before int64 // and as they were
}

// SourceBytes measures what fields of other records are merged from: all sources that count, those with the given ids, and the data that
// these had before.
func (tx *Tx) SourceBytes(t *record.Type, s record.SourceData, ids []int64, before []string) *Promise[[]SourceBytes] {
	sql := fmt.Sprintf("SELECT coalesce(sum(n), 0)::bigint, coalesce(sum(n) FILTER (WHERE id = ANY($1)), 0)::bigint, "+
		"(SELECT coalesce(sum(octet_length(b::jsonb::text)), 0)::bigint FROM unnest($2::text[]) b) "+
		"FROM (SELECT id, octet_length(%s::text) n FROM %s WHERE %s) x",
		quote(t.Field(s.Data).Column().Name), quote(t.Table()), quote(t.Field(s.If).Column().Name))
	return promise(tx, sql, []any{ids, before}, structs[SourceBytes])
}
