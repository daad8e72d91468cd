package transfer_test

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/transfer"
)

// guessed returns what the heading of a column in a file of a type is taken for; ok is false for nothing.
func guessed(t *testing.T, typ *record.Type, defs []*record.Custom, heading string) (h transfer.Heading, ok bool) {
	t.Helper()
	all := transfer.Headings(typ, defs, []byte(`"`+strings.ReplaceAll(heading, `"`, `""`)+"\"\nx\n"), nil)
	if len(all) != 1 {
		t.Fatalf("%q: got %v", heading, all)
	}
	return all[0], all[0].Matched
}

// TestGuessedColumns: what headings are much like.
func TestGuessedColumns(t *testing.T) {
	reg := registry(t)
	v := reg.Type("extras.customfield").NewValues()
	v.Set("name", "rack_side")
	v.Set("label", "Side of the rack")
	v.Set("type", "text")
	defs := []*record.Custom{record.CustomDefinition(v)}
	for _, c := range []struct {
		typ, heading, column string
		known                bool
	}{
		{"dcim.device", "device_type", "device_type", true},
		{"dcim.device", "Device type", "device_type", false},
		{"dcim.device", "DEVICE-TYPE", "device_type", false},
		{"dcim.device", " devicetype ", "device_type", false},
		{"dcim.device", "device\r\ntype", "device_type", false},
		{"dcim.device", "Device type (*)", "device_type", false},
		{"dcim.device", "Site", "site", false},
		{"dcim.device", "Site name", "site", false},
		{"dcim.device", "site.slug", "site.slug", true},
		{"dcim.device", "Site slug", "site", false},
		{"dcim.device", "cf_rack_side", "cf_rack_side", true},
		{"dcim.device", "CF rack side", "cf_rack_side", false},
		{"dcim.device", "Rack Side", "cf_rack_side", false},
		{"dcim.device", "side of the RACK", "cf_rack_side", false},
		{"dcim.device", "Role", "device_role", false},
		{"dcim.device", "role", "device_role", true}, // which the API calls it too
		{"dcim.device", "Hostname", "name", false},
		{"dcim.device", "Device name", "name", false},
		{"dcim.device", "Model", "device_type", false},
		{"dcim.device", "Serial number", "serial", false},
		{"dcim.devicetype", "Model", "model", false},
		{"dcim.devicetype", "Vendor", "manufacturer", false},
		{"dcim.interface", "Device name", "device", false},
		{"dcim.rack", "Customer", "tenant", false},
		{"ipam.prefix", "CIDR", "prefix", false},
		{"dcim.site", "Name", "name", false},
		{"dcim.site", "Region name", "region", false},
		{"dcim.site", "id", "id", true},
		{"dcim.site", "created", transfer.Skip, true},
		{"dcim.site", "Created", transfer.Skip, false},
	} {
		if h, ok := guessed(t, reg.Type(c.typ), defs, c.heading); !ok || h.Column != c.column || h.Known != c.known {
			t.Errorf("%s: %q is taken for %+v, want %q", c.typ, c.heading, h, c.column)
		}
	}
	if h, ok := guessed(t, reg.Type("dcim.rack"), defs, "Unit"); ok { // of the weight, or of the outer width
		t.Errorf("Unit is taken for %q", h.Column)
	}
	for _, heading := range []string{"ID", "Id", "Site ID", "site-id", "State", "§", "Nom", "naame"} {
		if h, ok := guessed(t, reg.Type("dcim.site"), defs, heading); ok {
			t.Errorf("%q is taken for %q", heading, h.Column)
		}
	}
}

// TestGuessNothingOfTwo: a heading that is like the labels of two custom fields is neither, and one that is like the names of two is not
// the third that has it as its label.
func TestGuessNothingOfTwo(t *testing.T) {
	reg := registry(t)
	var defs []*record.Custom
	for name, label := range map[string]string{"one": "Owner", "two": "Owner", "ab": "First", "a_b": "Second", "three": "CF A B"} {
		v := reg.Type("extras.customfield").NewValues()
		v.Set("name", name)
		v.Set("label", label)
		v.Set("type", "text")
		defs = append(defs, record.CustomDefinition(v))
	}
	for _, heading := range []string{"owner", "CF ab"} {
		if h, ok := guessed(t, reg.Type("dcim.site"), defs, heading); ok {
			t.Errorf("%q is taken for %q", heading, h.Column)
		}
	}
}

// numbered returns a header of so many columns.
func numbered(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return strings.Join(names, ",")
}

// TestHeadings: the columns of a file, with their first values.
func TestHeadings(t *testing.T) {
	site := registry(t).Type("dcim.site")
	text := "\ufeff\nName;State;;Notes\n;active;x;\nA;;;\nB;planned;;\"a\nb\"\nC;;;\nD\n\"never closed"
	want := []transfer.Heading{
		{Name: "Name", Column: "name", Matched: true, Samples: []string{"A", "B", "C"}},
		{Name: "State", Column: "status", Matched: true, Known: true, Samples: []string{"active", "planned"}},
		{Name: "Notes", Samples: []string{"a\nb"}},
	}
	if got := transfer.Headings(site, nil, []byte(text), transfer.Mapping{"State": "status"}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	long := transfer.Headings(site, nil, []byte("Name\n"+strings.Repeat("ä", 1000)), nil)
	if got := long[0].Samples[0]; got != strings.Repeat("ä", 40)+"…" {
		t.Errorf("a long value is shown as %q", got)
	}
	if got := transfer.Headings(site, nil, []byte(numbered(200)), nil); len(got) != 200 {
		t.Errorf("of 200 columns: got %d", len(got))
	}
	for name, text := range map[string]string{
		"too many columns":      strings.Repeat("a,", 10_000),
		"two of a name":         "a,b,a",
		"too many to ask about": numbered(201),
		"a long heading":        strings.Repeat("a", 101),
		"not UTF-8":             "name\n\xff",
		"a quote":               "\"name",
		"nothing":               "",
	} {
		if got := transfer.Headings(site, nil, []byte(text), nil); got != nil {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// TestMappedColumns: a file is read by its mapping, and errors are by its own lines and headings.
func TestMappedColumns(t *testing.T) {
	site := registry(t).Type("dcim.site")
	m := transfer.Mapping{"Title": "name", "State": "status", "Where": "region", "Notes": transfer.Skip}
	rows, err := transfer.Parse(site, nil, transfer.CSV, []byte("Title,slug,State,Where,Notes\nA,a,active,Europe,x\n"), m)
	want := object{"name": "A", "slug": "a", "status": "active", "region": record.Naming{By: "slug", Or: "name", Text: "Europe"}}
	if err != nil || len(rows) != 1 || !reflect.DeepEqual(rows[0].Input, want) {
		t.Errorf("got %v, %v", rows, err)
	}
	for text, want := range map[string]string{
		"\nTitle,name\nA,B\n":  `line 2: the columns "Title" and "name" are both mapped to name. Skip one of them.`,
		"Title,Title\nA,B\n":   `line 1: column "Title" is there twice`,
		"Notes,Notes\nA,B\n":   `line 1: column "Notes" is there twice`,
		"Title,statsu\nA,B\n":  `line 1: column "statsu" is unknown, did you mean "status"?`,
		"Title,Nothing\nA,B\n": `line 1: column "nothing" is unknown`,
	} {
		m := transfer.Mapping{"Title": "name", "Notes": transfer.Skip, "Nothing": "nothing"}
		if _, err := transfer.Parse(site, nil, transfer.CSV, []byte(text), m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	items := []fault.Fields{{}, {"region": {"No."}, "slug": {"Why."}}}
	if got := m.InFile(items); !reflect.DeepEqual(got, []fault.Fields{{}, {"Where": {"No."}, "slug": {"Why."}}}) {
		t.Errorf("got %v", got)
	}
	if got := transfer.Mapping(nil).InFile(items); !reflect.DeepEqual(got, items) {
		t.Errorf("without a mapping: got %v", got)
	}
}
