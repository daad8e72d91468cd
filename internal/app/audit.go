package app

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"time"

	"terrier/internal/account"
	"terrier/internal/audit"
	"terrier/internal/ledger"
	"terrier/internal/store"
)

// openAudit starts to send the audit log to where the settings say.
func (a *App) openAudit() (*audit.Log, error) {
	target, err := audit.ParseTarget(a.cfg.AuditLog, os.Stderr)
	if err != nil {
		return nil, err
	}
	log := audit.NewLog(target, a.cfg.LogFormat, a.log)
	a.cleanups = append(a.cleanups, log.Close)
	return log, nil
}

// refusalTimeout bounds the record of a refused login, which is written even if the caller has hung up.
const refusalTimeout = 5 * time.Second

// refusals records refused logins in the audit log.
type refusals struct {
	accounts store.Accounts
	counted  *audit.Refused
	log      *audit.Log
	now      func() time.Time
}

var _ account.Refusals = refusals{}

// Failed implements account.Refusals.
func (r refusals) Failed(ctx context.Context, user *account.UserRecord, from netip.Addr) error {
	e := r.event(ctx, from)
	e.Name, e.Count = audit.LoginFailed, 1
	if user != nil { // a name that no user has may be a password that was typed into the wrong field
		e.UserName, e.Target, e.TargetName = user.Username, fmt.Sprintf("users.user/%d", user.ID), user.Username
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refusalTimeout)
	defer cancel()
	if err := r.accounts.AddEvent(ctx, e); err != nil {
		return err
	}
	r.log.Write(e)
	return nil
}

// Throttled implements account.Refusals.
func (r refusals) Throttled(ctx context.Context, username string, from netip.Addr, counted bool) error {
	e := r.event(ctx, from)
	e.Name, e.UserName = audit.LoginThrottled, username
	r.counted.Add(e)
	if !counted {
		return nil // the upkeep writes it
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refusalTimeout)
	defer cancel()
	return r.counted.Flush(ctx)
}

// Token records a refused token, which the upkeep writes.
func (r refusals) Token(ctx context.Context, token *account.TokenRecord, reason string, from netip.Addr) {
	e := r.event(ctx, from)
	e.Name, e.Detail = audit.TokenRefused, reason
	if token != nil {
		e.UserName, e.Target = token.User.Username, fmt.Sprintf("users.token/%d", token.ID)
		e.TargetName = fmt.Sprintf("%s (%s)", token.Hint, token.User.Username)
	}
	r.counted.Add(e)
}

func (r refusals) event(ctx context.Context, from netip.Addr) audit.Event {
	caller := ledger.CallerFrom(ctx)
	return audit.Event{At: r.now().UTC().Truncate(time.Microsecond), Address: from, RequestID: caller.RequestID, Way: caller.Way}
}

// flushRefused writes what is left of the login attempts that were refused, at the end of the program.
func (a *App) flushRefused() {
	ctx, cancel := context.WithTimeout(context.Background(), refusalTimeout)
	defer cancel()
	a.note(ctx, "refused logins", a.refused.Flush(ctx))
}
