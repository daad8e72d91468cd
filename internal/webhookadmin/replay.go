package webhookadmin

import (
	"context"
	"errors"
	"time"

	"terrier/internal/access"
	"terrier/internal/audit"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// ReplayInput says which past changes to replay.
type ReplayInput struct {
	Where    []record.Predicate // filters of the change log
	DryRun   bool               // only count
	Progress func(ReplayCount)  // called after each batch; may be nil
}

// ReplayCount is what a replay found and did, or would do. Every matching change is counted in exactly one of Existing, New, Waiting and
// Expired.
type ReplayCount struct {
	Changes  int64 // changes that were looked at
	Matching int64 // changes that the webhook would be notified of
	Existing int64 // their delivery is sent again
	New      int64 // they get a delivery
	Waiting  int64 // their delivery is queued already
	Expired  int64 // too old: the deliveries of that time have been deleted

	Reached time.Time // to continue a stopped replay, replay the changes since then
}

// Queued returns how many requests a replay causes.
func (n ReplayCount) Queued() int64 { return n.Existing + n.New }

const (
	replayAtOnce = 1000  // changes in one transaction, at most
	countAtOnce  = 10000 // the same if nothing is written and no states are read

	// MaxReplay is how many changes the action accepts. The caller waits for them.
	MaxReplay = 100_000
)

// Replay sends past changes to a webhook, as if they were made now. It sends the changes that match the filter, that the caller may see,
// and that the webhook's types, events and conditions select. A change that the webhook was notified of already is sent again, with the
// same delivery. Each batch is a transaction, so a replay can be stopped and run again. Deliveries that are queued by then stay queued.
func (a *Admin) Replay(ctx context.Context, c ledger.Caller, id int64, in ReplayInput) (ReplayCount, error) {
	r := &replay{a: a, caller: c, webhook: id, now: a.Ledger.Timestamp(), dry: in.DryRun}
	defer func() { a.Ledger.Audit.Write(r.recorded...) }()
	var err error
	if r.hooks, err = a.changeScope(c); err != nil {
		return r.total, err
	}
	seen, err := a.viewScope(c, a.changeType())
	if err != nil {
		return r.total, err
	}
	// Webhooks are notified of changes made from now on anyway.
	r.q = store.PastQuery{Query: store.Query{Scope: seen, Where: in.Where}, Webhook: id, Until: r.now}
	for {
		if isOver(ctx) {
			return r.stopped(ctx)
		}
		more, err := r.next(ctx)
		switch {
		case err != nil && ctx.Err() != nil:
			return r.stopped(ctx)
		case err != nil:
			return r.total, err
		}
		if in.Progress != nil {
			in.Progress(r.total)
		}
		if !more {
			return r.total, nil
		}
	}
}

// replaySome is Replay for a caller who waits for the answer: it refuses more than MaxReplay.
func (a *Admin) replaySome(ctx context.Context, c ledger.Caller, hook record.Values, in record.Input) (any, error) {
	q, err := a.filterOf(ctx, c, a.changeType(), in, `{"action": "create"}`)
	if err == nil && q.Search != "" {
		err = fault.Field("q", "A replay can't use a search: use the filters of the change log.")
	}
	if err != nil {
		return nil, err
	}
	id := hook.ID()
	n, err := a.Replay(ctx, c, id, ReplayInput{Where: q.Where, DryRun: true})
	if in.Bool("dry_run") {
		return n, err
	}
	if err == nil && n.Matching > MaxReplay {
		err = fault.New(fault.Invalid, "%d changes match and at most %d can be replayed from here: "+
			"narrow the filter, or run `terrier webhook replay %d` on the server.", n.Matching, MaxReplay, id)
	}
	if err != nil {
		return n, err
	}
	n, err = a.Replay(ctx, c, id, ReplayInput{Where: q.Where})
	if e, ok := errors.AsType[*fault.Error](err); ok && (e.Kind == fault.Slow || e.Kind == fault.Busy) && n.Changes > 0 {
		err = &fault.Error{Kind: e.Kind, Detail: e.Detail + " " + n.soFar(id), RetryAfter: e.RetryAfter}
	}
	return n, err
}

func (n ReplayCount) plus(m ReplayCount) ReplayCount {
	return ReplayCount{n.Changes + m.Changes, n.Matching + m.Matching, n.Existing + m.Existing,
		n.New + m.New, n.Waiting + m.Waiting, n.Expired + m.Expired, n.Reached}
}

type replay struct {
	a       *Admin
	caller  ledger.Caller
	webhook int64
	hook    record.Values // as the last batch has read it
	hooks   access.Scope  // webhooks that the caller may change
	q       store.PastQuery
	now     time.Time
	dry     bool
	total   ReplayCount
	// recorded is the event of the audit log, once it is written.
	recorded []audit.Event
}

// next replays the next changes, or counts them in a dry run. more reports whether there may be others.
func (r *replay) next(ctx context.Context) (more bool, err error) {
	var page store.PastPage
	var n ReplayCount
	var event []audit.Event
	if r.dry {
		page, n, err = r.look(ctx)
	} else {
		err = r.a.store().Write(ctx, r.caller.Asker(), func(tx *store.Tx) (err error) {
			if page, n, err = r.queue(ctx, tx); err == nil {
				event = r.record(tx, n)
			}
			return err
		})
	}
	if err != nil {
		return false, err
	}
	if !r.dry {
		r.recorded = event
	}
	r.total = r.total.plus(n)
	if len(page.Changes) > 0 {
		last := page.Changes[len(page.Changes)-1]
		r.q.After, r.q.AfterID, r.total.Reached = last.At, last.ID, last.At
	}
	return page.More, nil
}

// record writes the event of the audit log with the first batch that queues something, and raises its count with each later one.
func (r *replay) record(tx *store.Tx, n ReplayCount) []audit.Event {
	switch {
	case n.Queued() == 0:
		return r.recorded
	case len(r.recorded) == 0:
		e := r.a.Ledger.Event(r.caller, audit.WebhookReplayed, r.hook)
		e.Count = n.Queued()
		tx.AddEvent(e)
		return []audit.Event{e}
	}
	e := r.recorded[0]
	tx.RaiseEvent(e, n.Queued())
	e.Count += n.Queued()
	return []audit.Event{e}
}

// look counts how many of the next changes would be queued.
func (r *replay) look(ctx context.Context) (page store.PastPage, n ReplayCount, err error) {
	hook, err := r.a.store().Get(ctx, r.a.webhookType(), r.hooks, r.webhook)
	if err != nil {
		return page, n, err
	}
	wanted := r.ask(hook)
	if page, err = r.a.store().PastChanges(ctx, r.q); err != nil {
		return page, n, err
	}
	again, fresh := choose(page.Changes, wanted, &n)
	if r.mayBeExpired(fresh) {
		oldest, err := r.a.store().OldestWeek(ctx)
		if err != nil {
			return page, n, err
		}
		fresh = dropExpired(fresh, oldest, &n)
	}
	n.Existing, n.New = int64(len(again)), int64(len(fresh))
	return page, n, nil
}

// queue selects from the next changes and queues their deliveries. It reads the webhook for each batch, because it may be edited or
// deleted meanwhile.
func (r *replay) queue(ctx context.Context, tx *store.Tx) (page store.PastPage, n ReplayCount, err error) {
	hooks := tx.Load(r.a.webhookType(), r.hooks, []int64{r.webhook}, store.LockKeep)
	if err := tx.Flush(ctx); err != nil {
		return page, n, err
	}
	if len(hooks.Get()) == 0 {
		return page, n, fault.ErrNotFound
	}
	r.hook = hooks.Get()[0]
	wanted := r.ask(r.hook)
	past := tx.PastChanges(r.q)
	if err := tx.Flush(ctx); err != nil {
		return page, n, err
	}
	page = past.Get()
	again, fresh := choose(page.Changes, wanted, &n)
	if r.mayBeExpired(fresh) {
		if err := tx.HoldWeeks(ctx); err != nil {
			return page, n, err
		}
		oldest := tx.OldestWeek()
		if err := tx.Flush(ctx); err != nil {
			return page, n, err
		}
		fresh = dropExpired(fresh, oldest.Get(), &n)
	}
	n.Existing, n.New = int64(len(again)), int64(len(fresh))
	return page, n, r.write(ctx, tx, again, fresh, &n)
}

// ask sets the query for a webhook as it is now, and returns its criteria.
func (r *replay) ask(hook record.Values) criteria {
	wanted := criteriaOf(hook)
	r.q.Types, r.q.Contexts, r.q.Limit = wanted.types, hook.Raw("conditions") != nil, replayAtOnce
	if r.dry && !r.q.Contexts {
		r.q.Limit = countAtOnce
	}
	return wanted
}

// choose returns the changes that a webhook would be notified of: those with a delivery, and those without. It leaves out changes whose
// delivery is queued already.
func choose(batch []store.Past, wanted criteria, n *ReplayCount) (again, fresh []store.Past) {
	n.Changes = int64(len(batch))
	for _, c := range batch {
		switch {
		case !wanted.kinds.Wants(c.Action, c.About()) || !wanted.conditions.Match(c.Event()).Fires:
			continue
		case c.Awaited:
			n.Waiting++
		case c.Delivery != nil:
			again = append(again, c)
		default:
			fresh = append(fresh, c)
		}
		n.Matching++
	}
	return again, fresh
}

// mayBeExpired reports whether the weeks of some changes may have been dropped. Changes of the last day never are.
func (r *replay) mayBeExpired(changes []store.Past) bool {
	return len(changes) > 0 && !changes[0].At.After(r.a.Ledger.Timestamp().AddDate(0, 0, -1))
}

// dropExpired returns the changes without those of weeks whose deliveries were deleted.
func dropExpired(changes []store.Past, oldest time.Time, n *ReplayCount) []store.Past {
	for len(changes) > 0 && changes[0].At.Before(oldest) {
		changes = changes[1:]
		n.Expired++
	}
	return changes
}

// write queues the deliveries of the chosen changes. A delivery that somebody else has queued meanwhile is counted as waiting.
func (r *replay) write(ctx context.Context, tx *store.Tx, again, fresh []store.Past, n *ReplayCount) error {
	now := r.a.Ledger.Timestamp()
	resent, made := store.Answered(int64(0)), store.Answered(int64(0))
	if len(again) > 0 {
		resent = tx.Resend(r.webhook, again, now)
	}
	if len(fresh) > 0 {
		var err error
		if made, err = tx.InsertLate(ctx, r.webhook, fresh, now); err != nil {
			return err
		}
	}
	if err := tx.Flush(ctx); err != nil {
		return err
	}
	n.Existing, n.New = resent.Get(), made.Get()
	n.Waiting += int64(len(again)+len(fresh)) - n.Queued()
	tx.AddCounts(map[string]int{store.DeliveryType: int(n.New)})
	return nil
}
