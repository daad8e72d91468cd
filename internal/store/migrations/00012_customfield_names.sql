-- +goose Up
-- Names of custom fields may hold capitals and are unique without regard to case. They sort as before.
ALTER TABLE extras_customfield DROP CONSTRAINT extras_customfield_name_unique;
CREATE UNIQUE INDEX extras_customfield_name_unique ON extras_customfield (lower(name));
CREATE INDEX extras_customfield_name ON extras_customfield (name);

-- +goose Down
DROP INDEX extras_customfield_name;
DROP INDEX extras_customfield_name_unique;
ALTER TABLE extras_customfield ADD CONSTRAINT extras_customfield_name_unique UNIQUE (name);
