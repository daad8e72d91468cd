package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/health"
	"terrier/internal/limit"
)

// Watcher reads the state of the whole installation, for monitoring. It uses the spare connections, so that requests
// can't keep it waiting and it can't keep requests waiting.
type Watcher struct{ s *Store }

// Watch returns the store as monitoring sees it.
func (s *Store) Watch() Watcher { return Watcher{s} }

// Waiting is the deliveries of a webhook that are to be sent. The webhook may be gone.
type Waiting struct {
	Webhook  int64
	Queued   int64
	Retrying int64 // failed, with a retry planned
	OldestAt *time.Time
}

// Waiting counts the deliveries that are to be sent, by webhook.
func (w Watcher) Waiting(ctx context.Context) (_ []Waiting, err error) {
	defer named(&err, "count waiting deliveries")
	return collect[Waiting](ctx, w.s, w.s.spare, waiting(""))
}

// WatchedWebhook is what identifies a webhook, and whether it sends.
type WatchedWebhook struct {
	ID      int64
	Name    string
	Enabled bool
	Paused  bool
	Health  string
}

// Standing returns one word for the webhook.
func (w WatchedWebhook) Standing() string { return health.Standing(w.Enabled, w.Paused, w.Health) }

// Webhooks lists all webhooks by id.
func (w Watcher) Webhooks(ctx context.Context) (_ []WatchedWebhook, err error) {
	defer named(&err, "list webhooks")
	return collect[WatchedWebhook](ctx, w.s, w.s.spare, `
		SELECT w.id, w.name, w.enabled, p.webhook_id IS NOT NULL, coalesce(h.state, '')
		FROM extras_webhook w LEFT JOIN extras_webhook_pause p ON p.webhook_id = w.id
		LEFT JOIN extras_webhook_state h ON h.webhook_id = w.id ORDER BY w.id`)
}

// Workers lists the workers seen lately.
func (w Watcher) Workers(ctx context.Context, lately time.Duration) (_ []Worker, err error) {
	defer named(&err, "list workers")
	return collect[Worker](ctx, w.s, w.s.spare, workersSeen, lately)
}

// Processes lists the servers and workers seen lately.
func (w Watcher) Processes(ctx context.Context, lately time.Duration) (_ []Process, err error) {
	defer named(&err, "list processes")
	return collect[Process](ctx, w.s, w.s.spare, selectProcesses, lately)
}

// Number is how many there are of something.
type Number struct {
	Of string
	N  int64
}

// Jobs counts River's jobs by state, with a row for each state.
func (w Watcher) Jobs(ctx context.Context) (_ []Number, err error) {
	defer named(&err, "count jobs by state")
	return collect[Number](ctx, w.s, w.s.spare, `
		SELECT s.state::text, coalesce(j.n, 0) FROM unnest(enum_range(NULL::river_job_state)) AS s(state)
		LEFT JOIN (SELECT state, count(*) AS n FROM river_job GROUP BY state) j ON j.state = s.state ORDER BY 1`)
}

// Records counts records by type, without those that have none.
func (w Watcher) Records(ctx context.Context) (_ []Number, err error) {
	defer named(&err, "count records by type")
	return collect[Number](ctx, w.s, w.s.spare, "SELECT type, sum(n)::bigint FROM record_count GROUP BY type ORDER BY type")
}

// Clock returns the database's time.
func (w Watcher) Clock(ctx context.Context) (now time.Time, err error) {
	defer named(&err, "read the time of the database")
	err = w.s.spare.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&now)
	return now, w.s.translate(err)
}

// collect reads all rows of a statement into structs, by position.
func collect[T any](ctx context.Context, s *Store, pool *pgxpool.Pool, sql string, args ...any) ([]T, error) {
	rows, err := pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, s.translate(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[T])
	return found, s.translate(err)
}

// PoolStat is how busy the connections of a pool are.
type PoolStat struct {
	Name string
	*pgxpool.Stat
}

// PoolStats returns how busy the pools are, by the names of docs/operations.md.
func (p *pools) PoolStats() []PoolStat {
	return []PoolStat{{"changes", p.pool.Stat()}, {"records", p.records.Stat()}, {"lists", p.lists.Stat()}, {"snapshots", p.snapshots.Stat()},
		{"spare", p.spare.Stat()}}
}

// Budgets returns what callers share of the store, and how many wait.
func (s *Store) Budgets() []limit.State {
	return []limit.State{s.drafts.State(), s.answers.any.State(), s.answers.large.State(), s.writes.State(), s.locks.state(), s.reads.State(),
		s.snapshotReads.State()}
}

// ReadOnly reports whether an error says that the database answers but accepts no writes.
func ReadOnly(err error) bool { return errors.Is(err, errReadOnly) }
