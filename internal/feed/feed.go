// Package feed owns the order in which changes can be read: the position of each, who may read which, and who waits for the next one.
//
// One goroutine of each server reads new changes, once for all who wait (news). Whoever waits has a seat there, and is woken when there
// may be something for them. Whoever has fallen behind reads the database.
//
// The ledger writes changes and knows nothing of positions. The Sequencer numbers them once they have been committed. Package webhook
// decides by conditions which changes somebody wants, as it does for webhooks.
package feed

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/limit"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhook"
)

// Feed reads changes in the order of their positions, on behalf of callers.
type Feed struct {
	Ledger *ledger.Ledger

	news     news
	waiting  *limit.Semaphore[access.Asker] // readers that wait for changes: requests, and live ones
	matching *limit.Semaphore[access.Asker] // conditions are matched for one request at a time: every reader may write some that take long
	behind   *limit.Semaphore[access.Asker] // of live readers that have changes of their own in memory, until their clients have got them
	looking  *limit.Semaphore[access.Asker] // of live readers that look their caller up again
	ended    context.Context
	end      context.CancelFunc
}

// readersBehind is how many live readers may have changes of their own in memory, which may be some MiB each; callerBehind is how many
// of one caller.
const (
	readersBehind = 64
	callerBehind  = 8
)

var errNoTurn = &fault.Error{Kind: fault.Busy, RetryAfter: time.Second,
	Detail: "Other readers of the feed, yours or those of other users, took all turns. Try again, or read with fewer at once."}

// New returns the feed of a ledger's changes.
func New(l *ledger.Ledger) *Feed {
	f := &Feed{Ledger: l,
		waiting:  limit.New[access.Asker](limit.Budget{Name: "waiting readers", Size: waitingOfAll, Each: waitingOfOne}),
		looking:  limit.New[access.Asker](limit.Budget{Name: "lookups of readers", Size: lookups, Each: lookups / 2}),
		matching: limit.New[access.Asker](limit.Budget{Name: "conditions of the feed", Size: 1, Each: 1, Busy: errNoTurn}),
		behind:   limit.New[access.Asker](limit.Budget{Name: "readers behind", Size: readersBehind, Each: callerBehind, Busy: errNoTurn})}
	f.ended, f.end = context.WithCancel(context.Background())
	return f
}

// Query says which changes to read. What is empty does not narrow them.
type Query struct {
	After      int64 // a position, Oldest or Newest
	Types      []string
	Actions    []string // of the change log: create, update, delete
	Conditions *webhook.Conditions
	Type       string // with Object: one record
	Object     int64
	Limit      int
	Wait       time.Duration // how long to wait for a change if there is none
	Held       bool          // the caller holds memory for what is read

	bytes int          // of documents, after which a page ends; 0 means store.MaxPiece
	by    access.Asker // who takes turns
}

func (q Query) mostBytes() int { return cmp.Or(q.bytes, store.MaxPiece) }

// Oldest begins with the oldest change that is kept, Newest after the newest.
const (
	Oldest int64 = -1
	Newest int64 = -2
)

// Page is a part of the changes.
type Page struct {
	store.Positions
	Changes []*Change
	Next    int64 // the position to go on after
}

// Bytes returns how long the documents of the changes are.
func (p Page) Bytes() (n int) {
	for _, c := range p.Changes {
		n += c.Bytes()
	}
	return n
}

// mostScanned is how many positions one read looks at. The first look takes as many as are wanted, the next ones more: most of them may
// not be for the caller. matchTime is how long conditions may take for one read, unless a single change takes longer.
const (
	mostScanned = 10_000
	matchTime   = 500 * time.Millisecond
)

// Conditions are matched with so many changes at a time at most, and with so many bytes of them unless one has more.
const (
	partChanges = 100
	partBytes   = 1 << 20
)

// Read returns changes after a position, at most as many as wanted. If there are none, it waits. An answer may be empty before the end
// is reached: then much was looked at, and Next leads on.
func (f *Feed) Read(ctx context.Context, c ledger.Caller, q Query) (Page, error) {
	scope, err := f.scope(c)
	if err != nil {
		return Page{}, err
	}
	q.by = scope.By()
	if q.Wait <= 0 {
		page, _, err := f.read(ctx, scope, q)
		return page, err
	}
	leave, err := f.enter(q.by)
	if err != nil {
		return Page{}, err
	}
	defer leave()
	patient, cancel := context.WithTimeout(ctx, q.Wait)
	defer cancel()
	page, accounts, err := f.read(ctx, scope, q)
	if err != nil || len(page.Changes) > 0 || page.Next < page.Newest {
		return page, err
	}
	q.After = page.Next
	r := f.wait(scope, q, c.Subject.Generation)
	defer r.leave()
	later, err := page, errStale
	if r.seat.knows(accounts) {
		later, err = r.next(ctx, patient)
	}
	switch {
	case errors.Is(err, errStale): // what the caller may see may have changed: they ask again, but not all at once
		select {
		case <-time.After(rand.N(lookEvery)):
		case <-patient.Done():
		}
		return page, nil
	case errors.Is(err, ErrEnded):
		return page, nil
	}
	later.Oldest = max(later.Oldest, page.Oldest)
	return later, err
}

// scope returns which changes a caller may see.
func (f *Feed) scope(c ledger.Caller) (access.Scope, error) {
	return f.Ledger.Policy.Scope(c.Subject, f.Ledger.Store.Type(store.ChangeType), access.View)
}

// read looks for changes until there are enough, or too many were looked at. It also returns the generation of the accounts. It ends when
// that moves on: what the caller may see may have changed.
func (f *Feed) read(ctx context.Context, scope access.Scope, q Query) (page Page, accounts int64, err error) {
	in := store.FeedQuery{Scope: scope, Where: f.where(q), Type: q.Type, Object: q.Object, After: max(q.After, 0), Limit: q.Limit,
		Bytes: q.mostBytes()}
	if q.After < 0 {
		at, err := f.Ledger.Store.Positions(ctx)
		if err != nil {
			return page, 0, err
		}
		if in.After = at.Newest; q.After == Oldest {
			in.After = at.Oldest - 1
		}
	}
	begin, bytes, budget := in.After, 0, matchTime
	among := q.Limit
	for {
		in.Among, in.Limit = min(among, mostScanned-int(in.After-begin)), q.Limit-len(page.Changes)
		part, err := f.readPart(ctx, q, in, func(part store.FeedPart) error {
			if in.After > begin && part.Accounts != accounts {
				return errStale
			}
			page.Positions, page.Next, accounts = part.Positions, part.Next, part.Accounts
			if begin+1 < part.Oldest || begin > part.Newest {
				return &GoneError{part.Positions, begin}
			}
			return f.take(ctx, q, &page, share(part.Changes), &budget)
		})
		switch {
		case errors.Is(err, errStale):
			return page, accounts, nil
		case err != nil:
			return page, 0, err
		}
		among = nextAmong(among, part.Ended)
		in.After, bytes = page.Next, bytes+part.Bytes
		if len(page.Changes) == q.Limit || budget <= 0 || in.After-begin >= mostScanned || bytes >= q.mostBytes() || in.After >= part.Newest {
			return page, accounts, nil
		}
	}
}

// nextAmong returns how many positions to look at after a part. If that one ended early, changes that are asked for are next to each other:
// otherwise most of them would be looked at twice.
func nextAmong(among int, ended bool) int {
	if ended {
		return partChanges
	}
	return 4 * among
}

// readPart reads a part of the changes, and passes it on. Most of them may not match conditions: with these it reads few at a time, once
// there is memory for them.
func (f *Feed) readPart(ctx context.Context, q Query, in store.FeedQuery,
	pass func(store.FeedPart) error) (part store.FeedPart, err error) {
	if q.Conditions != nil {
		in.Limit, in.Bytes = min(in.Among, partChanges), partBytes
		if !q.Held {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			defer context.AfterFunc(f.ended, cancel)()
			release, err := f.Ledger.Store.HoldAnswer(ctx, q.by, partBytes)
			if f.ended.Err() != nil {
				err = ErrEnded
			}
			if err != nil {
				return part, err
			}
			defer release()
		}
	}
	if part, err = f.Ledger.Store.Feed(ctx, in); err == nil {
		err = pass(part)
	}
	part.Changes = nil
	return part, err
}

// take adds the changes that match the conditions to a page, until it is full or the time for that is used up. Then the page ends after
// the last one that was looked at.
func (f *Feed) take(ctx context.Context, q Query, page *Page, changes []*Change, budget *time.Duration) error {
	if q.Conditions == nil {
		page.Changes = append(page.Changes, changes...)
		return nil
	}
	done, err := f.matching.Acquire(ctx, q.by, 1)
	if err != nil {
		return err
	}
	defer done()
	for i, x := range changes {
		if err := ctx.Err(); err != nil {
			return err
		}
		began := time.Now()
		if q.Conditions.Match(x.Event()).Fires {
			page.Changes = append(page.Changes, x)
		}
		*budget -= time.Since(began)
		if full := len(page.Changes) == q.Limit; (full || *budget <= 0) && i+1 < len(changes) {
			page.Next = x.Position
			return nil
		}
	}
	return nil
}

// where returns what the database tests. Tests of webhooks are no changes to records: they are of no type.
func (f *Feed) where(q Query) []record.Predicate {
	t := f.Ledger.Store.Type(store.ChangeType)
	types := q.Types
	if len(types) == 0 {
		for _, known := range f.Ledger.Store.Types() {
			types = append(types, known.Key())
		}
	}
	where := []record.Predicate{{Field: t.Field("changed_object_type"), Values: record.AnyOf(types)}}
	if len(q.Actions) > 0 {
		where = append(where, record.Predicate{Field: t.Field("action"), Values: record.AnyOf(q.Actions)})
	}
	return where
}

// Budgets returns what readers share, and how many wait.
func (f *Feed) Budgets() []limit.State {
	return []limit.State{f.matching.State(), f.behind.State(), f.looking.State(), f.waiting.State()}
}
