// Package access owns the decision who may do what.
//
// It is pure: the store loads a Subject with its grants, access turns it into a Scope, and the store compiles the
// Scope into every statement that reads a record. Only this package can make a Scope, and the zero Scope sees
// nothing, so code that forgets to ask sees nothing.
package access

import (
	"encoding/json"
	"net/netip"
	"slices"
	"time"

	"terrier/internal/record"
)

// The actions that the program asks for. A permission may name others.
const (
	View   = "view"
	Add    = "add"
	Change = "change"
	Delete = "delete"
	Grants = "grant" // make records that belong to somebody else
)

// Subject is the caller: a user through a token or a session, or nobody.
type Subject struct {
	UserID      int64 // 0 for an anonymous caller
	Username    string
	Superuser   bool
	ReadOnly    bool  // the token may not write
	TokenID     int64 // 0 unless a token was used
	Limits      Limits
	ManageToken bool // the user may manage their own tokens
	Grants      []Grant
	Address     netip.Addr // of an anonymous caller
	Generation  int64      // of the accounts, when the caller was looked up; 0 for an anonymous one
}

// Limits are those of the token that a caller uses. The zero Limits are no limits.
type Limits struct {
	Expires  *time.Time     // nil: never
	Networks []netip.Prefix // none: usable from everywhere
	ReadOnly bool
}

// Asker identifies the callers among whom something is shared: users, and addresses of requests without a login.
type Asker struct {
	User    int64
	Address netip.Prefix
}

// ownNetwork is the part of an IPv6 address that one customer has.
const ownNetwork = 64

// Asker returns whom to count the subject as where callers share something.
func (s *Subject) Asker() Asker {
	if s.UserID != 0 || !s.Address.IsValid() {
		return Asker{User: s.UserID}
	}
	bits := s.Address.BitLen()
	if s.Address.Is6() {
		bits = ownNetwork
	}
	network, _ := s.Address.Prefix(bits) // fails on impossible lengths only
	return Asker{Address: network}
}

// Anonymous reports whether nobody is logged in.
func (s *Subject) Anonymous() bool { return s.UserID == 0 }

// Granted reports whether a permission gives the subject an action with records of a type, besides what everybody
// has.
func (s *Subject) Granted(t *record.Type, action string) bool {
	return s.Superuser || slices.ContainsFunc(s.Grants, func(g Grant) bool {
		return slices.Contains(g.Types, t.Key()) && slices.Contains(g.Actions, action)
	})
}

// Grant is one enabled permission that applies to the subject.
type Grant struct {
	Types       []string        `json:"t"` // "dcim.site"
	Actions     []string        `json:"a"`
	Constraints json.RawMessage `json:"c"` // null, an object, or a list of objects
}
