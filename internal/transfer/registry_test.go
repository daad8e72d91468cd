package transfer_test

import (
	"encoding/json"
	"testing"

	"terrier/internal/inventory"
	"terrier/internal/record"
)

// widget has a field of every kind, with defaults that a blank cell would restore.
var widget = record.Type{
	App: "trial", Name: "widget", Plural: "widgets", Brief: []string{"name", "slug"}, Order: []string{"name"},
	Fields: record.Fields{
		record.Text{Name: "name", Required: true, Unique: true},
		record.Slug{Name: "slug"},
		record.Text{Name: "motto", Default: "none yet", Help: "Words to live by."},
		record.Text{Name: "alias", Null: true},
		record.Choice{Name: "size", Of: sizes, Help: "How large it is"},
		record.Choice{Name: "colour", Of: sizes, Default: "large"},
		record.Int{Name: "number", Default: 5},
		record.Int{Name: "ceiling", Null: true},
		record.Decimal{Name: "ratio", Min: -1e9, Max: 1e9, Places: 6},
		record.Bool{Name: "active", Default: true},
		record.Time{Name: "expires", Null: true},
		record.List{Name: "words", Default: []string{"a", "b"}},
		record.JSON{Name: "rules"},
		record.Ref{Name: "site", To: "dcim.site"},
		record.Ref{Name: "region", To: "dcim.region"},
		record.Ref{Name: "webhook", To: "extras.webhook"},
		record.Ref{Name: "token", To: "users.token"},
		record.Refs{Name: "owners", To: "users.user"},
		record.Refs{Name: "places", To: "dcim.location"},
		record.Tags{},
		record.CustomFields{},
		record.Secret{Name: "secret", Seal: record.Encrypted},
		record.Ref{Name: "whole", To: "trial.widget", ReadOnly: true},
		record.Count{Name: "part_count", Of: "trial.widget", By: "whole"},
	},
}

var sizes = record.Choices{{Value: "small", Label: "Small"}, {Value: "large", Label: "Large"}}

func registry(t testing.TB) *record.Registry {
	t.Helper()
	reg, err := record.NewRegistry(append(inventory.Types(), widget)...)
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

// customs defines a custom field of every kind, with and without a default.
func customs(t testing.TB, reg *record.Registry) []*record.Custom {
	t.Helper()
	defaults := map[string]string{"text": `"x"`, "integer": `3`, "decimal": `1.5`, "boolean": `true`, "json": `{"a":1}`,
		"select": `"one"`, "multiselect": `["one"]`}
	var defs []*record.Custom
	for _, kind := range record.CustomKinds {
		for _, name := range []string{kind.Value, kind.Value + "_set"} {
			v := reg.Type("extras.customfield").NewValues()
			v.Set("name", name)
			v.Set("type", kind.Value)
			if kind.Value == "select" || kind.Value == "multiselect" {
				v.Set("choices", choices)
			}
			if def, ok := defaults[kind.Value]; ok && name != kind.Value {
				v.Set("default", json.RawMessage(def))
			}
			defs = append(defs, record.CustomDefinition(v))
		}
	}
	return defs
}

var choices = []string{"one", "null", " padded ", "=1+1", "a,b", `say "x"`, "'", "'tis", "\r\n", ""}
