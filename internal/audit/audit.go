// Package audit owns what the audit log says of an act, and where it is sent besides the database: to standard error, to a file or to
// syslog. It also counts the login attempts that are refused, so that a flood of them does not become a flood of writes.
//
// The acts themselves are recorded by those who carry them out, in the transaction of the act: the ledger from what a type declares as
// Audited, webhookadmin for its actions. Package store has the table extras_auditevent.
package audit

import (
	"net/netip"
	"time"
)

// Event is one entry of the audit log. No part of it is a secret.
type Event struct {
	At         time.Time
	Name       string // one of the names below, or what a type declares as Audited
	UserName   string // "" for a name that no user has
	Address    netip.Addr
	RequestID  string
	Target     string // "users.token/12"
	TargetName string
	Count      int64
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
)

// From returns the address as it is recorded, "" for none.
func (e Event) From() string {
	if !e.Address.IsValid() {
		return ""
	}
	return e.Address.Unmap().WithZone("").String()
}
