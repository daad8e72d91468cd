-- +goose Up
-- The order of interface names, as a text to be compared byte by byte. A name is read as
--     type slot/subslot/position/subposition/ number :channel .subinterface rest
-- of which everything may be missing: ge-0/1/2:3.100 has the type "ge-", slot 0, subslot 1, number 2, channel 3 and subinterface 100.
-- The slots decide first, and a name with a slot comes before one without; then the type, whatever its case; then number,
-- channel and subinterface, of which a missing one comes first; then the rest, with its numbers counted. Numbers have up to
-- 9 digits; a longer one is part of the rest.
-- +goose StatementBegin
CREATE FUNCTION interface_key(name text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    part text[] := regexp_match(lower(name COLLATE "C"), '^([^0-9.:]*)'
        || '(?:([0-9]{1,9})/)?(?:([0-9]{1,9})/)?(?:([0-9]{1,9})/)?(?:([0-9]{1,9})/)?'
        || '([0-9]{1,9}(?![0-9]))?(?::([0-9]{1,9}(?![0-9])))?(?:[.]([0-9]{1,9}(?![0-9])))?(.*)$');
    key text := '';
BEGIN
    FOR i IN 2..5 LOOP
        key := key || coalesce(lpad(part[i], 9, '0'), '~');
    END LOOP;
    key := key || part[1] || chr(1);
    FOR i IN 6..8 LOOP
        key := key || coalesce(lpad(part[i], 9, '0'), '.');
    END LOOP;
    RETURN key || regexp_replace(regexp_replace(part[9], '([0-9]+)', '00000000\1', 'g'), '0*([0-9]{9,})', '\1', 'g');
END
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION interface_key(text);
