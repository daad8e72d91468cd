-- +goose Up
-- How far the database's clock is ahead of that of a process; null as long as it is not known. The program of the version before does not
-- write it.
ALTER TABLE extras_process ADD COLUMN clock_offset interval;

-- +goose Down
ALTER TABLE extras_process DROP COLUMN clock_offset;
