package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
)

// Sample is a change of the log with all that webhooks are told of it.
type Sample struct {
	Row    record.Values // as the log shows it
	Change Change        // its Type is nil where there is no such type any more
}

// Samples reads the newest changes that lie in a scope and pass every test: one statement,
// however many.
func (s *Store) Samples(ctx context.Context, scope access.Scope, tests []record.Predicate, limit int) ([]Sample, error) {
	const newest = " ORDER BY t.changed_at DESC, t.id DESC"
	return s.samples(ctx, scope, tests, fmt.Sprintf("%s LIMIT %d", newest, limit), newest)
}

// Sample reads one change. It asks for no order: the planner would follow it through the
// newest changes, having no statistics of them yet, instead of looking the id up.
func (s *Store) Sample(ctx context.Context, scope access.Scope, id int64) (Sample, error) {
	found, err := s.samples(ctx, scope, []record.Predicate{{Values: []any{id}}}, "", "")
	if err != nil {
		return Sample{}, err
	}
	if len(found) == 0 {
		return Sample{}, fault.ErrNotFound
	}
	return found[0], nil
}

func (s *Store) samples(ctx context.Context, scope access.Scope, tests []record.Predicate, cut, order string) ([]Sample, error) {
	t := s.reg.Type(ChangeType)
	w := &where{}
	w.scope(scope, t)
	w.filters(tests, t)
	p := s.plans[t]
	sql := fmt.Sprintf("SELECT %s, t.data FROM (SELECT t.* FROM %s t%s%s) t%s%s", p.selectList(w, scope), quote(t.Table()), w, cut, p.joins, order)
	batch := &pgx.Batch{}
	prove(ctx, batch)
	var samples []Sample
	batch.Queue(sql, w.args...).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			cols := rows.RawValues()
			v, err := p.row(cols)
			if err != nil {
				return err
			}
			samples = append(samples, s.sample(v, string(cols[p.width])))
		}
		return rows.Err()
	})
	return samples, s.translate(s.pool.SendBatch(ctx, batch).Close())
}

func (s *Store) sample(v record.Values, data string) Sample {
	at, _ := v.Get("time").(time.Time)
	return Sample{v, Change{At: at, UserID: v.Link("user").ID, UserName: v.Text("user_name"), RequestID: v.Text("request_id"), Action: v.Text("action"),
		Type: s.reg.Type(v.Text("changed_object_type")), ID: v.Int("changed_object_id"), Display: v.Text("object_repr"), Version: v.Version,
		Prechange: v.Raw("prechange_data"), Postchange: v.Raw("postchange_data"), Data: []byte(data)}}
}

// DeliveryOf finds the delivery that tells a webhook of a change, 0 where there is none.
func (s *Store) DeliveryOf(ctx context.Context, change int64, at time.Time, webhook int64) (id int64, err error) {
	err = s.pool.QueryRow(ctx, "SELECT id FROM extras_delivery WHERE change_id = $1 AND webhook_id = $2 AND changed_at = $3", change, webhook, at).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return id, s.translate(err)
}
