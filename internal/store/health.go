package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/health"
)

// ReceiverNote is what the outcome of an attempt says about the health of its webhook, besides whether it succeeded.
type ReceiverNote struct {
	Version int64         // of the webhook, 0 when it is gone
	Ailing  bool          // it has failed lately, so that a success changes its health
	MayPass bool          // it failed for a reason that may pass
	Unsent  bool          // it failed before it reached the receiver
	Holds   bool          // the webhook is held when such failures repeat
	Probe   bool          // the attempt was made to find out whether the receiver is back
	Wait    time.Duration // what the receiver asked for, 0 for nothing
}

// attempted returns an outcome as the webhook's health sees it.
func (o Outcome) attempted() health.Attempt {
	return health.Attempt{At: o.At, Succeeded: o.State == Successful, MayPass: o.Receiver.MayPass, Unsent: o.Receiver.Unsent,
		Holds: o.Receiver.Holds, Probe: o.Receiver.Probe, Reason: o.Reason, Wait: o.Receiver.Wait, Version: o.Receiver.Version}
}

// ailing lists the webhooks whose health the outcomes may change: those that were probed, and the others.
func ailing(outcomes []Outcome) (probed, others []int64) {
	found := map[int64]bool{} // by whether it was probed
	for _, o := range outcomes {
		if o.Receiver.Version != 0 && (o.State != Successful || o.Receiver.Ailing) {
			found[o.Webhook] = found[o.Webhook] || o.Receiver.Probe
		}
	}
	for _, id := range slices.Sorted(maps.Keys(found)) { // the order in which everybody locks them
		if found[id] {
			probed = append(probed, id)
		} else {
			others = append(others, id)
		}
	}
	return probed, others
}

// healthNotes is the health of some webhooks whose rows are locked.
type healthNotes struct {
	now  time.Time // by the database's clock, which probes go by
	byID map[int64]health.Health
}

// lockHealth queues the statements that lock and read the health of webhooks. Those without a row get one. The outcome of a
// probe decides about a hold and waits for its row. Any other leaves the note to whoever has the row: a receiver that
// always fails would make all workers wait for one another, together with the outcomes of other webhooks.
func lockHealth(batch *pgx.Batch, probed, others []int64) *healthNotes {
	notes := &healthNotes{byID: map[int64]health.Health{}}
	notes.lock(batch, probed, "")
	notes.lock(batch, others, " SKIP LOCKED")
	return notes
}

func (notes *healthNotes) lock(batch *pgx.Batch, hooks []int64, skip string) {
	if len(hooks) == 0 {
		return
	}
	batch.Queue(`
		INSERT INTO extras_webhook_state (webhook_id, state, since, reason, failures, outages, attempted_at, version, probe_step)
		SELECT x.id, 'healthy', now(), '', 0, 0, now(), 0, '0' FROM unnest($1::bigint[]) AS x(id)
		ON CONFLICT DO NOTHING`, hooks)
	batch.Queue(`
		SELECT webhook_id, state, since, reason, failures, outages, attempted_at, version, probe_at, probe_step,
			coalesce(ailing_since, since), clock_timestamp()
		FROM extras_webhook_state WHERE webhook_id = ANY($1) ORDER BY webhook_id
		FOR NO KEY UPDATE`+skip, hooks).Query(func(rows pgx.Rows) error {
		var id int64
		var h health.Health
		_, err := pgx.ForEachRow(rows, []any{&id, &h.State, &h.Since, &h.Reason, &h.Failures, &h.Outages, &h.AttemptedAt, &h.Version,
			&h.ProbeAt, &h.Step, &h.AilingSince, &notes.now}, func() error {
			notes.byID[id] = h
			h.ProbeAt = nil // the next row has its own
			return nil
		})
		return err
	})
}

// note writes what the outcomes that counted, by their positions, change of the webhooks' health.
func (notes *healthNotes) note(ctx context.Context, tx pgx.Tx, outcomes []Outcome, counted []int) error {
	slices.SortFunc(counted, func(a, b int) int { return outcomes[a].At.Compare(outcomes[b].At) })
	after := map[int64]health.Health{}
	for _, i := range counted {
		o := outcomes[i]
		before, known := notes.byID[o.Webhook]
		if !known {
			continue
		}
		if later, ok := after[o.Webhook]; ok {
			before = later
		}
		after[o.Webhook] = before.After(o.attempted(), notes.now)
	}
	if len(after) == 0 {
		return nil
	}
	batch := &pgx.Batch{}
	for _, id := range slices.Sorted(maps.Keys(after)) {
		h := after[id]
		batch.Queue(`UPDATE extras_webhook_state SET state = $2, since = $3, reason = $4, failures = $5, outages = $6, attempted_at = $7,
			version = $8, probe_at = $9, probe_step = $10, ailing_since = $11 WHERE webhook_id = $1`,
			id, h.State, h.Since, h.Reason, h.Failures, h.Outages, h.AttemptedAt, h.Version, h.ProbeAt, h.Step, h.AilingSince)
	}
	return tx.SendBatch(ctx, batch).Close()
}

// DateHealth changes since when a webhook has had its health, for those who make up a past.
func (s *Store) DateHealth(ctx context.Context, webhook int64, since time.Time) (err error) {
	defer named(&err, "date the health of webhook %d", webhook)
	_, err = s.pool.Exec(ctx, "UPDATE extras_webhook_state SET since = $2, ailing_since = $2 WHERE webhook_id = $1", webhook, since)
	return s.translate(err)
}
