-- +goose Up
ALTER TABLE extras_webhook ADD COLUMN rate_limit bigint;

-- When the next request to a webhook with a rate limit may be sent. After a crash it begins anew, so nothing of it needs
-- to reach the disk. A row may outlive its webhook for a moment.
CREATE UNLOGGED TABLE extras_webhook_pace (
    webhook_id bigint PRIMARY KEY,
    next_at    timestamptz NOT NULL
) WITH (fillfactor = 50);

-- +goose Down
DROP TABLE extras_webhook_pace;
ALTER TABLE extras_webhook DROP COLUMN rate_limit;
