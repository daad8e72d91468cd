package store

import (
	"cmp"
	"fmt"
	"strings"

	"terrier/internal/record"
)

// BrokenSame is a record that breaks a Same rule.
type BrokenSame struct {
	ID    int64 // of the record that refers
	Asked int64 // the one of those asked for through which it was found
}

// LockSame keeps two change sets from breaking a rule together, until the transaction ends. Change sets that change only records that
// refer share the lock. One that changes other records that the rule compares needs it alone.
func (tx *Tx) LockSame(rule *record.SameRule, alone bool) {
	lock := "pg_advisory_xact_lock_shared"
	if alone {
		lock = "pg_advisory_xact_lock"
	}
	tx.exec("SELECT "+lock+"(hashtextextended('same:' || $1, 0))", rule.Key())
}

// BrokenSame finds the records that break a rule, among those that have one of the given records on a side of it.
func (tx *Tx) BrokenSame(rule *record.SameRule, side record.Side, ids []int64) *Promise[[]BrokenSame] {
	s := newSameStatement(rule)
	asked := s.alias(side)
	where := asked + ".id = ANY($1)"
	if rule.Many && side == (record.Side{Theirs: true}) {
		where += " AND " + s.ref + " && $1" // which has an index
	}
	sql := fmt.Sprintf("SELECT c.id, %s.id FROM %s WHERE %s AND %s", asked, s.from, where, s.broken())
	return promise(tx, sql, []any{ids}, structs[BrokenSame])
}

// sameStatement joins the records that a rule compares. The record that refers is c, and the one behind the reference is p. A record that
// one of these refers to is named after that reference: c_device, p_device.
type sameStatement struct {
	rule *record.SameRule
	ref  string // the column of the reference
	from string
}

func newSameStatement(rule *record.SameRule) *sameStatement {
	s := &sameStatement{rule: rule, ref: "c." + quote(rule.Type.Field(cmp.Or(rule.IDField, rule.Ref)).Column().Name)}
	on := "p.id = " + s.ref
	switch {
	case rule.Many:
		on = "p.id = ANY(" + s.ref + ")"
	case rule.TypeField != "":
		on += fmt.Sprintf(" AND c.%s = '%s'", quote(rule.Type.Field(rule.TypeField).Column().Name), rule.To.Key())
	}
	s.from = fmt.Sprintf("%s c JOIN %s p ON %s", quote(rule.Type.Table()), quote(rule.To.Table()), on)
	s.join(false, rule.Mine)
	s.join(false, rule.OrMine)
	s.join(true, rule.Theirs)
	s.join(true, rule.OrTheirs)
	return s
}

// alias names a side in the statement.
func (s *sameStatement) alias(side record.Side) string {
	alias := "c"
	if side.Theirs {
		alias = "p"
	}
	if side.Hop != "" {
		alias += "_" + side.Hop
	}
	return quote(alias)
}

// join adds the record that a path of two names leads to, once.
func (s *sameStatement) join(theirs bool, path record.Path) {
	if len(path) < 2 {
		return
	}
	alias := s.alias(record.Side{Theirs: theirs, Hop: path[0].Info().Name})
	join := fmt.Sprintf(" LEFT JOIN %s %s ON %[2]s.id = %s.%s", quote(record.TargetOf(path[0]).Table()), alias,
		s.alias(record.Side{Theirs: theirs}), quote(path[0].Column().Name))
	if !strings.Contains(s.from, join) {
		s.from += join
	}
}

// value is the column that a path leads to.
func (s *sameStatement) value(theirs bool, path record.Path) string {
	side := record.Side{Theirs: theirs}
	if len(path) == 2 {
		side.Hop = path[0].Info().Name
	}
	return s.alias(side) + "." + quote(path[len(path)-1].Column().Name)
}

// broken is the condition that records which break the rule meet.
func (s *sameStatement) broken() string {
	theirs := s.value(true, s.rule.Theirs)
	cond := s.value(false, s.rule.Mine) + " IS DISTINCT FROM " + theirs
	if s.rule.OrNone {
		cond += " AND " + theirs + " IS NOT NULL"
	}
	if s.rule.Or != "" {
		cond += fmt.Sprintf(" AND coalesce(%s <> %s, TRUE)", s.value(false, s.rule.OrMine), s.value(true, s.rule.OrTheirs))
	}
	return cond
}
