package store

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"terrier/internal/record"
)

// Group is an owner with its members.
type Group struct {
	Owner   record.Member
	Members []record.Member
}

// LockTogether keeps two change sets from breaking a rule together, until the transaction ends. Those that change an owner or its members
// wait for each other where they have an owner in common. One that changes a record that members or owners refer to does not know
// which others come to refer to it meanwhile, so it needs the rule alone. That holds for members of an owner that is created with them,
// too: nobody else knows this owner, and it is not among owners.
//
// These are advisory locks, taken in one order when all rows are written. Locks on the rows of the owners would be taken in another order
// by somebody who changes an owner first and then what follows it, and the two would block each other.
func (tx *Tx) LockTogether(rule *record.TogetherRule, owners []int64, alone bool) {
	switch {
	case alone:
		tx.exec("SELECT pg_advisory_xact_lock(hashtextextended('together:' || $1, 0))", rule.Key())
		return
	case rule.ReadsBeyond():
		tx.exec("SELECT pg_advisory_xact_lock_shared(hashtextextended('together:' || $1, 0))", rule.Key())
	}
	if len(owners) > 0 {
		tx.exec("SELECT pg_advisory_xact_lock(hashtextextended('together:' || $1 || ' ' || n, 0)) FROM unnest($2::bigint[]) n", rule.Key(),
			sharedLocks(owners))
	}
}

// Touched is a group of changed records on one side of a rule: owners, or records that owners or members refer to.
type Touched struct {
	Side record.Side
	IDs  []int64
}

// Together reads the owners that are touched, with all of their members. An owner without members is left out.
func (tx *Tx) Together(rule *record.TogetherRule, touched []Touched) *Promise[[]Group] {
	member, owner := quote(rule.Type.Table()), quote(rule.Owner.Table())
	of := quote(rule.Type.Field(rule.Of).Column().Name)
	var owners []string
	var args []any
	for i, x := range touched {
		arg := fmt.Sprintf("$%d::bigint[]", i+1)
		args = append(args, x.IDs)
		switch column := hopColumn(rule, x.Side); {
		case x.Side.Hop == "":
			owners = append(owners, "SELECT unnest("+arg+")")
		case x.Side.Theirs:
			owners = append(owners, fmt.Sprintf("SELECT id FROM %s WHERE %s = ANY(%s)", owner, column, arg))
		default:
			owners = append(owners, fmt.Sprintf("SELECT %s FROM %s WHERE %s = ANY(%s)", of, member, column, arg))
		}
	}
	mine, theirs := newReading("m", rule.Mine), newReading("o", rule.Theirs)
	sql := fmt.Sprintf("SELECT o.id%s, m.id%s FROM %s o JOIN %s m ON m.%s = o.id%s%s WHERE o.id IN (%s) ORDER BY o.id, m.id",
		theirs.columns, mine.columns, owner, member, of, theirs.joins, mine.joins, strings.Join(owners, " UNION "))
	return promise(tx, sql, args, func(rows pgx.Rows) (groups []Group, err error) {
		for rows.Next() {
			columns := rows.RawValues()
			own, err := theirs.read(columns)
			if err != nil {
				return nil, err
			}
			m, err := mine.read(columns[1+len(theirs.readers):])
			if err != nil {
				return nil, err
			}
			if last := len(groups) - 1; last < 0 || groups[last].Owner.ID() != own.ID() {
				groups = append(groups, Group{Owner: own})
			}
			last := &groups[len(groups)-1]
			last.Members = append(last.Members, m)
		}
		return groups, rows.Err()
	})
}

// Members reads values of all records of a type that refer to any of the ids through a field, by id.
func (tx *Tx) Members(t *record.Type, by record.Field, ids []int64, read record.Read) *Promise[[]record.Member] {
	mine := newReading("m", read)
	sql := fmt.Sprintf("SELECT m.id%s FROM %s m%s WHERE m.%s = ANY($1) ORDER BY m.id", mine.columns, quote(t.Table()), mine.joins,
		quote(by.Column().Name))
	return promise(tx, sql, []any{ids}, func(rows pgx.Rows) (members []record.Member, err error) {
		for rows.Next() {
			m, err := mine.read(rows.RawValues())
			if err != nil {
				return nil, err
			}
			members = append(members, m)
		}
		return members, rows.Err()
	})
}

// hopColumn is the column of the reference through which a side is reached.
func hopColumn(rule *record.TogetherRule, side record.Side) string {
	t := rule.Type
	if side.Theirs {
		t = rule.Owner
	}
	if side.Hop == "" {
		return ""
	}
	return quote(t.Field(side.Hop).Column().Name)
}

// reading selects what a rule reads of a record, after its id.
type reading struct {
	names          []string
	columns, joins string
	readers        []func([]byte) (any, error)
}

func newReading(alias string, r record.Read) *reading {
	x := &reading{names: r.Names}
	for _, path := range r.Paths {
		at, last := alias, path[len(path)-1].Column()
		if len(path) == 2 {
			at = quote(alias + "_" + path[0].Info().Name)
		}
		x.columns += ", " + at + "." + quote(last.Name)
		x.readers = append(x.readers, readers[last.Storage])
	}
	for _, hop := range r.Hops {
		for _, path := range r.Paths {
			if path[0].Info().Name == hop {
				at := quote(alias + "_" + hop)
				x.joins += fmt.Sprintf(" LEFT JOIN %s %s ON %[2]s.id = %s.%s", quote(record.TargetOf(path[0]).Table()), at, alias,
					quote(path[0].Column().Name))
				break
			}
		}
	}
	return x
}

func (x *reading) read(columns [][]byte) (record.Member, error) {
	id, err := readInt(columns[0])
	if err != nil {
		return record.Member{}, err
	}
	values := make([]any, len(x.readers))
	for i, read := range x.readers {
		if values[i], err = read(columns[i+1]); err != nil {
			return record.Member{}, err
		}
	}
	return record.NewMember(id.(int64), x.names, values), nil
}
