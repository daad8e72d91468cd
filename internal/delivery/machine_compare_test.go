package delivery_test

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"terrier/internal/store"
)

// compare checks the database against the model.
func (m *machine) compare(t *rapid.T) {
	found, err := m.standings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range max(len(found), len(m.deliveries)) {
		is, should := "nothing", "nothing"
		if i < len(found) {
			is = fmt.Sprintf("%+v", found[i])
		}
		if i < len(m.deliveries) {
			should = m.deliveries[i].String()
		}
		if is != should {
			t.Fatalf("the database and the model differ:\nis     %s\nshould %s", is, should)
		}
	}
	m.compareHealth(t)
	if m.log.Len() > 0 {
		t.Fatalf("a worker complains: %s", &m.log)
	}
}

// standings reads the deliveries with their jobs and attempts.
func (m *machine) standings(ctx context.Context) (found []standing, err error) {
	batch := &pgx.Batch{}
	batch.Queue(`SELECT id, webhook_id, state, round, tries, retry_at IS NOT NULL, coalesce(status_code, 0)::int, reason, attempt_count,
		finished_at IS NOT NULL, job_id
		FROM extras_delivery ORDER BY id`).Query(func(rows pgx.Rows) (err error) {
		found, err = pgx.CollectRows(rows, pgx.RowToStructByPos[standing])
		return err
	})
	var delivery, round, id, attempts int64
	var state, queue string
	of := func() *standing {
		for i := range found {
			if found[i].ID == delivery {
				return &found[i]
			}
		}
		found = append(found, standing{ID: delivery, Strange: []string{"it does not exist"}})
		return &found[len(found)-1]
	}
	batch.Queue("SELECT (args->'delivery')::bigint, (args->'round')::bigint, id, state::text, queue FROM " +
		"river_job ORDER BY 1, 2, 3").Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&delivery, &round, &id, &state, &queue}, func() error {
			d := of()
			d.Jobs = append(d.Jobs, fmt.Sprintf("%d %s", round, state))
			if round == d.Round && (id != d.Job || queue != store.QueueOf(d.Webhook)) {
				d.Strange = append(d.Strange, fmt.Sprintf("its job is %d in queue %s, and it names %d", id, queue, d.Job))
			}
			return nil
		})
		return err
	})
	batch.Queue("SELECT delivery_id, count(*) FROM extras_attempt GROUP BY 1 ORDER BY 1").Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&delivery, &attempts}, func() error { of().Attempts = attempts; return nil })
		return err
	})
	err = m.db.SendBatch(ctx, batch).Close()
	for i, d := range found {
		found[i].Reason, found[i].Job = whyOf(d.Reason, d.Status), 0
	}
	return found, err
}
