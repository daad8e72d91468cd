package feed

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"terrier/internal/access"
	"terrier/internal/background"
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
	looked   time.Time // when lookAgain last had an effect
}

// newsPage is how many changes are read at once for those who wait.
const newsPage = 1_000

// Run reads new changes for all who wait, until ctx ends. Then nobody waits any more.
func (f *Feed) Run(ctx context.Context, log *slog.Logger) {
	defer f.End()
	var failures background.Failures
	for ctx.Err() == nil {
		connected := false
		err := background.Try(log, "feed", func() error {
			return f.Ledger.Store.ListenPositions(ctx, func(l *store.Listener, newest int64) error {
				if !connected {
					f.news.begin(newest)
					connected = true
					failures.New(nil)
				}
				return f.hear(ctx, l, newest)
			})
		})
		if failures.New(err) && ctx.Err() == nil {
			log.Error("can't listen for new changes; trying again", "error", err)
		}
		f.news.lookAgain(time.Now())
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

// begin starts over with a new connection, at its newest position. It may be to another database: a standby that lost changes, or one
// that was restored from a backup.
func (n *news) begin(newest int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.restart(newest)
}

// lookAgain lets those who wait read the database, at most once in a pulse: as long as there is no connection, nobody hears of changes.
func (n *news) lookAgain(now time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if now.Sub(n.looked) >= Pulse {
		n.looked = now
		n.restart(n.recent.last)
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

// restart forgets the recent changes, and as of when they were seen. Whoever waits must read the database.
func (n *news) restart(at int64) {
	n.recent, n.accounts = ring{first: at, last: at}, 0
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
	f.end()
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
