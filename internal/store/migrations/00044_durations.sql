-- +goose NO TRANSACTION
-- +goose Up
-- How long the requests took, by classes of durations. A program of the version before adds rows without it, and loses it where it folds rows.
ALTER TABLE extras_tally ADD COLUMN IF NOT EXISTS durations bigint[] NOT NULL DEFAULT '{}';
-- The history of one webhook, also of a month, and of the webhooks of one page. An index that was left unfinished is dropped first.
DROP INDEX CONCURRENTLY IF EXISTS extras_tally_webhook;
CREATE INDEX CONCURRENTLY extras_tally_webhook ON extras_tally (webhook_id, minute);

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS extras_tally_webhook;
ALTER TABLE extras_tally DROP COLUMN IF EXISTS durations;
