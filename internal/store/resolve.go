package store

import (
	"strings"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/record"
)

// Found is a record that a reference may point to, with the columns it was asked by.
type Found struct {
	Link  record.Link
	Asked []any
}

// Resolve finds records to refer to, and keeps them from being deleted until the change set is done. A transaction that
// only reads keeps nothing. It reads only what a nested representation shows.
//
// Several values of several tests belong together by position: the first of each, the
// second of each. Such tests are plain columns without null.
func (tx *Tx) Resolve(t *record.Type, scope access.Scope, tests []record.Predicate, limit int) *Promise[[]Found] {
	w := &where{}
	w.scope(scope, t)
	together := len(tests) > 1 && len(tests[0].Values) > 1
	if together {
		w.together(tests)
	}
	plan := tx.s.plans[t]
	columns := strings.Join(plan.link.exprs, ", ")
	var asked []func([]byte) (any, error)
	for _, p := range tests {
		if !together {
			w.and(w.predicate(p, t, "t"))
		}
		if p.Field != nil && len(p.Via) == 0 {
			c := p.Field.Column()
			columns += ", t." + quote(c.Name)
			asked = append(asked, readers[c.Storage])
		}
	}
	lock := LockKeep
	if tx.reading {
		lock = NoLock
	}
	timed := lock != NoLock && t.Logged()
	if timed {
		columns += ", " + lastUpdated
	}
	sql := "SELECT " + columns + " FROM " + plan.table + " t" + plan.link.join + w.String() + " ORDER BY t.id LIMIT " + w.arg(limit) +
		string(lock)
	return promise(tx, sql, w.args, func(rows pgx.Rows) (found []Found, err error) {
		for rows.Next() {
			cols := rows.RawValues()
			v, err := plan.link.read(cols)
			if err != nil {
				return nil, err
			}
			f := Found{Link: v.(record.Link)}
			for i, read := range asked {
				value, err := read(cols[len(plan.link.exprs)+i])
				if err != nil {
					return nil, err
				}
				f.Asked = append(f.Asked, value)
			}
			if timed {
				if err := tx.noteUpdated(cols[len(cols)-1]); err != nil {
					return nil, err
				}
			}
			found = append(found, f)
		}
		return found, rows.Err()
	})
}
