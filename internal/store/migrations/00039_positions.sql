-- +goose Up
-- Every change gets a position: 1, 2, 3 … without gaps. One process numbers what has been committed; a write does nothing for it.
-- The program of the version before does not know the tables.
CREATE TABLE extras_position (
    position   bigint PRIMARY KEY,
    change_id  bigint NOT NULL,
    changed_at timestamptz NOT NULL,
    CONSTRAINT extras_position_change UNIQUE (change_id)
);

-- One row: the newest position, the oldest one that is kept, and the id of a change up to which nothing is left to number.
CREATE TABLE extras_sequencer (
    only_one boolean PRIMARY KEY DEFAULT TRUE CHECK (only_one),
    newest   bigint NOT NULL,
    oldest   bigint NOT NULL,
    settled  bigint NOT NULL
);
INSERT INTO extras_sequencer (newest, oldest, settled) VALUES (0, 1, 0);

-- +goose Down
DROP TABLE extras_position, extras_sequencer;
