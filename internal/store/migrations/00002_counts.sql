-- +goose Up
-- How many records a type has is the sum of its rows here. Every transaction adds a row
-- of its own, so writers never wait for each other, and a reader's snapshot holds exactly
-- the rows of the transactions it sees. A process folds the rows together now and then.
CREATE TABLE record_count (
    type text NOT NULL,
    n    bigint NOT NULL
);
CREATE INDEX record_count_type ON record_count (type) INCLUDE (n);

-- +goose Down
DROP TABLE record_count;
