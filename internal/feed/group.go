package feed

import (
	"context"
	"fmt"
	"slices"

	"terrier/internal/access"
	"terrier/internal/store"
)

// group is those who may see the same part of the changes. The database decides which these are, once for all of them.
type group struct {
	key     string
	filter  *store.ChangeFilter
	members int // guarded by the lock of the news

	turn   chan struct{}  // holds one: whoever asks the database
	passes map[int64]bool // by position: whether they may see the change
}

// groupOf returns the group of those who have the same scope as a caller, as the accounts are. It is nil for a scope of all changes.
func (f *Feed) groupOf(scope access.Scope, accounts int64) *group {
	if scope.All() {
		return nil
	}
	filter := f.Ledger.Store.ChangeFilter(scope)
	return &group{key: fmt.Sprintf("%d %s", accounts, filter.Key), filter: filter, turn: make(chan struct{}, 1), passes: map[int64]bool{}}
}

// join puts a seat into a group, or the one with the same key that there is, and takes it out of the one that it was in.
func (n *news) join(s *seat, g *group) {
	if g != nil {
		if there := n.groups[g.key]; there != nil {
			g = there
		}
		if n.groups == nil {
			n.groups = map[string]*group{}
		}
		n.groups[g.key] = g
		g.members++
	}
	if old := s.group; old != nil {
		if old.members--; old.members == 0 {
			delete(n.groups, old.key)
		}
	}
	s.group = g
}

// mostPasses is how many decisions a group remembers. There may be a group for each reader.
const mostPasses = 1_000

// pass returns those of several recent changes that the group may see. It asks the database about those that nobody has asked about.
func (g *group) pass(ctx context.Context, s *store.Store, changes []*Change) ([]*Change, error) {
	select {
	case g.turn <- struct{}{}:
		defer func() { <-g.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if len(g.passes) > mostPasses {
		g.passes = map[int64]bool{} // most of them are not recent any more
	}
	var unknown []store.Positioned
	for _, c := range changes {
		if _, known := g.passes[c.Position]; !known {
			unknown = append(unknown, c.Positioned)
		}
	}
	if len(unknown) > 0 {
		passed, err := s.Filter(ctx, g.filter, unknown)
		if err != nil {
			return nil, err
		}
		for _, c := range unknown {
			g.passes[c.Position] = false
		}
		for _, position := range passed {
			g.passes[position] = true
		}
	}
	return slices.DeleteFunc(changes, func(c *Change) bool { return !g.passes[c.Position] }), nil
}
