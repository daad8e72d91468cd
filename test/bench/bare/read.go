package bare

import (
	"net/http"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	columns = `s.id, s.name, s.slug, s.status, s.facility, s.time_zone, s.description, s.physical_address, s.shipping_address,
		s.latitude, s.longitude,
		s.comments, s.custom_fields, s.created, s.last_updated, r.id, r.name, r.slug, ` + regionDepth + `, g.id, g.name, g.slug,
			` + groupDepth + `,
		t.id, t.name, t.slug, (SELECT count(*) FROM dcim_device d WHERE d.site_id = s.id),
			(SELECT count(*) FROM dcim_rack k WHERE k.site_id = s.id), (SELECT count(*) FROM ipam_prefix p WHERE p.site_id = s.id),
			(SELECT count(*) FROM virtualization_virtualmachine m WHERE m.site_id = s.id),
			(SELECT count(*) FROM ipam_vlan v WHERE v.site_id = s.id),
		CASE WHEN s.asns <> '{}' THEN (SELECT json_agg(json_build_object('id', a.id, 'asn', a.asn) ORDER BY a.asn)
			FROM ipam_asn a WHERE a.id = ANY(s.asns)) END,
		CASE WHEN s.tags <> '{}' THEN (SELECT json_agg(json_build_object('id', x.id, 'name', x.name, 'slug', x.slug, 'color', x.color)
			ORDER BY x.id)
			FROM extras_tag x WHERE x.id = ANY(s.tags)) END`
	joins = ` LEFT JOIN dcim_region r ON r.id = s.region_id LEFT JOIN dcim_sitegroup g ON g.id = s.group_id LEFT JOIN tenancy_tenant t ` +
		`ON t.id = s.tenant_id`

	// The number of ancestors of a region and of a site group.
	regionDepth = `CASE WHEN r.parent_id IS NULL THEN 0 ELSE (WITH RECURSIVE above AS (SELECT n.parent_id FROM dcim_region n
		WHERE n.id = r.parent_id UNION ALL SELECT n.parent_id FROM dcim_region n JOIN above ON n.id = above.parent_id)
		SELECT count(*) FROM above) END`
	groupDepth = `CASE WHEN g.parent_id IS NULL THEN 0 ELSE (WITH RECURSIVE above AS (SELECT n.parent_id FROM dcim_sitegroup n
		WHERE n.id = g.parent_id UNION ALL SELECT n.parent_id FROM dcim_sitegroup n JOIN above ON n.id = above.parent_id)
		SELECT count(*) FROM above) END`

	countAll = `SELECT sum(n)::bigint FROM record_count WHERE type = 'dcim.site'`
	listAll  = `SELECT ` + columns + ` FROM dcim_site s` + joins + ` ORDER BY s.name LIMIT 50`
	getOne   = `SELECT ` + columns + ` FROM dcim_site s` + joins + ` WHERE s.id = $1`

	matching = ` WHERE (s.name ILIKE $1 OR s.slug ILIKE $1 OR s.facility ILIKE $1 OR s.description ILIKE $1 OR s.physical_address ILIKE $1
		OR s.shipping_address ILIKE $1 OR s.comments ILIKE $1)`
	// The statements of a search that reads all rows.
	CountFound = `SELECT count(*) FROM dcim_site s` + matching
	ListFound  = `SELECT ` + columns + ` FROM dcim_site s` + joins + matching + ` ORDER BY s.name LIMIT 50`
)

func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	next := s.Base + "/api/dcim/sites/?limit=50&offset=50"
	p, err := s.page(r, countAll, listAll)
	p.Next = &next
	answer(w, http.StatusOK, p, err)
}

// search looks for a text that few sites contain, so there is no second page.
func (s *Server) search(w http.ResponseWriter, r *http.Request) {
	p, err := s.page(r, CountFound, ListFound, "%"+r.FormValue("q")+"%")
	answer(w, http.StatusOK, p, err)
}

func (s *Server) page(r *http.Request, count, list string, args ...any) (page, error) {
	p := page{Results: make([]site, 0, 50)}
	batch := &pgx.Batch{}
	batch.Queue(count, args...).QueryRow(func(row pgx.Row) error { return row.Scan(&p.Count) })
	batch.Queue(list, args...).Query(func(rows pgx.Rows) error { return s.collect(rows, &p.Results) })
	return p, s.Pool.SendBatch(r.Context(), batch).Close()
}

func (s *Server) get(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	var one site
	err = s.scan(s.Pool.QueryRow(r.Context(), getOne, id), &one)
	answer(w, http.StatusOK, one, err)
}

func (s *Server) collect(rows pgx.Rows, into *[]site) error {
	for rows.Next() {
		var one site
		if err := s.scan(rows, &one); err != nil {
			return err
		}
		*into = append(*into, one)
	}
	return rows.Err()
}

func (s *Server) scan(row pgx.Row, x *site) error {
	var created, updated time.Time
	var region, group, tenant reference
	err := row.Scan(&x.ID, &x.Name, &x.Slug, &x.Status.Value, &x.Facility, &x.TimeZone, &x.Description, &x.PhysicalAddress,
		&x.ShippingAddress, &x.Latitude, &x.Longitude,
		&x.Comments, &x.CustomFields, &created, &updated, &region.id, &region.name, &region.slug, &region.depth, &group.id, &group.name,
		&group.slug, &group.depth, &tenant.id, &tenant.name, &tenant.slug, &x.Devices, &x.Racks, &x.Prefixes, &x.Machines, &x.VLANs,
		&x.ASNs, &x.Tags)
	if err != nil {
		return err
	}
	x.URL, x.Display, x.Status.Label = s.url("/api/dcim/sites/", x.ID), x.Name, statusLabels[x.Status.Value]
	x.Region = s.nested("/api/dcim/regions/", region)
	x.Group = s.nested("/api/dcim/site-groups/", group)
	x.Tenant = s.nested("/api/tenancy/tenants/", tenant)
	x.Created, x.LastUpdated = created.UTC().Format(timeLayout), updated.UTC().Format(timeLayout)
	if x.ASNs == nil { // the bench gives sites none
		x.ASNs = []any{}
	}
	if x.Tags == nil {
		x.Tags = []tag{}
	}
	for i := range x.Tags {
		x.Tags[i].URL, x.Tags[i].Display = s.url("/api/extras/tags/", x.Tags[i].ID), x.Tags[i].Name
	}
	return nil
}

func (s *Server) url(path string, id int64) string {
	return s.Base + path + strconv.FormatInt(id, 10) + "/"
}

func (s *Server) nested(path string, r reference) *nested {
	if r.id == nil {
		return nil
	}
	return &nested{ID: *r.id, URL: s.url(path, *r.id), Display: *r.name, Name: *r.name, Slug: *r.slug, Depth: r.depth}
}
