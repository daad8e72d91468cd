package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/limit"
	"terrier/internal/record"
)

// A change set that takes values within a record, such as the addresses of a VRF or the numbers of a group, locks that record against
// others who do, until it ends. That may take seconds, so no change set waits for such a lock with a connection: one that does not
// get it at once gives its connection back, waits, and starts over. Within a process it waits for its turn by lock; for another
// process it tries again, for heldTry each time.
const heldTry = 2 * time.Second

// heldPause is the longest pause before the next try.
const heldPause = 100 * time.Millisecond

// waitForLocks names an error of waiting.
const waitForLocks = "wait for other change sets"

var errHeld = &fault.Error{Kind: fault.Busy, RetryAfter: time.Second,
	Detail: "Other requests, yours or those of others, were taking values within the same record all the time. Try again."}

// lockKey names one lock. It is the text that PostgreSQL's lock number is made of.
type lockKey struct {
	name   string // what for, and the type
	number int64
}

func compareKeys(a, b lockKey) int {
	return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(a.number, b.number))
}

// allocations is the name of the budget of these locks.
const allocations = "allocations"

// lockShares is all of a lock. A change set that needs it alone takes all, one that shares it takes 1.
const lockShares = 1 << 30

// localLocks are the locks that change sets of this process hold or wait for.
type localLocks struct {
	mu  sync.Mutex
	all map[lockKey]*localLock
}

type localLock struct {
	*limit.Semaphore[access.Asker]
	users int
}

// use returns a lock, and a function that ends this use. A lock without users is forgotten.
func (l *localLocks) use(key lockKey) (lock *localLock, part func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lock = l.all[key]
	if lock == nil {
		if l.all == nil {
			l.all = map[lockKey]*localLock{}
		}
		lock = &localLock{Semaphore: limit.New[access.Asker](limit.Budget{Name: allocations, Size: lockShares, Each: lockShares, Busy: errHeld})}
		l.all[key] = lock
	}
	lock.users++
	return lock, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if lock.users--; lock.users == 0 {
			delete(l.all, key)
		}
	}
}

// state counts the locks that are held, and the change sets that wait.
func (l *localLocks) state() limit.State {
	l.mu.Lock()
	defer l.mu.Unlock()
	state := limit.State{Name: allocations}
	for _, lock := range l.all {
		one := lock.State()
		state.InUse += min(one.InUse, 1)
		state.Waiting += one.Waiting
	}
	return state
}

// heldLocks are the local locks of one change set, over all its tries.
type heldLocks struct {
	all    *localLocks
	by     access.Asker
	held   map[lockKey]heldLock
	wanted map[lockKey]bool // what it did not get, and whether alone; empty if it got all
	asked  bool             // the last try waited for locks of other processes
}

type heldLock struct {
	alone   bool
	release func()
}

// try takes a lock if it is free. It reports false if the change set must wait.
func (h *heldLocks) try(key lockKey, alone bool) bool {
	if of, ok := h.held[key]; ok {
		if of.alone || !alone {
			return true
		}
		of.release()
		delete(h.held, key)
	}
	lock, part := h.all.use(key)
	release, ok := lock.TryAcquire(h.by, sharesOf(alone))
	if !ok {
		part()
		h.wanted[key] = alone
		return false
	}
	h.keep(key, heldLock{alone, func() { release(); part() }})
	return true
}

// wait waits for what the change set did not get, without a connection. It gives back all that it has and takes all together, in the
// order of the keys, so that no two change sets wait for each other.
func (h *heldLocks) wait(ctx context.Context) (err error) {
	defer named(&err, waitForLocks)
	for key, of := range h.held {
		h.wanted[key] = h.wanted[key] || of.alone
	}
	h.releaseAll()
	for _, key := range slices.SortedFunc(maps.Keys(h.wanted), compareKeys) {
		lock, part := h.all.use(key)
		release, err := lock.Acquire(ctx, h.by, sharesOf(h.wanted[key]))
		if err != nil {
			part()
			return err
		}
		h.keep(key, heldLock{h.wanted[key], func() { release(); part() }})
	}
	clear(h.wanted)
	return nil
}

func (h *heldLocks) keep(key lockKey, lock heldLock) {
	if h.held == nil {
		h.held = map[lockKey]heldLock{}
	}
	h.held[key] = lock
}

func (h *heldLocks) releaseAll() {
	for _, of := range h.held {
		of.release()
	}
	clear(h.held)
}

func sharesOf(alone bool) int64 {
	if alone {
		return lockShares
	}
	return 1
}

// lockWithin locks records, 0 for none, against other change sets that lock them under the same name, until the transaction ends. If
// the change set must wait, the next Flush fails, and Write starts over.
func (tx *Tx) lockWithin(what string, t *record.Type, alone bool, within []int64) {
	name, numbers := what+":"+t.Key(), sharedLocks(within)
	lock := "pg_advisory_xact_lock_shared"
	if alone {
		lock = "pg_advisory_xact_lock"
	}
	lock += "(hashtextextended($1 || ' ' || n, 0))"
	if tx.locks == nil { // a rehearsal has a limit for all locks
		tx.exec("SELECT "+lock+" FROM unnest($2::bigint[]) n", name, numbers)
		return
	}
	for _, n := range numbers {
		if !tx.locks.try(lockKey{name, n}, alone) {
			tx.blocked = errHeld
		}
	}
	tx.locks.asked = true
	tx.exec(fmt.Sprintf("SELECT set_config('lock_timeout', '%d', TRUE), %s, set_config('lock_timeout', '0', TRUE) FROM unnest($2::bigint[]) n",
		heldTry.Milliseconds(), lock), name, numbers)
}

// pause waits a moment before the next try for a lock of another process.
func pause(ctx context.Context) (err error) {
	defer named(&err, waitForLocks)
	select {
	case <-time.After(rand.N(heldPause)):
		return nil
	case <-ctx.Done():
		return errHeld
	}
}
