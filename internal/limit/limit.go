// Package limit owns the one semaphore of the program. What requests share, and only few can have at once, has a
// budget: connections to the database, memory, snapshots. docs/limits.md lists all budgets.
//
// A goroutine that holds a connection to the database acquires nothing: see "Order" in docs/limits.md.
package limit

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Budget is what callers share.
type Budget struct {
	Name string // as docs/limits.md names it
	Size int64  // how much there is, in any unit
	Each int64  // how much one caller holds at most
	Busy error  // what a caller gets whose deadline passes while they wait; nil for the error of the context
}

// Semaphore shares a budget among callers. A request that finds too little free waits. The waiting caller who holds
// the least is served first, so that many requests of one caller do not delay the few of another. Among callers who hold
// the same amount, the one with the least recent usage is first (see Prefer), and without Prefer the one who was served
// the longest time ago. The requests of one caller are served in their order.
//
// A request that does not fit yet is not overtaken by smaller ones of callers who hold as much as its own, so large
// requests do not starve.
type Semaphore[K comparable] struct {
	budget Budget
	usage  *Usage[K] // nil without Prefer
	most   int64     // see Prefer

	mu      sync.Mutex
	used    int64
	usedUp  int64     // the part of used that went to callers whose usage was exceeded
	looked  time.Time // when waiting requests looked again
	callers map[K]*caller[K]
	queue   []*caller[K] // those with a waiting request, in the order in which they were served last
}

// caller has requests that hold a part of the budget, or wait for one.
type caller[K comparable] struct {
	key   K
	used  int64
	waits []*request
}

type request struct {
	weight int64
	usedUp bool // it counts in Semaphore.usedUp
	served chan struct{}
}

// lookAgain is how often waiting requests look whether the usage of their callers has worn off. No event says so.
const lookAgain = 250 * time.Millisecond

// New makes a semaphore. A caller holds at most the whole budget, and at least 1.
func New[K comparable](b Budget) *Semaphore[K] {
	b.Size = max(1, b.Size)
	b.Each = max(1, min(b.Each, b.Size))
	return &Semaphore[K]{budget: b, callers: map[K]*caller[K]{}}
}

// Prefer orders waiting callers who hold the same amount by their usage, the least first. The callers whose usage is
// exceeded get a part of the budget as others do while none of them holds any. They get more only if at most so much of
// the budget is then held by all callers.
func (s *Semaphore[K]) Prefer(usage *Usage[K], most int64) *Semaphore[K] {
	s.usage, s.most = usage, max(1, most)
	return s
}

// Acquire waits until the caller may hold so much more. A weight above Budget.Each counts as Budget.Each: the request
// is served once the caller holds nothing else. Call release when it is done with; a second call does nothing.
func (s *Semaphore[K]) Acquire(ctx context.Context, key K, weight int64) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, s.failure(err)
	}
	s.mu.Lock()
	c, r := s.enqueue(key, weight)
	s.mu.Unlock()
	if s.wait(ctx, r) {
		return s.release(key, c, r), nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.withdraw(key, c, r) {
		s.give(key, c, r) // it was served at the same moment
	}
	return nil, s.failure(ctx.Err())
}

// wait waits until a request is served. It returns false if the context ends first.
func (s *Semaphore[K]) wait(ctx context.Context, r *request) bool {
	var again <-chan time.Time
	if s.usage != nil {
		ticker := time.NewTicker(lookAgain)
		defer ticker.Stop()
		again = ticker.C
	}
	for {
		select {
		case <-r.served:
			return true
		case <-ctx.Done():
			return false
		case <-again:
			s.mu.Lock()
			if now := time.Now(); now.Sub(s.looked) >= lookAgain { // once for all who wait
				s.looked = now
				s.serve()
			}
			s.mu.Unlock()
		}
	}
}

// TryAcquire is Acquire for a caller who does not wait. It overtakes no waiting request that could be served.
func (s *Semaphore[K]) TryAcquire(key K, weight int64) (release func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, r := s.enqueue(key, weight)
	if s.withdraw(key, c, r) {
		return nil, false
	}
	return s.release(key, c, r), true
}

// State says how much of a budget is held, and how many requests wait for it.
type State struct {
	Name    string
	Size    int64
	InUse   int64
	Waiting int
}

// State returns what is held now.
func (s *Semaphore[K]) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := State{Name: s.budget.Name, Size: s.budget.Size, InUse: s.used}
	for _, c := range s.queue {
		state.Waiting += len(c.waits)
	}
	return state
}

// InUse returns how much of the budget is held.
func (s *Semaphore[K]) InUse() int64 { return s.State().InUse }

// Waiting returns how many requests wait.
func (s *Semaphore[K]) Waiting() int { return s.State().Waiting }

func (s *Semaphore[K]) failure(err error) error {
	if s.budget.Busy != nil && errors.Is(err, context.DeadlineExceeded) {
		return s.budget.Busy
	}
	return err
}

// enqueue adds a request, and serves it if that is possible at once.
func (s *Semaphore[K]) enqueue(key K, weight int64) (*caller[K], *request) {
	c := s.callers[key]
	if c == nil {
		c = &caller[K]{key: key}
		s.callers[key] = c
	}
	r := &request{weight: min(max(weight, 1), s.budget.Each), served: make(chan struct{})}
	if c.waits = append(c.waits, r); len(c.waits) == 1 {
		s.queue = append(s.queue, c)
	}
	s.serve()
	return c, r
}

// withdraw removes a request that waits. It returns false if the request was served already.
func (s *Semaphore[K]) withdraw(key K, c *caller[K], r *request) bool {
	i := slices.Index(c.waits, r)
	if i < 0 {
		return false
	}
	if c.waits = slices.Delete(c.waits, i, i+1); len(c.waits) == 0 {
		s.queue = slices.DeleteFunc(s.queue, func(x *caller[K]) bool { return x == c })
	}
	s.serve() // it may have been in the way of others
	s.forget(key, c)
	return true
}

func (s *Semaphore[K]) release(key K, c *caller[K], r *request) func() {
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.give(key, c, r)
	})
}

func (s *Semaphore[K]) give(key K, c *caller[K], r *request) {
	s.used -= r.weight
	c.used -= r.weight
	if r.usedUp {
		s.usedUp -= r.weight
	}
	s.serve()
	s.forget(key, c)
}

func (s *Semaphore[K]) forget(key K, c *caller[K]) {
	if c.used == 0 && len(c.waits) == 0 {
		delete(s.callers, key)
	}
}

// serve serves requests until the next one does not fit.
func (s *Semaphore[K]) serve() {
	for s.used < s.budget.Size {
		next := s.next()
		if next < 0 || s.used+s.queue[next].waits[0].weight > s.budget.Size {
			return
		}
		c := s.queue[next]
		r := c.waits[0]
		c.waits = c.waits[1:]
		c.used += r.weight
		s.used += r.weight
		if _, r.usedUp = s.usage.of(c.key); r.usedUp {
			s.usedUp += r.weight
		}
		close(r.served)
		s.queue = slices.Delete(s.queue, next, next+1)
		if len(c.waits) > 0 {
			s.queue = append(s.queue, c)
		}
	}
}

// next returns which caller of the queue is served next, of those whom the request does not take above their limit; -1 for none.
func (s *Semaphore[K]) next() int {
	next, least := -1, time.Duration(0)
	for i, c := range s.queue {
		if c.used+c.waits[0].weight > s.budget.Each || next >= 0 && c.used > s.queue[next].used {
			continue
		}
		lately, exceeded := s.usage.of(c.key)
		if exceeded && s.usedUp > 0 && s.used+c.waits[0].weight > s.most {
			continue
		}
		if next < 0 || c.used < s.queue[next].used || lately < least {
			next, least = i, lately
		}
	}
	return next
}
