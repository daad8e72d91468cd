package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"terrier/internal/record"
)

// mostOutlined is how many records a list in the order of a tree may have. PostgreSQL takes some ten milliseconds to sort so many by name.
const mostOutlined = 5000

// outlined reads a page of a list of a tree: each record is followed by those below it, and records below the same one are in the type's
// own order. Only listed records make up the tree, so a record whose parent is not listed begins at the left, and records that the caller
// may not see change nothing.
func (s *Store) outlined(ctx context.Context, t *record.Type, q Query, list []branch) (page Page, err error) {
	ids, depths := outline(list, q.Offset, q.Limit)
	if len(ids) > 0 {
		part := Query{Scope: q.Scope, View: q.View, MaxBytes: q.MaxBytes, Limit: q.Limit, Count: CountNone, places: ids}
		if page, err = s.List(ctx, t, part); err != nil {
			return Page{}, err
		}
	}
	for _, r := range page.Rows {
		page.Depths = append(page.Depths, depths[r.ID()])
	}
	page.Total, page.Offset = Total{Count: int64(len(list)), Counted: true}, q.Offset
	page.More, page.Next, page.Prev = q.Offset+len(page.Rows) < len(list), "", ""
	return page, nil
}

// branch is a record of a tree and the one that it is below, 0 if there is none.
type branch struct{ id, parent int64 }

// branches reads the ids of a whole list, in the type's own order. If there are more than mostOutlined, it sorts none and returns none. It
// also returns none if reading them takes longer than the query allows, and slow is true.
func (s *Store) branches(ctx context.Context, t *record.Type, q Query, h hits) (list []branch, slow bool, err error) {
	order, err := orderOf(t, q)
	if err != nil || h.many || len(h.ids) > mostOutlined {
		return nil, false, err
	}
	w := &where{}
	from := w.list(t, q, h)
	batch := &pgx.Batch{}
	prove(ctx, batch)
	batch.Queue(fmt.Sprintf("WITH few AS MATERIALIZED (SELECT t.* FROM %s t%s LIMIT %[3]d + 1) SELECT t.id, coalesce(t.%[4]s, 0) FROM few t "+
		"WHERE (SELECT count(*) FROM few) <= %[3]d ORDER BY %[5]s", from, w, mostOutlined, quote(t.Field("parent").Column().Name),
		orderBy(order, false)), w.args...).Query(func(rows pgx.Rows) error {
		read, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (b branch, err error) {
			err = row.Scan(&b.id, &b.parent)
			return b, err
		})
		if err == nil {
			list = read
		}
		return err
	})
	slow, err = s.inCountTime(ctx, q, batch)
	return list, slow, err
}

// outline returns the ids of a part of a list in the order of its tree, and how many listed records each of them is below.
func outline(list []branch, offset, limit int) (ids []int64, depths map[int64]int) {
	listed := make(map[int64]bool, len(list))
	for _, b := range list {
		listed[b.id] = true
	}
	below := map[int64][]int64{} // those at the left are below 0
	for _, b := range list {
		if !listed[b.parent] {
			b.parent = 0
		}
		below[b.parent] = append(below[b.parent], b.id)
	}
	depths = map[int64]int{}
	place := 0
	var walk func(branches []int64, depth int)
	walk = func(branches []int64, depth int) {
		for _, id := range branches {
			if place >= offset+limit {
				return
			}
			if place >= offset {
				ids, depths[id] = append(ids, id), depth
			}
			place++
			walk(below[id], depth+1)
		}
	}
	walk(below[0], 0)
	return ids, depths
}
