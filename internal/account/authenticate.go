package account

import (
	"context"
	"crypto/hmac"
	"errors"
	"log/slog"
	"net/netip"
	"slices"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
)

// Refusals whose text existing clients compare.
var (
	errInvalidToken = fault.New(fault.Denied, "Invalid token")
	errTokenExpired = fault.New(fault.Denied, "Token expired")
	errUserInactive = fault.New(fault.Denied, "User inactive")
)

// Authenticator turns a credential into a subject. Every field must be set. A revoked
// token is refused by every process from the next request on.
type Authenticator struct {
	Tokens   TokenStore
	Users    UserStore
	Sessions *Sessions
	Keys     *Keyring
	Log      *slog.Logger
	Now      func() time.Time
	// Refused records a refused token in the audit log; nil for an unknown one. It costs next to nothing: there may be any number. It may be
	// nil.
	Refused func(ctx context.Context, token *TokenRecord, reason string, from netip.Addr)

	claims claims
}

// Why tokens are refused, as the audit log says it.
const (
	unknownKey     = "unknown key"
	otherAddress   = "address not allowed"
	expiredToken   = "expired"
	inactiveHolder = "account inactive"
)

// ByToken returns the subject of a token's key, used from an address.
func (a *Authenticator) ByToken(ctx context.Context, key string, from netip.Addr) (*access.Subject, error) {
	if !wellFormed(key) {
		return nil, a.refused(ctx, nil, unknownKey, from, errInvalidToken)
	}
	digests := a.Keys.TokenDigests(key)
	a.claims.forget(digests) // a refused caller has no claim for the next time
	token, err := a.Tokens.LoadToken(ctx, digests)
	if err != nil {
		return nil, err
	}
	// A store that returns the wrong token must not log anybody in.
	if token == nil || !slices.ContainsFunc(digests, func(d []byte) bool { return hmac.Equal(d, token.Digest) }) {
		return nil, a.refused(ctx, nil, unknownKey, from, errInvalidToken)
	}
	now := a.Now()
	if reason, err := token.refuse(from, now); err != nil {
		return nil, a.refused(ctx, token, reason, from, err)
	}
	a.note(ctx, token, digests[0], now)
	a.claims.keep(token, now)
	return token.subject(), nil
}

// refused records a refusal and returns it.
func (a *Authenticator) refused(ctx context.Context, token *TokenRecord, reason string, from netip.Addr, err error) error {
	if a.Refused != nil {
		a.Refused(ctx, token, reason, plainAddr(from))
	}
	return err
}

func (t *TokenRecord) subject() *access.Subject {
	subject := t.User.Subject()
	subject.TokenID = t.ID
	subject.ReadOnly = !t.WriteEnabled
	subject.Limits = access.Limits{Expires: t.Expires, Networks: t.AllowedIPs, ReadOnly: !t.WriteEnabled}
	return subject
}

// BySession returns the subject of a session cookie, or nil if the session is over.
func (a *Authenticator) BySession(ctx context.Context, cookieValue string) (*access.Subject, error) {
	id, epoch, ok, err := a.Sessions.Find(ctx, cookieValue)
	if err != nil || !ok {
		return nil, err
	}
	user, err := a.Users.LoadUser(ctx, id)
	if err != nil {
		return nil, err
	}
	if user == nil || !user.Active || user.Epoch != epoch {
		return nil, nil
	}
	return user.Subject(), nil
}

// refuse returns why a token that was found may not be used, in a word and as the caller reads it, or nil.
func (t *TokenRecord) refuse(from netip.Addr, now time.Time) (reason string, err error) {
	from = plainAddr(from)
	allowed := func(p netip.Prefix) bool { return p.Contains(from) }
	switch {
	case len(t.AllowedIPs) > 0 && !slices.ContainsFunc(t.AllowedIPs, allowed):
		return otherAddress, fault.New(fault.Denied, "Source IP %s is not permitted to authenticate using this token.", from)
	case t.Expires != nil && !now.Before(*t.Expires):
		return expiredToken, errTokenExpired
	case !t.User.Active:
		return inactiveHolder, errUserInactive
	}
	return "", nil
}

// note records a use of the token. The caller is authenticated already, so a failure here does not refuse it.
func (a *Authenticator) note(ctx context.Context, t *TokenRecord, current []byte, now time.Time) {
	if t.LastUsed == nil || now.Sub(*t.LastUsed) >= TouchInterval {
		if err := a.Tokens.TouchToken(ctx, t.ID, now); err != nil {
			unrecorded(ctx, a.Log, "the use of a token was not recorded", err, "token", t.ID)
		}
	}
	if !hmac.Equal(t.Digest, current) {
		if err := a.Tokens.RehashToken(ctx, t.ID, current); err != nil {
			unrecorded(ctx, a.Log, "a token was not hashed again with the current key", err, "token", t.ID)
		}
	}
}

// unrecorded logs a failure that changes nothing for the caller. It is no warning if the caller went away before it was written.
func unrecorded(ctx context.Context, log *slog.Logger, message string, err error, attrs ...any) {
	level := slog.LevelWarn
	if errors.Is(err, context.Canceled) {
		level = slog.LevelInfo
	}
	log.Log(ctx, level, message, append(attrs, "error", err)...)
}
