package store

import (
	"slices"

	"terrier/internal/record"
)

// holdLocks is how many locks the records of one type share. All transactions together have room for a few thousand.
const holdLocks = 64

// Hold keeps others from setting the field that a type allocates, within each of the given records, until the end of this
// transaction. It waits for those who have set it. It takes its locks in the order of their numbers.
func (tx *Tx) Hold(t *record.Type, within ...int64) {
	tx.lockWithin("hold", t, true, within)
}

// sharedLocks returns the numbers of the locks that records share, in their order.
func sharedLocks(ids []int64) []int64 {
	locks := make([]int64, len(ids))
	for i, id := range ids {
		locks[i] = id % holdLocks
	}
	slices.Sort(locks)
	return slices.Compact(locks)
}
