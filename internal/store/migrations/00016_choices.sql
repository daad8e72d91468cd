-- +goose NO TRANSACTION
-- +goose Up
-- Indexes for the choices that lists are narrowed by, each with the default order, and room in the pages of every table: an update that changes
-- no indexed column leaves all indexes alone. Rows that were there before get that room as they are updated. An index that
-- was left unfinished is dropped first.
DROP INDEX CONCURRENTLY IF EXISTS dcim_site_status;
CREATE INDEX CONCURRENTLY dcim_site_status ON dcim_site (status, name);
DROP INDEX CONCURRENTLY IF EXISTS dcim_location_status;
CREATE INDEX CONCURRENTLY dcim_location_status ON dcim_location (status, name, id);
DROP INDEX CONCURRENTLY IF EXISTS extras_customfield_type;
CREATE INDEX CONCURRENTLY extras_customfield_type ON extras_customfield (type, name);
DROP INDEX CONCURRENTLY IF EXISTS extras_webhook_http_method;
CREATE INDEX CONCURRENTLY extras_webhook_http_method ON extras_webhook (http_method, name);
ALTER TABLE users_user SET (fillfactor = 85);
ALTER TABLE users_group SET (fillfactor = 85);
ALTER TABLE users_permission SET (fillfactor = 85);
ALTER TABLE users_token SET (fillfactor = 85);
ALTER TABLE extras_tag SET (fillfactor = 85);
ALTER TABLE extras_customfield SET (fillfactor = 85);
ALTER TABLE extras_webhook SET (fillfactor = 85);
ALTER TABLE tenancy_tenantgroup SET (fillfactor = 85);
ALTER TABLE tenancy_tenant SET (fillfactor = 85);
ALTER TABLE dcim_region SET (fillfactor = 85);
ALTER TABLE dcim_sitegroup SET (fillfactor = 85);
ALTER TABLE dcim_site SET (fillfactor = 85);
ALTER TABLE dcim_location SET (fillfactor = 85);
ALTER TABLE dcim_rackrole SET (fillfactor = 85);

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS dcim_site_status;
DROP INDEX CONCURRENTLY IF EXISTS dcim_location_status;
DROP INDEX CONCURRENTLY IF EXISTS extras_customfield_type;
DROP INDEX CONCURRENTLY IF EXISTS extras_webhook_http_method;
ALTER TABLE users_user RESET (fillfactor);
ALTER TABLE users_group RESET (fillfactor);
ALTER TABLE users_permission RESET (fillfactor);
ALTER TABLE users_token RESET (fillfactor);
ALTER TABLE extras_tag RESET (fillfactor);
ALTER TABLE extras_customfield RESET (fillfactor);
ALTER TABLE extras_webhook RESET (fillfactor);
ALTER TABLE tenancy_tenantgroup RESET (fillfactor);
ALTER TABLE tenancy_tenant RESET (fillfactor);
ALTER TABLE dcim_region RESET (fillfactor);
ALTER TABLE dcim_sitegroup RESET (fillfactor);
ALTER TABLE dcim_site RESET (fillfactor);
ALTER TABLE dcim_location RESET (fillfactor);
ALTER TABLE dcim_rackrole RESET (fillfactor);
