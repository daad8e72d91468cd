package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"testing"

	"terrier/test/apitest"
)

// TestDefaultOfACustomField: a default is typed in the form of the field's type, shown in that form again, and kept
// when the form is saved untouched.
func TestDefaultOfACustomField(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	for i, test := range []struct {
		kind, choices, typed string
		want                 any
	}{
		{"text", "", "true", "true"},
		{"text", "", "plain words", "plain words"},
		{"longtext", "", "[1]", "[1]"},
		{"integer", "", "42", 42.0},
		{"decimal", "", "1.5", 1.5},
		{"boolean", "", "true", true},
		{"date", "", "2026-11-16", "2026-11-16"},
		{"select", "a\nb", "a", "a"},
		{"multiselect", "a\nb\nc", "b\r\nc", []any{"b", "c"}},
		{"json", "", `{"a": [1, "x"]}`, obj{"a": []any{1.0, "x"}}},
		{"json", "", `"text"`, "text"},
		{"integer", "", "", nil},
	} {
		name := fmt.Sprintf("field_%d", i)
		form := set(url.Values{}, "name", name, "type", test.kind, "content_types", "dcim.site", "choices", test.choices, "default", test.typed)
		b.post(t, "/extras/custom-fields/add/", form).Want(t, http.StatusSeeOther)
		path := fmt.Sprintf("/extras/custom-fields/%d/", i+1)
		before := api(t, s, path)
		if !reflect.DeepEqual(before["default"], test.want) {
			t.Errorf("%s %q is kept as %#v", test.kind, test.typed, before["default"])
		}
		b.post(t, path+"edit/", edited(t, b, path, "label", "Other")).Want(t, http.StatusSeeOther)
		if after := api(t, s, path); !reflect.DeepEqual(after["default"], test.want) || after["label"] != "Other" {
			t.Errorf("%s %q becomes %#v when another field is saved", test.kind, test.typed, after["default"])
		}
	}
	form := set(url.Values{}, "name", "wrong", "type", "integer", "content_types", "dcim.site", "default", "many")
	shows(t, b.post(t, "/extras/custom-fields/add/", form).Want(t, http.StatusBadRequest), "A valid integer is required.")
}

// TestTypeOfACustomFieldRereadsItsDefault: when the type is changed, the shown default is read in the new type.
func TestTypeOfACustomFieldRereadsItsDefault(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	for i, test := range []struct {
		kind, to      string
		stored, wants any
	}{
		{"json", "text", "words", `"words"`},
		{"json", "longtext", []any{1.0}, "[\n  1\n]"},
		{"text", "json", "[1]", []any{1.0}},
		{"text", "integer", "5", 5.0},
	} {
		id := create(t, s, "/api/extras/custom-fields/",
			obj{"name": fmt.Sprint("field_", i), "type": test.kind, "default": test.stored, "content_types": []string{"dcim.site"}})
		path := fmt.Sprintf("/extras/custom-fields/%d/", id)
		b.post(t, path+"edit/", edited(t, b, path, "type", test.to)).Want(t, http.StatusSeeOther)
		if got := api(t, s, path)["default"]; !reflect.DeepEqual(got, test.wants) {
			t.Errorf("from %s to %s: the default %v becomes %#v", test.kind, test.to, test.stored, got)
		}
	}
}

// TestTypedTimesThatAreNone: an invalid time is refused and shown again as typed, whatever was there before; a stored
// text that is no time is shown, and kept if nobody touches it.
func TestTypedTimesThatAreNone(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	create(t, s, "/api/extras/custom-fields/", obj{"name": "seen", "type": "datetime", "content_types": []string{"dcim.site"}})
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	path := fmt.Sprintf("/dcim/sites/%d/", site)
	shows(t, b.post(t, path+"edit/", edited(t, b, path, "cf_seen", "tomorrow")).Want(t, http.StatusBadRequest),
		`<a href="#id_cf_seen">Seen: Write it as a text such as `, `type="text" name="cf_seen" id="id_cf_seen" value="tomorrow"`)
	for _, expires := range []any{nil, "2040-01-02T03:04:05Z"} {
		token := create(t, s, "/api/users/tokens/", obj{"expires": expires})
		for _, page := range []string{fmt.Sprintf("/users/tokens/%d/", token), fmt.Sprintf("/user/tokens/%d/", token)} {
			refused := b.post(t, page+"edit/", edited(t, b, page, "lifetime", "moment", "expires", "tomorrow")).Want(t, http.StatusBadRequest)
			shows(t, refused, "Datetime has wrong format.", `type="text" name="expires" id="id_expires" value="tomorrow"`)
		}
	}
	if _, err := s.DB.Exec(t.Context(), `UPDATE dcim_site SET custom_fields = '{"seen": "long\nago"}'`); err != nil {
		t.Fatal(err)
	}
	form := edited(t, b, path, "description", "new")
	if got := form.Get("cf_seen"); got != "longago" {
		t.Errorf("the form shows %q", got)
	}
	b.post(t, path+"edit/", form).Want(t, http.StatusSeeOther)
	if got := api(t, s, path)["custom_fields"].(obj)["seen"]; got != "long\nago" {
		t.Errorf("stored is %q", got)
	}
}

// TestCustomBooleanHasThreeStates: a form distinguishes no value from false, and can set all three.
func TestCustomBooleanHasThreeStates(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	create(t, s, "/api/extras/custom-fields/", obj{"name": "owned", "type": "boolean", "content_types": []string{"dcim.site"}})
	b.post(t, "/dcim/sites/add/", set(url.Values{}, "name", "Lisbon 1", "slug", "lis1", "status", "active", "cf_owned", "")).
		Want(t, http.StatusSeeOther)
	const path = "/dcim/sites/1/"
	was := any(nil)
	for i, to := range []any{false, true, nil, true, false, nil} {
		if got := api(t, s, path)["custom_fields"].(obj)["owned"]; got != was {
			t.Fatalf("step %d: it is %v, want %v", i, got, was)
		}
		text := ""
		if to != nil {
			text = fmt.Sprint(to)
		}
		b.post(t, path+"edit/", edited(t, b, path, "cf_owned", text)).Want(t, http.StatusSeeOther)
		was = to
	}
}
