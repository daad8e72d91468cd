package store

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/account"
)

// Accounts is what package account needs of the database. Logins have their own connections; a caller is looked up on
// the connections for single records.
type Accounts struct{ *Store }

// grantsExpr collects the enabled permissions of the user u and of its groups.
const grantsExpr = `(SELECT json_agg(json_build_object('t', p.object_types, 'a', p.actions, 'c', p.constraints))
	FROM users_permission p WHERE p.enabled AND (p.users @> ARRAY[u.id] OR p.groups && u.groups))`

// LoadToken finds a token by any of its digests, with its user and grants: one statement,
// because it precedes every request.
func (a Accounts) LoadToken(ctx context.Context, digests [][]byte) (_ *account.TokenRecord, err error) {
	defer named(&err, "load a token")
	sealed := make([]string, len(digests))
	for i, d := range digests {
		sealed[i] = hex.EncodeToString(d)
	}
	var t account.TokenRecord
	var digest string
	var grants []byte
	u := &t.User
	// A key that was given twice, while secret keys were rotated, belongs to the first token.
	err = a.records.QueryRow(ctx, `
		SELECT t.id, t.key_hint, t.key_sealed, t.expires, t.write_enabled, t.allowed_ips::cidr[], n.last_used,
			u.id, u.username, u.is_active, u.is_superuser, u.manage_tokens, u.epoch,
			CASE WHEN u.is_superuser THEN NULL ELSE `+grantsExpr+` END, (SELECT n FROM users_generation)
		FROM users_token t JOIN users_user u ON u.id = t.user_id LEFT JOIN users_token_use n ON n.token_id = t.id
		WHERE t.key_sealed = ANY($1) ORDER BY t.id LIMIT 1`, sealed).
		Scan(&t.ID, &t.Hint, &digest, &t.Expires, &t.WriteEnabled, &t.AllowedIPs, &t.LastUsed,
			&u.ID, &u.Username, &u.Active, &u.Superuser, &u.ManageToken, &u.Epoch, &grants, &u.Generation)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, a.translate(err)
	}
	if t.Digest, err = hex.DecodeString(digest); err != nil {
		return nil, err
	}
	u.Grants, err = decodeGrants(grants)
	return &t, err
}

func decodeGrants(raw []byte) ([]access.Grant, error) {
	if raw == nil {
		return nil, nil
	}
	var grants []access.Grant
	err := json.Unmarshal(raw, &grants)
	return grants, err
}

// TouchToken records a token's use, at most once a minute however many processes ask.
func (a Accounts) TouchToken(ctx context.Context, id int64, at time.Time) (err error) {
	defer named(&err, "note the use of token %d", id)
	_, err = a.records.Exec(ctx, `
		INSERT INTO users_token_use AS n (token_id, last_used) VALUES ($1, $2)
		ON CONFLICT (token_id) DO UPDATE SET last_used = $2 WHERE n.last_used <= $3`, id, at, at.Add(-account.TouchInterval))
	return a.translate(err)
}

// RehashToken moves a token to the current secret key. The record itself has not changed.
func (a Accounts) RehashToken(ctx context.Context, id int64, digest []byte) (err error) {
	defer named(&err, "hash token %d again", id)
	_, err = a.records.Exec(ctx, "UPDATE users_token SET key_sealed = $2 WHERE id = $1", id, hex.EncodeToString(digest))
	return a.translate(err)
}

const userColumns = `u.id, u.username, u.is_active, u.is_superuser, u.manage_tokens, u.epoch, u.password_sealed`

func (a Accounts) scanUser(row pgx.Row, more ...any) (*account.UserRecord, error) {
	var u account.UserRecord
	dest := append([]any{&u.ID, &u.Username, &u.Active, &u.Superuser, &u.ManageToken, &u.Epoch, &u.PasswordHash}, more...)
	err := row.Scan(dest...)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &u, a.translate(err)
}

// LoadUserByName finds a user for a login. Grants are left out, so that a known name
// costs no more than an unknown one.
func (a Accounts) LoadUserByName(ctx context.Context, username string) (_ *account.UserRecord, err error) {
	defer named(&err, "load a user by name")
	return a.scanUser(a.spare.QueryRow(ctx, "SELECT "+userColumns+" FROM users_user u WHERE u.username = $1", username))
}

// LoadUser finds the user of a session, with grants.
func (a Accounts) LoadUser(ctx context.Context, id int64) (_ *account.UserRecord, err error) {
	defer named(&err, "load the user of a session")
	var grants []byte
	var generation int64
	u, err := a.scanUser(a.records.QueryRow(ctx, `
		SELECT `+userColumns+", "+grantsExpr+`, (SELECT n FROM users_generation)
		FROM users_user u WHERE u.id = $1`, id), &grants, &generation)
	if u == nil || err != nil {
		return nil, err
	}
	u.Generation = generation
	u.Grants, err = decodeGrants(grants)
	return u, err
}

// FindCtx reads a session that has not expired.
func (a Accounts) FindCtx(ctx context.Context, token string) (data []byte, found bool, err error) {
	defer named(&err, "load a session")
	err = a.records.QueryRow(ctx, "SELECT data FROM users_session WHERE token = $1 AND expires > now()", token).Scan(&data)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	return data, err == nil, a.translate(err)
}

// CommitCtx writes a session.
func (a Accounts) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) (err error) {
	defer named(&err, "save a session")
	_, err = a.spare.Exec(ctx, `
		INSERT INTO users_session (token, data, expires) VALUES ($1, $2, $3)
		ON CONFLICT (token) DO UPDATE SET data = $2, expires = $3`, token, data, expiry)
	return a.translate(err)
}

// RefreshCtx writes a session that still exists.
func (a Accounts) RefreshCtx(ctx context.Context, token string, data []byte, expiry time.Time) (err error) {
	defer named(&err, "refresh a session")
	_, err = a.records.Exec(ctx, "UPDATE users_session SET data = $2, expires = $3 WHERE token = $1", token, data, expiry)
	return a.translate(err)
}

// DeleteCtx removes a session.
func (a Accounts) DeleteCtx(ctx context.Context, token string) (err error) {
	defer named(&err, "end a session")
	_, err = a.spare.Exec(ctx, "DELETE FROM users_session WHERE token = $1", token)
	return a.translate(err)
}

// The interfaces this type serves.
var (
	_ account.TokenStore    = Accounts{}
	_ account.UserStore     = Accounts{}
	_ account.SessionStore  = Accounts{}
	_ account.ThrottleStore = Accounts{}
	_ account.AddressStore  = Accounts{}
)
