-- +goose Up
-- The generation rises with every change to who may do what. A process that knows a
-- caller from before needs to ask only whether the generation is still the same, in the
-- round trip of the read itself. A trigger raises it, so that no way of writing can
-- forget to, SQL by hand included.
CREATE TABLE users_generation (n bigint NOT NULL);
INSERT INTO users_generation VALUES (1);

-- +goose StatementBegin
CREATE FUNCTION users_raise_generation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE users_generation SET n = n + 1;
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE TRIGGER users_user_generation AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON users_user
    FOR EACH STATEMENT EXECUTE FUNCTION users_raise_generation();
CREATE TRIGGER users_group_generation AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON users_group
    FOR EACH STATEMENT EXECUTE FUNCTION users_raise_generation();
CREATE TRIGGER users_permission_generation AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON users_permission
    FOR EACH STATEMENT EXECUTE FUNCTION users_raise_generation();
CREATE TRIGGER users_token_generation AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON users_token
    FOR EACH STATEMENT EXECUTE FUNCTION users_raise_generation();

-- +goose Down
DROP TRIGGER users_token_generation ON users_token;
DROP TRIGGER users_permission_generation ON users_permission;
DROP TRIGGER users_group_generation ON users_group;
DROP TRIGGER users_user_generation ON users_user;
DROP FUNCTION users_raise_generation();
DROP TABLE users_generation;
