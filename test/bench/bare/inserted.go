package bare

import (
	"context"
	"net/http"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"terrier/internal/delivery"
	"terrier/internal/record"
	"terrier/internal/store"
)

// Job and delivery refer to each other, and River assigns the job's id when it inserts it. So the delivery's id is assigned before, in the
// statement that reads the webhooks. Adding the job to the row afterwards would be one more statement.
const (
	drawDeliveries = `SELECT id, nextval('extras_delivery_id_seq')` + listening + ` AND type_create`
	insertDelivery = `INSERT INTO extras_delivery (` + deliveryColumns + `)
		VALUES ($1, $2, $3, $4, 1, 'created', 'dcim.site', $5, $6, 'queued', 1, 0, 0, $7, $2, '')`
)

type drawn struct{ Webhook, Counter int64 }

// inserted writes a record, its change row and a delivery for each webhook. River's own insert writes the jobs. It runs one statement after
// the other, as the documentation of pgx and River shows it.
func (s *Server) inserted(r *http.Request, in NewSite) (one site, err error) {
	ctx := r.Context()
	err = pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		c, err := s.write(ctx, tx, in, &one)
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, drawDeliveries)
		if err != nil {
			return err
		}
		to, err := pgx.CollectRows(rows, pgx.RowToStructByPos[drawn])
		if err != nil {
			return err
		}
		for _, d := range to {
			if err := s.insertDelivery(ctx, tx, c, d, one.ID); err != nil {
				return err
			}
		}
		return nil
	})
	return one, err
}

func (s *Server) insertDelivery(ctx context.Context, tx pgx.Tx, c change, d drawn, object int64) error {
	milliseconds, shift, mask := record.TimedIDs(c.at)
	id := milliseconds<<shift | d.Counter&int64(mask)
	inserted, err := s.Jobs.InsertTx(ctx, tx, delivery.Args{Delivery: id, Round: 1},
		&river.InsertOpts{Queue: store.QueueOf(d.Webhook), MaxAttempts: store.JobTries})
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, insertDelivery, id, c.at, c.id, d.Webhook, object, c.request, inserted.Job.ID)
	return err
}
