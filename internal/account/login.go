package account

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"time"
	"unicode/utf8"

	"terrier/internal/fault"
)

// MaxUsername is the greatest number of characters in a user's name.
const MaxUsername = 150

// releaseTimeout bounds giving back a reservation, which outlives a caller that hung up.
const releaseTimeout = 5 * time.Second

var errBadLogin = fault.New(fault.Denied, "Invalid username/password")

// Login checks names and passwords. Every field must be set.
type Login struct {
	Users     UserStore
	Throttle  ThrottleStore
	Passwords *Passwords
	Keys      *Keyring
	Log       *slog.Logger
	Now       func() time.Time
}

// Check returns the user that has this name and password. An unknown name, an inactive user
// and a wrong password get the same answer for the same work.
func (l *Login) Check(ctx context.Context, username, password string, from netip.Addr) (*UserRecord, error) {
	// What no user can have needs no hash and no attempt: nothing is learnt from it.
	if !plausible(username, password) {
		return nil, errBadLogin
	}
	// A login that can't be hashed soon is refused before it costs the database anything.
	leave, err := l.Passwords.Enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	// The attempt is counted before the password is looked at. Counting failures afterwards
	// would let any number of attempts pass while the first ones are still being hashed.
	now := l.Now()
	keys := throttleKeys(l.Keys, username, from)
	wait, err := l.Throttle.Reserve(ctx, keys, now)
	if err != nil {
		return nil, fmt.Errorf("reserve a login attempt: %w", err)
	}
	if wait > 0 {
		return nil, throttled(wait)
	}
	user, err := l.verify(ctx, username, password)
	// Only a wrong answer counts. After an error no password was judged.
	if user != nil || err != nil {
		l.release(ctx, keys, now)
	}
	if err != nil {
		return nil, err
	}
	if user == nil {
		return nil, errBadLogin
	}
	return user, nil
}

// verify returns nil, nil when the name and the password do not belong to an active user.
func (l *Login) verify(ctx context.Context, username, password string) (*UserRecord, error) {
	user, err := l.Users.LoadUserByName(ctx, username)
	if err != nil {
		return nil, fmt.Errorf("load a user to log in: %w", err)
	}
	if user == nil || user.PasswordHash == "" {
		return nil, l.Passwords.VerifyDummy(ctx, password)
	}
	same, err := l.Passwords.Verify(ctx, password, user.PasswordHash)
	if err != nil || !same || !user.Active {
		return nil, err
	}
	return user, nil
}

func (l *Login) release(ctx context.Context, keys []ThrottleKey, reservedAt time.Time) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	if err := l.Throttle.Release(ctx, keys, reservedAt); err != nil {
		l.Log.WarnContext(ctx, "give back a login attempt", "error", err)
	}
}

// plausible tells whether a user could have this name and password at all. PostgreSQL takes
// neither broken UTF-8 nor a zero byte.
func plausible(username, password string) bool {
	return username != "" &&
		utf8.ValidString(username) &&
		utf8.RuneCountInString(username) <= MaxUsername &&
		!strings.Contains(username, "\x00") &&
		password != "" && len(password) <= maxPassword
}
