package store

import (
	"cmp"
	"fmt"
	"net/netip"

	"github.com/jackc/pgx/v5"

	"terrier/internal/record"
)

// owned is the condition that a record belongs to an owner, and what to sort by besides the places so that the index is used.
func owned(column string, id int64, w *where) (cond, order string) {
	switch {
	case column == "":
		return "TRUE", ""
	case id == 0:
		return column + " IS NULL", column + ", "
	}
	return column + " = " + w.arg(id), column + ", "
}

// ownerColumn is the column of what used addresses have in common with a record, "" for none.
func ownerColumn(u record.Usage, t *record.Type) string {
	if u.Within == "" {
		return ""
	}
	return quote(u.OwnerOf(t).Name)
}

// BlocksIn finds the outermost networks in another that fill networks of a length, and the first in each that is not filled. It goes
// from one to the next with a look into the index each, so it makes at most as many steps as there are networks of this length.
func (tx *Tx) BlocksIn(u record.Usage, own bool, owner int64, in netip.Prefix, length int) *Promise[[]record.Occupant] {
	of := u.Foreign(u.Blocks)
	w := &where{}
	cond, order := owned(ownerColumn(u, of.Of), owner, w)
	net, full := quote(of.Name), in.Addr().BitLen()
	begin := ">="
	if own {
		begin = ">"
	}
	next := func(op, after string) string {
		return fmt.Sprintf("SELECT id, %[1]s AS net FROM %[2]s WHERE %[3]s AND %[1]s %[4]s %[5]s AND %[1]s <= %[6]s::text::inet "+
			"ORDER BY %[7]s%[1]s LIMIT 1", net, quote(of.Of.Table()), cond, op, after, w.arg(record.LastAddress(in).String()), order)
	}
	step := fmt.Sprintf("set_masklen(broadcast(set_masklen(b.net::inet, least(masklen(b.net), %d))), %d)", length, full)
	sql := fmt.Sprintf("WITH RECURSIVE b AS ((%s) UNION ALL SELECT n.id, n.net FROM b CROSS JOIN LATERAL (%s) n) "+
		"SELECT id, host(net), host(broadcast(net)) FROM b", next(begin, w.arg(in.String())+"::text::cidr"), next(">", step))
	return promise(tx, sql, w.args, occupants)
}

// RunsIn finds the runs that lie wholly in a run of addresses: the first that begins in each network of a length.
func (tx *Tx) RunsIn(u record.Usage, owner int64, run record.AddressRun, length int) *Promise[[]record.Occupant] {
	from, to := u.Foreign(u.Runs[0]), u.Foreign(u.Runs[1])
	w := &where{}
	cond := "TRUE"
	if column := ownerColumn(u, from.Of); column != "" {
		cond = orNull(column, firstID) + " = " + w.arg(owner) // the index of their order has this expression
	}
	start, end := quote(from.Key.Name), quote(to.Key.Name)
	next := func(op, after string) string {
		return fmt.Sprintf("SELECT id, %[1]s AS first, %[2]s AS last FROM %[3]s WHERE %[4]s AND %[1]s %[5]s %[6]s "+
			"AND %[1]s <= %[7]s::text::inet AND %[2]s <= %[7]s::text::inet ORDER BY %[1]s LIMIT 1", start, end,
			quote(from.Of.Table()), cond, op, after, w.arg(run.Last.String()))
	}
	step := fmt.Sprintf("greatest(b.last, set_masklen(broadcast(set_masklen(b.first, %d)), %d))", length, run.First.BitLen())
	sql := fmt.Sprintf("WITH RECURSIVE b AS ((%s) UNION ALL SELECT n.id, n.first, n.last FROM b CROSS JOIN LATERAL (%s) n) "+
		"SELECT id, host(first), host(last) FROM b", next(">=", w.arg(run.First.String())+"::text::inet"), next(">", step))
	return promise(tx, sql, w.args, occupants)
}

func occupants(rows pgx.Rows) (found []record.Occupant, err error) {
	var first, last string
	var x record.Occupant
	_, err = pgx.ForEachRow(rows, []any{&x.ID, &first, &last}, func() (err error) {
		if x.First, err = netip.ParseAddr(first); err == nil {
			x.Last, err = netip.ParseAddr(last)
		}
		found = append(found, x)
		return err
	})
	return found, err
}

// HostsIn counts the addresses in each of some cells of a record, up to a limit. Cells without any are left out.
func (tx *Tx) HostsIn(u record.Usage, in record.Values, o record.Occupied, cells []int) *Promise[[]record.HostCount] {
	of := u.Foreign(u.Hosts)
	w := &where{}
	first, last := make([]string, len(cells)), make([]string, len(cells))
	for i, cell := range cells {
		first[i], last[i] = o.Cells[cell].First.String(), o.Cells[cell].Last.String()
	}
	ends := fmt.Sprintf("unnest(%s::text[]::inet[], %s::text[]::inet[], %s::int[]) c (first, last, cell)", w.arg(first), w.arg(last),
		w.arg(cells))
	column, owner := ownerColumn(u, of.Of), int64(0)
	if u.Within != "" {
		owner = in.Link(u.Within).ID
	}
	if u.HostsOfAll(in) {
		column = ""
	}
	cond, _ := owned(column, owner, w)
	key := quote(cmp.Or(of.Key.Name, of.Name))
	sql := fmt.Sprintf("SELECT c.cell, h.count, h.id FROM %s CROSS JOIN LATERAL (SELECT count(*), min(id) AS id FROM (SELECT id FROM %s "+
		"WHERE %s AND %[4]s >= c.first AND %[4]s <= c.last LIMIT %[5]d) x) h WHERE h.count > 0 ORDER BY 1", ends, quote(of.Of.Table()), cond, key,
		record.MostHosts)
	return promise(tx, sql, w.args, func(rows pgx.Rows) (counts []record.HostCount, err error) {
		var h record.HostCount
		_, err = pgx.ForEachRow(rows, []any{&h.Cell, &h.Count, &h.ID}, func() error {
			counts = append(counts, h)
			return nil
		})
		return counts, err
	})
}
