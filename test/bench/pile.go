package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/record"
)

const (
	keptAtOnce   = 100_000   // changes that are written by one statement, each with a delivery for every webhook
	keptObjects  = 1_000_000 // the changes are to these, in turn
	keptTogether = 10        // changes of one request
)

// oldest returns the time of the oldest stored change.
func (b *bench) oldest() time.Time { return b.result.Started.AddDate(0, 0, -7*keptWeeks) }

// keep adds finished deliveries from number have to number all. They are spread evenly over the weeks, in the order of time, as in real
// use. The deliveries of every hundredth change have failed.
func (b *bench) keep(ctx context.Context, have, all int) error {
	changes := (all - have + keptHooks - 1) / keptHooks
	began := time.Now()
	err := load(ctx, b.database, "extras_delivery", func(conn *pgx.Conn) error {
		for from := 0; from < changes; from += keptAtOnce {
			to := min(from+keptAtOnce, changes)
			if err := executeOn(ctx, conn, b.finished(from, to, changes)...); err != nil {
				return err
			}
			if changes > keptAtOnce {
				b.note("%d deliveries are made, after %.0f s", have+to*keptHooks, time.Since(began).Seconds())
			}
		}
		return nil
	})
	if changes > keptAtOnce {
		b.note("their indexes are built, after %.0f s", time.Since(began).Seconds())
	}
	return err
}

// finished returns the statements that write a range of changes with their deliveries.
func (b *bench) finished(from, to, of int) []string {
	_, shift, mask := record.TimedIDs(b.result.Started)
	return []string{fmt.Sprintf(`
		WITH change AS (
			INSERT INTO extras_objectchange (changed_at, user_id, user_name, request_id, action, object_type, object_id, object_repr, version,
				postchange, data)
			SELECT date_trunc('milliseconds', timestamptz '%[1]s' + (request + 0.5) * %[2]d / %[3]d * interval '%[4]d weeks'), 1, 'bench',
				md5('%[3]d/' || request)::uuid,
				'create', 'dcim.site', n %% %[5]d + 1, 'Site ' || n, 1, '{"name":"Site ' || n || '"}', '{"name":"Site ' || n || '"}'
			FROM (SELECT n, n / %[2]d AS request FROM generate_series(%[6]d, %[7]d - 1) n) x
			RETURNING id, changed_at, object_id, request_id, id %% 100 = 0 AS failed)
		INSERT INTO extras_delivery (id, changed_at, change_id, webhook_id, version, event, object_type, object_id, request_id, state,
			round, tries, attempt_count, job_id, queued_at, finished_at, status_code, reason)
		SELECT (extract(epoch FROM changed_at) * 1000)::bigint << %[8]d | (nextval('extras_delivery_id_seq') & %[9]d), changed_at, id,
			webhook, 1, 'created', 'dcim.site', object_id, request_id,
			CASE WHEN failed THEN 'failed' ELSE 'successful' END, 1, 1, 1, 0, changed_at, changed_at, CASE WHEN failed THEN 500 ELSE 200 END, ''
		FROM (SELECT *, unnest(ARRAY(SELECT id FROM extras_webhook ORDER BY id)) AS webhook FROM change) x`,
		b.oldest().Format(time.RFC3339), keptTogether, of, keptWeeks, keptObjects, from, to, shift, mask),
		fmt.Sprintf("INSERT INTO record_count (type, n) VALUES ('extras.objectchange', %d), ('extras.delivery', %d)", to-from,
			(to-from)*keptHooks)}
}

// kept identifies a stored delivery.
type kept struct {
	id, object int64
	request    string
}

// someKept returns a delivery of a webhook, another one each time, from any of the weeks.
func (b *bench) someKept(ctx context.Context, webhook int64, state string) (k kept, err error) {
	part := float64(siteNumber(b.made.Add(1))) / prime
	milliseconds, shift, _ := record.TimedIDs(b.oldest().Add(time.Duration(part * float64(b.result.Started.Sub(b.oldest())))))
	const first = "(SELECT id, object_id, request_id::text FROM extras_delivery WHERE webhook_id = $1 AND state = $2 AND id >= $3 " +
		"ORDER BY id LIMIT 1)"
	const last = "(SELECT id, object_id, request_id::text FROM extras_delivery WHERE webhook_id = $1 AND state = $2 ORDER BY id DESC LIMIT 1)"
	err = b.pool.QueryRow(ctx, first+" UNION ALL "+last+" LIMIT 1", webhook, state, milliseconds<<shift).Scan(&k.id, &k.object, &k.request)
	return k, err
}

// failAgain undoes a retry.
func (b *bench) failAgain(ctx context.Context, k kept) error {
	tag, err := b.pool.Exec(ctx, `
		WITH job AS (DELETE FROM river_job)
		UPDATE extras_delivery SET state = 'failed', finished_at = changed_at, status_code = 500 WHERE id = $1 AND changed_at = $2
			AND state = 'queued'`,
		k.id, record.IDTime(k.id))
	if err == nil && tag.RowsAffected() != 1 {
		err = fmt.Errorf("delivery %d was not queued again", k.id)
	}
	return err
}
