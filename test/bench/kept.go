package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"terrier/internal/inventory/extras"
	"terrier/test/bench/figures"
)

const (
	deliveriesPath = "/api/extras/deliveries/"
	keptHooks      = 10
	keptWeeks      = 12 // the deliveries are spread over these
)

// measureKept adds finished deliveries over weeks. It measures what reading them and sending one again costs, and drops the oldest week.
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
		err := untilOurs(ctx, func() error { return db.MakePartitions(ctx, b.result.Started.AddDate(0, 0, -7*week)) })
		if err != nil {
			return nil, err
		}
	}
	var webhook int64
	if err := b.pool.QueryRow(ctx, "SELECT min(id) FROM extras_webhook").Scan(&webhook); err != nil {
		return nil, err
	}
	have := 0
	rows, err := b.follow(b.askedOfKept(ctx, webhook), steps(b.o.deliveries), func(n int) error {
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

// askedOfKept returns the operations to measure. Those that find few rows must be fast, however many are stored.
func (b *bench) askedOfKept(ctx context.Context, webhook int64) []cost {
	ofHook := fmt.Sprintf("&webhook_id=%d", webhook)
	since := func(ago, length time.Duration) string {
		from := b.result.Started.Add(-ago)
		return "&" + url.Values{"time__gte": {from.Format(time.RFC3339)}, "time__lt": {from.Add(length).Format(time.RFC3339)}}.Encode()
	}
	some := func(state string, ask func(kept) (float64, error)) func(*bench) (float64, error) {
		return func(*bench) (float64, error) {
			k, err := b.someKept(ctx, webhook, state)
			if err != nil {
				return 0, err
			}
			return ask(k)
		}
	}
	return []cost{
		{row: figures.Row{Case: "kept-page", What: "newest 50 deliveries, with the count"}, ask: listed("")},
		{row: figures.Row{Case: "kept-failed", What: "failed ones of one webhook (1 in 1,000), with the count"}, once: true,
			ask: listed(ofHook + "&state=failed")},
		{row: figures.Row{Case: "kept-webhook", What: "those of one webhook (1 in 10), with the count"}, once: true, ask: listed(ofHook)},
		{row: prompt("one", "one delivery by its id"), ask: some("successful", func(k kept) (float64, error) {
			_, took, err := b.timed(b.terrier.Get(k.address()), http.StatusOK)
			return took, err
		})},
		{row: prompt("object", "those of one object, with the count"), ask: some("successful", func(k kept) (float64, error) {
			return b.listedSome(fmt.Sprint("&object_type=dcim.site&object_id=", k.object))
		})},
		{row: prompt("request", "those of one request, with the count"), ask: some("successful", func(k kept) (float64, error) {
			return b.listedSome("&request_id=" + k.request)
		})},
		{row: prompt("since", "those of the last hour, with the count"), ask: listed(since(time.Hour, 2*time.Hour))},
		{row: prompt("hour", "those of an hour weeks ago, with the count"), ask: listed(since(keptWeeks/2*7*24*time.Hour, time.Hour))},
		{row: prompt("retry", "send a failed one again"), ask: some("failed", func(k kept) (float64, error) {
			_, took, err := b.timed(b.terrier.Post(k.address()+"retry/", nil), http.StatusAccepted)
			if err != nil {
				return took, err
			}
			return took, b.failAgain(ctx, k)
		})},
	}
}

func prompt(name, what string) figures.Row {
	return figures.Row{Case: "kept-" + name, What: what, Absolute: true, Goal: figures.AtMost(250)}
}

// listed returns an operation that requests a page and its count. If the server gives up, the time until then counts.
func listed(query string) func(*bench) (float64, error) {
	return func(b *bench) (float64, error) {
		_, took, err := b.page(deliveriesPath + "?limit=50" + query)
		if tooSlow(err) {
			err = nil
		}
		return took, err
	}
}

// listedSome requests a page that must not be empty.
func (b *bench) listedSome(query string) (float64, error) {
	l, took, err := b.page(deliveriesPath + "?limit=50" + query)
	if err == nil && l.Count < keptHooks {
		err = fmt.Errorf("%s finds %d deliveries", query, l.Count)
	}
	return took, err
}

func (k kept) address() string { return deliveriesPath + extras.Delivery.FormatID(k.id) + "/" }
