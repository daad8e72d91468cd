package store

import (
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"terrier/internal/layer"
	"terrier/internal/record"
)

// gathered is what a merged field of some records is worked out from.
type gathered struct {
	merging
	facts   *Promise[map[int64][][]int64]
	parents *Promise[map[int]map[int64]int64]
	sources *Promise[*sources]
}

// queue asks for what the field of some records is worked out from.
func (m merging) queue(batch *pgx.Batch, rows []record.Values) gathered {
	ids := make([]int64, len(rows))
	for i, v := range rows {
		ids[i] = v.ID()
	}
	g := gathered{merging: m, facts: promiseIn(batch, m.facts, []any{ids}, m.readFacts), parents: Answered(map[int]map[int64]int64{})}
	if m.parents != "" {
		g.parents = promiseIn(batch, m.parents, []any{ids}, readParents)
	}
	known := m.known.Load()
	if known == nil {
		known = &sources{stack: layer.NewStack(nil)}
	}
	g.sources = promiseIn(batch, m.sources, []any{known.print}, func(rows pgx.Rows) (*sources, error) { return m.readSources(rows, known) })
	return g
}

func (m merging) readFacts(rows pgx.Rows) (map[int64][][]int64, error) {
	facts := map[int64][][]int64{}
	for rows.Next() {
		cols := rows.RawValues()
		id, err := readInt(cols[0])
		if err != nil {
			rows.Close()
			return nil, err
		}
		has := make([][]int64, len(m.Selectors))
		for n, c := range m.has {
			if has[c.selector], err = readIDs(cols[n+1], c.many); err != nil {
				rows.Close()
				return nil, err
			}
		}
		facts[id.(int64)] = has
	}
	rows.Close()
	return facts, rows.Err()
}

// readIDs reads one id or an array of them, none for null.
func readIDs(column []byte, many bool) ([]int64, error) {
	if many {
		ids, err := readNumbers(column)
		if err != nil {
			return nil, err
		}
		return ids.([]int64), nil
	}
	id, err := readInt(column)
	if id == nil || err != nil {
		return nil, err
	}
	return []int64{id.(int64)}, nil
}

func readParents(rows pgx.Rows) (map[int]map[int64]int64, error) {
	parents := map[int]map[int64]int64{}
	var selector int
	var id, parent int64
	_, err := pgx.ForEachRow(rows, []any{&selector, &id, &parent}, func() error {
		if parents[selector] == nil {
			parents[selector] = map[int64]int64{}
		}
		parents[selector][id] = parent
		return nil
	})
	return parents, err
}

// has returns what a record has for each selector, with what is above it.
func (g gathered) has(v record.Values) [][]int64 {
	has := g.facts.Get()[v.ID()]
	if has == nil { // it was deleted meanwhile
		return make([][]int64, len(g.Selectors))
	}
	for n, s := range g.Selectors {
		if s.Tree != nil && len(has[n]) == 1 {
			has[n] = layer.Above(g.parents.Get()[n], has[n][0])
		}
	}
	return has
}

// own returns the object of the record itself, nil for none.
func (g gathered) own(v record.Values) json.RawMessage {
	own, _ := v.At(g.Last).(json.RawMessage)
	return own
}

// fill sets the field of the records, up to a number of bytes and in the first in any case. It returns how many it has set.
func (g gathered) fill(rows []record.Values, most int) (int, error) {
	stack, size := g.sources.Get().stack, 0
	for i, v := range rows {
		value, err := stack.Merge(g.has(v), g.own(v))
		if err != nil {
			return i, fmt.Errorf("%s of %d: %w", g.name, v.ID(), err)
		}
		if size += len(value); size > most && i > 0 {
			return i, nil
		}
		v.SetAt(g.Field, value)
	}
	return len(rows), nil
}
