-- +goose Up
-- What was done in words, and by which way. A program of before writes neither.
ALTER TABLE extras_auditevent ADD COLUMN way text NOT NULL DEFAULT '', ADD COLUMN detail text NOT NULL DEFAULT '';
-- Refused tokens are one row for each token, reason and hour; unknown ones for each address, reason and hour.
CREATE UNIQUE INDEX extras_auditevent_refused ON extras_auditevent (happened_at, target, detail, (CASE WHEN target = '' THEN address ELSE '' END))
    WHERE event = 'token_refused';
-- The settings that the last server had, as proofs made with the secret key: no values.
CREATE TABLE extras_setting_seen (
    name  text PRIMARY KEY,
    proof text NOT NULL
);

-- +goose Down
DROP TABLE extras_setting_seen;
DROP INDEX extras_auditevent_refused;
ALTER TABLE extras_auditevent DROP COLUMN way, DROP COLUMN detail;
