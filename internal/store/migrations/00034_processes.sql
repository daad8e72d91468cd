-- +goose Up
-- Servers and workers that run, for those who compare their settings. The program of the version before does not know
-- the table.
CREATE TABLE extras_process (
    id                  text PRIMARY KEY,
    kind                text NOT NULL,
    host                text NOT NULL,
    program             text NOT NULL,
    key_ids             text[] NOT NULL,
    changelog_retention integer NOT NULL,
    delivery_retention  integer NOT NULL,
    seen_at             timestamptz NOT NULL
);

-- +goose Down
DROP TABLE extras_process;
