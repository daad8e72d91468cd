-- +goose Up
-- Until when a process is recording the health of a webhook, so that no other does. The program of the version before uses a lock.
ALTER TABLE extras_webhook_state ADD COLUMN publishing_until timestamptz;

-- +goose Down
ALTER TABLE extras_webhook_state DROP COLUMN publishing_until;
