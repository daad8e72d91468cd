-- +goose NO TRANSACTION
-- +goose Up
-- An index that was left unfinished is dropped first.
DROP INDEX CONCURRENTLY IF EXISTS dcim_site_asns;
CREATE INDEX CONCURRENTLY dcim_site_asns ON dcim_site USING gin (asns);
DROP INDEX CONCURRENTLY IF EXISTS dcim_device_cluster;
CREATE INDEX CONCURRENTLY dcim_device_cluster ON dcim_device (cluster_id) WHERE cluster_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS dcim_interface_untagged_vlan;
CREATE INDEX CONCURRENTLY dcim_interface_untagged_vlan ON dcim_interface (untagged_vlan_id) WHERE untagged_vlan_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS dcim_interface_tagged_vlans;
CREATE INDEX CONCURRENTLY dcim_interface_tagged_vlans ON dcim_interface USING gin (tagged_vlans);
DROP INDEX CONCURRENTLY IF EXISTS dcim_interface_vrf;
CREATE INDEX CONCURRENTLY dcim_interface_vrf ON dcim_interface (vrf_id) WHERE vrf_id IS NOT NULL;

-- +goose Down
DROP INDEX CONCURRENTLY dcim_interface_vrf;
DROP INDEX CONCURRENTLY dcim_interface_tagged_vlans;
DROP INDEX CONCURRENTLY dcim_interface_untagged_vlan;
DROP INDEX CONCURRENTLY dcim_device_cluster;
DROP INDEX CONCURRENTLY dcim_site_asns;
