-- +goose Up
-- Webhook misses are called condition errors. What is named after the table is renamed with it: partitions of each week, indexes
-- (with the constraints they implement) and the sequence. NOT NULL constraints have names since PostgreSQL 18; renaming one renames those of
-- the partitions too.
-- +goose StatementBegin
DO $$
DECLARE
    old text;
BEGIN
    ALTER TABLE extras_webhookmiss RENAME TO extras_conditionerror;
    FOR old IN SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relname LIKE 'extras\_webhookmiss\_%' AND relkind IN ('r', 'i', 'I', 'S') LOOP
        EXECUTE format('ALTER TABLE %I RENAME TO %I', old, replace(old, 'webhookmiss', 'conditionerror'));
    END LOOP;
    FOR old IN SELECT conname FROM pg_constraint WHERE conrelid = 'extras_conditionerror'::regclass AND conname LIKE 'extras\_webhookmiss\_%' LOOP
        EXECUTE format('ALTER TABLE extras_conditionerror RENAME CONSTRAINT %I TO %I', old, replace(old, 'webhookmiss', 'conditionerror'));
    END LOOP;
END $$;
-- +goose StatementEnd
UPDATE record_count SET type = 'extras.conditionerror' WHERE type = 'extras.webhookmiss';
UPDATE users_permission SET object_types = array_replace(object_types, 'extras.webhookmiss', 'extras.conditionerror')
WHERE 'extras.webhookmiss' = ANY (object_types);

-- +goose Down
-- +goose StatementBegin
DO $$
DECLARE
    old text;
BEGIN
    ALTER TABLE extras_conditionerror RENAME TO extras_webhookmiss;
    FOR old IN SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relname LIKE 'extras\_conditionerror\_%' AND relkind IN ('r', 'i', 'I', 'S') LOOP
        EXECUTE format('ALTER TABLE %I RENAME TO %I', old, replace(old, 'conditionerror', 'webhookmiss'));
    END LOOP;
    FOR old IN SELECT conname FROM pg_constraint WHERE conrelid = 'extras_webhookmiss'::regclass AND conname LIKE 'extras\_conditionerror\_%' LOOP
        EXECUTE format('ALTER TABLE extras_webhookmiss RENAME CONSTRAINT %I TO %I', old, replace(old, 'conditionerror', 'webhookmiss'));
    END LOOP;
END $$;
-- +goose StatementEnd
UPDATE record_count SET type = 'extras.webhookmiss' WHERE type = 'extras.conditionerror';
UPDATE users_permission SET object_types = array_replace(object_types, 'extras.conditionerror', 'extras.webhookmiss')
WHERE 'extras.conditionerror' = ANY (object_types);
