package extras

import "terrier/internal/record"

// WebhookHealth is how the receiver of a webhook is doing. Workers note each attempt beside the records; this record changes only when
// the state does, so that other webhooks can be notified of it: an alert is a webhook on this type. One that never failed has none.
var WebhookHealth = record.Type{
	App: "extras", Name: "webhookhealth", Plural: "webhook-health", Label: "webhook health", Sensitive: true, ReadOnly: true,
	Section: "Logging",
	Doc:     "Whether a webhook is healthy, failing or held. It changes only when the state changes. A webhook that never failed has none.",
	Fields: record.Fields{
		record.Ref{Name: "webhook", To: "extras.webhook", Required: true, OnDelete: record.Cascade},
		record.Choice{Name: "state", Required: true, Of: record.Choices{
			{Value: "healthy", Label: "Healthy"}, {Value: "failing", Label: "Failing"}, {Value: "held", Label: "Held"}}},
		record.Time{Name: "since", Help: "Since when the webhook has been in this state."},
		record.Text{Name: "reason", Max: 1000, Help: "Why the last attempt before this state failed."},
	},
	Unique:  []record.Unique{{Name: "extras_webhookhealth_webhook_unique", Fields: []string{"webhook"}}},
	Order:   []string{"-id"},
	Columns: []string{"webhook", "state", "since", "reason"},
	Search:  []string{"reason"},
	Called:  []string{"{webhook.name}"},
	Special: record.Special{Alerts: "webhook"},
}
