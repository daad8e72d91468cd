package bare

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const (
	siteColumns = `version, name, slug, status, region_id, group_id, tenant_id, facility, description, physical_address, shipping_address,
		latitude, longitude, comments, asns, tags, custom_fields, created, last_updated`
	insertOne = `WITH s AS (INSERT INTO dcim_site (` + siteColumns + `)
		VALUES (1, $1, $2, $3, $4, $5, $6, $7, $8, $9, '', $10, $11, $12, '{}', $13, '{}', $14, $14) RETURNING *)
		SELECT ` + columns + ` FROM s` + joins
	insertMany = `WITH s AS (INSERT INTO dcim_site (` + siteColumns + `)
		SELECT 1, name, slug, status, region, "group", tenant, facility, description, physical_address, '', latitude, longitude, comments,
			'{}', tags, '{}', $2, $2
		FROM jsonb_to_recordset($1) AS x(name text, slug text, status text, region bigint, "group" bigint, tenant bigint, facility text,
			description text,
			physical_address text, latitude float8, longitude float8, comments text, tags bigint[]) RETURNING *)
		SELECT ` + columns + ` FROM s` + joins + ` ORDER BY s.id`

	changeColumns = `changed_at, user_id, user_name, request_id, action, object_type, object_id, object_repr, version, prechange, ` +
		`postchange, data`
	insertChange = `INSERT INTO extras_objectchange (` + changeColumns +
		`) VALUES ($1, 1, 'bench', $2, 'create', 'dcim.site', $3, $4, 1, NULL, $5, $6)`
	insertChanges = `INSERT INTO extras_objectchange (` + changeColumns + `)
		SELECT $1, 1, 'bench', $2, 'create', 'dcim.site', id, name, 1, NULL, state, data
			FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[]) AS x(id, name, state, data)`

	insertCounts = `INSERT INTO record_count (type, n) VALUES ('dcim.site', $1::bigint), ('extras.objectchange', $1), ('extras.delivery',` +
		` $2::bigint)`
)

func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// create writes the record and its change row, and nothing else: four statements, one after the other, as the
// documentation of pgx shows it.
func (s *Server) create(r *http.Request, in NewSite) (one site, err error) {
	err = pgx.BeginFunc(r.Context(), s.Pool, func(tx pgx.Tx) error {
		_, err := s.write(r.Context(), tx, in, &one)
		return err
	})
	return one, err
}

// change is the key of a row in the change log.
type change struct {
	id      int64
	at      time.Time
	request uuid.UUID
}

// write inserts the record and its change row.
func (s *Server) write(ctx context.Context, tx pgx.Tx, in NewSite, one *site) (change, error) {
	c := change{at: now(), request: uuid.New()}
	row := tx.QueryRow(ctx, insertOne, in.Name, in.Slug, in.Status, in.Region, in.Group, in.Tenant, in.Facility, in.Description,
		in.PhysicalAddress,
		in.Latitude, in.Longitude, in.Comments, in.Tags, c.at)
	if err := s.scan(row, one); err != nil {
		return c, err
	}
	state, data, err := logged(*one, in)
	if err != nil {
		return c, err
	}
	return c, tx.QueryRow(ctx, insertChange+" RETURNING id", c.at, c.request, one.ID, one.Name, state, data).Scan(&c.id)
}

// logged returns what the change row stores of a site: its state, and the site as the API shows it.
func logged(one site, in NewSite) (state, data string, err error) {
	d, err := encode(one)
	if err != nil {
		return "", "", err
	}
	p, err := encode(snapshotOf(one, in))
	return string(p), string(d), err
}

// bulk writes many records and their change rows, with a constant number of statements.
func (s *Server) bulk(r *http.Request, in []NewSite) (all []site, err error) {
	at := now()
	err = pgx.BeginFunc(r.Context(), s.Pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(r.Context(), insertMany, in, at)
		if err != nil {
			return err
		}
		if err := s.collect(rows, &all); err != nil {
			return err
		}
		ids, names, states, datas := make([]int64, len(all)), make([]string, len(all)), make([]string, len(all)), make([]string, len(all))
		for i, one := range all {
			ids[i], names[i] = one.ID, one.Name
			if states[i], datas[i], err = logged(one, in[i]); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(r.Context(), insertChanges, at, uuid.New(), ids, names, states, datas); err != nil {
			return err
		}
		_, err = tx.Exec(r.Context(), insertCounts, len(all), 0)
		return err
	})
	return all, err
}
