package transfer_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"terrier/internal/fault"
	"terrier/internal/transfer"
)

// TestWholeFileErrors: what refuses a whole file.
func TestWholeFileErrors(t *testing.T) {
	reg := registry(t)
	deep := strings.Repeat("[", 80) + strings.Repeat("]", 80)
	for _, c := range []struct {
		format     transfer.Format
		text, want string
	}{
		{"csv", "name,statsu\nx,active", `line 1: column "statsu" is unknown, did you mean "status"?`},
		{"csv", "nam,statsu\nx,active",
			`line 1: column "nam" is unknown, did you mean "name"? line 1: column "statsu" is unknown, did you mean "status"?`},
		{"csv", "name,cf_txt\nx,y", `line 1: column "cf_txt" is unknown, did you mean "cf_text"?`},
		{"csv", "name,region.slgu\nx,y", `line 1: column "region.slgu" is unknown, did you mean "region.slug"?`},
		{"csv", "name,§\nx,y", `line 1: column "§" is unknown`},
		{"csv", strings.Repeat("ä", 101) + "\nx", `line 1: column "` + strings.Repeat("ä", 50) + `…" is unknown`},
		{"csv", "name,slug,name\n", `line 1: column "name" is there twice`},
		{"csv", "name\n\"x\ny", "line 2: a cell begins with a quote that is never closed"},
		{"csv", "name\nx\n\"y\"z\n", "line 3: a quoted cell has text after its closing quote: write quotes inside it twice"},
		{"csv", ",,\n", "There is nothing to import: the first row must name the columns."},
		{"csv", "name\nx\n\xff", "line 3: this is not UTF-8. Save the file as UTF-8 and try again."},
		{"json", "[{\n\"statsu\": 1}]", `line 1: key "statsu" is unknown, did you mean "status"?`},
		{"json", "[{},\n{\"statsu\": 1},\n{\"statsu\": 1}]", `line 2: key "statsu" is unknown, did you mean "status"?`},
		{"json", `[{"custom_fields": {"txt": 1}}]`, `line 1: key "custom_fields.txt" is unknown, did you mean "custom_fields.text"?`},
		{"json", "[{},\n3]", "line 2: a record is expected here: an object of fields and values"},
		{"json", "[{},\n{]", "line 2: this is not JSON: invalid character ']' looking for beginning of object key string"},
		{"json", "[{},\n{", "line 2: the JSON text ends too early"},
		{"json", "[{}\n", "line 1: the JSON text ends too early"},
		{"json", "[{}] \n x", "line 2: there is more behind the end of the list"},
		{"json", "{}\n{}", "line 2: there is more behind the end of the list"},
		{"json", "\nname", "line 2: this is not JSON: a list of objects is expected, beginning with ["},
		{"json", `[{"conditions": ` + deep + `}]`, "A record is more than 64 levels deep."},
		{"yaml", "- name: x\n  statsu: 1", `line 1: key "statsu" is unknown, did you mean "status"?`},
		{"yaml", "- name: x\n- y", "line 2: a record is expected here: an object of fields and values"},
		{"yaml", "- name: &a x\n- name: *a", "line 1: anchors and aliases (& and *) are not understood: write the value out"},
		{"yaml", "- &a {name: x}\n", "line 1: anchors and aliases (& and *) are not understood: write the value out"},
		{"yaml", "- name: x\n  <<: {slug: y}\n", `line 1: key "<<" is unknown`},
		{"yaml", "- name: x\n  name: y", `line 2: key "name" is there twice`},
		{"yaml", "- [a]: y", "line 1: a key must be a text"},
		{"yaml", "- {[a]: y}", "line 1: a key must be a text"},
		{"yaml", "- name: !!binary eA==", "line 1: the tag !!binary is not understood: write plain values"},
		{"yaml", "- name: !mine x", "line 1: the tag !mine is not understood: write plain values"},
		{"yaml", "- name: x\n---\n- name: y", "line 2: a second document begins. Put all records into one list."},
		{"yaml", "- name: x\n slug: y", "near line 1: this is not YAML: did not find expected '-' indicator"},
		{"yaml", "- name: [x", "near line 1: this is not YAML: did not find expected ',' or ']'"},
		{"yaml", "- custom_fields: {json: " + deep + "}", "line 1: this is more than 64 levels deep"},
		{"xml", "<a/>", `The format "xml" is unknown: use csv, json or yaml.`},
	} {
		t.Run(fmt.Sprintf("%s %.20q", c.format, c.text), func(t *testing.T) {
			rows, err := transfer.Parse(reg.Type("dcim.site"), customs(t, reg), c.format, []byte(c.text), nil)
			problem, ok := errors.AsType[*fault.Error](err)
			if !ok || problem.Kind != fault.Invalid || rows != nil {
				t.Fatalf("got %v, %v", rows, err)
			}
			for _, messages := range problem.Fields {
				if got := strings.Join(messages, " "); got != c.want {
					t.Errorf("got  %s\nwant %s", got, c.want)
				}
			}
		})
	}
}

// TestRowErrors: what is wrong with single rows. The rows are returned too, so that people can be shown the line.
func TestRowErrors(t *testing.T) {
	reg := registry(t)
	for _, c := range []struct {
		format transfer.Format
		text   string
		want   []fault.Fields
	}{
		{"csv", "name,rules,cf_json\na,,\nb,{,[\n", []fault.Fields{{}, {
			"rules":         {"This is not JSON: unexpected EOF."},
			"custom_fields": {`Invalid value for custom field "json": This is not JSON: unexpected EOF.`}}}},
		{"csv", "rules\n1 2\n", []fault.Fields{{"rules": {"This is not JSON: there is more than one value."}}}},
		{"csv", "rules\n" + strings.Repeat("[", 64), []fault.Fields{{"rules": {"This is more than 63 levels deep."}}}},
		{"csv", "words\n\"\"\"a\"\n", []fault.Fields{{"words": {`A quote is not closed: write a list as a, b, "c, d".`}}}},
		{"csv", "words\n\"\"\"a\"\"b\"\n", []fault.Fields{{"words": {`After a quoted item a comma is expected: write a list as a, b, "c, d".`}}}},
		{"csv", "name,\na,b,\n", []fault.Fields{{fault.General: {"There is a value in column 2, which has no name."}}}},
		{"csv", "name\na,b\n", []fault.Fields{{fault.General: {"There is a value in column 2, which has no name."}}}},
		{"csv", "id,name\nx,a\n", []fault.Fields{{"id": {"A valid integer is required."}}}},
		{"json", `[{"id": true}, {"id": 3}]`, []fault.Fields{{"id": {"The id must be a number or a text."}}, {}}},
		{"yaml", "- id: 1.5", []fault.Fields{{"id": {"A valid integer is required."}}}},
	} {
		rows, err := transfer.Parse(reg.Type("trial.widget"), customs(t, reg), c.format, []byte(c.text), nil)
		problem, ok := errors.AsType[*fault.Error](err)
		if !ok || problem.Kind != fault.Invalid || !reflect.DeepEqual(problem.Items, c.want) || len(rows) != len(c.want) {
			t.Errorf("%s: got %v, %v", c.text, rows, err)
		}
	}
}

// TestBounds: what is too much.
func TestBounds(t *testing.T) {
	reg := registry(t)
	rows := func(n int) map[transfer.Format]string {
		return map[transfer.Format]string{
			"csv":  "name\n" + strings.Repeat("x\n", n),
			"json": "[" + strings.TrimSuffix(strings.Repeat("{},", n), ",") + "]",
			"yaml": strings.Repeat("- {}\n", n),
		}
	}
	for format, text := range rows(transfer.MaxRows) {
		if got, err := transfer.Parse(reg.Type("dcim.site"), nil, format, []byte(text), nil); err != nil || len(got) != transfer.MaxRows {
			t.Errorf("%s: got %d rows, %v", format, len(got), err)
		}
	}
	refused := func(what string, format transfer.Format, text string) {
		t.Helper()
		if got, err := transfer.Parse(reg.Type("dcim.site"), nil, format, []byte(text), nil); fault.KindOf(err) != fault.TooLarge || got != nil {
			t.Errorf("%s as %s: got %d rows, %v", what, format, len(got), err)
		}
	}
	for format, text := range rows(transfer.MaxRows + 1) {
		refused("too many rows", format, text)
		refused("too many bytes", format, strings.Repeat(" ", transfer.MaxBytes)+text)
	}
	blank := "name,slug" + strings.Repeat(",", 40) + "\n" + strings.Repeat("a,b"+strings.Repeat(",", 40)+"\n", transfer.MaxRows)
	if got, err := transfer.Parse(reg.Type("dcim.site"), nil, "csv", []byte(blank), nil); err != nil || len(got) != transfer.MaxRows {
		t.Errorf("blank cells: %d rows, %v", len(got), err)
	}
	for _, unit := range []string{"a: b\n", "a,", "- ", "[", "{", "? ", `"":`, "{a,"} {
		refused(unit, "yaml", "- name: "+strings.Repeat(unit, 1_000_001))
	}
	refused("values", "json", `[{"comments": [`+strings.Repeat("1,", 200_001)+"1]}]")
	refused("values", "csv", "tags\n"+strings.Repeat("\""+strings.Repeat("a,", 1000)+"\"\n", 201))
	refused("cells", "csv", "name,slug,facility,comments,description\n"+strings.Repeat("a,b,c,d,e\n", transfer.MaxRows)+
		strings.Repeat(" \n", 150_000))
	refused("rows without a value", "csv", "name\n"+strings.Repeat("\n", 1_000_001))
	refused("columns", "csv", strings.Repeat(",", 5000)+"name\n")
}
