package main

import (
	"context"
	"fmt"
	"time"

	"terrier/internal/record"
	"terrier/test/bench/figures"
)

const (
	deliveriesPath = "/api/extras/deliveries/"
	keptHooks      = 10
	keptWeeks      = 12 // that the deliveries are spread over
)

// listed is a cost of reading the deliveries that are kept.
func listed(name, what, query string) cost {
	return cost{row: figures.Row{Case: "kept-" + name, What: what}, once: name != "page", ask: func(b *bench) (float64, error) {
		_, took, err := b.page(deliveriesPath + "?limit=50" + query)
		if tooSlow(err) {
			err = nil
		}
		return took, err
	}}
}

// measureKept lets finished deliveries pile up over weeks, looks what reading them costs, and drops the oldest week.
func (b *bench) measureKept(ctx context.Context) ([]figures.Row, error) {
	if err := b.makeHooks(ctx, keptHooks, hookForFacility); err != nil {
		return nil, err
	}
	db, err := b.openStore(ctx)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	for week := range keptWeeks + 1 {
		if err := db.MakePartitions(ctx, b.result.Started.AddDate(0, 0, -7*week)); err != nil {
			return nil, err
		}
	}
	var webhook int64
	if err := b.pool.QueryRow(ctx, "SELECT min(id) FROM extras_webhook").Scan(&webhook); err != nil {
		return nil, err
	}
	have := 0
	rows, err := b.follow([]cost{
		listed("page", "newest 50 deliveries, with the count", ""),
		listed("failed", "failed ones of one webhook (1 in 1,000), with the count", fmt.Sprintf("&webhook_id=%d&state=failed", webhook)),
		listed("webhook", "those of one webhook (1 in 10), with the count", fmt.Sprintf("&webhook_id=%d", webhook)),
	}, steps(b.o.deliveries), func(n int) error {
		err := b.keep(ctx, have, n)
		have = n
		return err
	})
	if err != nil {
		return nil, err
	}
	drop, err := b.measureDrop(ctx, db)
	if err != nil {
		return nil, err
	}
	return append(rows, drop), b.clear(ctx)
}

// keep adds finished deliveries after the first have up to all. Times are scattered over the weeks.
func (b *bench) keep(ctx context.Context, have, all int) error {
	_, shift, mask := record.TimedIDs(b.result.Started)
	return execute(ctx, b.database, fmt.Sprintf(`
		INSERT INTO extras_delivery (id, changed_at, change_id, webhook_id, version, event, object_type, object_id, request_id, state, round, tries, attempt_count, job_id, queued_at, finished_at, status_code, reason)
		SELECT ((extract(epoch FROM at) * 1000)::bigint << %[3]d) | (n & %[4]d), at, n, hook.first + n %% %[5]d, 1, 'created', 'dcim.site', n, gen_random_uuid(),
			CASE WHEN n / %[5]d %% 100 = 0 THEN 'failed' ELSE 'successful' END, 1, 1, 1, 0, at, at, CASE WHEN n / %[5]d %% 100 = 0 THEN 500 ELSE 200 END, ''
		FROM (SELECT n, '%[9]s'::timestamptz - (n * %[6]d %% %[7]d)::float8 / %[7]d * interval '%[8]d weeks' AS at FROM generate_series(%[1]d::bigint, %[2]d) n) x,
			(SELECT min(id) AS first FROM extras_webhook) hook`, have+1, all, shift, mask, keptHooks, stride, prime, keptWeeks, b.result.Started.Format(time.RFC3339)),
		fmt.Sprintf("INSERT INTO record_count (type, n) VALUES ('extras.delivery', %d)", all-have),
		"VACUUM ANALYZE extras_delivery", "CHECKPOINT")
}
