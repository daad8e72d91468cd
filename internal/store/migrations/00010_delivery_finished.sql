-- +goose Up
-- Leads to what has ended lately, in whichever week it began. Whoever ends a delivery writes
-- it anew, so what ends at a time lies together: a note for every mebibyte will do.
CREATE INDEX extras_delivery_finished ON extras_delivery USING brin (finished_at) WITH (autosummarize = on);

-- +goose Down
DROP INDEX extras_delivery_finished;
