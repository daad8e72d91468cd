package transfer_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"terrier/internal/record"
	"terrier/internal/transfer"
)

type object = map[string]any

// TestRead: what a cell or a value means.
func TestRead(t *testing.T) {
	reg := registry(t)
	defs := customs(t, reg)
	number := func(s string) json.Number { return json.Number(s) }
	byName := func(s string) record.Naming { return record.Naming{By: "slug", Or: "name", Text: s} }
	for _, c := range []struct {
		name   string
		format transfer.Format
		text   string
		want   object
	}{
		{"a reference by slug", "csv", "name,site\nx,berlin", object{"name": "x", "site": byName("berlin")}},
		{"a reference by name that is no slug", "csv", "site\nBerlin 1", object{"site": byName("Berlin 1")}},
		{"a reference by id", "csv", "site\n#3", object{"site": byName("#3")}},
		{"a reference by both", "csv", "region\neurope#3", object{"region": byName("europe#3")}},
		{"a number is a name", "csv", "site\n2024", object{"site": byName("2024")}},
		{"a reference by name", "csv", "webhook\nchat ops", object{"webhook": record.Naming{By: "name", Text: "chat ops"}}},
		{"a reference to what has no name", "csv", "token,name\n7,a", object{"token": "7", "name": "a"}},
		{"a reference by its parts", "csv", "region.slug,region.name\neurope,Europe",
			object{"region": object{"slug": "europe", "name": "Europe"}}},
		{"parts lie over the whole", "csv", "region.id,region\n3,europe", object{"region": object{"id": "3", "slug": "europe"}}},
		{"a blank reference", "csv", "name,region,region.slug\nx,,", object{"name": "x"}},
		{"tags", "csv", "tags\n\"red, blue\"", object{"tags": []any{byName("red"), byName("blue")}}},
		{"no tags", "csv", "tags\n'", object{"tags": []any{}}},
		{"a list with a comma in an item", "csv", "words\n\"a,\"\"b, c\"\",\"", object{"words": []any{"a", "b, c"}}},
		{"a boolean", "csv", "active\n YES ", object{"active": "YES"}},
		{"null", "csv", "alias,motto\nnull,null", object{"alias": nil, "motto": "null"}},
		{"the word null", "csv", "alias\n'null", object{"alias": "null"}},
		{"an empty text", "csv", "motto,ceiling\n','", object{"motto": "", "ceiling": nil}},
		{"a formula", "csv", "motto\n'=1+1", object{"motto": "=1+1"}},
		{"a formula that nobody escaped", "csv", "motto\n=1+1", object{"motto": "=1+1"}},
		{"an apostrophe", "csv", "motto\n'tis", object{"motto": "'tis"}},
		{"two apostrophes", "csv", "motto\n''=x", object{"motto": "'=x"}},
		{"a secret as it stands", "csv", "secret\n'=x ", object{"secret": "'=x "}},
		{"a blank secret", "csv", "name,secret\nx,", object{"name": "x"}},
		{"JSON", "csv", "rules\n\"{\"\"a\"\": [1]}\"", object{"rules": object{"a": []any{number("1")}}}},
		{"custom fields", "csv", "cf_integer,cf_multiselect,cf_json,cf_text,cf_url\n7,\"one,a\",[1],null,", object{"custom_fields": object{
			"integer": "7", "multiselect": []any{"one", "a"}, "json": []any{number("1")}, "text": nil}}},
		{"read-only columns", "csv", "name,url,display,created,part_count\nx,u,d,c,p", object{"name": "x"}},
		{"semicolons", "csv", "name;motto\r\nx;a,b\r\n", object{"name": "x", "motto": "a,b"}},
		{"tabs", "csv", "name\tmotto\nx\ta;b", object{"name": "x", "motto": "a;b"}},
		{"carriage returns alone", "csv", "name,motto\rx,a\r", object{"name": "x", "motto": "a"}},
		{"a byte order mark", "csv", "\ufeffname\nx", object{"name": "x"}},
		{"line ends inside a cell stay", "csv", "motto\r\n\"a\r\nb\rc\nd\"\r\n", object{"motto": "a\r\nb\rc\nd"}},
		{"empty rows and columns", "csv", "\n,,\nname,,\n\n,,\nx,,,,\n", object{"name": "x"}},

		{"by hand", "json", `[{"name": "x", "region": "europe", "site": {"slug": "berlin"}, "token": 3, "size": "small"}]`,
			object{"name": "x", "region": byName("europe"), "site": object{"slug": "berlin"}, "token": number("3"), "size": "small"}},
		{"as it is shown", "json", `[{"url": "u", "display": "x", "created": "c", "size": {"value": "small", "label": "Small"},
			"site": {"id": 3, "url": "u", "display": "Berlin", "name": "Berlin", "slug": "berlin"},
			"tags": [{"id": 1, "slug": "red", "color": "fff000"}]}]`,
			object{"size": "small", "site": object{"id": number("3"), "slug": "berlin"}, "tags": []any{object{"id": number("1"), "slug": "red"}}}},
		{"an object with no id keeps its attributes", "json", `[{"region": {"display": "x", "slug": "floor", "parent": {"id": 4}}}]`,
			object{"region": object{"slug": "floor", "parent": number("4")}}},
		{"one object", "json", ` {"name": "x"} `, object{"name": "x"}},
		{"custom fields in JSON", "json", `[{"cf_text": "a", "custom_fields": {"integer": 7}}]`,
			object{"custom_fields": object{"text": "a", "integer": number("7")}}},
		{"null in JSON", "json", `[{"alias": null, "site": null}]`, object{"alias": nil, "site": nil}},

		{"YAML by hand", "yaml", "- name: x\n  region: europe\n  site: {slug: berlin}\n  token: 3\n",
			object{"name": "x", "region": byName("europe"), "site": object{"slug": "berlin"}, "token": number("3")}},
		{"one YAML object", "yaml", "---\nname: x\n", object{"name": "x"}},
		{"scalars stay what was written", "yaml",
			"- {motto: 007, alias: 0x1f, number: 12, ratio: 1.50, active: yes, expires: 2026-01-31, words: [1_0, ~, True]}", object{
				"motto": "007", "alias": "0x1f", "number": number("12"), "ratio": number("1.50"), "active": "yes", "expires": "2026-01-31",
				"words": []any{"1_0", nil, true}}},
		{"lines", "yaml", "- motto: |-\n    a\n    b\n", object{"motto": "a\nb"}},
		{"JSON is YAML", "yaml", `[{"name":"x"}]`, object{"name": "x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, err := transfer.Parse(reg.Type("trial.widget"), defs, c.format, []byte(c.text), nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(rows) != 1 || rows[0].ID != "" || !reflect.DeepEqual(rows[0].Input, c.want) {
				t.Errorf("got %#v, want %#v", rows, c.want)
			}
		})
	}
}

// TestRows: which lines and ids rows have.
func TestRows(t *testing.T) {
	site := registry(t).Type("dcim.site")
	for format, text := range map[transfer.Format]string{
		"csv":  "name,id\n\"a\nb\",3\n\nc,\n",
		"json": "\n[{\"id\": 3,\n\"name\": \"a\"},\n\n{\"id\": null, \"name\": \"c\"}]",
		"yaml": "# sites\n- id: '3'\n  name: a\n\n- name: c\n",
	} {
		rows, err := transfer.Parse(site, nil, format, []byte(text), nil)
		if err != nil || len(rows) != 2 || rows[0].ID != "3" || rows[0].Line != 2 || rows[1].ID != "" || rows[1].Line != 5 {
			t.Errorf("%s: got %v, %v", format, rows, err)
		}
	}
}

// TestCustomFieldCalledID: such a field is not the id of the record.
func TestCustomFieldCalledID(t *testing.T) {
	site := registry(t).Type("dcim.site")
	defs := []*record.Custom{{Name: "id", Kind: record.Text{Name: "id"}}}
	rows, err := transfer.Parse(site, defs, transfer.CSV, []byte("cf_id\n3\n"), nil)
	if err != nil || rows[0].ID != "" || !reflect.DeepEqual(rows[0].Input, object{"custom_fields": object{"id": "3"}}) {
		t.Errorf("got %v, %v", rows, err)
	}
}

// TestNothing: an empty file differs from one without records.
func TestNothing(t *testing.T) {
	site := registry(t).Type("dcim.site")
	for format, text := range map[transfer.Format]string{"csv": "id,name\n", "json": "[]", "yaml": "[]"} {
		if rows, err := transfer.Parse(site, nil, format, []byte(text), nil); len(rows) != 0 || err != nil {
			t.Errorf("%s: got %v, %v", format, rows, err)
		}
		for _, blank := range []string{"", " \n", "\ufeff"} {
			if _, err := transfer.Parse(site, nil, format, []byte(blank), nil); err == nil || !strings.Contains(err.Error(), "nothing to import") {
				t.Errorf("%s: %q: got %v", format, blank, err)
			}
		}
	}
}

func TestGuess(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       transfer.Format
	}{
		{"sites.csv", "[", transfer.CSV},
		{"SITES.JSON", "", transfer.JSON},
		{"sites.yml", "", transfer.YAML},
		{"sites.tsv", "", transfer.CSV},
		{"", " \n[{", transfer.JSON},
		{"sites.txt", `{"name"`, transfer.JSON},
		{"", "\ufeff- name: x", transfer.YAML},
		{"", "---\n", transfer.YAML},
		{"", "# sites\n- name: x", transfer.YAML},
		{"", `"name","slug"`, transfer.CSV},
		{"", "", transfer.CSV},
	} {
		if got := transfer.Guess(c.name, []byte(c.text)); got != c.want {
			t.Errorf("%s %q: got %s, want %s", c.name, c.text, got, c.want)
		}
	}
}

// TestColumns: what the import page says about a type.
func TestColumns(t *testing.T) {
	reg := registry(t)
	columns := map[string]transfer.Column{}
	for _, c := range transfer.Columns(reg.Type("trial.widget"), customs(t, reg)) {
		columns[c.Name] = c
	}
	for name, want := range map[string]transfer.Column{
		"id":             {Label: "ID", Help: "The record to update. Leave it blank to create one."},
		"name":           {Label: "Name", Required: true},
		"motto":          {Label: "Motto", Help: "Words to live by."},
		"size":           {Label: "Size", Help: "How large it is. One of small, large."},
		"active":         {Label: "Active", Help: "true or false."},
		"expires":        {Label: "Expires", Help: "Such as 2026-01-31T12:00:00Z."},
		"site":           {Label: "Site", Help: "The slug or name of the site, or # and its id: #3."},
		"token":          {Label: "Token", Help: "The id of the token."},
		"owners":         {Label: "Owners", Help: "The username of each user, separated by commas."},
		"words":          {Label: "Words", Help: "Separated by commas."},
		"rules":          {Label: "Rules", Help: "Written as JSON."},
		"secret":         {Label: "Secret"},
		"cf_multiselect": {Label: "Multiselect", Help: "Separated by commas."},
		"cf_json":        {Label: "Json", Help: "Written as JSON."},
		"cf_text":        {Label: "Text"},
	} {
		if want.Name = name; columns[name] != want {
			t.Errorf("got %+v, want %+v", columns[name], want)
		}
	}
	for _, name := range []string{"part_count", "created", "custom_fields"} {
		if _, ok := columns[name]; ok {
			t.Errorf("%s is offered", name)
		}
	}
	if got := transfer.Columns(reg.Type("users.token"), nil); got[1].Name != "user" || got[1].Required {
		t.Errorf("the owner is the caller where it is not given, got %+v", got[1])
	}
	if got := transfer.Columns(reg.Type("extras.delivery"), nil); got != nil {
		t.Errorf("deliveries can't be imported, got %v", got)
	}
}
