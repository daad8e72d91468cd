package extras

import (
	"strings"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// Webhook says who is notified of which changes, and how. What its templates, headers,
// conditions and addresses may hold, the packages know that use them; the ledger asks them
// when one is saved.
var Webhook = record.Type{
	App: "extras", Name: "webhook", Plural: "webhooks", Sensitive: true, Section: "Logging",
	Doc: "A rule that sends changes to a receiver by HTTP. Its templates run on the server: let only trusted people write webhooks.",
	Fields: record.Fields{
		record.ObjectTypes{Name: "content_types", Label: "Object types", Help: "The record types whose changes trigger the webhook.",
			Only: (*record.Type).Notifies, OnlyHelp: "Webhooks are not notified of changes to %s."},
		record.Text{Name: "name", Max: 150, Required: true, Sort: record.Natural, Unique: true, Help: "Shown on pages, and never sent."},
		record.Bool{Name: "type_create", Label: "Create", Help: "Notify when a record is created."},
		record.Bool{Name: "type_update", Label: "Update", Help: "Notify when a record is updated."},
		record.Bool{Name: "type_delete", Label: "Delete", Help: "Notify when a record is deleted."},
		record.Text{Name: "payload_url", Label: "URL", Max: 500, Required: true,
			Help: "Where the request goes: an absolute http or https address."},
		record.Bool{Name: "enabled", Default: true,
			Help: "A disabled webhook is not notified of new changes. Its queued deliveries stay queued."},
		record.Choice{Name: "http_method", Label: "HTTP method", Of: httpMethods, Default: "POST"},
		record.Text{Name: "http_content_type", Label: "HTTP content type", Max: 100, Default: "application/json"},
		record.Secret{Name: "additional_headers", Seal: record.Encrypted, Shown: true, Max: 16384,
			Help: "One header per line, as Name: Value. The value may be a template. Kept encrypted, and shown only to those who may " +
				"change the webhook."},
		record.Text{Name: "body_template", Max: 65536, AsWritten: true,
			Help: "A Jinja2 template of the body. If it is blank, the whole change is sent as JSON."},
		record.Secret{Name: "secret", Seal: record.Encrypted, Max: 1000,
			Help: "Signs each request: X-Hook-Signature. Kept encrypted, and never shown."},
		record.Secret{Name: "previous_secret", Seal: record.Encrypted, Max: 1000,
			Help: "The old secret. Requests are signed with it too. Empty it when the receiver knows the new one."},
		record.JSON{Name: "conditions", Help: "Notify only of changes that meet these conditions."},
		record.Bool{Name: "ssl_verification", Label: "SSL verification", Default: true,
			Help: "If it is off, the receiver's certificate is not checked, and anybody in between can read what is sent."},
		record.Text{Name: "ca_file_path", Label: "CA file path", Max: 4096, Null: true,
			Help: "The authority of the receiver's certificate: a file below /etc/ssl/certs or /etc/terrier/ca, or TERRIER_WEBHOOK_CA_DIR."},
		record.Text{Name: "client_certificate", Max: 32768,
			Help: "For receivers that require a client certificate (mTLS). In PEM: the certificate, then those of its issuers."},
		record.Secret{Name: "client_key", Seal: record.Encrypted, Max: 16384, Lines: true,
			Help: "The private key of the client certificate, in PEM and without a passphrase. Kept encrypted, and never shown."},
		record.Bool{Name: "standard_headers", Label: "Standard Webhooks headers", Help: "Also send the headers of standardwebhooks.com."},
		record.Int{Name: "max_retries", Label: "Automatic retries", Min: limit(0), Max: limit(20),
			Help: "How often a failed delivery is retried automatically, at growing intervals: after 10 s, 20 s, 40 s … 10 retries take " +
				"up to 3 h."},
		record.Int{Name: "concurrency", Min: limit(1), Max: limit(200), Default: 10,
			Help: "Requests at the same time, for each worker process."},
		record.Int{Name: "rate_limit", Min: limit(1), Max: limit(1000), Null: true,
			Help: "Maximum number of requests per second, of all worker processes together. Blank: no limit."},
		record.Bool{Name: "hold_on_failure", Label: "Hold while the receiver is away",
			Help: "Recommended. After five attempts in a row with no answer, 429 or 5XX, deliveries stay queued, and one at a time probes the " +
				"receiver. When it is back, all are sent, oldest first. If it is off, such deliveries fail."},
		record.HasValue{Name: "has_secret", Of: "secret", Help: "Requests are signed. The secret itself is never shown."},
		record.Noted{Name: "paused_at", Table: "extras_webhook_pause", By: "webhook_id"},
		record.Noted{Name: "failing_since", Table: "extras_webhook_state", By: "webhook_id"},
		record.Noted{Name: "held_since", Table: "extras_webhook_state", By: "webhook_id"},
	},
	Columns: []string{"content_types", "payload_url"},
	Groups: []record.Group{
		{Name: "Webhook", Fields: []string{"name", "content_types", "enabled"}},
		{Name: "Events", Fields: []string{"type_create", "type_update", "type_delete"}},
		{Name: "HTTP request", Fields: []string{"payload_url", "http_method", "http_content_type", "additional_headers", "body_template",
			"secret", "previous_secret", "standard_headers", "hold_on_failure", "max_retries", "concurrency", "rate_limit"}},
		{Name: "Conditions", Fields: []string{"conditions"}},
		{Name: "SSL", Fields: []string{"ssl_verification", "ca_file_path", "client_certificate", "client_key"}},
	},
	Advanced: []string{"http_content_type", "previous_secret", "standard_headers", "concurrency", "rate_limit",
		"ssl_verification", "ca_file_path", "client_certificate", "client_key"},
	Brief:  []string{"name"},
	Order:  []string{"name"},
	Search: []string{"name", "payload_url"},
	Filters: []record.Filter{
		{Name: "content_type_id", Field: "content_types", TypeIDs: true},
		// There are no jobs of people, so no webhook is notified of them.
		{Name: "type_job_start", Is: "false"},
		{Name: "type_job_end", Is: "false"},
	},
	Actions: []record.Action{
		{Name: "pause", Method: "POST", Needs: "change", Doc: "Stop sending to a webhook; its deliveries stay queued"},
		{Name: "resume", Method: "POST", Needs: "change", Doc: "Resume a paused webhook"},
		{Name: "test", Method: "POST", Queued: true, Needs: "change", AnswersWith: "extras.delivery", Label: "Send a test",
			Doc: "Send a sample to a webhook, by default the newest change to one of its types; the response is the delivery",
			Body: record.Fields{
				record.Int{Name: "change", Null: true, Help: "A past change to send, by id."},
				record.Text{Name: "object_type", Max: 100, Help: "The type of a record to send as if it were updated now."},
				record.Int{Name: "object_id", Null: true, Help: "The id of that record."},
			}},
		{Name: "replay", Method: "POST", PagesOnly: true, Needs: "change", Doc: "Send past changes to a webhook",
			Body: record.Fields{
				record.FilterSet{Name: "filter", Help: "The filters of the change log, by name."},
				record.Bool{Name: "dry_run", Help: "Only count."},
			}},
		{Name: "rotate", Method: "POST", PagesOnly: true, Needs: "change", Label: "Rotate secret",
			Doc:  "Give a webhook a new secret and sign with both for a while",
			Body: record.Fields{record.Secret{Name: "secret", Seal: record.Encrypted, Max: 1000, Help: "The new secret."}}},
		{Name: "rotate/end", Method: "POST", PagesOnly: true, Needs: "change", Label: "The receiver knows the new one",
			Doc: "Stop signing with the old secret of a webhook"},
	},
	Special: record.Special{Audited: webhookEvents},
	Check: func(_, v record.Values) fault.Fields {
		errs := fault.Fields{}
		if !v.Bool("type_create") && !v.Bool("type_update") && !v.Bool("type_delete") {
			errs.Add("type_create", "Select at least one event: type_create, type_update or type_delete.")
		}
		return errs
	},
}

// webhookEvents returns the events of a change to a webhook.
func webhookEvents(before, after record.Values) (events []record.Audited) {
	switch {
	case before.ID() == 0:
		return []record.Audited{{Event: "webhook_created"}}
	case after.ID() == 0:
		return []record.Audited{{Event: "webhook_deleted"}}
	}
	var secrets, others []string
	for _, name := range before.Differing(after) {
		switch {
		case name == "secret", name == "previous_secret", name == "client_key",
			name == "client_certificate" && !before.Same(after, "client_key"): // the pair is one act
			secrets = append(secrets, name)
		default:
			others = append(others, name)
		}
	}
	if len(secrets) > 0 {
		events = append(events, record.Audited{Event: "secret_rotated", Detail: strings.Join(secrets, ", ")})
	}
	if len(others) > 0 {
		events = append(events, record.Audited{Event: "webhook_changed", Detail: strings.Join(others, ", ")})
	}
	return events
}

var httpMethods = record.Choices{
	{Value: "GET", Label: "GET"}, {Value: "POST", Label: "POST"}, {Value: "PUT", Label: "PUT"},
	{Value: "PATCH", Label: "PATCH"}, {Value: "DELETE", Label: "DELETE"},
}

func limit(n int64) *int64 { return &n }
