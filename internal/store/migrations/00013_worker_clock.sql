-- +goose Up
-- A worker whose clock differs from the database's takes no jobs. Those of the version before never say so.
ALTER TABLE extras_worker ADD COLUMN clock_wrong boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE extras_worker DROP COLUMN clock_wrong;
