// Package account owns who the caller is: the key ring, passwords, tokens, sessions and the limit on failed logins.
//
// It is pure: it reads no table and serves no request. store implements the small interfaces it names (TokenStore,
// UserStore, ThrottleStore, SessionStore); server passes headers and cookies in and gets an access.Subject back.
// access decides what a subject may do. The texts of refusals are here, because existing clients compare them.
package account

import (
	"context"
	"log/slog"
	"net/netip"
	"time"

	"terrier/internal/access"
)

// UserRecord is what authentication needs to know about a user.
type UserRecord struct {
	ID          int64
	Username    string
	Active      bool
	Superuser   bool
	ManageToken bool // the user may manage their own tokens

	// PasswordHash is empty for a user that cannot log in with a password.
	PasswordHash string

	// Epoch rises when the password changes and when the user is deactivated. A session records the epoch in which it
	// began, so raising it ends all of them for good.
	Epoch int64

	Grants     []access.Grant
	Generation int64 // of the accounts, when the grants were read
}

// LogValue keeps the password hash out of logs.
func (u UserRecord) LogValue() slog.Value {
	return slog.GroupValue(slog.Int64("id", u.ID), slog.String("username", u.Username))
}

// Subject is the user as a caller.
func (u *UserRecord) Subject() *access.Subject {
	return &access.Subject{
		UserID:      u.ID,
		Username:    u.Username,
		Superuser:   u.Superuser,
		ManageToken: u.ManageToken,
		Grants:      u.Grants,
		Generation:  u.Generation,
	}
}

// TokenRecord is a token as it is kept, together with its owner.
type TokenRecord struct {
	ID           int64
	Hint         string // the part of the key that may be shown
	Digest       []byte
	Expires      *time.Time
	WriteEnabled bool
	AllowedIPs   []netip.Prefix // empty allows every address
	LastUsed     *time.Time
	User         UserRecord
}

// LogValue keeps the digest and the owner's password hash out of logs.
func (t TokenRecord) LogValue() slog.Value {
	return slog.GroupValue(slog.Int64("id", t.ID), slog.Any("user", t.User))
}

// TokenStore finds tokens by the digest of their key.
type TokenStore interface {
	// LoadToken returns the token that has one of the digests, with its user and the
	// user's grants, in one statement: it runs on every request. It returns nil, nil
	// when there is none.
	LoadToken(ctx context.Context, digests [][]byte) (*TokenRecord, error)

	// TouchToken records a use. It writes only if the recorded use is at least TouchInterval older than at, because
	// several processes may call it at the same time.
	TouchToken(ctx context.Context, tokenID int64, at time.Time) error

	// RehashToken replaces the digest after the pepper was rotated.
	RehashToken(ctx context.Context, tokenID int64, digest []byte) error
}

// UserStore finds users. Both methods return nil, nil when there is none.
type UserStore interface {
	// LoadUserByName matches the name exactly. It leaves Grants empty, so that a known name costs no more than an
	// unknown one.
	LoadUserByName(ctx context.Context, username string) (*UserRecord, error)

	// LoadUser includes the grants.
	LoadUser(ctx context.Context, id int64) (*UserRecord, error)
}

// TouchInterval is how old a recorded use must be before a newer one is written, so that reads do not become writes.
const TouchInterval = time.Minute
