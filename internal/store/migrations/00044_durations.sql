-- +goose Up
-- How long the requests took, by classes of durations. A program of the version before adds rows without it, and loses it where it folds rows.
ALTER TABLE extras_tally ADD COLUMN durations bigint[] NOT NULL DEFAULT '{}';
-- The history of one webhook, also of a month, and of the webhooks of one page.
CREATE INDEX extras_tally_webhook ON extras_tally (webhook_id, minute);

-- +goose Down
DROP INDEX extras_tally_webhook;
ALTER TABLE extras_tally DROP COLUMN durations;
