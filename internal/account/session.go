package account

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"
)

const (
	sessionLifetime = 14 * time.Hour // a working day, however busy
	sessionIdle     = 2 * time.Hour

	cookieSecure = "__Host-terrier_session"
	cookiePlain  = "terrier_session"

	// maxCookie is far above the length of a session token; longer values are not looked up.
	maxCookie = 128

	keyUser  = "user"
	keyEpoch = "epoch"
	keySeen  = "seen"
)

// Sessions starts, finds and ends sessions. The browser has a random token, the store only its hash.
type Sessions struct {
	Now func() time.Time

	log     *slog.Logger
	manager *scs.SessionManager
	secure  bool
}

// NewSessions keeps sessions in store. Secure says that the service is reached by https; without it anyone on the
// network path can take the cookie.
func NewSessions(store SessionStore, secure bool, log *slog.Logger) *Sessions {
	return &Sessions{
		Now: time.Now,
		log: log,
		// Not scs.New: that starts a goroutine for a memory store we do not use. The idle
		// timeout is ours too, because scs would write the session on every request.
		manager: &scs.SessionManager{
			Store:            scsStore{store},
			Codec:            scs.GobCodec{},
			Lifetime:         sessionLifetime,
			HashTokenInStore: true,
		},
		secure: secure,
	}
}

// CookieName is the name of the session cookie. Browsers accept the __Host- prefix only on
// a Secure cookie of this very host.
func (s *Sessions) CookieName() string {
	if s.secure {
		return cookieSecure
	}
	return cookiePlain
}

// Start begins a session and returns its cookie. The token is always new, so that one planted before the login is
// worthless. The caller ends the old session, if any.
func (s *Sessions) Start(ctx context.Context, userID, epoch int64) (*http.Cookie, error) {
	ctx, err := s.manager.Load(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("start a session: %w", err)
	}
	now := s.Now()
	s.manager.Put(ctx, keyUser, userID)
	s.manager.Put(ctx, keyEpoch, epoch)
	s.manager.Put(ctx, keySeen, now.Unix())
	s.manager.SetDeadline(ctx, now.Add(sessionLifetime).UTC())
	token, _, err := s.manager.Commit(ctx)
	if err != nil {
		return nil, fmt.Errorf("start a session: %w", err)
	}
	return s.cookie(token, int(sessionLifetime/time.Second)), nil
}

// Find returns the user of a cookie's session and the epoch in which it began.
func (s *Sessions) Find(ctx context.Context, cookieValue string) (userID, epoch int64, ok bool, err error) {
	ctx, ok, err = s.load(ctx, cookieValue)
	if err != nil || !ok {
		return 0, 0, false, err
	}
	now, seen := s.Now(), time.Unix(s.manager.GetInt64(ctx, keySeen), 0)
	if !now.Before(s.manager.Deadline(ctx)) || now.Sub(seen) >= sessionIdle {
		return 0, 0, false, nil
	}
	if now.Sub(seen) >= TouchInterval {
		s.refresh(ctx, now)
	}
	userID, epoch = s.manager.GetInt64(ctx, keyUser), s.manager.GetInt64(ctx, keyEpoch)
	return userID, epoch, userID != 0, nil
}

// End ends the session of a cookie, if there is one. It returns a cookie that makes the browser forget it, and the user whose session
// it was, 0 if there was none.
func (s *Sessions) End(ctx context.Context, cookieValue string) (forget *http.Cookie, userID int64, err error) {
	ctx, ok, err := s.load(ctx, cookieValue)
	if err != nil {
		return nil, 0, err
	}
	if ok {
		userID = s.manager.GetInt64(ctx, keyUser)
		if err := s.manager.Destroy(ctx); err != nil {
			return nil, 0, err
		}
	}
	return s.cookie("", -1), userID, nil
}

// load finds a stored session; ok is false when there is none.
func (s *Sessions) load(ctx context.Context, cookieValue string) (loaded context.Context, ok bool, err error) {
	if cookieValue == "" || len(cookieValue) > maxCookie {
		return ctx, false, nil
	}
	loaded, err = s.manager.Load(ctx, cookieValue)
	if err != nil {
		return ctx, false, err
	}
	// For an unknown token scs makes an empty session without a token.
	return loaded, s.manager.Token(loaded) != "", nil
}

// refresh records that a session is in use. The caller is authenticated already, so a failure is only logged.
func (s *Sessions) refresh(ctx context.Context, now time.Time) {
	s.manager.Put(ctx, keySeen, now.Unix())
	if _, _, err := s.manager.Commit(refreshing(ctx)); err != nil {
		unrecorded(ctx, s.log, "the use of a session was not recorded", err)
	}
}

func (s *Sessions) cookie(value string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name:     s.CookieName(),
		Value:    value,
		Path:     "/",
		MaxAge:   maxAge,
		HttpOnly: true,
		Secure:   s.secure,
		SameSite: http.SameSiteLaxMode,
	}
}
