package api_test

import (
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// wantRefused fails the test unless a request is refused with a message.
func wantRefused(t *testing.T, what string, a apitest.Answer, message string) {
	t.Helper()
	if a.Want(t, http.StatusBadRequest); !strings.Contains(string(a.Raw), message) {
		t.Errorf("%s: %s, want %q", what, string(a.Raw), message)
	}
}

// TestCustomFieldsOnTypesThatCarryNone: they are refused; one that is stored already blocks nothing.
func TestCustomFieldsOnTypesThatCarryNone(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	wantRefused(t, "a user's", admin.do(t, "POST", defs, obj{"name": "x", "content_types": []string{"dcim.site", "users.user"}}),
		"users.user have no custom fields")
	id := admin.create(t, defs, obj{"name": "x", "content_types": []string{"dcim.site"}})
	if _, err := s.DB.Exec(t.Context(), "UPDATE extras_customfield SET content_types = '{users.user,dcim.site}'"); err != nil {
		t.Fatal(err)
	}
	admin.patch(t, defs, id, obj{"label": "X"})
	admin.patch(t, defs, id, obj{"content_types": []string{"users.user", "dcim.site", "dcim.region"}})
	admin.patch(t, defs, id, obj{"content_types": []string{"dcim.site"}})
	wantRefused(t, "added again", admin.do(t, "PATCH", at(defs, id), obj{"content_types": []string{"users.user"}}), "have no custom fields")
}

// TestCustomFieldNamesHoldCapitals: names are kept as written, and two that differ only in case are the same.
func TestCustomFieldNamesHoldCapitals(t *testing.T) {
	t.Parallel()
	admin := adminOf(apitest.New(t))
	types := []string{"dcim.site"}
	id := admin.create(t, defs, obj{"name": "A_CustomField", "content_types": types})
	if name := admin.get(t, at(defs, id)).Object(t)["name"]; name != "A_CustomField" {
		t.Errorf("the name is %v", name)
	}
	wantRefused(t, "the same in lower case", admin.do(t, "POST", defs, obj{"name": "a_customfield", "content_types": types}), "already exists")
	wantRefused(t, "two of one bulk", admin.do(t, "POST", defs,
		[]obj{{"name": "Rack_ID", "content_types": types}, {"name": "rack_id", "content_types": types}}), "already exists")
	wantRefused(t, "a space", admin.do(t, "POST", defs, obj{"name": "A field", "content_types": types}),
		"Only letters, digits and underscores")
	one := admin.create(t, sites, site("a", "custom_fields", obj{"A_CustomField": "x"}))
	if value := customOf(t, admin, one, "A_CustomField"); value != "x" {
		t.Errorf("the value is %v", value)
	}
	if found := admin.get(t, sites+"?cf_A_CustomField=x").Object(t)["count"]; found != 1.0 {
		t.Errorf("%v sites are found by it", found)
	}
}

// TestCustomDecimals: numbers beyond what can be stored are refused with the right message.
func TestCustomDecimals(t *testing.T) {
	t.Parallel()
	admin := adminOf(apitest.New(t))
	admin.create(t, defs, obj{"name": "wide", "type": "decimal", "content_types": []string{"dcim.site"}})
	admin.create(t, defs, obj{"name": "narrow", "type": "decimal", "validation_minimum": -2, "validation_maximum": 3,
		"content_types": []string{"dcim.site"}})
	id := admin.create(t, sites, site("a"))
	for _, test := range []struct {
		name, value, want string // want: the value kept, or the message
	}{
		{"wide", "1e308", "The number 1e308 is out of range."},
		{"wide", "-1e308", "The number -1e308 is out of range."},
		{"wide", "1e20", "less than or equal to 1000000000000000."},
		{"wide", "-1e20", "greater than or equal to -1000000000000000."},
		{"wide", `"1e308"`, "less than or equal to 1000000000000000."},
		{"wide", `"1e400"`, "A valid number is required"},
		{"wide", "123456789012345.5", "123456789012345.5"},
		{"wide", "1.23456", "1.2346"},
		{"narrow", "3.5", "less than or equal to 3"},
		{"narrow", "-2.0001", "greater than or equal to -2"},
		{"narrow", "2.5", "2.5"},
	} {
		a := admin.do(t, "PATCH", at(sites, id), `{"custom_fields":{"`+test.name+`":`+test.value+`}}`)
		if !strings.Contains(string(a.Raw), test.want) {
			t.Errorf("%s %s: %s, want %q", test.name, test.value, string(a.Raw), test.want)
		}
	}
}

// TestCustomRangesAcceptSomething: a minimum above the maximum is refused, also above the largest decimal; a stored
// one blocks nothing.
func TestCustomRangesAcceptSomething(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	types := []string{"dcim.site"}
	wantRefused(t, "a decimal's minimum", admin.do(t, "POST", defs,
		obj{"name": "x", "type": "decimal", "validation_minimum": int64(2e15), "content_types": types}), "must be at most 1000000000000000.")
	for _, kind := range []string{"integer", "decimal"} {
		wantRefused(t, kind, admin.do(t, "POST", defs, obj{"name": "x", "type": kind, "validation_minimum": 5, "validation_maximum": 4,
			"content_types": types}), "the minimum must be at most 4.")
		admin.create(t, defs, obj{"name": "same_" + kind, "type": kind, "validation_minimum": 5, "validation_maximum": 5, "content_types": types})
	}
	id := admin.create(t, defs, obj{"name": "x", "type": "decimal", "content_types": types})
	exec(t, s, "UPDATE extras_customfield SET validation_minimum = 2e15 WHERE id = $1", id)
	admin.patch(t, defs, id, obj{"label": "X"})
	wantRefused(t, "written again", admin.do(t, "PATCH", at(defs, id), obj{"validation_minimum": int64(3e15)}), "must be at most")
}

// TestCustomRegexIsBounded: an expression that is too large is refused, and so is a text that is too long for it.
func TestCustomRegexIsBounded(t *testing.T) {
	t.Parallel()
	admin := adminOf(apitest.New(t))
	field := obj{"name": "x", "type": "longtext", "content_types": []string{"dcim.site"}}
	for regex, message := range map[string]string{
		"(?:" + strings.Repeat("a?", 240) + "){1000}": "2000 states at most",
		"(?=x)": "is not a regular expression",
	} {
		field["validation_regex"] = regex
		wantRefused(t, regex, admin.do(t, "POST", defs, field), message)
	}
	field["validation_regex"] = "([a-z]{1,9})+"
	def := admin.create(t, defs, field)
	id := admin.create(t, sites, site("a", "custom_fields", obj{"x": strings.Repeat("a", 10_000)}))
	wantRefused(t, "another text", admin.do(t, "PATCH", at(sites, id), obj{"custom_fields": obj{"x": "a1"}}),
		"must match regex '([a-z]{1,9})+'")
	wantRefused(t, "a long text", admin.do(t, "PATCH", at(sites, id), obj{"custom_fields": obj{"x": strings.Repeat("a", 60_000)}}),
		"shorten the text")
	admin.patch(t, defs, def, obj{"validation_regex": "[0-9]+"}) // the next write sees the new version
	admin.patch(t, sites, id, obj{"custom_fields": obj{"x": "12"}})
}
