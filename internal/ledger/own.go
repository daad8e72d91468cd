package ledger

import (
	"context"
	"encoding/json"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
)

// Self returns the caller's own account, which needs no permission.
func (l *Ledger) Self(ctx context.Context, c Caller) (record.Values, error) {
	if c.Anonymous() {
		return record.Values{}, fault.ErrNoCreds
	}
	return l.Store.Get(ctx, l.userType(), l.Policy.Themselves(c.Subject), c.UserID)
}

// SetOwnPassword changes the caller's password, which ends their sessions. It returns the epoch for a new session. It needs no
// permission: the calling code must have checked the old password.
func (l *Ledger) SetOwnPassword(ctx context.Context, c Caller, password string) (epoch int64, err error) {
	if c.Anonymous() {
		return 0, fault.ErrNoCreds
	}
	themselves := *c.Subject
	themselves.Grants = []access.Grant{{Types: []string{userType}, Actions: []string{access.Change},
		Constraints: json.RawMessage(`{"id": "$user"}`)}}
	c.Subject = &themselves
	rows, err := l.Update(ctx, c, l.userType(), []Edit{{ID: c.UserID, Input: Input{"password": password}}})
	if err != nil {
		return 0, err
	}
	return rows[0].Int("epoch"), nil
}

func (l *Ledger) userType() *record.Type { return l.Store.Type(userType) }
