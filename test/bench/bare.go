package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
)

// bare answers like Terrier and does nothing else: what a careful person writes by hand
// for this one table.
type bare struct {
	pool *pgxpool.Pool
	base string
	jobs *river.Client[pgx.Tx]
}

const (
	bareColumns = `s.id, s.name, s.slug, s.status, s.facility, s.time_zone, s.description, s.physical_address, s.shipping_address, s.latitude, s.longitude,
		s.comments, s.custom_fields, s.created, s.last_updated, r.id, r.name, r.slug, g.id, g.name, g.slug, t.id, t.name, t.slug,
		CASE WHEN s.tags <> '{}' THEN (SELECT json_agg(json_build_object('id', x.id, 'name', x.name, 'slug', x.slug, 'color', x.color) ORDER BY x.id)
			FROM extras_tag x WHERE x.id = ANY(s.tags)) END`
	bareJoins = ` LEFT JOIN dcim_region r ON r.id = s.region_id LEFT JOIN dcim_sitegroup g ON g.id = s.group_id LEFT JOIN tenancy_tenant t ON t.id = s.tenant_id`

	bareCount = `SELECT sum(n)::bigint FROM record_count WHERE type = 'dcim.site'`
	bareList  = `SELECT ` + bareColumns + ` FROM dcim_site s` + bareJoins + ` ORDER BY s.name LIMIT 50`
	bareGet   = `SELECT ` + bareColumns + ` FROM dcim_site s` + bareJoins + ` WHERE s.id = $1`

	bareInsert = `WITH s AS (INSERT INTO dcim_site (version, name, slug, status, region_id, group_id, tenant_id, facility, description, physical_address, shipping_address,
			latitude, longitude, comments, tags, custom_fields, created, last_updated)
		VALUES (1, $1, $2, $3, $4, $5, $6, $7, $8, $9, '', $10, $11, $12, $13, '{}', $14, $14) RETURNING *)
		SELECT ` + bareColumns + ` FROM s` + bareJoins
	bareChange = `INSERT INTO extras_objectchange (changed_at, user_id, user_name, request_id, action, object_type, object_id, object_repr, version, prechange, postchange, data)
		VALUES ($1, 1, 'bench', $2, 'create', 'dcim.site', $3, $4, 1, NULL, $5, $6)`
)

func (b *bare) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /bare/list", b.list)
	mux.HandleFunc("GET /bare/get/{id}", b.get)
	mux.HandleFunc("POST /bare/create", b.create(nil))
	mux.HandleFunc("POST /bare/told", b.create(b.tell))
	return mux
}

func (b *bare) list(w http.ResponseWriter, r *http.Request) {
	next := b.base + "/api/dcim/sites/?limit=50&offset=50"
	page := page{Next: &next, Results: make([]site, 0, 50)}
	batch := &pgx.Batch{}
	batch.Queue(bareCount).QueryRow(func(row pgx.Row) error { return row.Scan(&page.Count) })
	batch.Queue(bareList).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var s site
			if err := b.scan(rows, &s); err != nil {
				return err
			}
			page.Results = append(page.Results, s)
		}
		return rows.Err()
	})
	err := b.pool.SendBatch(r.Context(), batch).Close()
	answer(w, http.StatusOK, page, err)
}

func (b *bare) get(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	var s site
	err = b.scan(b.pool.QueryRow(r.Context(), bareGet, id), &s)
	answer(w, http.StatusOK, s, err)
}

// also is what a transaction does besides: nil for nothing.
type also func(ctx context.Context, tx pgx.Tx, at time.Time, change, site int64, request uuid.UUID) error

func (b *bare) create(more also) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in newSite
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s, err := b.insert(r.Context(), in, more)
		answer(w, http.StatusCreated, s, err)
	}
}

// told is the job that sends a delivery.
type told struct {
	Delivery int64 `json:"delivery"`
	Round    int64 `json:"round"`
}

func (told) Kind() string { return "delivery" }

const (
	bareHooks    = `SELECT id, version, type_create, conditions FROM extras_webhook WHERE enabled AND content_types @> ARRAY['dcim.site'] ORDER BY id`
	bareDelivery = `INSERT INTO extras_delivery (id, changed_at, change_id, webhook_id, version, event, object_type, object_id, request_id, state, round, tries, attempt_count, job_id, queued_at, reason)
		VALUES ($1, $2, $3, $4, 1, 'created', 'dcim.site', $5, $6, 'queued', 1, 0, 0, $7, $2, '')`
)

// tell writes a delivery for each webhook, and its job as River's documentation shows it.
func (b *bare) tell(ctx context.Context, tx pgx.Tx, at time.Time, change, site int64, request uuid.UUID) error {
	rows, err := tx.Query(ctx, bareHooks)
	if err != nil {
		return err
	}
	type hook struct {
		ID, Version int64
		OnCreate    bool
		Conditions  []byte
	}
	hooks, err := pgx.CollectRows(rows, pgx.RowToStructByPos[hook])
	if err != nil {
		return err
	}
	for _, h := range hooks {
		id := at.UnixMilli()<<21 | change&(1<<21-1)
		job, err := b.jobs.InsertTx(ctx, tx, told{id, 1}, &river.InsertOpts{Queue: "webhook_" + strconv.FormatInt(h.ID, 10), MaxAttempts: 100})
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, bareDelivery, id, at, change, h.ID, site, request, job.Job.ID); err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, "INSERT INTO record_count (type, n) VALUES ('dcim.site', 1), ('extras.objectchange', 1), ('extras.delivery', $1)", len(hooks))
	return err
}

func (b *bare) insert(ctx context.Context, in newSite, more also) (s site, err error) {
	at := time.Now().UTC().Truncate(time.Microsecond)
	err = pgx.BeginFunc(ctx, b.pool, func(tx pgx.Tx) error {
		row := tx.QueryRow(ctx, bareInsert, in.Name, in.Slug, in.Status, in.Region, in.Group, in.Tenant, in.Facility, in.Description, in.PhysicalAddress,
			in.Latitude, in.Longitude, in.Comments, in.Tags, at)
		if err := b.scan(row, &s); err != nil {
			return err
		}
		data, err := encode(s)
		if err != nil {
			return err
		}
		state, err := encode(snapshotOf(s, in))
		if err != nil {
			return err
		}
		request := uuid.New()
		if more == nil {
			_, err = tx.Exec(ctx, bareChange, at, request, s.ID, s.Name, string(state), string(data))
			return err
		}
		var change int64
		if err := tx.QueryRow(ctx, bareChange+" RETURNING id", at, request, s.ID, s.Name, string(state), string(data)).Scan(&change); err != nil {
			return err
		}
		return more(ctx, tx, at, change, s.ID, request)
	})
	return s, err
}

func (b *bare) scan(row pgx.Row, s *site) error {
	var created, updated time.Time
	var region, group, tenant reference
	err := row.Scan(&s.ID, &s.Name, &s.Slug, &s.Status.Value, &s.Facility, &s.TimeZone, &s.Description, &s.PhysicalAddress, &s.ShippingAddress, &s.Latitude, &s.Longitude,
		&s.Comments, &s.CustomFields, &created, &updated, &region.id, &region.name, &region.slug, &group.id, &group.name, &group.slug, &tenant.id, &tenant.name, &tenant.slug, &s.Tags)
	if err != nil {
		return err
	}
	s.URL, s.Display, s.Status.Label = b.url("/api/dcim/sites/", s.ID), s.Name, statusLabels[s.Status.Value]
	s.Region = b.nested("/api/dcim/regions/", region)
	s.Group = b.nested("/api/dcim/site-groups/", group)
	s.Tenant = b.nested("/api/tenancy/tenants/", tenant)
	s.Created, s.LastUpdated = created.UTC().Format(timeLayout), updated.UTC().Format(timeLayout)
	if s.Tags == nil {
		s.Tags = []tag{}
	}
	for i := range s.Tags {
		s.Tags[i].URL, s.Tags[i].Display = b.url("/api/extras/tags/", s.Tags[i].ID), s.Tags[i].Name
	}
	return nil
}

func (b *bare) url(path string, id int64) string {
	return b.base + path + strconv.FormatInt(id, 10) + "/"
}

func (b *bare) nested(path string, r reference) *nested {
	if r.id == nil {
		return nil
	}
	return &nested{ID: *r.id, URL: b.url(path, *r.id), Display: *r.name, Name: *r.name, Slug: *r.slug}
}

func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), err
}

func answer(w http.ResponseWriter, status int, v any, err error) {
	var body []byte
	if err == nil {
		body, err = encode(v)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client reports what it misses
}
