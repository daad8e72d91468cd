-- +goose Up
-- Names sort as people count: "rack 2" before "rack 10". Deterministic, so that it may serve in indexes.
CREATE COLLATION natural_order (provider = icu, locale = 'und-u-kn-true');

-- +goose Down
DROP COLLATION natural_order;
