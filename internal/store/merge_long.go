package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"terrier/internal/record"
)

// mergedAtOnce is how many records are looked at in one round trip.
const mergedAtOnce = 10_000

// LongMerged is a record with a merged field that is too long.
type LongMerged struct {
	Type  *record.Type
	ID    int64
	Bytes int // of the field, without what the record itself adds
}

// LongMerged looks for a record with more than so many bytes in a field that is merged from sources of a type, as they are in the
// transaction. It returns nil if there is none.
func (tx *Tx) LongMerged(ctx context.Context, from *record.Type, most int) (_ *LongMerged, err error) {
	defer named(&err, "look for long fields that are merged from %s", from)
	for t, p := range tx.s.plans {
		for _, m := range p.merges {
			if m.From != from {
				continue
			}
			for after := int64(0); ; {
				ids, err := tx.someIDs(ctx, t, after)
				if err != nil || len(ids) == 0 {
					if err != nil {
						return nil, err
					}
					break
				}
				long, err := tx.longAmong(ctx, t, m, ids, most)
				if err != nil || long != nil {
					return long, err
				}
				after = ids[len(ids)-1]
			}
		}
	}
	return nil, nil
}

// someIDs returns ids of a type in ascending order, after one of them.
func (tx *Tx) someIDs(ctx context.Context, t *record.Type, after int64) ([]int64, error) {
	sql := fmt.Sprintf("SELECT id FROM %s WHERE id > $1 ORDER BY id LIMIT %d", quote(t.Table()), mergedAtOnce)
	ids := promise(tx, sql, []any{after}, func(rows pgx.Rows) ([]int64, error) { return pgx.CollectRows(rows, pgx.RowTo[int64]) })
	if err := tx.Flush(ctx); err != nil {
		return nil, err
	}
	return ids.Get(), nil
}

func (tx *Tx) longAmong(ctx context.Context, t *record.Type, m merging, ids []int64, most int) (*LongMerged, error) {
	g := m.queue(tx.batch, ids)
	if err := tx.Flush(ctx); err != nil {
		return nil, err
	}
	stack := g.sources.Get().stack
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		has := g.has(id)
		if stack.Bytes(has) <= most { // as long as what is merged, or longer
			continue
		}
		value, err := stack.Merge(has, nil)
		if err != nil {
			return nil, fmt.Errorf("merge %s of %s %d: %w", g.name, t.Key(), id, err)
		}
		if len(value) > most {
			return &LongMerged{t, id, len(value)}, nil
		}
	}
	return nil, nil
}
