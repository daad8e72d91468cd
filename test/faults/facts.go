package main

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// facts is the content of the database at the end.
type facts struct {
	changes         []*change
	byChange        map[int64]*change
	deliveries      map[int64]*delivery
	attempts        map[int64][]*attempt // by delivery, in the order of their start
	conditionErrors map[conditionErrorKey]int
	hooks           map[int64]*hookHistory
}

// change is a row of the change log.
type change struct {
	ID              int64
	At              time.Time
	Committed       *time.Time // when its transaction was about to become visible
	User, Request   string
	Action, Kind    string
	Object, Version int64
	Pre, Post       *string
	Data            string
}

// delivery is a row of the deliveries.
type delivery struct {
	ID, Change, Webhook, Version int64
	ChangedAt                    time.Time
	Event, Kind                  string
	Object                       int64
	Request                      string
	State                        string
	Round, Tries, Attempts       int64
	Queued                       time.Time
	Finished, RetryAt            *time.Time
	Status                       *int64
	Reason                       string
}

// attempt is a request that a worker has recorded.
type attempt struct {
	Delivery     int64
	Started      time.Time
	Milliseconds int64
	Status       *int64
	Error        string

	receipt *receipt // the request as it arrived
}

type conditionErrorKey struct {
	webhook, object, version int64
	kind                     string
}

func load(ctx context.Context, db interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}) (*facts, error) {
	f := &facts{byChange: map[int64]*change{}, deliveries: map[int64]*delivery{}, attempts: map[int64][]*attempt{},
		conditionErrors: map[conditionErrorKey]int{}}
	rows, err := db.Query(ctx, `SELECT id, changed_at, pg_xact_commit_timestamp(xmin), user_name, request_id::text, action, object_type,
		object_id, version, prechange, postchange, data
		FROM extras_objectchange WHERE object_type NOT LIKE 'users.%' ORDER BY object_type, object_id, version, id`)
	if err != nil {
		return nil, err
	}
	if f.changes, err = pgx.CollectRows(rows, pgx.RowToAddrOfStructByPos[change]); err != nil {
		return nil, err
	}
	for _, c := range f.changes {
		f.byChange[c.ID] = c
	}
	rows, err = db.Query(ctx, `SELECT id, change_id, webhook_id, version, changed_at, event, object_type, object_id, request_id::text,
		state, round, tries, attempt_count,
		queued_at, finished_at, retry_at, status_code, reason FROM extras_delivery`)
	if err != nil {
		return nil, err
	}
	deliveries, err := pgx.CollectRows(rows, pgx.RowToAddrOfStructByPos[delivery])
	if err != nil {
		return nil, err
	}
	for _, d := range deliveries {
		f.deliveries[d.ID] = d
	}
	rows, err = db.Query(ctx,
		"SELECT delivery_id, started_at, milliseconds, status_code, error FROM extras_attempt ORDER BY delivery_id, started_at")
	if err != nil {
		return nil, err
	}
	var a attempt
	_, err = pgx.ForEachRow(rows, []any{&a.Delivery, &a.Started, &a.Milliseconds, &a.Status, &a.Error}, func() error {
		row := a
		f.attempts[a.Delivery] = append(f.attempts[a.Delivery], &row)
		return nil
	})
	if err != nil {
		return nil, err
	}
	rows, err = db.Query(ctx, "SELECT webhook_id, object_id, version, object_type FROM extras_conditionerror")
	if err != nil {
		return nil, err
	}
	var m conditionErrorKey
	_, err = pgx.ForEachRow(rows, []any{&m.webhook, &m.object, &m.version, &m.kind}, func() error {
		f.conditionErrors[m]++
		return nil
	})
	return f, err
}
