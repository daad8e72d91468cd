package account

import (
	"cmp"
	"context"
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
	Refusals  Refusals
	Keys      *Keyring
	Log       *slog.Logger
	Now       func() time.Time
	Counted   func(result string) // gets the result of each login, for metrics; may be nil
}

// Refusals records refused logins in the audit log.
type Refusals interface {
	// Failed records a wrong name or password. The user is nil where no user has the name.
	Failed(ctx context.Context, user *UserRecord, from netip.Addr) error

	// Throttled records an attempt that the limits refuse. A counted one was counted as an attempt of its address: there are not many. Of
	// the others there may be any number, and they must cost next to nothing.
	Throttled(ctx context.Context, username string, from netip.Addr, counted bool) error
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
	leave, err := l.Passwords.Enter(from)
	if err != nil {
		return nil, err
	}
	defer leave()
	a, err := l.admit(ctx, username, from)
	if err != nil {
		return nil, err
	}
	user, right, err := l.verify(ctx, username, password, from)
	switch {
	case err != nil: // no password was checked
		l.release(ctx, a)
		return nil, err
	case right && a.admitted: // only failures count
		l.release(ctx, a)
		l.note(ctx, user, from, a.at)
		return user, nil
	case a.wait > 0:
		return nil, cmp.Or(l.Refusals.Throttled(ctx, username, from, true), throttled(a.wait))
	}
	return nil, cmp.Or(l.Refusals.Failed(ctx, user, from), error(errBadLogin))
}

// verify returns the user with the name, nil if there is none, and whether they are active and the password is theirs.
func (l *Login) verify(ctx context.Context, username, password string, from netip.Addr) (user *UserRecord, right bool, err error) {
	user, err = l.Users.LoadUserByName(ctx, username)
	if err != nil {
		return nil, false, err
	}
	if user == nil || user.PasswordHash == "" {
		return user, false, l.Passwords.VerifyDummy(ctx, from, password)
	}
	same, err := l.Passwords.Verify(ctx, from, password, user.PasswordHash)
	return user, same && user.Active, err
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
