package ledger

import (
	"context"
	"errors"
	"strings"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhook"
)

// ReplayCount is what a replay found and did, or would do. Whatever matches is one of the
// last four.
type ReplayCount struct {
	Changes  int64 // that were looked at
	Matching int64 // of which the webhook would be told
	Existing int64 // whose delivery is sent again
	New      int64 // which get a delivery
	Waiting  int64 // whose delivery waits to be sent anyway
	Expired  int64 // too old: the deliveries of that time are not kept any longer

	Reached time.Time // what was stopped goes on with the changes made since then
}

// Queued is how many requests a replay causes.
func (n ReplayCount) Queued() int64 { return n.Existing + n.New }

const (
	replayAtOnce = 1000  // changes to a transaction, at most
	countAtOnce  = 10000 // where nothing is written and no states are read

	// MaxReplay is how many changes a request may replay: it waits for them.
	MaxReplay = 100_000
)

// ReplayCount tells what Replay would do now.
func (l *Ledger) ReplayCount(ctx context.Context, c Caller, webhook int64, where []record.Predicate) (ReplayCount, error) {
	return l.replay(ctx, c, webhook, where, true, nil)
}

// Replay sends past changes to a webhook, as if they were made now: those that pass the
// filter, that the caller may see, and that its types, events and conditions choose. What it was
// told already it is told again, by the same delivery. Each batch is a transaction, so it can be
// stopped, and run again; what was queued by then stays queued.
func (l *Ledger) Replay(ctx context.Context, c Caller, webhook int64, where []record.Predicate, progress func(ReplayCount)) (ReplayCount, error) {
	return l.replay(ctx, c, webhook, where, false, progress)
}

// ReplaySome is Replay for somebody who waits for the answer, and so for a limited number.
func (l *Ledger) ReplaySome(ctx context.Context, c Caller, webhook int64, where []record.Predicate) (ReplayCount, error) {
	n, err := l.ReplayCount(ctx, c, webhook, where)
	if err == nil && n.Matching > MaxReplay {
		err = fault.New(fault.Invalid, "%d changes match and at most %d can be replayed from here: narrow the filter, or run `terrier webhook replay %d` on the server.", n.Matching, MaxReplay, webhook)
	}
	if err != nil {
		return n, err
	}
	n, err = l.Replay(ctx, c, webhook, where, nil)
	if e, ok := errors.AsType[*fault.Error](err); ok && (e.Kind == fault.Slow || e.Kind == fault.Busy) && n.Changes > 0 {
		err = &fault.Error{Kind: e.Kind, Detail: e.Detail + " " + n.soFar(webhook), RetryAfter: e.RetryAfter}
	}
	return n, err
}

func (l *Ledger) replay(ctx context.Context, c Caller, hook int64, where []record.Predicate, dry bool, progress func(ReplayCount)) (ReplayCount, error) {
	r := &replay{l: l, webhook: hook, now: l.now(), dry: dry}
	var err error
	if r.hooks, err = l.writeScope(c, l.webhookType(), access.Change); err != nil {
		return r.total, err
	}
	seen, err := l.Policy.Scope(c.Subject, l.Store.Type(store.ChangeType), access.View)
	if err != nil {
		return r.total, err
	}
	// Changes made from now on are told anyway.
	r.q = store.PastQuery{Query: store.Query{Scope: seen, Where: where}, Webhook: hook, Until: r.now}
	for more := true; more; {
		if isOver(ctx) {
			return r.stopped(ctx)
		}
		err := r.next(ctx, &more)
		switch {
		case err != nil && ctx.Err() != nil:
			return r.stopped(ctx)
		case err != nil:
			return r.total, err
		}
		if progress != nil {
			progress(r.total)
		}
	}
	return r.total, nil
}

func (n ReplayCount) plus(m ReplayCount) ReplayCount {
	return ReplayCount{n.Changes + m.Changes, n.Matching + m.Matching, n.Existing + m.Existing, n.New + m.New, n.Waiting + m.Waiting, n.Expired + m.Expired, n.Reached}
}

type replay struct {
	l       *Ledger
	webhook int64
	hooks   access.Scope // that the caller may change
	q       store.PastQuery
	now     time.Time
	dry     bool
	total   ReplayCount
}

// next replays a batch, or looks at one.
func (r *replay) next(ctx context.Context, more *bool) (err error) {
	var batch []store.Past
	var n ReplayCount
	if r.dry {
		batch, n, err = r.look(ctx, more)
	} else {
		err = r.l.Store.Write(ctx, func(tx *store.Tx) (err error) {
			batch, n, err = r.queue(ctx, tx, more)
			return err
		})
	}
	if err != nil {
		return err
	}
	r.total = r.total.plus(n)
	if len(batch) > 0 {
		last := batch[len(batch)-1]
		r.q.After, r.q.AfterID, r.total.Reached = last.At, last.ID, last.At
	}
	return nil
}

// look counts what there is to queue of the next changes.
func (r *replay) look(ctx context.Context, more *bool) (batch []store.Past, n ReplayCount, err error) {
	hook, err := r.l.Store.Get(ctx, r.l.webhookType(), r.hooks, r.webhook)
	if err != nil {
		return nil, n, err
	}
	wanted := r.ask(hook)
	if batch, *more, err = r.l.Store.PastChanges(ctx, r.q); err != nil {
		return nil, n, err
	}
	again, fresh := choose(batch, wanted, &n)
	if r.mayBeExpired(fresh) {
		oldest, err := r.l.Store.OldestWeek(ctx)
		if err != nil {
			return nil, n, err
		}
		fresh = dropExpired(fresh, oldest, &n)
	}
	n.Existing, n.New = int64(len(again)), int64(len(fresh))
	return batch, n, nil
}

// queue chooses from the next changes and queues them. The webhook is read with each batch: it may
// be edited or deleted meanwhile.
func (r *replay) queue(ctx context.Context, tx *store.Tx, more *bool) (batch []store.Past, n ReplayCount, err error) {
	var hooks []record.Values
	tx.Load(r.l.webhookType(), r.hooks, []int64{r.webhook}, store.LockKeep, &hooks)
	if err := tx.Flush(ctx); err != nil {
		return nil, n, err
	}
	if len(hooks) == 0 {
		return nil, n, fault.ErrNotFound
	}
	wanted := r.ask(hooks[0])
	tx.PastChanges(r.q, &batch, more)
	if err := tx.Flush(ctx); err != nil {
		return nil, n, err
	}
	again, fresh := choose(batch, wanted, &n)
	if r.mayBeExpired(fresh) {
		if err := tx.HoldWeeks(ctx); err != nil {
			return nil, n, err
		}
		var oldest time.Time
		tx.OldestWeek(&oldest)
		if err := tx.Flush(ctx); err != nil {
			return nil, n, err
		}
		fresh = dropExpired(fresh, oldest, &n)
	}
	n.Existing, n.New = int64(len(again)), int64(len(fresh))
	return batch, n, r.write(ctx, tx, again, fresh, &n)
}

// ask prepares the query for a webhook as it is now.
func (r *replay) ask(hook record.Values) criteria {
	wanted := criteriaOf(hook)
	r.q.Types, r.q.Contexts, r.q.Limit = wanted.types, hook.Raw("conditions") != nil, replayAtOnce
	if r.dry && !r.q.Contexts {
		r.q.Limit = countAtOnce
	}
	return wanted
}

// choose picks the changes that a webhook would be notified of: those with a delivery, and those without. It leaves out
// those whose delivery is awaited.
func choose(batch []store.Past, wanted criteria, n *ReplayCount) (again, fresh []store.Past) {
	n.Changes = int64(len(batch))
	for _, c := range batch {
		switch {
		case !wants(wanted.kinds, c.Action) || !wanted.conditions.Match(pastEvent(c)).Fires:
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

// mayBeExpired tells whether the weeks of some changes may have been dropped: none of the last day ever is.
func (r *replay) mayBeExpired(changes []store.Past) bool {
	return len(changes) > 0 && !changes[0].At.After(r.l.now().AddDate(0, 0, -1))
}

// dropExpired leaves out the changes of weeks whose deliveries are gone.
func dropExpired(changes []store.Past, oldest time.Time, n *ReplayCount) []store.Past {
	for len(changes) > 0 && changes[0].At.Before(oldest) {
		changes = changes[1:]
		n.Expired++
	}
	return changes
}

// write queues what was chosen. What others queued first is waiting now.
func (r *replay) write(ctx context.Context, tx *store.Tx, again, fresh []store.Past, n *ReplayCount) error {
	now := r.l.now()
	if len(again) > 0 {
		tx.Resend(r.webhook, again, now, &n.Existing)
	}
	if len(fresh) > 0 {
		if err := tx.InsertLate(ctx, r.webhook, fresh, events, now, &n.New); err != nil {
			return err
		}
	}
	if err := tx.Flush(ctx); err != nil {
		return err
	}
	n.Waiting += int64(len(again)+len(fresh)) - n.Queued()
	tx.AddCounts(map[string]int{store.DeliveryType: int(n.New)})
	return nil
}

// pastEvent is a change as webhooks see it.
func pastEvent(c store.Past) *webhook.Event {
	_, model, _ := strings.Cut(c.ObjectType, ".")
	return &webhook.Event{Kind: events[c.Action], Model: model, Timestamp: c.At, Username: c.UserName, RequestID: c.RequestID,
		Data: c.Data, Prechange: c.Prechange, Postchange: c.Postchange}
}
