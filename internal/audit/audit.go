// Package audit owns what the audit log says of an act, and where it is sent besides the database: to standard error, to a file or to
// syslog. It also counts the logins and tokens that are refused, so that a flood of them does not become a flood of writes.
//
// The acts themselves are recorded by those who carry them out, in the transaction of the act: the ledger from what a type declares as
// Audited, webhookadmin for its actions. Package store has the table extras_auditevent.
package audit

import (
	"net/netip"
	"strings"
	"time"
)

// Event is one entry of the audit log. No part of it is a secret.
type Event struct {
	At         time.Time
	Name       string // one of the names below, or what a type declares as Audited
	UserName   string // "" for a name that no user has
	Address    netip.Addr
	RequestID  string
	Way        string // "page", "API, token 12", "command line"
	Target     string // "users.token/12"
	TargetName string
	Detail     string // what was done, in our words
	Count      int64
}

// maxDetail is how many characters of a detail are kept.
const maxDetail = 300

// Details returns parts as a detail.
func Details(parts ...string) string {
	text := []rune(strings.Join(parts, ", "))
	if len(text) > maxDetail {
		return string(text[:maxDetail-1]) + "…"
	}
	return string(text)
}

// The names of events that are not declared by a type.
const (
	Login               = "login"
	LoginFailed         = "login_failed"
	LoginThrottled      = "login_throttled"
	Logout              = "logout"
	WebhookPaused       = "webhook_paused"
	WebhookResumed      = "webhook_resumed"
	WebhookReplayed     = "webhook_replayed"
	DeliveryRetried     = "delivery_retried"
	DeliveryRedelivered = "delivery_redelivered"
	WebhookTested       = "webhook_tested"
	LoginUnlocked       = "login_unlocked"
	TokenRefused        = "token_refused"
	KeysResealed        = "keys_resealed"
	Exported            = "exported"
	SettingsChanged     = "settings_changed"
	AuditRemoved        = "audit_removed"
	AuditAltered        = "audit_altered"
)

// From returns the address as it is recorded, "" for none.
func (e Event) From() string {
	if !e.Address.IsValid() {
		return ""
	}
	return e.Address.Unmap().WithZone("").String()
}
