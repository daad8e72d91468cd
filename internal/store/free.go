package store

import (
	"cmp"
	"fmt"
	"net/netip"
	"strconv"

	"github.com/jackc/pgx/v5"

	"terrier/internal/record"
)

// FreeMode is what is done about places that are found free.
type FreeMode int

const (
	FreeToSee  FreeMode = iota // nothing: somebody else may take them
	FreeToTake                 // each is locked. One that somebody else is taking is left out
)

// Free finds the lowest free places, at most as many as wanted. With FreeToTake the caller has locked the space of the type, shared
// with others, and the places are locked too.
//
// It is one statement that walks the index over (within, place) from gap to gap and ends when it has enough: it reads as many rows as
// there are records below the last place that it returns, not as many as there are places. Blocks that are full are counted, which takes
// less than half as long. A place that is locked is looked up once more in a new snapshot: somebody who had it may have been committed
// after the statement began.
func (tx *Tx) Free(t *record.Type, ask record.FreePlaces, mode FreeMode) *Promise[[]any] {
	w := &where{}
	kind := placeKind(t)
	number := func(v any) string { return w.arg(fmt.Sprint(v)) + "::text::" + kind }
	first, last := number(ask.First), number(ask.Last)
	gapLimit := ask.Count
	if mode == FreeToTake {
		gapLimit = 2*ask.Count + triedGaps // others may be taking the first ones
	}
	limit := w.arg(gapLimit)
	place := placeColumn(t)
	walk := func(lo, hi string) string {
		column := withinColumn(t)
		if ask.Everywhere {
			column = ""
		}
		x := indexWalk{table: quote(t.Table()), within: column, id: ask.Within, start: place, end: place}
		return fmt.Sprintf("SELECT g.first, g.last FROM (%s) f CROSS JOIN LATERAL (%s) g", pastFull(x, w, kind, lo, hi),
			gapsBetween(x, w, "f.lo", hi, limit))
	}
	var gaps string
	if r := ask.Less; r == nil {
		gaps = walk(first, last)
	} else {
		gaps = fmt.Sprintf("SELECT g.first, g.last FROM (SELECT greatest(first, %s) AS lo, least(last, %s) AS hi FROM (%s) r "+
			"WHERE first <= %[2]s AND last >= %[1]s) s CROSS JOIN LATERAL (%[4]s) g", first, last,
			tx.runGaps(r, ask.Within, w, number), walk("s.lo", "s.hi"))
	}
	sql := fmt.Sprintf("SELECT %s FROM (SELECT first + generate_series(0, %s) AS place FROM (%s) g) p",
		fmt.Sprintf(placeTexts[kind], "place"), fmt.Sprintf(placeSpans[kind], strconv.Itoa(ask.Count+triedPlaces)), gaps)
	if mode == FreeToTake {
		sql += fmt.Sprintf(" WHERE CASE WHEN pg_try_advisory_xact_lock(%s) THEN still_free(%s, %s, place::text) ELSE FALSE END",
			placeKey(t, w.arg(ask.Within)+"::bigint", "place"), w.arg(takenQuery(t, ask)), w.arg(ask.Within))
	}
	sql += " LIMIT " + w.arg(ask.Count)
	return promise(tx, sql, w.args, func(rows pgx.Rows) (places []any, err error) {
		texts, err := each[string](rows)
		for _, text := range texts {
			place, err := placeFrom(kind, text)
			if err != nil {
				return nil, err
			}
			places = append(places, place)
		}
		return places, err
	})
}

// placeFrom returns a place as records have it: a number, or the text of an address as we write it. PostgreSQL writes ::1:7 as ::0.1.0.7.
func placeFrom(kind, text string) (any, error) {
	if kind == columnTypes[record.StoreInt] {
		return strconv.ParseInt(text, 10, 64)
	}
	host, err := netip.ParseAddr(text)
	return host.String(), err
}

const (
	triedGaps   = 256    // how many more gaps than wanted are looked at, since others may be taking places there
	triedPlaces = 10_000 // how many more places than wanted are tried in one gap
)

// placeKind is PostgreSQL's type of the places of a type.
func placeKind(t *record.Type) string {
	c := t.Field(t.Space.Of).Column()
	if c.Key.Name != "" {
		return columnTypes[c.Key.Storage]
	}
	return columnTypes[c.Storage]
}

// placeTexts are places as texts, and placeSpans how many there are between first and last, less one, but not more than a number. The
// difference of two addresses must fit into 64 bits: that of two in one network of length 66 does.
var (
	placeTexts = map[string]string{"bigint": "%s::text", "inet": "host(%s)"}
	placeSpans = map[string]string{"bigint": "least(last - first, %[1]s)",
		"inet": "CASE WHEN family(first) = 4 THEN least(last - first, %[1]s) " +
			"WHEN last <<= set_masklen(first, 66) THEN least(last - first, %[1]s) " +
			"WHEN first + %[1]s <= last THEN %[1]s ELSE last - first END"}
)

// takenQuery asks whether a record has a place, $2 as a text, within the record $1.
func takenQuery(t *record.Type, ask record.FreePlaces) string {
	within := "$1 IS NOT NULL"
	switch column := withinColumn(t); {
	case column == "" || ask.Everywhere:
	case ask.Within == 0:
		within += " AND " + column + " IS NULL"
	default:
		within = column + " = $1"
	}
	return fmt.Sprintf("SELECT EXISTS (SELECT FROM %s WHERE %s AND %s = $2::%s)", quote(t.Table()), within, placeColumn(t), placeKind(t))
}

// runGaps are the places between the runs of a type.
func (tx *Tx) runGaps(r *record.Runs, within int64, w *where, number func(any) string) string {
	t := tx.s.Type(r.Of)
	key := func(field string) string {
		c := t.Field(field).Column()
		return quoteWhereNeeded(cmp.Or(c.Key.Name, c.Name))
	}
	// The index of their order has this expression. It is never null, so the id is given for none, too.
	column := fmt.Sprintf("coalesce(%s, 0)", quoteWhereNeeded(t.Field(r.Within).Column().Name))
	walk := indexWalk{table: quote(t.Table()), within: column, id: within, noNulls: true, start: key(r.Start), end: key(r.End)}
	return gapsBetween(walk, w, number(r.First), number(r.Last), "NULL")
}

// indexWalk goes through records in the order of their places.
type indexWalk struct {
	table      string
	within     string // the column of the reference that the places are within, "" for all records
	id         int64  // of the record that they are within, 0 for none
	noNulls    bool   // the column is 0 and not null for none
	start, end string // the columns of the first and the last place of a record
}

// gapsBetween is a query for the runs of free places from lo to hi, as first and last, the lowest first and at most as many as the limit.
// The last gap is added to them. It sorts by the reference too, although that is the same for all rows: PostgreSQL does not see this
// where it is null, and would not use the index.
func gapsBetween(x indexWalk, w *where, lo, hi, limit string) string {
	cond, asc, desc := x.between(w, lo, hi), x.start, x.start+" DESC"
	if x.isNull() {
		asc, desc = x.within+", "+asc, x.within+" DESC, "+desc
	}
	return fmt.Sprintf("(SELECT CASE WHEN before IS NULL THEN %[1]s ELSE before + 1 END AS first, at - 1 AS last FROM ("+
		"SELECT lag(%[2]s) OVER (ORDER BY %[3]s) AS before, %[4]s AS at FROM %[5]s WHERE %[6]s) a "+
		"WHERE CASE WHEN before IS NULL THEN at > %[1]s WHEN before < at THEN before + 1 < at ELSE FALSE END LIMIT %[7]s)"+
		" UNION ALL SELECT CASE WHEN top IS NULL THEN %[1]s ELSE top + 1 END, %[8]s FROM ("+
		"SELECT (SELECT %[2]s FROM %[5]s WHERE %[6]s ORDER BY %[9]s LIMIT 1) AS top OFFSET 0) b WHERE top IS NULL OR top < %[8]s",
		lo, x.end, asc, x.start, x.table, cond, limit, hi, desc)
}

// pastFull is a query for the place lo from which on there may be free ones: the first of the first block that is not full. A block ends
// at the next multiple of 256. Its places are counted if the last one is taken, and not the records: two may have the same place.
func pastFull(x indexWalk, w *where, kind, lo, hi string) string {
	places := x.start
	if x.within != "" {
		places = x.within + ", " + places // in the order of the index
	}
	return fmt.Sprintf("WITH RECURSIVE past(lo) AS (SELECT %s UNION ALL SELECT b.last + 1 FROM past CROSS JOIN LATERAL "+
		"(SELECT %s AS last OFFSET 0) b WHERE b.last < %s AND CASE WHEN EXISTS (SELECT FROM %[5]s WHERE %[7]s) THEN "+
		"(SELECT count(*) FROM (SELECT DISTINCT %[4]s FROM %[5]s WHERE %[6]s) k) = b.last - past.lo + 1 ELSE FALSE END) "+
		"SELECT max(lo) AS lo FROM past",
		lo, fmt.Sprintf(blockEnds[kind], "past.lo"), hi, places, x.table, x.between(w, "past.lo", "b.last"), x.between(w, "b.last", "b.last"))
}

// blockEnds are the last places of the blocks of 256 that places are in.
var blockEnds = map[string]string{"bigint": "%s | 255",
	"inet": "set_masklen(broadcast(set_masklen(%[1]s, masklen(%[1]s) - 8)), masklen(%[1]s))"}

// between tests whether a record is on the walk, from lo to hi.
func (x indexWalk) between(w *where, lo, hi string) string {
	cond := fmt.Sprintf("%s BETWEEN %s AND %s", x.start, lo, hi)
	if x.end != x.start {
		cond += fmt.Sprintf(" AND %s <= %s", x.end, hi)
	}
	switch {
	case x.within == "":
		return cond
	case x.isNull():
		return x.within + " IS NULL AND " + cond
	}
	return x.within + " = " + w.arg(x.id) + " AND " + cond
}

// isNull reports whether the reference of the records on the walk is null.
func (x indexWalk) isNull() bool { return x.within != "" && x.id == 0 && !x.noNulls }
