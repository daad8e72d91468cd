-- +goose Up
-- A failure is a failure unless somebody decides otherwise, also for webhooks that the program of the version before creates.
ALTER TABLE extras_webhook ADD COLUMN hold_on_failure boolean NOT NULL DEFAULT false;

-- What workers know about receivers that failed. Only failures, and the success after them, touch a row; a webhook that never failed has
-- none. Like a pause it is a note about a webhook, and may outlive it for a moment.
CREATE TABLE extras_webhook_state (
    webhook_id   bigint PRIMARY KEY,
    state        text NOT NULL,
    since        timestamptz NOT NULL,
    reason       text NOT NULL,
    failures     bigint NOT NULL, -- attempts in a row that failed
    outages      bigint NOT NULL, -- attempts in a row that failed for a reason that may pass
    attempted_at timestamptz NOT NULL,
    version      bigint NOT NULL, -- of the webhook when it was held: after an edit it is probed at once
    probe_at     timestamptz,
    probe_step   interval NOT NULL
);

-- +goose Down
DROP TABLE extras_webhook_state;
ALTER TABLE extras_webhook DROP COLUMN hold_on_failure;
