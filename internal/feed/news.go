package feed

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"terrier/internal/access"
	"terrier/internal/store"
)

// news has what happened lately, for all who wait: one goroutine reads new changes once, and those whom they may concern take them from
// here. The zero news is ready.
type news struct {
	mu       sync.Mutex
	recent   ring
	oldest   int64 // position that is kept in the database
	accounts int64 // their generation, read after the recent changes; 0 if it is not known
	seats    map[*seat]struct{}
	groups   map[string]*group
	ended    bool
}

// newsPage is how many changes are read at once for those who wait.
const newsPage = 1_000

// Run reads new changes for all who wait, until ctx ends. Then nobody waits any more.
func (f *Feed) Run(ctx context.Context, log *slog.Logger) {
	defer f.End()
	for failing := false; ctx.Err() == nil; {
		connected := false
		err := f.Ledger.Store.ListenPositions(ctx, func(l *store.Listener, newest int64) error {
			if !connected {
				f.news.check(newest)
				connected, failing = true, false
			}
			return f.hear(ctx, l, newest)
		})
		if ctx.Err() == nil && !failing {
			log.Error("does not hear of new changes; it goes on trying", "error", err)
		}
		failing = true
		select {
		case <-ctx.Done():
		case <-time.After(standby):
		}
	}
}

// hear reads what is new up to a position, if somebody waits for it.
func (f *Feed) hear(ctx context.Context, l *store.Listener, newest int64) error {
	q := store.FeedQuery{Scope: access.Machine(), Where: f.where(Query{}), Among: newsPage, Limit: newsPage}
	for {
		var wanted bool
		if q.After, wanted = f.news.wanted(newest); !wanted {
			return nil
		}
		part, err := l.Feed(ctx, q)
		if err != nil {
			return err
		}
		if f.news.add(part, q.After); part.Next <= q.After {
			return nil
		}
	}
}

// check compares the newest position of a new connection with what is known. After a restore from a backup it is less than before.
func (n *news) check(newest int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.accounts = 0
	if newest < n.recent.last {
		n.restart(newest)
	}
}

// wanted returns after which position to read, if there is something to read and somebody waits for it.
func (n *news) wanted(newest int64) (after int64, wanted bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.seats) == 0 && newest > n.recent.last {
		n.restart(newest)
	}
	return n.recent.last, newest > n.recent.last
}

// restart forgets the recent changes. Whoever waits must read the database.
func (n *news) restart(at int64) {
	n.recent = ring{first: at, last: at}
	for s := range n.seats {
		s.behind = true
		s.wake()
	}
}

// add takes what was read after a position, and wakes those whom it may concern. For the others it is done with.
func (n *news) add(part store.FeedPart, after int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.oldest, n.accounts = part.Oldest, part.Accounts
	if part.Oldest > after+1 { // some were dropped before they were read
		n.restart(part.Next)
		return
	}
	changes := share(part.Changes)
	n.recent.add(changes, max(part.Next, after))
	kinds := kindsOf(changes)
	for s := range n.seats {
		if s.next < after || s.stale(n.accounts) || s.mayWant(kinds, changes) {
			s.wake()
		} else {
			s.next = max(s.next, n.recent.last)
		}
	}
}

// kind is what changes have in common that concern the same readers.
type kind struct{ objectType, action string }

func kindsOf(changes []*Change) (kinds []kind) {
	for _, c := range changes {
		if k := (kind{c.ObjectType, c.Action}); !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// End lets nobody wait any more, now and later: the server stops.
func (f *Feed) End() {
	n := &f.news
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ended = true
	for s := range n.seats {
		s.wake()
	}
}

// Waiting returns how many readers wait.
func (f *Feed) Waiting() int {
	n := &f.news
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.seats)
}

// ErrEnded says that nobody gets changes as they come any more.
var ErrEnded = errors.New("the server stops")

// Why else nothing is taken from the news.
var (
	errBehind = errors.New("the changes after this position are not among the recent ones")
	errStale  = errors.New("users, permissions or tokens have changed: the caller must be looked up again")
)
