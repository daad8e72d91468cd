package feed

import (
	"context"
	"errors"

	"terrier/internal/access"
)

// reader is one who waits for changes: a request, or a live reader.
type reader struct {
	f     *Feed
	scope access.Scope
	q     Query // After moves on
	seat  *seat
	own   *own // of a live reader; nil for a request
}

// wait gives a reader a seat, after the position of the query. Call leave.
func (f *Feed) wait(scope access.Scope, q Query, accounts int64) *reader {
	r := &reader{f: f, scope: scope, q: q, seat: &seat{want: q, woken: make(chan struct{}, 1), next: q.After}}
	r.adopt(scope, accounts)
	f.news.sit(r.seat)
	return r
}

func (r *reader) leave() { r.f.news.leave(r.seat) }

// adopt notes what the caller may see, as of a generation of the accounts.
func (r *reader) adopt(scope access.Scope, accounts int64) {
	g := r.f.groupOf(scope, accounts)
	r.scope = scope
	n := &r.f.news
	n.mu.Lock()
	defer n.mu.Unlock()
	r.seat.accounts = accounts
	n.join(r.seat, g)
}

// next returns the next changes. If there are none, it waits until patient ends.
func (r *reader) next(ctx, patient context.Context) (Page, error) {
	for {
		page, err := r.recent(ctx)
		if errors.Is(err, errBehind) {
			page, err = r.page(ctx)
		}
		if err != nil || len(page.Changes) > 0 || patient.Err() != nil {
			r.q.After = page.Next
			return page, err
		}
		if page.Next < page.Newest {
			continue
		}
		select {
		case <-r.seat.woken:
		case <-patient.Done():
			page.Next = r.f.news.position(r.seat)
			page.Newest = max(page.Newest, page.Next)
			r.q.After = page.Next
			return page, ctx.Err()
		}
	}
}

// recent takes what the reader wants of the recent changes.
func (r *reader) recent(ctx context.Context) (Page, error) {
	page, err := r.f.news.take(ctx, r)
	if err != nil || len(page.Changes) == 0 || r.q.Conditions == nil {
		return page, err
	}
	changes, budget := page.Changes, matchTime
	page.Changes = nil
	err = r.f.take(ctx, r.q, &page, changes, &budget)
	r.f.news.move(r.seat, page.Next)
	return page, err
}

// page reads the database, because the reader is behind.
func (r *reader) page(ctx context.Context) (Page, error) {
	r.q.After = r.f.news.position(r.seat)
	if err := r.own.take(ctx, r.q.by); err != nil {
		return Page{Next: r.q.After}, err
	}
	page, accounts, err := r.f.read(ctx, r.scope, r.q)
	if len(page.Changes) == 0 {
		r.own.drop()
	}
	if err != nil {
		return page, err
	}
	if !r.seat.knows(accounts) {
		return Page{Next: r.q.After}, errStale
	}
	r.f.news.move(r.seat, page.Next)
	return page, nil
}
