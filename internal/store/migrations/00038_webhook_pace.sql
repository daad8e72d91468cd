-- +goose Up
-- The defaults are for programs of an earlier version, which do not know these columns.
ALTER TABLE extras_webhook
    ADD COLUMN client_certificate text NOT NULL DEFAULT '',
    ADD COLUMN client_key_sealed text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE extras_webhook
    DROP COLUMN client_certificate,
    DROP COLUMN client_key_sealed;
