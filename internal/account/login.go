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

// releaseTimeout bounds the release of a reservation, which goes on after the caller has hung up.
const releaseTimeout = 5 * time.Second

var errBadLogin = fault.New(fault.Denied, "Invalid username/password")

// Login checks names and passwords. Every field but Counted must be set.
type Login struct {
	Users     UserStore
	Throttle  ThrottleStore
	Addresses AddressStore
	Passwords *Passwords
	Keys      *Keyring
	Log       *slog.Logger
	Now       func() time.Time
	Counted   func(result string) // is told how each login ended, in a word for metrics; may be nil
}

// Check returns the user with this name and password. An unknown name, an inactive user and a wrong password get the
// same answer for the same work.
func (l *Login) Check(ctx context.Context, username, password string, from netip.Addr) (*UserRecord, error) {
	user, err := l.check(ctx, username, password, from)
	if l.Counted != nil {
		l.Counted(result(err))
	}
	return user, err
}

// Results lists how a login may end, as metrics name it.
func Results() []string { return []string{"success", "failed", "throttled", "error"} }

func result(err error) string {
	switch {
	case err == nil:
		return "success"
	case fault.KindOf(err) == fault.Denied:
		return "failed"
	case fault.KindOf(err) == fault.Throttled:
		return "throttled"
	}
	return "error"
}

func (l *Login) check(ctx context.Context, username, password string, from netip.Addr) (*UserRecord, error) {
	// A name or password that no user can have needs no hash and counts as no attempt: nothing is learned from it.
	if !plausible(username, password) {
		return nil, errBadLogin
	}
	// A login that can't be hashed soon is refused before it costs the database anything.
	leave, err := l.Passwords.Enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	a, err := l.admit(ctx, username, from)
	if err != nil {
		return nil, err
	}
	user, err := l.verify(ctx, username, password)
	switch {
	case err != nil: // no password was checked
		l.release(ctx, a)
		return nil, err
	case user != nil && a.admitted: // only failures count
		l.release(ctx, a)
		l.note(ctx, user, from, a.at)
		return user, nil
	case a.wait > 0:
		return nil, throttled(a.wait)
	}
	return nil, errBadLogin
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

// plausible reports whether a user could have this name and password. PostgreSQL accepts neither broken UTF-8 nor a
// zero byte.
func plausible(username, password string) bool {
	return username != "" &&
		utf8.ValidString(username) &&
		utf8.RuneCountInString(username) <= MaxUsername &&
		!strings.Contains(username, "\x00") &&
		password != "" && len(password) <= maxPassword
}
