-- +goose Up
-- What requests of a process waited for when it last said that it runs: the budgets of docs/limits.md, with how many waited.
ALTER TABLE extras_process ADD COLUMN waiting text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE extras_process DROP COLUMN waiting;
