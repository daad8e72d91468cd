-- +goose NO TRANSACTION
-- +goose Up
-- Addresses are found by the length of their mask, and by whether they are assigned. An index that was left unfinished is dropped first.
DROP INDEX CONCURRENTLY IF EXISTS ipam_ipaddress_address_mask;
CREATE INDEX CONCURRENTLY ipam_ipaddress_address_mask ON ipam_ipaddress ((masklen(address)::bigint));
-- The index of what they are assigned to had only those that are.
DROP INDEX CONCURRENTLY IF EXISTS ipam_ipaddress_assigned_all;
CREATE INDEX CONCURRENTLY ipam_ipaddress_assigned_all ON ipam_ipaddress (assigned_object_type, assigned_object_id);
DROP INDEX CONCURRENTLY IF EXISTS ipam_ipaddress_assigned_object;
ALTER INDEX ipam_ipaddress_assigned_all RENAME TO ipam_ipaddress_assigned_object;
ANALYZE ipam_ipaddress;

-- +goose Down
DROP INDEX CONCURRENTLY ipam_ipaddress_address_mask;
DROP INDEX CONCURRENTLY IF EXISTS ipam_ipaddress_assigned_some;
CREATE INDEX CONCURRENTLY ipam_ipaddress_assigned_some ON ipam_ipaddress (assigned_object_type, assigned_object_id) WHERE assigned_object_type IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS ipam_ipaddress_assigned_object;
ALTER INDEX ipam_ipaddress_assigned_some RENAME TO ipam_ipaddress_assigned_object;
