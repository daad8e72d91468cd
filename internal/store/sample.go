package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
)

// Sample is a change of the log with everything that webhooks are sent of it.
type Sample struct {
	Row    record.Values // as the log shows it
	Change Change        // its Type is nil if the type no longer exists
}

const newest = " ORDER BY t.changed_at DESC, t.id DESC"

// Samples reads the newest changes that a query finds, and passes them on one by one. One statement reads all of
// them, or as many as may be in memory at once.
func (s *Store) Samples(ctx context.Context, q Query, each func(Sample) error) error {
	var before time.Time
	var beforeID int64
	for left := q.Limit; left > 0; {
		found, err := s.newest(ctx, q, before, beforeID)
		if err != nil {
			return err
		}
		size := 0
		for _, f := range found[:min(left, len(found))] {
			size += len(f.Change.Data) + len(f.Change.Prechange) + len(f.Change.Postchange)
			before, beforeID = f.Change.At, f.Row.ID()
			if err := each(f); err != nil {
				return err
			}
		}
		if size < heldAtOnce {
			return nil
		}
		left -= len(found)
	}
	return nil
}

// newest reads the changes before a time, if there is one, and of that time those with a smaller id. The limit is the
// same for every part, so that they share a statement.
func (s *Store) newest(ctx context.Context, q Query, before time.Time, id int64) (_ []Sample, err error) {
	defer named(&err, "read the newest changes")
	w := s.samplesWhere(q)
	if !before.IsZero() {
		at := w.arg(before)
		w.and(fmt.Sprintf("t.changed_at <= %s AND (t.changed_at, t.id) < (%s, %s)", at, at, w.arg(id))) // the first leads to the partitions
	}
	rows := upToHeld(fmt.Sprintf("SELECT t.* FROM extras_objectchange t%s%s LIMIT %d", w, newest, q.Limit), newest)
	batch, found := s.samples(ctx, q.Scope, w, rows, newest)
	err = s.translate(s.list(ctx, q.Scope, batch))
	return *found, err
}

// Sample reads one change. It has no ORDER BY: the planner would follow the order through the newest changes, having
// no statistics of them yet, instead of looking the id up.
func (s *Store) Sample(ctx context.Context, scope access.Scope, id int64) (_ Sample, err error) {
	defer named(&err, "read change %d", id)
	w := s.samplesWhere(Query{Scope: scope, Where: []record.Predicate{{Values: []any{id}}}})
	batch, found := s.samples(ctx, scope, w, "SELECT t.* FROM extras_objectchange t"+w.String(), "")
	if err := s.translate(s.pool.SendBatch(ctx, batch).Close()); err != nil {
		return Sample{}, err
	}
	if len(*found) == 0 {
		return Sample{}, fault.ErrNotFound
	}
	return (*found)[0], nil
}

func (s *Store) samplesWhere(q Query) *where {
	t := s.reg.Type(ChangeType)
	w := &where{}
	w.scope(q.Scope, t)
	w.filters(q.Where, t)
	return w
}

// samples returns a batch that reads the rows of a statement, and where it puts them.
func (s *Store) samples(ctx context.Context, scope access.Scope, w *where, rows, order string) (*pgx.Batch, *[]Sample) {
	p := s.plans[s.reg.Type(ChangeType)]
	sql := fmt.Sprintf("SELECT %s, t.data FROM (%s) t%s%s", p.list(w, scope), rows, p.joins, order)
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
			samples = append(samples, s.sample(v, bytes.Clone(cols[p.width])))
		}
		return rows.Err()
	})
	return batch, &samples
}

func (s *Store) sample(v record.Values, data []byte) Sample {
	at, _ := v.Get("time").(time.Time)
	return Sample{v, Change{At: at, UserID: v.Link("user").ID, UserName: v.Text("user_name"), RequestID: v.Text("request_id"),
		Action: v.Text("action"),
		Type:   s.reg.Type(v.Text("changed_object_type")), ID: v.Int("changed_object_id"), Display: v.Text("object_repr"), Version: v.Version,
		Prechange: v.Raw("prechange_data"), Postchange: v.Raw("postchange_data"), Data: data}}
}

// DeliveryOf finds the delivery of a change to a webhook, 0 if there is none.
func (s *Store) DeliveryOf(ctx context.Context, change int64, at time.Time, webhook int64) (id int64, err error) {
	defer named(&err, "look for the delivery of change %d to webhook %d", change, webhook)
	err = s.pool.QueryRow(ctx, "SELECT id FROM extras_delivery WHERE change_id = $1 AND webhook_id = $2 AND changed_at = $3", change,
		webhook, at).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return id, s.translate(err)
}
