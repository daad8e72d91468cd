-- +goose Up
-- Until when a process is recording the health of a webhook, so that no other does. The program of the version before uses a lock.
-- And since when a webhook has been ailing, not counting times of less than a minute in which it was healthy; NULL: since its state began.
ALTER TABLE extras_webhook_state ADD COLUMN publishing_until timestamptz, ADD COLUMN ailing_since timestamptz;

-- +goose Down
ALTER TABLE extras_webhook_state DROP COLUMN publishing_until, DROP COLUMN ailing_since;
