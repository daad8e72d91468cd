package bare

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"

	"github.com/alexedwards/argon2id"
)

// Credentials are the input of a login.
type Credentials struct {
	Username string `json:"username"`
	Password string `json:"password"`
}

type token struct {
	ID  int64  `json:"id"`
	Key string `json:"key"`
}

// login compares the password with its hash and writes a token: no limits, no change row.
func (s *Server) login(r *http.Request, in Credentials) (t token, err error) {
	var user int64
	var hash string
	err = s.Pool.QueryRow(r.Context(), "SELECT id, password_sealed FROM users_user WHERE username = $1 AND is_active",
		in.Username).Scan(&user, &hash)
	if err != nil {
		return t, err
	}
	same, err := argon2id.ComparePasswordAndHash(in.Password, hash)
	if err != nil {
		return t, err
	}
	if !same {
		return t, errors.New("wrong password")
	}
	var random [20]byte
	_, _ = rand.Read(random[:]) // never fails, by its documentation
	t.Key = hex.EncodeToString(random[:])
	digest := sha256.Sum256([]byte(t.Key))
	err = s.Pool.QueryRow(r.Context(), `INSERT INTO users_token (version, user_id, key_sealed, key_hint, write_enabled, description,
		allowed_ips, created, last_updated)
		VALUES (1, $1, $2, $3, true, '', '{}', now(), now()) RETURNING id`, user, hex.EncodeToString(digest[:]), t.Key[:6]).Scan(&t.ID)
	return t, err
}
