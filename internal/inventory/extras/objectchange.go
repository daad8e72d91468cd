package extras

import (
	"fmt"

	"terrier/internal/record"
)

// ObjectChange is one row of the change log. The ledger writes it in the transaction of
// the change; nobody else does.
var ObjectChange = record.Type{
	App: "extras", Name: "objectchange", Plural: "object-changes", Label: "object change", Section: "Logging",
	Doc:      "One change to one record: who, when, in which request, and the state before and after.",
	ReadOnly: true, Special: record.Special{About: "changed_object_type"},
	Fields: record.Fields{
		record.Time{Name: "time", ReadOnly: true, StoredAs: "changed_at"},
		record.Ref{Name: "user", To: "users.user", ReadOnly: true, Loose: true},
		record.Text{Name: "user_name", ReadOnly: true},
		record.UUID{Name: "request_id"},
		record.Choice{Name: "action", ReadOnly: true, Of: record.Choices{
			{Value: "create", Label: "Created"}, {Value: "update", Label: "Updated"}, {Value: "delete", Label: "Deleted"}}},
		record.Text{Name: "changed_object_type", ReadOnly: true, StoredAs: "object_type"},
		record.Int{Name: "changed_object_id", ReadOnly: true, StoredAs: "object_id"},
		record.Text{Name: "object_repr", ReadOnly: true, Hidden: true},
		record.Computed{Name: "changed_object", Of: changedObject,
			Needs: []string{"action", "changed_object_type", "changed_object_id", "object_repr"},
			Shape: record.Schema{"type": "object", "nullable": true,
				"description": "The record, as it was called then; null when this change deleted it."}},
		record.JSON{Name: "prechange_data", ReadOnly: true, KeepText: true, StoredAs: "prechange"},
		record.JSON{Name: "postchange_data", ReadOnly: true, KeepText: true, StoredAs: "postchange"},
	},
	Brief:   []string{"time"},
	Order:   []string{"-time"},
	Columns: []string{"time", "user_name", "action", "changed_object"},
	Search:  []string{"user_name", "object_repr"},
	Filters: []record.Filter{
		{Name: "changed_object_type_id", Field: "changed_object_type", TypeIDs: true},
		{Name: "object_repr", Field: "object_repr"},
		{Name: "time_after", Field: "time", Lookup: record.AtLeast},
		{Name: "time_before", Field: "time", Lookup: record.AtMost},
	},
	Display: func(r record.Reader) string {
		return fmt.Sprintf("%s %s %sd by %s", r.Text("changed_object_type"), r.Text("object_repr"), r.Text("action"), r.Text("user_name"))
	},
}

func changedObject(v record.Values) any {
	t := v.Type().Registry().Type(v.Text("changed_object_type"))
	if t == nil || v.Text("action") == "delete" {
		return nil
	}
	return record.Pointer{Type: t, ID: v.Int("changed_object_id"), Display: v.Text("object_repr")}
}
