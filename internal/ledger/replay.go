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

// next replays a batch.
func (r *replay) next(ctx context.Context, more *bool) error {
	var batch []store.Past
	var n ReplayCount
	err := r.l.Store.Write(ctx, func(tx *store.Tx) (err error) {
		batch, n, err = r.batch(ctx, tx, more)
		return err
	})
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

// batch chooses from the next changes and queues them. The webhook is read with each: it may
// be edited or deleted meanwhile.
func (r *replay) batch(ctx context.Context, tx *store.Tx, more *bool) (batch []store.Past, n ReplayCount, err error) {
	var hooks []record.Values
	tx.Load(r.l.webhookType(), r.hooks, []int64{r.webhook}, store.LockKeep, &hooks)
	if err := tx.Flush(ctx); err != nil {
		return nil, n, err
	}
	if len(hooks) == 0 {
		return nil, n, fault.ErrNotFound
	}
	hook := criteriaOf(hooks[0])
	r.q.Types, r.q.Contexts, r.q.Limit = hook.types, hooks[0].Raw("conditions") != nil, replayAtOnce
	if r.dry && !r.q.Contexts {
		r.q.Limit = countAtOnce
	}
	tx.PastChanges(r.q, &batch, more)
	if err := tx.Flush(ctx); err != nil {
		return nil, n, err
	}
	n.Changes = int64(len(batch))
	var again, anew []store.Past
	for _, c := range batch {
		switch {
		case !wants(hook.kinds, c.Action) || !hook.conditions.Match(pastEvent(c)).Fires:
			continue
		case c.Awaited:
			n.Waiting++
		case c.Delivery != nil:
			again = append(again, c)
		default:
			anew = append(anew, c)
		}
		n.Matching++
	}
	if anew, err = r.dropExpired(ctx, tx, anew, &n); err != nil {
		return nil, n, err
	}
	n.Existing, n.New = int64(len(again)), int64(len(anew))
	if !r.dry {
		err = r.write(ctx, tx, again, anew, &n)
	}
	return batch, n, err
}

// dropExpired leaves out the changes of weeks whose deliveries are gone.
func (r *replay) dropExpired(ctx context.Context, tx *store.Tx, anew []store.Past, n *ReplayCount) ([]store.Past, error) {
	if len(anew) == 0 || anew[0].At.After(r.l.now().AddDate(0, 0, -1)) { // no week of the last day is ever dropped
		return anew, nil
	}
	if !r.dry {
		if err := tx.HoldWeeks(ctx); err != nil {
			return nil, err
		}
	}
	var oldest time.Time
	tx.OldestWeek(&oldest)
	if err := tx.Flush(ctx); err != nil {
		return nil, err
	}
	for len(anew) > 0 && anew[0].At.Before(oldest) {
		anew = anew[1:]
		n.Expired++
	}
	return anew, nil
}

// write queues what was chosen. What others queued first is waiting now.
func (r *replay) write(ctx context.Context, tx *store.Tx, again, anew []store.Past, n *ReplayCount) error {
	now := r.l.now()
	if len(again) > 0 {
		tx.Resend(r.webhook, again, now, &n.Existing)
	}
	if len(anew) > 0 {
		if err := tx.InsertLate(ctx, r.webhook, anew, events, now, &n.New); err != nil {
			return err
		}
	}
	if err := tx.Flush(ctx); err != nil {
		return err
	}
	n.Waiting += int64(len(again)+len(anew)) - n.Queued()
	tx.AddCounts(map[string]int{store.DeliveryType: int(n.New)})
	return nil
}

// pastEvent is a change as webhooks see it.
func pastEvent(c store.Past) *webhook.Event {
	_, model, _ := strings.Cut(c.ObjectType, ".")
	return &webhook.Event{Kind: events[c.Action], Model: model, Timestamp: c.At, Username: c.UserName, RequestID: c.RequestID,
		Data: c.Data, Prechange: c.Prechange, Postchange: c.Postchange}
}
