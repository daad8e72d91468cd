package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// The numbers of records that the sites refer to. They are those of a large company.
const (
	regions = 200
	groups  = 50
	tenants = 500
	tags    = 20
)

// Names are scattered over the table, so that a page by name is not also a page of the heap. The n-th site has the number n × stride
// modulo a prime, which never repeats.
const (
	stride = 618_033_989
	prime  = 999_999_937
)

// siteNumber returns the number in the name of the n-th site.
func siteNumber(n int64) int64 { return n * stride % prime }

// loadOthers creates the records that sites refer to.
func loadOthers(ctx context.Context, database string) error {
	return execute(ctx, database,
		fmt.Sprintf(`INSERT INTO dcim_region (version, name, slug, parent_id, description, tags, custom_fields, created, last_updated)
			SELECT 1, 'Region ' || n, 'region-' || n, CASE WHEN n > 20 THEN 1 + n %% 20 END, '', '{}', '{}', now(), now()
				FROM generate_series(1, %d) n`, regions),
		fmt.Sprintf(`INSERT INTO dcim_sitegroup (version, name, slug, description, tags, custom_fields, created, last_updated)
			SELECT 1, 'Group ' || n, 'group-' || n, '', '{}', '{}', now(), now() FROM generate_series(1, %d) n`, groups),
		fmt.Sprintf(`INSERT INTO tenancy_tenant (version, name, slug, description, comments, tags, custom_fields, created, last_updated)
			SELECT 1, 'Tenant ' || n, 'tenant-' || n, '', '', '{}', '{}', now(), now() FROM generate_series(1, %d) n`, tenants),
		fmt.Sprintf(`INSERT INTO extras_tag (version, name, slug, color, description, created, last_updated)
			SELECT 1, 'Tag ' || n, 'tag-' || n, '9e9e9e', '', now(), now() FROM generate_series(1, %d) n`, tags),
		fmt.Sprintf(`INSERT INTO record_count (type, n) VALUES ('dcim.region', %d), ('dcim.sitegroup', %d), ('tenancy.tenant', %d), `+
			`('extras.tag', %d)`, regions, groups, tenants, tags))
}

// loadSites adds the sites from number have to number all, with a statement. The API would take hours.
func loadSites(ctx context.Context, database string, have, all int) error {
	return load(ctx, database, "dcim_site", func(conn *pgx.Conn) error {
		return executeOn(ctx, conn,
			"SET session_replication_role = replica", // the references are right by construction
			fmt.Sprintf(`
			INSERT INTO dcim_site (version, name, slug, status, region_id, group_id, tenant_id, facility, description, physical_address,
				shipping_address,
				latitude, longitude, comments, tags, custom_fields, created, last_updated)
			SELECT 1, 'Site ' || k, 'site-' || k, CASE WHEN n %% 10 = 0 THEN 'planned' ELSE 'active' END,
				1 + n %% %[3]d, 1 + n %% %[4]d, CASE WHEN n %% 7 > 0 THEN 1 + n %% %[5]d END, 'DC-' || n %% 1000, 'Point of presence number ' || k,
				k || ' Harbour Road, Building ' || n %% 40, '', n %% 90 + 0.25, n %% 180 + 0.125, '',
				CASE WHEN n %% 3 = 0 THEN ARRAY[1 + n %% 10, 11 + n %% 10] ELSE '{}' END, '{}', now(), now()
			FROM (SELECT n, n * %[6]d %% %[7]d AS k FROM generate_series(%[1]d::bigint,
				%[2]d) n) x`, have+1, all, regions, groups, tenants, stride, prime),
			fmt.Sprintf("INSERT INTO record_count (type, n) VALUES ('dcim.site', %d)", all-have))
	})
}

// load fills a table. It builds the indexes after the rows, which is many times faster and leaves them dense.
func load(ctx context.Context, database, table string, fill func(*pgx.Conn) error) (err error) {
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	drop, restore, err := indexStatements(ctx, conn, table)
	if err != nil {
		return err
	}
	if err := executeOn(ctx, conn, drop...); err != nil {
		return err
	}
	if err := fill(conn); err != nil {
		return err
	}
	if err := executeOn(ctx, conn, append([]string{"SET maintenance_work_mem = '512MB'"}, restore...)...); err != nil {
		return err
	}
	return executeOn(ctx, conn, "VACUUM ANALYZE", "CHECKPOINT")
}

// indexStatements returns the statements that drop the indexes of a table, except the primary key, and those that create them again, with
// those of its partitions.
func indexStatements(ctx context.Context, conn *pgx.Conn, table string) (drop, restore []string, err error) {
	rows, err := conn.Query(ctx, `
		SELECT CASE WHEN c.conname IS NULL THEN 'DROP INDEX ' || quote_ident(i.relname)
				ELSE 'ALTER TABLE ' || $1 || ' DROP CONSTRAINT ' || quote_ident(c.conname) END,
			CASE WHEN c.conname IS NULL THEN replace(pg_get_indexdef(x.indexrelid), ' ON ONLY ', ' ON ')
				ELSE 'ALTER TABLE ' || $1 || ' ADD CONSTRAINT ' || quote_ident(c.conname) || ' ' || pg_get_constraintdef(c.oid) END
		FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid LEFT JOIN pg_constraint c ON c.conindid = x.indexrelid AND c.contype = 'u'
		WHERE x.indrelid = $1::text::regclass AND NOT x.indisprimary`, table)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var d, r string
		if err := rows.Scan(&d, &r); err != nil {
			return nil, nil, err
		}
		drop, restore = append(drop, d), append(restore, r)
	}
	return drop, restore, rows.Err()
}
