-- +goose Up
-- Each entry proves its event and the entry before it, with a key that the database does not have.
CREATE TABLE extras_auditchain (
    position    bigint PRIMARY KEY,
    event_id    bigint NOT NULL,
    happened_at timestamptz NOT NULL,
    digest      bytea NOT NULL,
    mac         bytea NOT NULL,
    key_id      text NOT NULL,
    chained_at  timestamptz NOT NULL
);
CREATE INDEX extras_auditchain_event ON extras_auditchain (event_id);
CREATE INDEX extras_auditchain_happened_at ON extras_auditchain (happened_at);
CREATE INDEX extras_auditchain_chained_at ON extras_auditchain (chained_at);
-- Where the chain begins since old events were removed.
CREATE TABLE extras_auditanchor (
    one      boolean PRIMARY KEY DEFAULT true CHECK (one),
    position bigint NOT NULL,
    mac      bytea NOT NULL,
    before   timestamptz NOT NULL,
    key_id   text NOT NULL,
    proof    bytea NOT NULL
);

-- +goose Down
DROP TABLE extras_auditanchor;
DROP TABLE extras_auditchain;
