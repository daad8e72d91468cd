// Package app builds Terrier from its parts.
package app

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

var errNotBuilt = errors.New("not built yet")

// App is a Terrier that is ready to serve.
type App struct{}

// New builds an App.
func New(context.Context, Config, *slog.Logger) (*App, error) { return nil, errNotBuilt }

// Migrate brings the database to the newest schema.
func Migrate(context.Context, Config, *slog.Logger) error { return errNotBuilt }

// Serve blocks until the context is done.
func (*App) Serve(context.Context) error { return errNotBuilt }

// Close gives back what New took.
func (*App) Close() {}

// NewUser is a user to be created.
type NewUser struct {
	Username, Email, Password string
	Superuser                 bool
}

// UserInfo is what an administrator sees of a user.
type UserInfo struct {
	ID                int64
	Username, Email   string
	Active, Superuser bool
}

// NewToken is a token to be created.
type NewToken struct {
	Username, Description string
	Expires               time.Duration
	ReadOnly              bool
}

// TokenInfo is what an administrator sees of a token. Key is set only in the answer that creates it.
type TokenInfo struct {
	ID                        int64
	Display, Key, Description string
	Expires, LastUsed         *time.Time
	WriteEnabled              bool
}

// CreateUser creates a user.
func (*App) CreateUser(context.Context, NewUser) (int64, error) { return 0, errNotBuilt }

// SetPassword changes a user's password.
func (*App) SetPassword(context.Context, string, string) error { return errNotBuilt }

// DeactivateUser locks a user out.
func (*App) DeactivateUser(context.Context, string) error { return errNotBuilt }

// Users lists the users.
func (*App) Users(context.Context) ([]UserInfo, error) { return nil, errNotBuilt }

// CreateToken creates a token.
func (*App) CreateToken(context.Context, NewToken) (TokenInfo, error) {
	return TokenInfo{}, errNotBuilt
}

// Tokens lists a user's tokens.
func (*App) Tokens(context.Context, string) ([]TokenInfo, error) { return nil, errNotBuilt }

// RevokeToken deletes a token.
func (*App) RevokeToken(context.Context, int64) error { return errNotBuilt }
