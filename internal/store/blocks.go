package store

import (
	"fmt"
	"net/netip"

	"github.com/jackc/pgx/v5"

	"terrier/internal/record"
)

// FreeRuns finds the runs of addresses in a network that no network of a type within the same record has, the lowest first: those that
// have room for a network of some length, and at most as many as the limit.
//
// In the order of networks each one is followed by all that it contains. So the statement goes from one of the outermost networks to the
// next one with a look into the index each, however many there are inside of them.
func (tx *Tx) FreeRuns(t *record.Type, within int64, in netip.Prefix, length, limit int) *Promise[[]record.AddressRun] {
	w := &where{}
	full := in.Addr().BitLen()
	first, last := w.arg(in.Addr().String())+"::text::inet", w.arg(record.LastAddress(in).String())+"::text::inet"
	place, cond := placeColumn(t), ""
	order := place
	switch column := withinColumn(t); {
	case column == "":
	case within == 0:
		cond, order = column+" IS NULL AND ", column+", "+place
	default:
		cond = column + " = " + w.arg(within) + " AND "
	}
	next := func(after string) string {
		return fmt.Sprintf("(SELECT %[1]s FROM %[2]s WHERE %[3]s%[1]s > %[4]s AND %[1]s <= %[5]s ORDER BY %[6]s LIMIT 1)", place,
			quote(t.Table()), cond, after, last, order)
	}
	end := func(network string) string { return fmt.Sprintf("set_masklen(broadcast(%s), %d)", network, full) }
	block := func(at string) string { return fmt.Sprintf("set_masklen(%s, %d)", at, length) }
	sql := fmt.Sprintf(`WITH RECURSIVE child AS (
			SELECT %s AS net
			UNION ALL SELECT %s FROM child WHERE net IS NOT NULL),
		edge AS (SELECT lag(%s) OVER () AS before, set_masklen(network(net)::inet, %d) AS at FROM child),
		run AS (SELECT CASE WHEN before IS NULL THEN %[5]s ELSE before + 1 END AS first, CASE WHEN at IS NULL THEN %[6]s ELSE at - 1 END AS last
			FROM edge WHERE CASE WHEN before IS NULL THEN at IS NULL OR at > %[5]s WHEN at IS NULL THEN before < %[6]s ELSE before + 1 < at END)
		SELECT host(first), host(last) FROM run WHERE CASE
			WHEN set_masklen(network(%[7]s)::inet, %[4]d) = first THEN %[8]s <= last
			WHEN %[8]s < last THEN %[9]s <= last ELSE FALSE END
		LIMIT %[10]s`,
		next(w.arg(in.String())+"::text::cidr"), next(end("child.net")), end("net"), full, first, last, block("first"), end(block("first")),
		end(block(end(block("first"))+" + 1")), w.arg(limit))
	return promise(tx, sql, w.args, func(rows pgx.Rows) (runs []record.AddressRun, err error) {
		var first, last string
		_, err = pgx.ForEachRow(rows, []any{&first, &last}, func() (err error) {
			var run record.AddressRun
			if run.First, err = netip.ParseAddr(first); err == nil {
				run.Last, err = netip.ParseAddr(last)
			}
			runs = append(runs, run)
			return err
		})
		return runs, err
	})
}
