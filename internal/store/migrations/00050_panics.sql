-- +goose Up
-- Panics of the goroutines of a process since it was started, and the names of these goroutines, for those who look after it.
ALTER TABLE extras_process ADD COLUMN panics bigint NOT NULL DEFAULT 0, ADD COLUMN panicked text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE extras_process DROP COLUMN panics, DROP COLUMN panicked;
