package store

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"terrier/internal/record"
)

// BrokenSame is a record that breaks a Same rule.
type BrokenSame struct {
	ID    int64 // of the record that refers
	Asked int64 // the one of those asked for through which it was found
}

// SameLock is the lock of one rule. Change sets that change only records that refer share it. One that changes other records that the
// rule compares needs it alone.
type SameLock struct {
	Rule  *record.SameRule
	Alone bool
}

// LockSame keeps two change sets from breaking rules together, until the transaction ends. It takes the locks in the given order.
func (tx *Tx) LockSame(locks []SameLock) {
	keys, alone := make([]string, len(locks)), make([]bool, len(locks))
	for i, l := range locks {
		keys[i], alone[i] = l.Rule.Key(), l.Alone
	}
	tx.exec("SELECT CASE WHEN alone THEN pg_advisory_xact_lock(n)::text ELSE pg_advisory_xact_lock_shared(n)::text END FROM "+
		"(SELECT hashtextextended('same:' || key, 0) n, alone FROM unnest($1::text[], $2::boolean[]) AS x(key, alone)) x", keys, alone)
}

// BrokenSame finds the records that break a rule, among those that have one of the given records on a side of it.
func (tx *Tx) BrokenSame(rule *record.SameRule, side record.Side, ids []int64) *Promise[[]BrokenSame] {
	s := newSameStatement(rule)
	asked := s.aliases[side]
	where := asked + ".id = ANY($1)"
	if rule.Many && side == (record.Side{Theirs: true}) {
		where += " AND " + s.ref + " && $1" // which has an index
	}
	sql := fmt.Sprintf("SELECT c.id, %s.id FROM %s WHERE %s AND %s", asked, s.from, where, s.broken())
	return promise(tx, sql, []any{ids}, structs[BrokenSame])
}

// sameStatement joins the records that a rule compares. The record that refers is c, and the one behind the reference is p. Those that
// the references of these lead to are numbered.
type sameStatement struct {
	rule    *record.SameRule
	ref     string // the column of the reference
	from    string
	aliases map[record.Side]string
}

func newSameStatement(rule *record.SameRule) *sameStatement {
	s := &sameStatement{rule: rule, ref: "c." + quote(rule.Type.Field(cmp.Or(rule.IDField, rule.Ref)).Column().Name),
		aliases: map[record.Side]string{{}: "c", {Theirs: true}: "p"}}
	on := "p.id = " + s.ref
	switch {
	case rule.Many:
		on = "p.id = ANY(" + s.ref + ")"
	case rule.TypeField != "":
		on += fmt.Sprintf(" AND c.%s = '%s'", quote(rule.Type.Field(rule.TypeField).Column().Name), rule.To.Key())
	}
	s.from = fmt.Sprintf("%s c JOIN %s p ON %s", quote(rule.Type.Table()), quote(rule.To.Table()), on)
	for _, pair := range rule.Pairs {
		s.join(false, pair.Mine)
		s.join(true, pair.Theirs)
		s.join(true, pair.Unless)
	}
	return s
}

// join adds the records that a track leads through, each once.
func (s *sameStatement) join(theirs bool, track *record.Track) {
	if track == nil {
		return
	}
	at := s.aliases[record.Side{Theirs: theirs}]
	for _, step := range track.Steps {
		side := record.Side{Theirs: theirs, Hop: step.Hop}
		if s.aliases[side] == "" {
			s.aliases[side] = fmt.Sprint("r", len(s.aliases))
			s.from += fmt.Sprintf(" LEFT JOIN %s %s ON %[2]s.id = %s.%s", quote(step.To.Table()), s.aliases[side], at,
				quote(step.From.Field(cmp.Or(step.By.IDField, step.By.Name)).Column().Name))
			if step.By.TypeField != "" {
				s.from += fmt.Sprintf(" AND %s.%s = '%s'", at, quote(step.From.Field(step.By.TypeField).Column().Name), step.To.Key())
			}
		}
		at = s.aliases[side]
	}
}

// value is what a track leads to.
func (s *sameStatement) value(theirs bool, track *record.Track) string {
	side := record.Side{Theirs: theirs}
	if n := len(track.Steps); n > 0 {
		side.Hop = track.Steps[n-1].Hop
	}
	return fmt.Sprintf(partForms[track.Value.Part], s.aliases[side]+"."+quote(track.Value.Name))
}

// broken is the condition that records which break the rule meet.
func (s *sameStatement) broken() string {
	conds := make([]string, len(s.rule.Pairs))
	for i, pair := range s.rule.Pairs {
		mine, theirs := strconv.FormatInt(s.rule.Is, 10), s.value(true, pair.Theirs)
		if pair.Mine != nil {
			mine = s.value(false, pair.Mine)
		}
		switch {
		case i > 0 && pair.Unless != nil:
			conds[i] = fmt.Sprintf("coalesce(%s <> %s OR %s, TRUE)", mine, theirs, s.value(true, pair.Unless))
		case i > 0:
			conds[i] = fmt.Sprintf("coalesce(%s <> %s, TRUE)", mine, theirs)
		case s.rule.OrNone:
			conds[i] = fmt.Sprintf("%s IS DISTINCT FROM %s AND %[2]s IS NOT NULL", mine, theirs)
		default:
			conds[i] = mine + " IS DISTINCT FROM " + theirs
		}
	}
	return strings.Join(conds, " AND ")
}
