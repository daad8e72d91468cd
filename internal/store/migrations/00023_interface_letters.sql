-- +goose Up
-- The letters of interface names are compared by code point: Ethernet1 comes before eth0. Otherwise the order is that of migration 14.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION interface_key(name text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    part text[] := regexp_match(name COLLATE "C", '^([^0-9.:]*)'
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
UPDATE dcim_interface SET name = name WHERE name_key <> interface_key(name);
UPDATE dcim_interfacetemplate SET name = name WHERE name_key <> interface_key(name);

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION interface_key(name text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
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
UPDATE dcim_interface SET name = name WHERE name_key <> interface_key(name);
UPDATE dcim_interfacetemplate SET name = name WHERE name_key <> interface_key(name);
