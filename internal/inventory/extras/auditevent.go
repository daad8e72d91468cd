package extras

import "terrier/internal/record"

// AuditEvent is one entry of the audit log: a login, or an act that concerns the security of Terrier. It is written with the act itself,
// in the same transaction where there is one, and it never has a secret.
var AuditEvent = record.Type{
	App: "extras", Name: "auditevent", Plural: "audit-events", Label: "audit event", Sensitive: true, ReadOnly: true, Section: "Logging",
	Doc: "A login, or an action that affects security: who did it, when, from where, and to what.",
	Fields: record.Fields{
		record.Time{Name: "time", ReadOnly: true, StoredAs: "happened_at",
			Help: "When it happened. Login attempts that were refused without a check have the beginning of their hour."},
		record.Choice{Name: "event", ReadOnly: true, Of: record.Choices{
			{Value: "login", Label: "Logged in"},
			{Value: "login_failed", Label: "Login failed"},
			{Value: "login_throttled", Label: "Login throttled"},
			{Value: "logout", Label: "Logged out"},
			{Value: "token_created", Label: "Token created"},
			{Value: "token_deleted", Label: "Token deleted"},
			{Value: "permission_changed", Label: "Permission changed"},
			{Value: "webhook_paused", Label: "Webhook paused"},
			{Value: "webhook_resumed", Label: "Webhook resumed"},
			{Value: "delivery_retried", Label: "Delivery retried"},
			{Value: "delivery_redelivered", Label: "Delivery sent again"},
			{Value: "webhook_replayed", Label: "Webhook replayed"},
			{Value: "secret_rotated", Label: "Secret rotated"},
		}},
		record.Text{Name: "user_name", ReadOnly: true, Help: "Who did it. Empty if no user has the name that was typed."},
		record.Text{Name: "address", ReadOnly: true, Help: "Where the request came from. Empty for commands on the server."},
		record.UUID{Name: "request_id"},
		record.Text{Name: "target", ReadOnly: true, Help: "The record that was affected, such as users.token/12."},
		record.Text{Name: "target_name", ReadOnly: true, Help: "Its name at that time."},
		record.Int{Name: "times", ReadOnly: true, Help: "The number of refused login attempts or queued deliveries. Otherwise 1."},
	},
	Brief:   []string{"event"},
	Order:   []string{"-time"},
	Columns: []string{"time", "event", "user_name", "address", "target", "target_name", "times"},
	Filters: []record.Filter{
		{Name: "time_after", Field: "time", Lookup: record.AtLeast},
		{Name: "time_before", Field: "time", Lookup: record.AtMost},
	},
	Display: func(r record.Reader) string { return r.Text("event") },
}
