-- +goose Up
-- What a user has chosen about the pages, a JSON object that is kept byte for byte. It is no record: nobody is notified of it. The program
-- of the version before deletes users too, so the database deletes this with them.
CREATE TABLE users_preference (
    user_id bigint PRIMARY KEY CONSTRAINT users_preference_user_exists REFERENCES users_user ON DELETE CASCADE,
    data    text NOT NULL CONSTRAINT users_preference_size CHECK (octet_length(data) <= 65536)
);

-- +goose Down
DROP TABLE users_preference;
