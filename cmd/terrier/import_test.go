package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"terrier/internal/app"
)

// prefixFile returns a CSV file of so many prefixes.
func prefixFile(n int) string {
	var b strings.Builder
	b.WriteString("prefix,status,description\n")
	for i := range n {
		fmt.Fprintf(&b, "10.%d.%d.0/24,active,net %d\n", i/256, i%256, i)
	}
	return b.String()
}

func TestImportCommand(t *testing.T) {
	h := newHooked(t)
	count := func() (n int64) {
		t.Helper()
		count, _, err := h.Store.Recount(t.Context(), h.Registry.Type("ipam.prefix"))
		if err != nil {
			t.Fatal(err)
		}
		return count
	}
	good := prefixFile(2_500)
	file := filepath.Join(t.TempDir(), "prefixes.csv")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, file string
		args       []string
		works      bool
		says       string
		count      int64
	}{
		{"unknown type", good, []string{"ipam.prefixes"}, false, `no type "ipam.prefixes"; did you mean ipam.prefix?`, 0},
		{"no type", good, []string{"x"}, false, "write a type like ipam.prefix", 0},
		{"written by the program alone", good, []string{"extras.objectchange"}, false,
			"nothing is imported: records of the type extras.objectchange are written by Terrier alone", 0},
		{"unknown column", "prefix,sttaus\n10.0.0.0/8,active\n", nil, false,
			`nothing is imported: line 1: column "sttaus" is unknown, did you mean "status"?`, 0},
		{"wrong in the first part", strings.Replace(good, "10.0.5.0/24", "10.0.5.1/24", 1), nil, false,
			"nothing is imported: line 7: prefix: ", 0},
		{"wrong in the third part", strings.Replace(good, "10.9.0.0/24", "ten", 1), nil, false,
			"2000 of 2500 rows are imported; continue with --after 2000: line 2306: prefix: Enter an IP network, such as", 2_000},
		{"the rest", good, []string{"ipam.prefix", "--after", "2000"}, true, "rows imported: 500", 2_500},
		{"nothing is left", good, []string{"ipam.prefix", "--after", "2500"}, true, "rows imported: 0", 2_500},
		{"less than nothing", good, []string{"ipam.prefix", "--after=-1"}, false, "0 or more", 2_500},
	} {
		write(c.file)
		args := []string{"import", "ipam.prefix", file}
		if len(c.args) > 0 {
			args = append([]string{"import", c.args[0], file}, c.args[1:]...)
		}
		says, err := runCommand(t, "", args...)
		if !strings.Contains(says, c.says) || (err == nil) != c.works || count() != c.count {
			t.Errorf("%s: it says\n%swithout %q (%v); there are %d, want %d", c.name, says, c.says, err, count(), c.count)
		}
	}
	site := h.site(1)
	for in, want := range map[string]string{
		fmt.Sprintf(`[{"id": %d, "description": "changed"}]`, site.ID()): "rows imported: 1",
		`[{"id": 999, "description": "changed"}]`:                        "nothing is imported: line 1: there is no record with the id 999",
	} {
		if says, _ := runCommand(t, in, "import", "dcim.site", "-"); !strings.Contains(says, want) {
			t.Errorf("with %s from standard input it says %swithout %q", in, says, want)
		}
	}
}

// TestImportMapping: headings are matched as the page does it, and by --map; errors are by the headings of the file.
func TestImportMapping(t *testing.T) {
	h := newHooked(t)
	for _, c := range []struct {
		name, file string
		maps       []string
		says       string
	}{
		{"much like the columns", "NAME,Slug,Time zone\na,a,Europe/Lisbon\n", nil, "rows imported: 1"},
		{"by --map", "Title,Short = name,Notes\nb,b,x\n", []string{"Title=name", "Short = name=slug", "Notes="}, "rows imported: 1"},
		{"an unknown column", "Name,Slug,Notes\nc,c,x\n", nil, `nothing is imported: line 1: column "Notes" is unknown`},
		{"a column that there is not", "Name,Slug\nc,c\n", []string{"Titel=name"},
			`nothing is imported: the file has no column "Titel"; its columns are ["Name" "Slug"]`},
		{"an unknown field", "Name,Slug\nc,c\n", []string{"Name=naem"},
			`nothing is imported: line 1: column "naem" is unknown, did you mean "name"?`},
		{"two for one field", "Name,Title,Slug\nc,d,e\n", []string{"Title=name"},
			`nothing is imported: line 1: the columns "Name" and "Title" are both mapped to name. Skip one of them.`},
		{"an error of a row", "Name,Slug,Region name\nc,c,Nowhere\n", nil,
			`nothing is imported: line 2: Region name: There is no region "Nowhere" that you may see.`},
		{"an ID", "ID,Name,Slug\n1,c,c\n", nil, `nothing is imported: line 1: column "ID" is unknown`},
		{"no mapping", "Name,Slug\nc,c\n", []string{"Name"}, "write HEADING=COLUMN"},
		{"one twice", "Name,Slug\nc,c\n", []string{"Name=name", "Name=slug"}, `--map has the column "Name" twice`},
		{"not CSV", `[{"name": "c", "slug": "c"}]`, []string{"Name=name"}, "only the columns of CSV can be mapped, and this is json"},
	} {
		args := []string{"import", "dcim.site", "-"}
		for _, pair := range c.maps {
			args = append(args, "--map", pair)
		}
		if says, _ := runCommand(t, c.file, args...); !strings.Contains(says, c.says) {
			t.Errorf("%s: it says\n%swithout %q", c.name, says, c.says)
		}
	}
	if count, _, err := h.Store.Recount(t.Context(), h.Registry.Type("dcim.site")); count != 2 || err != nil {
		t.Errorf("there are %d sites, want 2 (%v)", count, err)
	}
}

func TestImportReports(t *testing.T) {
	h := newHooked(t)
	var reports []app.Imported
	far, err := h.Import(t.Context(), app.Import{Type: "ipam.prefix", Text: []byte(prefixFile(2_100)), After: 50},
		func(far app.Imported) { reports = append(reports, far) })
	if want := []app.Imported{{Done: 1050, Rows: 2100}, {Done: 2050, Rows: 2100}, {Done: 2100, Rows: 2100}}; err != nil ||
		far != want[2] || !slices.Equal(reports, want) {
		t.Errorf("it reports %v and ends with %v (%v), want %v", reports, far, err, want)
	}
}
