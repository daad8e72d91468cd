package store

import (
	"context"
	"time"
)

// Workers lists the workers seen lately.
func (i *Inspector) Workers(ctx context.Context, lately time.Duration) (_ []Worker, err error) {
	defer named(&err, "list workers")
	return inspectRows[Worker](ctx, i, workersSeen, lately)
}

// Processes lists the servers and workers seen lately.
func (i *Inspector) Processes(ctx context.Context, lately time.Duration) (_ []Process, err error) {
	defer named(&err, "list processes")
	return inspectRows[Process](ctx, i, selectProcesses, lately)
}

// Receiver is where an enabled webhook sends to.
type Receiver struct {
	Webhook  int64
	Name     string
	URL      string // may contain a secret
	Insecure bool   // its certificate is not verified
	CAFile   string
	Identity bool // it has a client certificate
}

// Receivers lists where enabled webhooks send to.
func (i *Inspector) Receivers(ctx context.Context) (_ []Receiver, err error) {
	defer named(&err, "list the receivers of webhooks")
	return inspectRows[Receiver](ctx, i,
		`SELECT id, name, payload_url, NOT ssl_verification, coalesce(ca_file_path, ''), client_certificate <> ''
		FROM extras_webhook WHERE enabled ORDER BY id`)
}

// ClientCertificate is what an enabled webhook presents to its receiver.
type ClientCertificate struct{ Name, PEM string }

// ClientCertificates lists those of the enabled webhooks that have one.
func (i *Inspector) ClientCertificates(ctx context.Context) (_ []ClientCertificate, err error) {
	defer named(&err, "list client certificates of webhooks")
	return inspectRows[ClientCertificate](ctx, i,
		"SELECT name, client_certificate FROM extras_webhook WHERE enabled AND client_certificate <> '' ORDER BY id")
}

// Queue is a webhook's queued deliveries.
type Queue struct {
	Webhook int64
	Name    string
	Queued  int64
	Age     time.Duration // of the oldest
}

// OldQueues lists the webhooks that are enabled, not paused and not held and whose oldest queued delivery has waited for a time,
// the oldest first.
func (i *Inspector) OldQueues(ctx context.Context, atLeast time.Duration) (_ []Queue, err error) {
	defer named(&err, "list old queues")
	return inspectRows[Queue](ctx, i, `
		SELECT w.id, w.name, count(*), now() - min(d.queued_at) FROM extras_delivery d JOIN extras_webhook w ON w.id = d.webhook_id
		WHERE d.state = 'queued' AND w.enabled AND NOT EXISTS (SELECT FROM extras_webhook_pause p WHERE p.webhook_id = w.id)
			AND NOT EXISTS (SELECT FROM extras_webhook_state h WHERE h.webhook_id = w.id AND h.state = 'held')
		GROUP BY w.id HAVING now() - min(d.queued_at) >= $1::interval ORDER BY 4 DESC`, atLeast)
}

// StoppedQueues counts the queued deliveries of webhooks that are disabled, paused or held, and returns the age of the oldest.
func (i *Inspector) StoppedQueues(ctx context.Context) (n int64, oldest time.Duration, err error) {
	defer named(&err, "count the deliveries of stopped webhooks")
	err = i.row(ctx, []any{&n, &oldest}, `
		SELECT count(*), coalesce(now() - min(d.queued_at), '0') FROM extras_delivery d JOIN extras_webhook w ON w.id = d.webhook_id
		WHERE d.state = 'queued' AND (NOT w.enabled OR EXISTS (SELECT FROM extras_webhook_pause p WHERE p.webhook_id = w.id)
			OR EXISTS (SELECT FROM extras_webhook_state h WHERE h.webhook_id = w.id AND h.state = 'held'))`)
	return n, oldest, err
}

// PausedWebhooks lists the webhooks that have been paused for a time, with the deliveries that wait.
func (i *Inspector) PausedWebhooks(ctx context.Context, atLeast time.Duration) (_ []Queue, err error) {
	defer named(&err, "list paused webhooks")
	return inspectRows[Queue](ctx, i, `
		SELECT w.id, w.name, (SELECT count(*) FROM extras_delivery d WHERE d.webhook_id = w.id AND d.state = 'queued'), now() - p.paused_at
		FROM extras_webhook_pause p JOIN extras_webhook w ON w.id = p.webhook_id WHERE now() - p.paused_at >= $1::interval ORDER BY 4 DESC`,
		atLeast)
}

// RunningJobs counts the jobs that have been running for a time, and returns the age of the oldest.
func (i *Inspector) RunningJobs(ctx context.Context, atLeast time.Duration) (n int64, oldest time.Duration, err error) {
	defer named(&err, "count running jobs")
	err = i.row(ctx, []any{&n, &oldest}, `SELECT count(*), coalesce(max(now() - attempted_at), '0'::interval) FROM river_job
		WHERE state = 'running' AND attempted_at <= now() - $1::interval`, atLeast)
	return n, oldest, err
}

// JoblessDeliveries counts the awaited deliveries that have had no job for a time.
func (i *Inspector) JoblessDeliveries(ctx context.Context, atLeast time.Duration) (n int64, err error) {
	defer named(&err, "count deliveries without a job")
	err = i.row(ctx, []any{&n}, `SELECT count(*) FROM extras_delivery d WHERE (d.state = 'queued' OR d.retry_at IS NOT NULL)
		AND coalesce(d.finished_at, d.queued_at) <= now() - $1::interval AND NOT EXISTS (SELECT FROM river_job j WHERE j.id = d.job_id)`, atLeast)
	return n, err
}
