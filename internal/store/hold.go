package store

import (
	"slices"

	"terrier/internal/record"
)

// mostHeld is how many locks one Hold takes. All transactions together have room for a few thousand.
const mostHeld = 64

// Hold keeps others from setting the field that a type allocates, within each of the given records, until the end of this
// transaction. It waits for those who have set it. Many records at once are held by a single lock, which nobody shares.
func (tx *Tx) Hold(t *record.Type, within ...int64) {
	slices.Sort(within)
	within = slices.Compact(within)
	if len(within) > mostHeld {
		tx.exec("SELECT pg_advisory_xact_lock(hashtextextended('hold:' || $1, 0))", t.Key())
		return
	}
	tx.exec("SELECT pg_advisory_xact_lock_shared(hashtextextended('hold:' || $1, 0))", t.Key())
	tx.exec("SELECT pg_advisory_xact_lock(hashtextextended('hold:' || $1 || ' ' || id, 0)) FROM unnest($2::bigint[]) id", t.Key(), within)
}
