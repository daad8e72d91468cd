package store

import (
	"fmt"
	"strings"

	"terrier/internal/record"
)

// spaceLocks is how many places a change set locks one by one. Each is a row of a table that all transactions share, with room for a few
// thousand.
const spaceLocks = 64

// Place is where a record is in the space of its type.
type Place struct {
	ID     int64 // of the record
	Within int64 // 0 for none
	At     any   // the value of the field, as a record has it
	Shared bool  // it may be where others are that may be, too
}

// LockPlaces keeps others from taking the same places until the transaction ends, and waits for those who are taking them. A
// change set with many places locks all of what they are within instead; so does one that must be alone there.
//
// Every change set locks what its places are within first, then the places, each in the order of the numbers.
func (tx *Tx) LockPlaces(t *record.Type, places []Place, alone bool) {
	within := make([]int64, len(places))
	at := make([]string, len(places))
	for i, p := range places {
		within[i], at[i] = p.Within, fmt.Sprint(p.At)
	}
	if alone || len(places) > spaceLocks {
		tx.LockSpace(t, true, within...)
		return
	}
	tx.LockSpace(t, false, within...)
	key := placeKey(t, "x.within", placeOf(t, "x.at"))
	if len(places) == 1 {
		tx.exec("SELECT pg_advisory_xact_lock("+key+") FROM (SELECT $1::bigint AS within, $2::text AS at) x", within[0], at[0])
		return
	}
	tx.exec("SELECT pg_advisory_xact_lock(k) FROM (SELECT DISTINCT "+key+
		" AS k FROM unnest($1::bigint[], $2::text[]) x(within, at) ORDER BY k) l", within, at)
}

// CrowdsSpace reports whether so many places are locked with all of what they are within.
func CrowdsSpace(places int) bool { return places > spaceLocks }

// LockSpace locks all places within some records, 0 for those within none. Who takes single places shares the lock with others who do.
func (tx *Tx) LockSpace(t *record.Type, alone bool, within ...int64) {
	tx.lockWithin("space", t, alone, within)
}

// placeKey is the number of the lock of one place.
func placeKey(t *record.Type, within, place string) string {
	return fmt.Sprintf("hashtextextended('place:%s ' || %s || ' ' || (%s)::text, 0)", t.Key(), within, place)
}

// placeOf turns the text of a value into the place that it means: the host of an address.
func placeOf(t *record.Type, text string) string {
	c := t.Field(t.Space.Of).Column()
	value := text + "::" + columnTypes[c.Storage]
	if form := keyForms[c.Key.From]; c.Key.Name != "" {
		return fmt.Sprintf(form, value)
	}
	return value
}

// placeColumn is the column that has the place of a record.
func placeColumn(t *record.Type) string { return quoteWhereNeeded(placeColumnName(t)) }

func placeColumnName(t *record.Type) string {
	c := t.Field(t.Space.Of).Column()
	if c.Key.Name != "" {
		return c.Key.Name
	}
	return c.Name
}

// withinColumn is the column of the reference that places are within, "" if all records share them.
func withinColumn(t *record.Type) string {
	if t.Space.Within == "" {
		return ""
	}
	return quoteWhereNeeded(t.Field(t.Space.Within).Column().Name)
}

// PlaceClash says that a record has the same place as another one.
type PlaceClash struct {
	ID    int64
	Other int64
}

// PlaceClashes finds the records that have the place of another one where that is not allowed, among those that have been written to the
// given places. global says that it is not allowed for records within none either.
func (tx *Tx) PlaceClashes(t *record.Type, places []Place, global bool) *Promise[[]PlaceClash] {
	s := t.Space
	var ids, within []int64
	var at []string
	var shared []bool
	inside, outside := false, false
	for _, p := range places {
		if s.Enforced == "" || p.Within == 0 && !global {
			continue
		}
		inside, outside = inside || p.Within != 0, outside || p.Within == 0
		ids, within, at, shared = append(ids, p.ID), append(within, p.Within), append(at, fmt.Sprint(p.At)), append(shared, p.Shared)
	}
	args := []any{ids, within, at, shared}
	ref := "t." + withinColumn(t)
	on := fmt.Sprintf("t.%s = %s AND t.id <> x.id", placeColumn(t), placeOf(t, "x.at"))
	if s.Shared != "" {
		args = append(args, s.SharedBy)
		on += fmt.Sprintf(" AND NOT (x.shared AND coalesce(t.%s = ANY($5), FALSE))", quoteWhereNeeded(t.Field(s.Shared).Column().Name))
	}
	var selects []string
	if inside {
		target := record.TargetOf(t.Field(s.Within))
		selects = append(selects, fmt.Sprintf(
			"SELECT x.id, t.id AS other FROM x JOIN %s v ON v.id = x.within AND v.%s JOIN %s t ON %s = x.within AND %s", quote(target.Table()),
			quoteWhereNeeded(target.Field(s.Enforced).Column().Name), quote(t.Table()), ref, on))
	}
	if outside {
		selects = append(selects, fmt.Sprintf("SELECT x.id, t.id AS other FROM x JOIN %s t ON x.within = 0 AND %s IS NULL AND %s",
			quote(t.Table()), ref, on))
	}
	if len(selects) == 0 {
		return Answered([]PlaceClash(nil))
	}
	sql := "WITH x AS (SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::boolean[]) x(id, within, at, shared)) " +
		strings.Join(selects, " UNION ALL ") + fmt.Sprintf(" ORDER BY 1, 2 LIMIT %d", maxPlaceClashes)
	return promise(tx, sql, args, structs[PlaceClash])
}

// maxPlaceClashes is how many clashes are read. A record may be where very many others are.
const maxPlaceClashes = 10_000
