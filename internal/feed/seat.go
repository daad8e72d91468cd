package feed

import (
	"context"
	"slices"
)

// seat is the place of one who waits. The lock of the news guards what changes.
type seat struct {
	want  Query         // types, actions and object
	woken chan struct{} // holds one

	group    *group // nil for one who may see every change
	next     int64  // nothing is left for them up to this position
	accounts int64  // the generation of the accounts in which they were looked up; 0 if they are anonymous
	behind   bool   // what they want next is not among the recent changes
}

func (s *seat) wake() {
	select {
	case s.woken <- struct{}{}:
	default: // they will look in any case
	}
}

// stale reports whether accounts have changed since the reader was looked up. What an anonymous reader may see does not depend on them.
func (s *seat) stale(accounts int64) bool { return s.accounts != 0 && s.accounts < accounts }

// knows reports whether something was read with the accounts in which the reader was looked up. After a restore from a backup they may
// be older.
func (s *seat) knows(accounts int64) bool { return s.accounts == 0 || s.accounts == accounts }

// mayWant reports whether one of several new changes may be for the seat, whatever permissions and conditions say.
func (s *seat) mayWant(kinds []kind, changes []*Change) bool {
	return slices.ContainsFunc(kinds, s.want.includes) && (s.want.Type == "" || slices.ContainsFunc(changes, s.want.wants))
}

// includes reports whether a query asks for a kind of change.
func (q Query) includes(k kind) bool {
	return (len(q.Types) == 0 || slices.Contains(q.Types, k.objectType)) &&
		(len(q.Actions) == 0 || slices.Contains(q.Actions, k.action)) && (q.Type == "" || q.Type == k.objectType)
}

// wants reports whether a query asks for a change, whatever its conditions say.
func (q Query) wants(c *Change) bool {
	return q.includes(kind{c.ObjectType, c.Action}) && (q.Type == "" || q.Object == c.ObjectID)
}

// sit adds a seat.
func (n *news) sit(s *seat) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.seats) == 0 && n.recent.last < s.next {
		n.restart(s.next)
	}
	if n.seats == nil {
		n.seats = map[*seat]struct{}{}
	}
	n.seats[s] = struct{}{}
}

// leave removes a seat.
func (n *news) leave(s *seat) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.seats, s)
	n.join(s, nil)
}

// move says that nothing is left for a seat up to a position.
func (n *news) move(s *seat, next int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	s.next, s.behind = next, false
}

// position returns the position up to which nothing is left for a seat.
func (n *news) position(s *seat) int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return s.next
}

// take returns recent changes that a reader wants and may see, whatever their conditions say, and moves their seat on behind these.
func (n *news) take(ctx context.Context, r *reader) (Page, error) {
	for {
		page, group, err := n.wantedBy(r.seat, r.q.Limit, r.q.mostBytes())
		if err == nil && group != nil && len(page.Changes) > 0 {
			page.Changes, err = group.pass(ctx, r.f.Ledger.Store, page.Changes)
		}
		if err != nil || len(page.Changes) > 0 || page.Next >= page.Newest {
			return page, err
		}
	}
}

// wantedBy returns recent changes that a seat wants, up to a number of them and of their bytes, and with whom it may see them.
func (n *news) wantedBy(s *seat, most, bytes int) (page Page, with *group, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	page.Newest, page.Oldest, page.Next = max(n.recent.last, s.next), n.oldest, s.next
	switch {
	case n.ended:
		return page, nil, ErrEnded
	case s.stale(n.accounts):
		return page, nil, errStale
	case s.behind || s.next < n.recent.first:
		return page, nil, errBehind
	}
	for _, c := range n.recent.after(s.next) {
		if len(page.Changes) == most || bytes <= 0 {
			page.Next = page.Changes[len(page.Changes)-1].Position
			s.next = page.Next
			return page, s.group, nil
		}
		if s.want.wants(c) {
			page.Changes, bytes = append(page.Changes, c), bytes-c.Bytes()
		}
	}
	page.Next = page.Newest
	s.next = page.Next
	return page, s.group, nil
}
