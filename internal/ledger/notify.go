package ledger

import (
	"context"
	"sync"

	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhook"
)

// maxDeliveries is how many deliveries one request may cause. They are written with the
// change, so a request waits for them.
const maxDeliveries = 100_000

// maxConditionErrors is how many condition errors of one webhook a request keeps. Their reasons are mostly the same.
const maxConditionErrors = 100

// askHooks reads the webhooks of a type with the next flush. It is called when the locks are held, so that a webhook that exists
// before a change is notified of it.
func (s *changeSet) askHooks(t *record.Type) {
	if !t.Notifies() || s.hooks[t] != nil {
		return
	}
	if s.hooks == nil {
		s.hooks = map[*record.Type]*store.Promise[[]store.Hook]{}
	}
	s.hooks[t] = s.tx.Hooks(t)
}

// loadOtherHooks reads the webhooks of the types for which askHooks was not called.
func (s *changeSet) loadOtherHooks(ctx context.Context) error {
	known := len(s.hooks)
	for _, e := range s.entries {
		s.askHooks(e.t)
	}
	if len(s.hooks) == known {
		return nil
	}
	return s.tx.Flush(ctx)
}

// notified sums up what follows from the changes of a set.
type notified struct {
	counts     map[string]int // records that came or went, by type
	deliveries int
	failed     map[int64]int // condition errors by webhook
}

// notify matches changes against the webhooks of their types. It returns which webhooks are notified, and which are not because of a
// condition error.
func (s *changeSet) notify(ctx context.Context, changes []store.Change, sums *notified) (matches []store.Match,
	broken []store.ConditionError,
	_ error) {
	for i, c := range changes {
		if err := inTime(ctx); err != nil { // conditions take time, and locks are held
			return nil, nil, err
		}
		hooks := s.hooks[c.Type]
		if hooks == nil || len(hooks.Get()) == 0 {
			continue
		}
		event, about := c.Event(), c.About()
		for _, h := range hooks.Get() {
			if !h.Wants(c.Action, about) {
				continue
			}
			switch verdict := s.l.conditions.of(h).Match(event); {
			case verdict.Fires:
				sums.deliveries++
				matches = append(matches, store.Match{Change: i, Webhook: h.ID, Event: event.Kind})
			case verdict.Broken && sums.failed[h.ID] < maxConditionErrors:
				sums.failed[h.ID]++
				broken = append(broken, store.ConditionError{Change: i, Webhook: h.ID, Reason: verdict.Reason})
			}
		}
		if sums.deliveries > maxDeliveries {
			return nil, nil, errTooManyDeliveries
		}
	}
	return matches, broken, nil
}

var errTooManyDeliveries = fault.New(fault.Invalid, "This request would cause more than %d deliveries to webhooks: send it in parts.",
	maxDeliveries)

// boundDeliveries refuses a request before anything is written for webhooks, if those without conditions are too many already.
func (s *changeSet) boundDeliveries() error {
	n := 0
	for _, e := range s.entries {
		hooks := s.hooks[e.t]
		if hooks == nil {
			continue
		}
		action := e.action()
		for _, h := range hooks.Get() {
			if h.Conditions == nil && h.On(action) {
				n++
			}
		}
		if n > maxDeliveries {
			return errTooManyDeliveries
		}
	}
	return nil
}

// conditions caches the parsed conditions of webhooks.
type conditions struct {
	mu   sync.Mutex
	byID map[int64]parsedConditions
}

// parsedConditions are the conditions of one version of a webhook.
type parsedConditions struct {
	version    int64
	conditions *webhook.Conditions
}

// of returns the parsed conditions of a webhook, nil if it has none.
func (c *conditions) of(h store.Hook) *webhook.Conditions {
	if h.Conditions == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.byID[h.ID]; ok && known.version == h.Version {
		return known.conditions
	}
	if c.byID == nil || len(c.byID) > 10_000 { // drop the ids of deleted webhooks
		c.byID = map[int64]parsedConditions{}
	}
	read := webhook.SavedConditions([]byte(*h.Conditions))
	c.byID[h.ID] = parsedConditions{h.Version, read}
	return read
}
