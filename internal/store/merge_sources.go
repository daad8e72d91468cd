package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"terrier/internal/fault"
	"terrier/internal/layer"
	"terrier/internal/record"
)

// mostKeptSources is how many bytes all sources may have to be kept from one request to the next.
const mostKeptSources = 4 << 20

// sources are all that a field is merged from. They are kept from one request to the next, because they rarely change.
type sources struct {
	print string
	ids   []int64
	stack *layer.Stack
}

// sourcesStatement reads the print of all sources, and all of them in their order if it is another than $1. It has null as the data of
// those that are too much. The print is made of the ids, the transactions that wrote them and where they lie, so it changes with whatever
// changes in them, also twice in one transaction.
func sourcesStatement(x record.Merge) string {
	order, err := orderOf(x.From, nil)
	if err != nil {
		panic(err) // the registry has checked the order
	}
	by, data := orderBy(order, false), "t."+quote(x.Data.Column().Name)
	columns := []string{"t.id"}
	for _, s := range x.Selectors {
		columns = append(columns, "t."+quote(s.Field.Column().Name))
	}
	columns = append(columns, fmt.Sprintf("CASE WHEN sum(octet_length(%[1]s::text)) OVER (ORDER BY %[2]s) <= %[3]d THEN %[1]s END",
		data, by, mostSources))
	from := fmt.Sprintf("FROM %s t WHERE t.%s", quote(x.From.Table()), quote(x.If.Column().Name))
	return fmt.Sprintf("SELECT f.print, s.* FROM "+
		"(SELECT coalesce(md5(string_agg(concat(t.id, ' ', t.xmin, t.ctid), ',' ORDER BY t.id)), '') AS print %s) f "+
		"LEFT JOIN LATERAL (SELECT %s %[1]s AND f.print <> $1 ORDER BY %[3]s) s ON TRUE", from, strings.Join(columns, ", "), by)
}

// readSources reads the sources, or finds that they are the known ones.
func (m merging) readSources(rows pgx.Rows, known *sources) (*sources, error) {
	defer rows.Close()
	all, of, size := &sources{}, []layer.Source(nil), 0
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
		data := cols[len(cols)-1]
		if data == nil {
			return nil, fault.New(fault.Invalid, "All %s together have more than %d MiB of data, which is too much to merge. "+
				"Make them smaller, or leave %s out with exclude=%[3]s.", m.From.Plural, mostSources>>20, m.name)
		}
		source.Data = slices.Clone(data)
		size += len(data)
		all.ids, of = append(all.ids, id.(int64)), append(of, source)
	}
	rows.Close()
	if err := rows.Err(); err != nil {
		return nil, err
	}
	all.stack = layer.NewStack(of)
	if size <= mostKeptSources {
		m.known.Store(all)
	}
	return all, nil
}
