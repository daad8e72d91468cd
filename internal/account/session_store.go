package account

import (
	"context"
	"time"
)

// SessionStore keeps sessions by the hash of their token; it never gets the token itself. The first three methods are
// those of scs.CtxStore.
type SessionStore interface {
	// FindCtx returns the data of a session that has not expired.
	FindCtx(ctx context.Context, token string) (data []byte, found bool, err error)

	// CommitCtx writes a session, new or not.
	CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error

	// RefreshCtx writes a session only if it still exists. With CommitCtx, a request under way during a logout would
	// bring the session back.
	RefreshCtx(ctx context.Context, token string, data []byte, expiry time.Time) error

	// DeleteCtx removes a session; it is no error if there is none.
	DeleteCtx(ctx context.Context, token string) error
}

// scsStore adapts a SessionStore to scs, which has no refresh and also wants the methods without a context, although
// it never calls them.
type scsStore struct{ SessionStore }

type refreshKey struct{}

// refreshing marks a commit that must not create a session.
func refreshing(ctx context.Context) context.Context {
	return context.WithValue(ctx, refreshKey{}, true)
}

func (s scsStore) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	if ctx.Value(refreshKey{}) != nil {
		return s.RefreshCtx(ctx, token, data, expiry)
	}
	return s.SessionStore.CommitCtx(ctx, token, data, expiry)
}

func (s scsStore) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

func (s scsStore) Commit(token string, data []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expiry)
}

func (s scsStore) Delete(token string) error {
	return s.DeleteCtx(context.Background(), token)
}
