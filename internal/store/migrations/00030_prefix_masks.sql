-- +goose NO TRANSACTION
-- +goose Up
-- Prefixes are found by the length of their mask, in the default order. An index that was left unfinished is dropped first.
DROP INDEX CONCURRENTLY IF EXISTS ipam_prefix_prefix_mask;
CREATE INDEX CONCURRENTLY ipam_prefix_prefix_mask ON ipam_prefix ((masklen(prefix)::bigint), coalesce(vrf_id, 0), prefix, id);

-- +goose Down
DROP INDEX CONCURRENTLY ipam_prefix_prefix_mask;
