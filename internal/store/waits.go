package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
)

// Waits is how many deliveries are queued, and the one that has been queued longest.
type Waits struct {
	Queued Total
	Oldest int64 // its id, 0 if none is queued
	Since  time.Time
}

// Waits finds the deliveries in a scope that are queued. It reads the oldest CountCap of them.
func (s *Store) Waits(ctx context.Context, scope access.Scope) (found Waits, err error) {
	defer named(&err, "read how long deliveries wait")
	w := &where{}
	w.scope(scope, s.reg.Type(DeliveryType))
	batch := &pgx.Batch{}
	batch.Queue(waitsSQL(w), w.args...).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&found.Queued.Count, &found.Oldest, &found.Since}, func() error { return nil })
		return err
	})
	err = s.translate(s.list(ctx, scope, batch))
	found.Queued.Counted, found.Queued.Capped = err == nil, found.Queued.Count > CountCap
	return found, err
}

// waitsSQL reads queued deliveries from the index of those that are awaited, which has all that is needed.
func waitsSQL(w *where) string {
	w.and("(t.state = 'queued' OR t.retry_at IS NOT NULL) AND t.state = 'queued'") // the first is the condition of the index
	return fmt.Sprintf(`SELECT count(*) OVER (), t.id, t.queued_at FROM (
		SELECT t.id, t.queued_at FROM extras_delivery t%s ORDER BY t.id LIMIT %d) t ORDER BY t.queued_at, t.id LIMIT 1`, w, CountCap+1)
}
