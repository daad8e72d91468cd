// Package feed owns the order in which changes can be read: the position of each, who may read which, and who waits for the next one.
//
// The ledger writes changes and knows nothing of positions. The Sequencer numbers them once they have been committed. Package webhook
// decides by conditions which changes somebody wants, as it does for webhooks.
package feed

import (
	"context"
	"slices"
	"time"

	"terrier/internal/access"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhook"
)

// Feed reads changes in the order of their positions, on behalf of callers.
type Feed struct {
	Ledger *ledger.Ledger
	News   News
}

// Query says which changes to read. What is empty does not narrow them.
type Query struct {
	After      int64 // a position, or Oldest
	Types      []string
	Actions    []string // of the change log: create, update, delete
	Conditions *webhook.Conditions
	Type       string // with Object: one record
	Object     int64
	Limit      int
	Wait       time.Duration // how long to wait for a change if there is none
}

// Oldest begins with the oldest change that is kept.
const Oldest int64 = -1

// Page is a part of the changes.
type Page struct {
	store.Positions
	Changes []store.Positioned
	Next    int64 // the position to go on after
}

// mostScanned is how many positions one read looks at. The first look takes as many as are wanted, the next ones more: most of them may
// not be for the caller.
const mostScanned = 10_000

// Read returns changes after a position, at most as many as wanted. If there are none, it waits. An answer may be empty before the end
// is reached: then much was looked at, and Next leads on.
func (f *Feed) Read(ctx context.Context, c ledger.Caller, q Query) (Page, error) {
	t := f.Ledger.Store.Type(store.ChangeType)
	scope, err := f.Ledger.Policy.Scope(c.Subject, t, access.View)
	if err != nil {
		return Page{}, err
	}
	if q.Wait <= 0 {
		page, _, err := f.read(ctx, scope, q)
		return page, err
	}
	leave, err := f.News.enter(scope.By())
	if err != nil {
		return Page{}, err
	}
	defer leave()
	patient, cancel := context.WithTimeout(ctx, q.Wait)
	defer cancel()
	page, accounts, err := f.read(ctx, scope, q)
	for err == nil && len(page.Changes) == 0 && page.Next >= page.Newest {
		if f.News.after(patient, page.Next) != nil {
			return page, ctx.Err()
		}
		q.After = page.Next
		later, now, err := f.read(ctx, scope, q)
		if err != nil || now != accounts { // what the caller may see may have changed: they ask again
			return page, err
		}
		page = later
	}
	return page, err
}

// read looks for changes until there are enough, or too many were looked at. It also returns the generation of the accounts.
func (f *Feed) read(ctx context.Context, scope access.Scope, q Query) (page Page, accounts int64, err error) {
	in := store.FeedQuery{Scope: scope, Where: f.where(q), Type: q.Type, Object: q.Object, After: max(q.After, 0), Limit: q.Limit}
	if q.After == Oldest {
		at, err := f.Ledger.Store.Positions(ctx)
		if err != nil {
			return page, 0, err
		}
		in.After = at.Oldest - 1
	}
	begin, scanned, bytes := in.After, 0, 0
	for in.Among = q.Limit; ; in.Among = min(4*in.Among, mostScanned-scanned) {
		part, err := f.Ledger.Store.Feed(ctx, in)
		if err != nil {
			return page, 0, err
		}
		page.Positions, page.Next, accounts = part.Positions, part.Next, part.Accounts
		if begin+1 < part.Oldest || begin > part.Newest {
			return page, 0, &GoneError{part.Positions, begin}
		}
		page.Changes = append(page.Changes, slices.DeleteFunc(part.Changes, func(x store.Positioned) bool {
			return !q.Conditions.Match(x.Event()).Fires
		})...)
		scanned, bytes = scanned+in.Among, bytes+part.Bytes
		in.After, in.Limit = part.Next, q.Limit-len(page.Changes)
		if err := ctx.Err(); err != nil { // conditions take time
			return page, 0, err
		}
		if in.Limit == 0 || scanned >= mostScanned || bytes >= store.MaxPiece || part.Next >= part.Newest {
			return page, accounts, nil
		}
	}
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
