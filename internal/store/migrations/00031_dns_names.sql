-- +goose NO TRANSACTION
-- +goose Up
-- Addresses are found by their DNS name, and most have none. An index that was left unfinished is dropped first.
DROP INDEX CONCURRENTLY IF EXISTS ipam_ipaddress_dns_name;
CREATE INDEX CONCURRENTLY ipam_ipaddress_dns_name ON ipam_ipaddress (dns_name) WHERE dns_name <> '';

-- +goose Down
DROP INDEX CONCURRENTLY ipam_ipaddress_dns_name;
