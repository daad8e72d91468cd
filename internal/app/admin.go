package app

import (
	"context"
	"fmt"
	"os/user"
	"time"

	"github.com/google/uuid"

	"terrier/internal/access"
	"terrier/internal/audit"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// operator returns the caller of the command line: whoever can start the program with the database's address may do
// everything. The change log shows which account it was.
func operator() ledger.Caller {
	name := "command line"
	if u, err := user.Current(); err == nil {
		name += " (" + u.Username + ")"
	}
	return ledger.Caller{Subject: &access.Subject{Username: name, Superuser: true}, RequestID: uuid.NewString(), Way: "command line"}
}

// NewUser is an account to make.
type NewUser struct {
	Username, Email, Password string
	Superuser                 bool
}

// CreateUser makes an account and returns its id.
func (a *App) CreateUser(ctx context.Context, u NewUser) (int64, error) {
	rows, err := a.Ledger.Create(ctx, operator(), a.Registry.Type("users.user"), []ledger.Input{{
		"username": u.Username, "email": u.Email, "password": u.Password, "is_superuser": u.Superuser}})
	if err != nil {
		return 0, err
	}
	return rows[0].ID(), nil
}

// SetPassword gives an account a new password, which ends its sessions.
func (a *App) SetPassword(ctx context.Context, username, password string) error {
	return a.changeUser(ctx, username, ledger.Input{"password": password})
}

// DeactivateUser locks an account: its sessions end and its tokens stop working.
func (a *App) DeactivateUser(ctx context.Context, username string) error {
	return a.changeUser(ctx, username, ledger.Input{"is_active": false})
}

// UnlockUser forgets the failed logins of an account, so that its password is checked again.
func (a *App) UnlockUser(ctx context.Context, username string) error {
	u, err := a.user(ctx, username)
	if err != nil {
		return err
	}
	e := a.Ledger.Event(operator(), audit.LoginUnlocked, u)
	if err := (store.Accounts{Store: a.Store}).Forget(ctx, a.API.Login.Counters(u.Text("username")), e); err != nil {
		return err
	}
	a.Ledger.Audit.Write(e)
	return nil
}

func (a *App) changeUser(ctx context.Context, username string, in ledger.Input) error {
	u, err := a.user(ctx, username)
	if err != nil {
		return err
	}
	_, err = a.Ledger.Update(ctx, operator(), u.Type(), []ledger.Edit{{ID: u.ID(), Input: in}})
	return err
}

func (a *App) user(ctx context.Context, username string) (record.Values, error) {
	rows, err := a.all(ctx, "users.user", "username", username)
	if err != nil {
		return record.Values{}, err
	}
	if len(rows) == 0 {
		return record.Values{}, fault.New(fault.NotFound, "there is no user %q; `terrier user list` lists them", username)
	}
	return rows[0], nil
}

// all reads every record of a type that passes a filter.
func (a *App) all(ctx context.Context, key, filter, value string) (rows []record.Values, err error) {
	t := a.Registry.Type(key)
	var q store.Query
	if filter != "" {
		p, _, err := t.ParseFilter(filter, []string{value})
		if err != nil {
			return nil, err
		}
		q.Where = append(q.Where, p)
	}
	for page, err := range a.Ledger.Pages(ctx, operator(), t, q) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, page.Rows...)
	}
	return rows, nil
}

// UserInfo is what `terrier user list` shows.
type UserInfo struct {
	ID        int64  `json:"id"`
	Username  string `json:"username"`
	Email     string `json:"email"`
	Active    bool   `json:"is_active"`
	Superuser bool   `json:"is_superuser"`
}

// Users lists all accounts.
func (a *App) Users(ctx context.Context) ([]UserInfo, error) {
	rows, err := a.all(ctx, "users.user", "", "")
	users := make([]UserInfo, len(rows))
	for i, v := range rows {
		users[i] = UserInfo{ID: v.ID(), Username: v.Text("username"), Email: v.Text("email"), Active: v.Bool("is_active"),
			Superuser: v.Bool("is_superuser")}
	}
	return users, err
}

// NewToken is a token to make.
type NewToken struct {
	Username, Description string
	Expires               time.Duration // 0 for never
	ReadOnly              bool
}

// TokenInfo is what is shown of a token. Key is set only for a new token.
type TokenInfo struct {
	ID           int64      `json:"id"`
	Display      string     `json:"display"`
	Key          string     `json:"-"`
	Description  string     `json:"description"`
	Expires      *time.Time `json:"expires"`
	LastUsed     *time.Time `json:"last_used"`
	WriteEnabled bool       `json:"write_enabled"`
}

// CreateToken makes a token for an account.
func (a *App) CreateToken(ctx context.Context, n NewToken) (TokenInfo, error) {
	u, err := a.user(ctx, n.Username)
	if err != nil {
		return TokenInfo{}, err
	}
	in := ledger.Input{"user": fmt.Sprint(u.ID()), "description": n.Description, "write_enabled": !n.ReadOnly}
	if n.Expires > 0 {
		in["expires"] = a.now().Add(n.Expires).UTC().Format(time.RFC3339Nano)
	}
	rows, err := a.Ledger.Create(ctx, operator(), a.Registry.Type("users.token"), []ledger.Input{in})
	if err != nil {
		return TokenInfo{}, err
	}
	return tokenInfo(rows[0]), nil
}

// Tokens lists the tokens of an account.
func (a *App) Tokens(ctx context.Context, username string) ([]TokenInfo, error) {
	u, err := a.user(ctx, username)
	if err != nil {
		return nil, err
	}
	rows, err := a.all(ctx, "users.token", "user_id", fmt.Sprint(u.ID()))
	tokens := make([]TokenInfo, len(rows))
	for i, v := range rows {
		tokens[i] = tokenInfo(v)
	}
	return tokens, err
}

// RevokeToken deletes a token: every process refuses it from now on.
func (a *App) RevokeToken(ctx context.Context, id int64) error {
	return a.Ledger.Delete(ctx, operator(), a.Registry.Type("users.token"), []ledger.Edit{{ID: id}})
}

func tokenInfo(v record.Values) TokenInfo {
	t := TokenInfo{ID: v.ID(), Display: v.Display(), Description: v.Text("description"), WriteEnabled: v.Bool("write_enabled"),
		Expires: moment(v.Get("expires")), LastUsed: moment(v.Get("last_used"))}
	if key, ok := v.Get("key").(record.Plain); ok {
		t.Key = string(key)
	}
	return t
}

func moment(v any) *time.Time {
	if t, ok := v.(time.Time); ok {
		return &t
	}
	return nil
}
