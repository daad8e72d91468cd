package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"terrier/internal/record"
	"terrier/test/apitest"
	"terrier/test/trial"
)

// TestUntouchedForm: a form that is sent back as it was shown changes nothing, whatever the record contains. It runs
// over every type and every kind of field.
func TestUntouchedForm(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	cookie := s.Login(t, "admin")
	defineCustom(t, s)
	for _, typ := range s.App.Registry.Types() {
		if typ.ReadOnly {
			continue
		}
		fillings := map[string]func(suite, record.Field) (any, bool){"sample": nil, "hostile": suite.hostile, "empty": suite.empty}
		for name, contents := range fillings {
			t.Run(typ.Key()+"/"+name, func(t *testing.T) {
				u := suite{&sampler{s: s, n: 5_000 * next()}, typ}
				id := u.make(t, typ)
				u.store(t, id, contents)
				before := u.stored(t, id)
				path := strings.TrimPrefix(u.path(id), "/api") + "edit/"
				header := map[string]string{"Accept": "text/html", "Cookie": cookie}
				form := s.Do(t, apitest.Call{Method: "GET", Path: path, Header: header}).Want(t, http.StatusOK).Form(t)
				header = maps.Clone(header)
				header["Content-Type"] = "application/x-www-form-urlencoded"
				s.Do(t, apitest.Call{Method: "POST", Path: path, Header: header, Body: form.Encode()}).Want(t, http.StatusSeeOther)
				if after := u.stored(t, id); after != before {
					t.Errorf("the form was not touched, and the record is another:\n%s\n%s", before, after)
				}
			})
		}
	}
}

// customSamples are values of each kind of custom field that are difficult for a widget.
var customSamples = map[string]string{
	"text": `" a\nb\r\nc\rd  <b>&amp;\"' "`, "longtext": `"\n\r\nfirst \rsecond\r\n\r\n  last \n"`, "integer": `9007199254740993`,
	"decimal": `12345678901234.5678`,
	"boolean": `null`, "date": `"2030-01-31"`, "datetime": `"2030-01-31T01:02:03.456789Z"`, "url": `"https://example.com/?a=b&c=%2F "`,
	"json": `{"b": 12345678901234567890.123456789, "a": [1, [2, null], {}], "<&>": "x\r\n", "é": 1e20}`, "select": `"gone"`,
	"multiselect": `["two", "gone", "one\r\n"]`,
}

// defineCustom gives every type that can have them custom fields of each kind, and some more of
// JSON.
func defineCustom(t *testing.T, s *apitest.Server) {
	t.Helper()
	var types []string
	for _, typ := range s.App.Registry.Types() {
		if typ.Index("custom_fields") >= 0 {
			types = append(types, typ.Key())
		}
	}
	for _, kind := range record.CustomKinds {
		body := obj{"name": "some_" + kind.Value, "type": kind.Value, "content_types": types}
		if strings.HasSuffix(kind.Value, "select") {
			body["choices"] = []string{"one", "two"}
		}
		s.Do(t, apitest.Call{Method: "POST", Path: "/api/extras/custom-fields/", Token: s.Admin, Body: body}).Want(t, http.StatusCreated)
	}
	for _, name := range []string{"text", "list", "number", "yes"} {
		s.Do(t, apitest.Call{Method: "POST", Path: "/api/extras/custom-fields/", Token: s.Admin,
			Body: obj{"name": "json_" + name, "type": "json", "content_types": types}}).Want(t, http.StatusCreated)
	}
}

// hostile returns a value that another version or a person with SQL could have stored, and that no widget shows as it
// is.
func (u suite) hostile(f record.Field) (any, bool) {
	u.n++
	in := f.Info()
	switch x := f.(type) {
	case record.Text:
		if in.Widget == record.ColorInput {
			return "AbCdEf", true
		}
		if in.Widget == record.TextArea {
			return "\n\r\nfirst \rsecond\r\n\r\n\t last  \n", true
		}
		return fmt.Sprintf(" a\nb\r\nc\rd\te  <b>&amp;\"' %d ", u.n), true
	case record.Choice:
		return "gone", true
	case record.NumberChoice:
		return 7, true
	case record.Decimal:
		return "12.3456", true
	case record.Time:
		return "2030-01-02T03:04:00.567891Z", true
	case record.List:
		return []string{" b ", "x\ny", "", "a", "a"}, true
	case record.ObjectTypes:
		return []string{"dcim.region", "dcim.gone"}, true
	case record.JSON:
		return json.RawMessage(customSamples["json"]), !x.ReadOnly
	case record.CustomFields:
		all := []string{`"json_text": "plain", "json_list": ["1", [2]], "json_number": 1.50, "json_yes": true`}
		for _, kind := range slices.Sorted(maps.Keys(customSamples)) {
			all = append(all, fmt.Sprintf(`"some_%s": %s`, kind, customSamples[kind]))
		}
		return json.RawMessage("{" + strings.Join(all, ",") + "}"), true
	}
	return nil, false
}

// empty returns null where null is allowed and an empty value elsewhere.
func (u suite) empty(f record.Field) (any, bool) {
	in := f.Info()
	switch f.(type) {
	case record.Text:
		if in.Null {
			return nil, true
		}
		return "", !in.Unique
	case record.Choice:
		if in.Null {
			return nil, true
		}
		return "", true
	case record.List, record.ObjectTypes:
		return []string{}, true
	case record.CustomFields:
		return json.RawMessage(`{"some_text": "", "some_longtext": "", "some_multiselect": [], "some_json": {}, "json_text": "", ` +
			`"json_list": [], "json_yes": false, "some_boolean": false}`), true
	}
	return nil, in.Null && f.Column().Null && f.Column().Storage != record.NoStorage
}

// store writes contents into the fields of a form, bypassing all rules but those of the database.
func (u suite) store(t *testing.T, id int64, contents func(suite, record.Field) (any, bool)) {
	t.Helper()
	if contents == nil {
		return
	}
	for i, f := range u.t.All() {
		value, ok := contents(u, f)
		if _, secret := f.(record.Secret); !ok || secret || u.t.Infos()[i].Widget == record.NoWidget {
			continue
		}
		if _, err := u.s.DB.Exec(t.Context(), fmt.Sprintf(`UPDATE %s SET %q = $1 WHERE id = $2`, u.t.Table(), f.Column().Name), value,
			id); err != nil {
			t.Logf("%s: %v", u.t.Infos()[i].Name, err)
		}
	}
}

// stored returns the row of a record with the number of its changes.
func (u suite) stored(t *testing.T, id int64) (row string) {
	t.Helper()
	err := u.s.DB.QueryRow(t.Context(),
		fmt.Sprintf(`SELECT to_jsonb(t)::text || (SELECT count(*) FROM extras_objectchange) FROM %s t WHERE id = $1`, u.t.Table()), id).Scan(&row)
	if err != nil {
		t.Fatal(err)
	}
	return row
}
