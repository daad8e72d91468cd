-- +goose NO TRANSACTION
-- +goose Up
-- Lists of deliveries by event and by status code. The index of each week is made in a transaction of its own, so that writers wait for one
-- week at most. What an interrupted run has made is kept.
-- +goose StatementBegin
DO $$
DECLARE
    filter text;
    week text;
BEGIN
    FOREACH filter IN ARRAY ARRAY['event', 'status_code'] LOOP
        EXECUTE format('CREATE INDEX IF NOT EXISTS extras_delivery_%s ON ONLY extras_delivery (%I, id)', filter, filter);
        COMMIT;
        FOR week IN
            SELECT w.relname FROM pg_inherits i JOIN pg_class w ON w.oid = i.inhrelid WHERE i.inhparent = 'extras_delivery'::regclass
                AND NOT EXISTS (SELECT FROM pg_inherits a JOIN pg_index x ON x.indexrelid = a.inhrelid
                    WHERE a.inhparent = ('extras_delivery_' || filter)::regclass AND x.indrelid = w.oid)
        LOOP
            EXECUTE format('CREATE INDEX %I ON %I (%I, id)', week || '_' || filter || '_id_idx', week, filter);
            EXECUTE format('ALTER INDEX extras_delivery_%s ATTACH PARTITION %I', filter, week || '_' || filter || '_id_idx');
            COMMIT;
        END LOOP;
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP INDEX extras_delivery_status_code;
DROP INDEX extras_delivery_event;
