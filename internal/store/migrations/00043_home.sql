-- +goose Up
-- What a user has chosen about the pages, a JSON object that is kept byte for byte. It is no record: nobody is notified of it. The program
-- of the version before deletes users too, so the database deletes this with them.
CREATE TABLE users_preference (
    user_id bigint PRIMARY KEY CONSTRAINT users_preference_user_exists REFERENCES users_user ON DELETE CASCADE,
    data    text NOT NULL CONSTRAINT users_preference_size CHECK (octet_length(data) <= 65536)
);

-- How many changes there were, by day in UTC and type. Upkeep counts each change once, in the order of the positions.
CREATE TABLE extras_change_tally (
    day         date NOT NULL,
    object_type text NOT NULL,
    n           bigint NOT NULL,
    PRIMARY KEY (day, object_type)
);

-- One row: the position up to which changes have been counted.
CREATE TABLE extras_change_tallied (
    only_one boolean PRIMARY KEY DEFAULT TRUE CHECK (only_one),
    position bigint NOT NULL
);
INSERT INTO extras_change_tallied (position) VALUES (0);

-- +goose Down
DROP TABLE extras_change_tallied, extras_change_tally, users_preference;
