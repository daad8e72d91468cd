-- +goose Up
-- The times of the attempts replace started and n, which only processes of the version before still use.
ALTER TABLE users_throttle ADD COLUMN attempts timestamptz[] NOT NULL DEFAULT '{}',
    ALTER COLUMN started SET DEFAULT now(), ALTER COLUMN n SET DEFAULT 0;

-- Where a user logged in from. A row may outlive its user, so no foreign key: noting a login must never wait.
CREATE TABLE users_login_address (
    user_id bigint NOT NULL,
    address text NOT NULL,
    seen    timestamptz NOT NULL,
    PRIMARY KEY (user_id, address)
);

-- +goose Down
DROP TABLE users_login_address;
ALTER TABLE users_throttle DROP COLUMN attempts, ALTER COLUMN started DROP DEFAULT, ALTER COLUMN n DROP DEFAULT;
