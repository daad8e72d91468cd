-- +goose Up

-- +goose StatementBegin
CREATE FUNCTION still_free(query text, within bigint, place text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
-- Runs a query that says whether a place is taken, in a snapshot that is newer than that of the calling statement.
DECLARE
    taken boolean;
BEGIN
    EXECUTE query INTO taken USING within, place;
    RETURN NOT taken;
END
$$;
-- +goose StatementEnd

-- Free places are looked up in the order of the places within a VRF. These indexes serve what the indexes of the reference did, too.
CREATE INDEX ipam_prefix_space ON ipam_prefix (vrf_id, prefix);
CREATE INDEX ipam_ipaddress_space ON ipam_ipaddress (vrf_id, address_key);
DROP INDEX ipam_prefix_vrf;
DROP INDEX ipam_ipaddress_vrf;

-- +goose Down
CREATE INDEX ipam_prefix_vrf ON ipam_prefix (vrf_id) WHERE vrf_id IS NOT NULL;
CREATE INDEX ipam_ipaddress_vrf ON ipam_ipaddress (vrf_id) WHERE vrf_id IS NOT NULL;
DROP INDEX ipam_prefix_space;
DROP INDEX ipam_ipaddress_space;
DROP FUNCTION still_free;
