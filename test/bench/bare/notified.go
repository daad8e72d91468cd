package bare

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// The statements of a create that webhooks are notified of. They are those of Terrier, in the same round trips and with the same effect,
// written for this one table.
const (
	nextSite     = `SELECT nextval('dcim_site_id_seq')`
	customFields = `SELECT id, name, type, required, "default"::text FROM extras_customfield WHERE content_types @> ARRAY['dcim.site'] ` +
		`ORDER BY id LIMIT 1000`
	holdRegion = `SELECT id, name, slug FROM dcim_region t WHERE id = ANY($1) ORDER BY id LIMIT 1 FOR KEY SHARE`
	holdGroup  = `SELECT id, name, slug FROM dcim_sitegroup t WHERE id = ANY($1) ORDER BY id LIMIT 1 FOR KEY SHARE`
	holdTenant = `SELECT id, name, slug FROM tenancy_tenant t WHERE id = ANY($1) ORDER BY id LIMIT 1 FOR KEY SHARE`
	holdTags   = `SELECT id, name, slug, color FROM extras_tag t WHERE id = ANY($1) ORDER BY id LIMIT 2 FOR KEY SHARE`

	insertDrawn = `INSERT INTO dcim_site (id, ` + siteColumns +
		`) VALUES ($15, 1, $1, $2, $3, $4, $5, $6, $7, $8, $9, '', $10, $11, $12, '{}', $13, '{}', $14, $14)`
	hooks     = `SELECT id, version, type_create, type_update, type_delete, conditions::text` + listening + ` ORDER BY id`
	listening = ` FROM extras_webhook WHERE enabled AND content_types @> ARRAY['dcim.site']`

	deliveryColumns = `id, changed_at, change_id, webhook_id, version, event, object_type, object_id, request_id, state, round, tries, ` +
		`attempt_count, job_id, queued_at, reason`

	// A delivery's id is the millisecond of its change and a counter.
	insertNotified = `WITH change AS (` + insertChange + ` RETURNING id),
		delivery AS (
			INSERT INTO extras_delivery (` + deliveryColumns + `)
			SELECT ($8::bigint << 21) | (nextval('extras_delivery_id_seq') & 2097151), $1, change.id, hook, 1, 'created', 'dcim.site', $3, $2,
				'queued', 1, 0, 0,
				nextval('river_job_id_seq'), $1, '' FROM change, unnest($7::bigint[]) AS hook
			RETURNING id, webhook_id, round, job_id)
		INSERT INTO river_job (id, args, kind, max_attempts, queue, state, scheduled_at)
		SELECT job_id, jsonb_build_object('delivery', id, 'round', round), 'delivery', 100, 'webhook_' || webhook_id, 'available', now()
			FROM delivery`
	notify = `SELECT pg_notify(current_schema() || '.river_insert', '{"queue": "webhook_' || id || '"}') FROM (SELECT DISTINCT ` +
		`unnest($1::bigint[])) AS w(id)`
)

// notified writes a record, its change row, a delivery and a job for each webhook, and the counts.
func (s *Server) notified(r *http.Request, in NewSite) (one site, err error) {
	ctx := r.Context()
	conn, err := s.Pool.Acquire(ctx)
	if err != nil {
		return one, err
	}
	defer conn.Release()
	send := func(b *pgx.Batch) error { return conn.SendBatch(ctx, b).Close() }
	if err := s.tell(send, in, &one); err != nil {
		_, e := conn.Exec(context.WithoutCancel(ctx), "ROLLBACK")
		return one, errors.Join(err, e)
	}
	return one, nil
}

func (s *Server) tell(send func(*pgx.Batch) error, in NewSite, one *site) error {
	var id int64
	b := &pgx.Batch{}
	b.Queue("BEGIN")
	b.Queue(nextSite).QueryRow(func(row pgx.Row) error { return row.Scan(&id) })
	b.Queue(customFields)
	b.Queue(holdRegion, []int64{*in.Region})
	b.Queue(holdGroup, []int64{*in.Group})
	b.Queue(holdTenant, []int64{*in.Tenant})
	b.Queue(holdTags, in.Tags)
	if err := send(b); err != nil {
		return err
	}
	at := now()
	var to []int64
	b = &pgx.Batch{}
	b.Queue(insertDrawn, in.Name, in.Slug, in.Status, in.Region, in.Group, in.Tenant, in.Facility, in.Description, in.PhysicalAddress,
		in.Latitude, in.Longitude, in.Comments, in.Tags, at, id)
	b.Queue(getOne, id).QueryRow(func(row pgx.Row) error { return s.scan(row, one) })
	b.Queue(hooks).Query(func(rows pgx.Rows) (err error) {
		to, err = pgx.CollectRows(rows, toHook)
		return err
	})
	if err := send(b); err != nil {
		return err
	}
	return tellHooks(send, at, to, *one, in)
}

func tellHooks(send func(*pgx.Batch) error, at time.Time, to []int64, one site, in NewSite) error {
	state, data, err := logged(one, in)
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	b.Queue(insertNotified, at, uuid.New(), one.ID, one.Name, state, data, to, at.UnixMilli())
	b.Queue(notify, to)
	b.Queue(insertCounts, 1, len(to))
	b.Queue("COMMIT")
	return send(b)
}

func toHook(row pgx.CollectableRow) (id int64, err error) {
	var version int64
	var onCreate, onUpdate, onDelete bool
	var conditions *string
	return id, row.Scan(&id, &version, &onCreate, &onUpdate, &onDelete, &conditions)
}
