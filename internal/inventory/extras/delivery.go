package extras

import "terrier/internal/record"

// Delivery is one change on its way to one webhook. The ledger makes it in the
// transaction of the change, the workers move it on.
var Delivery = record.Type{
	App: "extras", Name: "delivery", Plural: "deliveries", Sensitive: true, ReadOnly: true, Section: "Logging",
	Doc: "One change for one webhook. Its id is the X-Hook-Delivery of every request that sends it.",
	Fields: record.Fields{
		record.Time{Name: "time", ReadOnly: true, StoredAs: "changed_at"},
		record.Ref{Name: "webhook", To: "extras.webhook", ReadOnly: true, Loose: true},
		record.Choice{Name: "state", ReadOnly: true, Of: record.Choices{
			{Value: "queued", Label: "Queued"}, {Value: "successful", Label: "Successful"}, {Value: "failed", Label: "Failed"}}},
		record.Choice{Name: "event", ReadOnly: true, Of: record.Choices{
			{Value: "created", Label: "Created"}, {Value: "updated", Label: "Updated"}, {Value: "deleted", Label: "Deleted"}}},
		record.Text{Name: "object_type", ReadOnly: true},
		record.Int{Name: "object_id", ReadOnly: true},
		record.Borrowed{Name: "object_repr", Label: "Record", From: "extras.objectchange", Field: "object_repr", By: "change_id",
			Both: "changed_at",
			Help: "The name of the record when it changed.",
			Shape: record.Schema{"type": "string", "nullable": true,
				"description": "What the record was called when it changed; null for those who may not see the change."}},
		record.Int{Name: "sequence", ReadOnly: true, StoredAs: "version", Help: "The version of the record: X-Hook-Sequence."},
		record.UUID{Name: "request_id"},
		record.Int{Name: "attempt_count", ReadOnly: true},
		record.Int{Name: "status_code", ReadOnly: true, Null: true, Help: "What the receiver last answered."},
		record.Text{Name: "reason", ReadOnly: true, Help: "Why it failed."},
		record.Time{Name: "queued_at", ReadOnly: true},
		record.Time{Name: "finished_at", ReadOnly: true, Null: true},
		record.Time{Name: "retry_at", ReadOnly: true, Null: true, Help: "When a failed delivery is retried automatically."},
		record.HasValue{Name: "retrying", Of: "retry_at", Help: "It has failed and is retried automatically."},
		record.Int{Name: "tries", ReadOnly: true, Hidden: true},
		record.Borrowed{Name: "max_retries", From: "extras.webhook", Field: "max_retries", By: "webhook_id", Hidden: true},
		record.DetailOnly{Name: "attempts", Shape: attemptsShape},
	},
	Order:   []string{"-id"},
	Columns: []string{"time", "webhook", "state", "object_repr", "status_code", "reason"},
	Search:  []string{"reason", "object_repr"},
	Special: record.Special{
		TimedID: true,
		Copies: &record.Copies{Of: "extras.objectchange", By: "change_id",
			Fields: map[string]string{"object_id": "changed_object_id", "object_type": "changed_object_type", "request_id": "request_id"}},
		SearchNewest: 50_000, // each is a look into the change log: they take less than half a second
	},
	// Those who may change a webhook may send again what was meant for it.
	Actions: []record.Action{
		{Name: "retry", Method: "POST", OnList: true, Needs: "change", NeedsOn: "extras.webhook", Label: "Retry all that match",
			Doc: "Send failed deliveries again",
			Body: record.Fields{
				record.FilterSet{Name: "filter", Help: "The filters of the list, by name, and q."},
				record.Bool{Name: "dry_run", Help: "Only count."},
			},
			Answer: record.Schema{"type": "object", "required": []string{"count"}, "properties": record.Schema{
				"count": record.Schema{"type": "integer", "format": "int64"}}}},
		{Name: "retry", Method: "POST", Queued: true, Needs: "change", NeedsOn: "extras.webhook", Doc: "Send a failed delivery again"},
		{Name: "redeliver", Method: "POST", Queued: true, Needs: "change", NeedsOn: "extras.webhook", Label: "Send again",
			Doc: "Send a delivery again that has ended, successful or failed"},
	},
	Display: func(r record.Reader) string {
		if name := r.Text("object_repr"); name != "" {
			return r.Text("object_type") + " " + name + " " + r.Text("event")
		}
		return r.Text("object_type") + " " + r.Text("event")
	},
}

// The destination is called target, never url: clients send their token to every url.
var attemptsShape = record.Schema{"type": "array", "nullable": true,
	"description": "Each request and its answer, for those who may change the webhook; null for others and in lists.",
	"items": record.Schema{"type": "object", "required": []string{"number", "time", "duration_ms", "error", "request", "response"},
		"properties": record.Schema{
			"number":      record.Schema{"type": "integer"},
			"time":        record.Schema{"type": "string", "format": "date-time"},
			"duration_ms": record.Schema{"type": "integer"},
			"error":       record.Schema{"type": "string", "description": "Why there is no answer, or why it is none."},
			"request": record.Schema{"type": "object", "required": []string{"method", "target", "headers", "body", "truncated"},
				"properties": record.Schema{
					"method": record.Schema{"type": "string"}, "target": record.Schema{"type": "string"},
					"headers": record.Schema{"type": "object", "additionalProperties": true}, "body": record.Schema{"type": "string"},
					"truncated": record.Schema{"type": "boolean", "description": "The body is longer; the last attempt shows it whole."}}},
			"response": record.Schema{"type": "object", "nullable": true, "required": []string{"status", "headers", "body", "truncated"},
				"properties": record.Schema{
					"status": record.Schema{"type": "integer"}, "headers": record.Schema{"type": "object", "additionalProperties": true},
					"body": record.Schema{"type": "string"}, "truncated": record.Schema{"type": "boolean"}}},
		}}}
