package store

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"terrier/internal/record"
)

// Clash says that a record breaks a uniqueness rule.
type Clash struct {
	Row  int // position in what was asked
	Rule int // position in the type's rules
}

// Clashes looks for records that already hold what rows are about to hold, all rules in
// one statement. The constraint itself remains the judge; this is for an answer that
// names every position and field, and is asked only when there is something to report.
func (tx *Tx) Clashes(t *record.Type, rows []record.Values) *Promise[[]Clash] {
	rules := t.Rules()
	if len(rules) == 0 || len(rows) == 0 {
		return Answered([]Clash(nil))
	}
	used := map[string]bool{"id": true}
	for _, rule := range rules {
		for _, name := range rule.Reads() {
			used[t.Field(name).Column().Name] = true
		}
	}
	var narrow relation[record.Values]
	for _, a := range tx.s.plans[t].writing.columns {
		if used[a.name] {
			narrow = append(narrow, a)
		}
	}
	var selects []string
	for i, rule := range rules {
		conds := []string{"t.id <> x.id"}
		for _, name := range rule.Fields {
			column := t.Field(name).Column()
			op := "="
			if column.Null && !rule.NullsDiffer { // two nulls are the same
				op = "IS NOT DISTINCT FROM"
			}
			ours, theirs := "t."+quote(column.Name), "x."+quote(column.Name)
			if cast := casts[column.Storage]; cast != "" {
				theirs = fmt.Sprintf(cast, theirs)
			}
			if rule.FoldCase && column.Storage == record.StoreText {
				ours, theirs = "lower("+ours+")", "lower("+theirs+")"
			}
			conds = append(conds, ours+" "+op+" "+theirs)
		}
		if rule.Where != "" {
			where := quote(t.Field(rule.Where).Column().Name)
			conds = append(conds, "t."+where+" IS NOT NULL AND x."+where+" IS NOT NULL")
		}
		selects = append(selects, fmt.Sprintf("SELECT x.n, %d AS rule FROM x JOIN %s t ON %s", i, quote(t.Table()), strings.Join(conds, " AND ")))
	}
	sql := fmt.Sprintf("WITH x AS (SELECT * FROM %s WITH ORDINALITY AS x(%s, n)) %s",
		narrow.unnest(), narrow.names(), strings.Join(selects, " UNION ALL "))
	return promise(tx, sql, narrow.arrays(rows), func(found pgx.Rows) (clashes []Clash, err error) {
		var n int64
		var rule int
		_, err = pgx.ForEachRow(found, []any{&n, &rule}, func() error {
			clashes = append(clashes, Clash{Row: int(n) - 1, Rule: rule})
			return nil
		})
		return clashes, err
	})
}
