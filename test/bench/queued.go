package main

import (
	"context"
	"fmt"
	"net/http"

	"terrier/internal/record"
	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

// The webhooks of the case. One has a long queue and a receiver that hangs. One is notified of the events that are timed. One is notified
// of the sites whose creation is timed. So nothing that is timed waits behind other work of its own webhook.
const (
	sickOne = iota
	timedOne
	writtenOne
	queuedHooks
)

const (
	queuedPerSecond = 50
	queuedWrites    = 200
)

// measureQueued queues many deliveries for a receiver that hangs. It measures whether writes become slower, and whether an event for
// another webhook still arrives.
func (b *bench) measureQueued(ctx context.Context) ([]figures.Row, error) {
	if err := b.makeHooks(ctx, queuedHooks, sickHook); err != nil {
		return nil, err
	}
	if err := b.startWorker(ctx, queuedHooks); err != nil { // it also writes a change row that is copied below
		return nil, err
	}
	const none = "none queued"
	create := figures.Row{Case: "queued-create", What: fmt.Sprintf("create one site, %d queued for a webhook", b.o.queued), Unit: "ms",
		Against: none, Goal: figures.AtMost(1.5)}
	event := figures.Row{Case: "queued-latency", What: fmt.Sprintf("%d events/s, %d queued for another webhook: p99 from commit",
		queuedPerSecond, b.o.queued), Unit: "ms", Against: none, Absolute: true, Goal: figures.AtMost(250)}
	before, err := b.besideQueue(ctx)
	if err != nil {
		return nil, err
	}
	if err := b.receiver.Do("hang"); err != nil {
		return nil, err
	}
	if err := b.queue(ctx, b.o.queued); err != nil {
		return nil, err
	}
	after, err := b.besideQueue(ctx)
	if err != nil {
		return nil, err
	}
	if err := b.stillQueued(ctx, b.o.queued); err != nil {
		return nil, err
	}
	// The receiver answers again, and the rest of the queue is deleted.
	if err := b.receiver.Do("recover"); err != nil {
		return nil, err
	}
	if err := b.worker.Do("stop"); err != nil {
		return nil, err
	}
	if _, err := b.receiver.news(true); err != nil {
		return nil, err
	}
	var ratios []float64
	for _, ms := range after.creates {
		ratios = append(ratios, ms/figures.Median(before.creates))
	}
	create.Terrier.Figure, create.Bare.Figure = figures.Median(after.creates), figures.Median(before.creates)
	create.Judge(ratios)
	event.Terrier, event.Bare = after.flown.side(0.99), before.flown.side(0.99)
	event.Judge(after.p99s)
	return []figures.Row{create, event}, b.clear(ctx)
}

// besides is what was measured while a queue was full.
type besides struct {
	creates []float64 // medians of the rounds, in milliseconds
	flown   latencies
	p99s    []float64
}

func (b *bench) besideQueue(ctx context.Context) (found besides, err error) {
	for range b.o.rounds {
		var took []float64
		for range queuedWrites {
			_, ms, err := b.timed(b.terrier.Post(sitesPath, body(b.event(facility(writtenOne)))), http.StatusCreated)
			if err != nil {
				return found, err
			}
			took = append(took, ms)
		}
		found.creates = append(found.creates, figures.Median(took))
		if err := until(ctx, b.pool, leftOfTerrier+" AND webhook_id <> (SELECT min(id) FROM extras_webhook)"); err != nil {
			return found, err
		}
		l, err := b.fly(ctx, flight{perSecond: queuedPerSecond, length: b.flightLength(), processes: []*gauge.Process{b.server, b.worker},
			send: func(int) ([]string, error) { return b.events(facility(timedOne)) }})
		if err != nil {
			return found, err
		}
		found.flown.add(l)
		found.p99s = append(found.p99s, figures.Percentile(l.fromCommit, 0.99))
	}
	return found, nil
}

// sickQueue is the queue of the first webhook.
const sickQueue = "'webhook_' || (SELECT min(id) FROM extras_webhook)"

// queue writes deliveries for the webhook that hangs, with change rows and jobs, by a statement. They copy an earlier change. An id
// contains the millisecond of its row, which a cast would round.
func (b *bench) queue(ctx context.Context, n int) error {
	_, shift, mask := record.TimedIDs(b.result.Started)
	return execute(ctx, b.database, fmt.Sprintf(`
		WITH hook AS (SELECT min(id) AS id FROM extras_webhook),
		like_this AS (SELECT * FROM extras_objectchange WHERE object_type = 'dcim.site' ORDER BY id DESC LIMIT 1),
		change AS (
			INSERT INTO extras_objectchange (changed_at, user_id, user_name, request_id, action, object_type, object_id, object_repr, version,
				postchange, data)
			SELECT date_trunc('milliseconds', now()), user_id, user_name, request_id, action, object_type, object_id, object_repr, version,
				postchange, data FROM like_this, generate_series(1, %d)
			RETURNING id, changed_at, object_id, request_id),
		delivery AS (
			INSERT INTO extras_delivery (id, changed_at, change_id, webhook_id, version, event, object_type, object_id, request_id, state,
				round, tries, attempt_count, job_id, queued_at, reason)
			SELECT ((extract(epoch FROM changed_at) * 1000)::bigint << %d) | (nextval('extras_delivery_id_seq') & %d), changed_at, change.id,
				hook.id, 1, 'created', 'dcim.site', object_id, request_id,
				'queued', 1, 0, 0, nextval('river_job_id_seq'), changed_at, '' FROM change, hook
			RETURNING id, webhook_id, round, job_id)
		INSERT INTO river_job (id, args, kind, max_attempts, queue, state, scheduled_at)
		SELECT job_id, jsonb_build_object('delivery', id, 'round', round), 'delivery', 100, 'webhook_' || webhook_id, 'available', now()
			FROM delivery`, n, shift, mask),
		fmt.Sprintf("INSERT INTO record_count (type, n) VALUES ('extras.objectchange', %d), ('extras.delivery', %[1]d)", n),
		// otherwise autovacuum would run during the measurement
		"VACUUM ANALYZE extras_delivery", "VACUUM ANALYZE river_job", "VACUUM ANALYZE extras_objectchange", "CHECKPOINT",
		"SELECT pg_notify(current_schema() || '.river_insert', json_build_object('queue', "+sickQueue+")::text)")
}

// stillQueued checks that the deliveries were queued to the end. If the queue was emptied meanwhile, the measurement would be worthless.
// The few that may be missing were taken by the worker and given up.
func (b *bench) stillQueued(ctx context.Context, queued int) error {
	var left int
	err := b.pool.QueryRow(ctx, "SELECT count(*) FROM river_job WHERE state = 'available' AND queue = "+sickQueue).Scan(&left)
	if err == nil && left < queued*99/100-50 {
		err = fmt.Errorf("%d of %d were left in the queue: its receiver did not hang", left, queued)
	}
	return err
}

// discard deletes the queued deliveries of the webhook that hangs, while a worker runs. It leaves those that are being sent to the worker.
func (b *bench) discard(ctx context.Context) error {
	return execute(ctx, b.database, `
		WITH job AS (DELETE FROM river_job WHERE state = 'available' AND queue = `+sickQueue+` RETURNING id)
		DELETE FROM extras_delivery d USING job WHERE d.job_id = job.id AND d.state = 'queued'`,
		"VACUUM ANALYZE extras_delivery", "VACUUM ANALYZE river_job") // now, and not during the next measurement
}
