package store

import (
	"fmt"
	"net/netip"

	"github.com/jackc/pgx/v5"

	"terrier/internal/record"
)

// networksAtOnce is how many networks FreeRuns reads from the index before it looks how far they reach.
const networksAtOnce = 256

// FreeRuns finds the runs of addresses in a network that no network of a type within the same record has, the lowest first: those that
// have room for a network of some length, and at most as many as the limit.
//
// In the order of networks each one is followed by all that it contains. So the statement reads some of them, goes on behind all that
// these contain, and so on: it passes over what is nested deeply, and looks into the index once for many that lie side by side. That it
// does not read past the end is no condition of the lookup: the planner would expect so few rows that it sorted all of them each time.
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
	end := func(network string) string { return fmt.Sprintf("set_masklen(broadcast(%s), %d)", network, full) }
	next := func(after string) string {
		return fmt.Sprintf("SELECT array_agg(net) AS nets, array_agg(done) AS ends, max(done) AS reach FROM (SELECT %[1]s AS net, %[2]s AS done "+
			"FROM %[3]s WHERE %[4]s%[1]s > %[5]s ORDER BY %[6]s LIMIT (SELECT %[7]d)) n", place, end(place), quote(t.Table()), cond, after, order,
			networksAtOnce)
	}
	block := func(at string) string { return fmt.Sprintf("set_masklen(%s, %d)", at, length) }
	sql := fmt.Sprintf(`WITH RECURSIVE chunk AS (%[1]s
			UNION ALL SELECT n.* FROM chunk CROSS JOIN LATERAL (%[2]s) n WHERE chunk.reach < %[5]s),
		child AS (SELECT net, done FROM chunk CROSS JOIN LATERAL unnest(nets, ends) u(net, done) WHERE net <= %[5]s
			UNION ALL SELECT NULL, NULL),
		edge AS (SELECT max(done) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before,
			set_masklen(network(net)::inet, %[3]d) AS at FROM child),
		run AS (SELECT CASE WHEN before IS NULL THEN %[4]s ELSE before + 1 END AS first, CASE WHEN at IS NULL THEN %[5]s ELSE at - 1 END AS last
			FROM edge WHERE CASE WHEN before IS NULL THEN at IS NULL OR at > %[4]s WHEN at IS NULL THEN before < %[5]s
				WHEN before < at THEN before + 1 < at ELSE FALSE END)
		SELECT host(first), host(last) FROM run WHERE CASE
			WHEN set_masklen(network(%[6]s)::inet, %[3]d) = first THEN %[7]s <= last
			WHEN %[7]s < last THEN %[8]s <= last ELSE FALSE END
		LIMIT %[9]s`,
		next(w.arg(in.String())+"::text::cidr"), next("chunk.reach"), full, first, last, block("first"), end(block("first")),
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
