package extras

import "terrier/internal/record"

// ConditionError is a change that a webhook was not notified of because one of its conditions
// could not be evaluated. Without it, a mistake in a condition would look like silence.
var ConditionError = record.Type{
	App: "extras", Name: "conditionerror", Plural: "condition-errors", Label: "condition error", Sensitive: true, ReadOnly: true,
	Section: "Logging",
	Doc:     "A change that a webhook was not notified of because its conditions could not be evaluated.",
	Fields: record.Fields{
		record.Time{Name: "time", ReadOnly: true, StoredAs: "changed_at"},
		record.Ref{Name: "webhook", To: "extras.webhook", ReadOnly: true, Loose: true},
		record.Text{Name: "object_type", ReadOnly: true},
		record.Int{Name: "object_id", ReadOnly: true},
		record.UUID{Name: "request_id"},
		record.Text{Name: "reason", ReadOnly: true},
	},
	Order:   []string{"-id"},
	Columns: []string{"time", "webhook", "object_type", "object_id", "request_id"},
	Search:  []string{"reason"},
	Display: func(r record.Reader) string { return r.Text("reason") },
}
