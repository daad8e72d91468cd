package transfer_test

import (
	"fmt"
	"testing"

	"terrier/internal/transfer"
)

// TestLabelsOfChoices: a file may have the label of a choice for its value, in any letter case and format. A value comes before a label,
// and a text that is neither stays, to be refused.
func TestLabelsOfChoices(t *testing.T) {
	reg := registry(t)
	for _, c := range []struct {
		typ, column, text string
		want              any
	}{
		{"dcim.site", "status", "Planned", "planned"},
		{"dcim.site", "status", "planned", "planned"},
		{"dcim.site", "status", " PLANNED ", "planned"},
		{"dcim.site", "status", "Dreamt", "Dreamt"},
		{"dcim.interface", "type", "1000BASE-T (1GE)", "1000base-t"},
		{"dcim.rack", "width", "19 inches", "19"},
		{"dcim.rack", "width", "19", "19"},
		{"dcim.site", "name", "Planned", "Planned"},
		{"ipam.ipaddress", "assigned_object_type", "Interface", "dcim.interface"},
	} {
		for format, text := range map[transfer.Format]string{
			transfer.CSV:  c.column + "\n" + c.text + "\n",
			transfer.JSON: fmt.Sprintf(`[{%q: %q}]`, c.column, c.text),
			transfer.YAML: fmt.Sprintf("- %s: %q\n", c.column, c.text),
		} {
			rows, err := transfer.Parse(reg.Type(c.typ), nil, format, []byte(text), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := rows[0].Input[c.column]; fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("%s: %s %q is read as %v, want %v", format, c.column, c.text, got, c.want)
			}
		}
	}
}

// TestBothNamesOfAField: the second name of a field is read where the first is absent, and ignored beside it.
func TestBothNamesOfAField(t *testing.T) {
	reg := registry(t)
	for text, want := range map[string]string{
		"name,role\na,core\n":                "core",
		"name,role,device_role\na,old,new\n": "new",
		"name,device_role,role\na,new,old\n": "new",
	} {
		rows, err := transfer.Parse(reg.Type("dcim.device"), nil, transfer.CSV, []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := rows[0].Text("device_role"); got != want || rows[0].Input["role"] != nil {
			t.Errorf("%q: %v", text, rows[0].Input)
		}
	}
}
