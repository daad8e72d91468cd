package transfer_test

import (
	"errors"
	"strings"
	"testing"

	"terrier/internal/record"
	"terrier/internal/transfer"
)

// TestNoFormulas: no cell of an exported file is computed by a spreadsheet, whether it separates cells by commas or by semicolons, and the
// import gives back what was exported.
func TestNoFormulas(t *testing.T) {
	reg := registry(t)
	site := reg.Type("dcim.site")
	for _, text := range []string{"=1+1", "＝1+1", "＋1+1", "－1+1", "＠SUM(1)", "@SUM(1)", "a;=1+1", "a; =1+1", "a;＝1", `a;"=1`,
		"a;'=1", ";;+x;@y"} {
		v := site.NewValues()
		v.Set("name", "Lisbon 1")
		v.Set("slug", "lis1")
		v.Set("description", text)
		var file strings.Builder
		w := transfer.NewWriter(&file, site, nil, transfer.CSV, &record.Printer{})
		if err := errors.Join(w.Begin(), w.Write(v), w.Close()); err != nil {
			t.Fatal(err)
		}
		for _, cell := range strings.FieldsFunc(file.String(), func(r rune) bool { return strings.ContainsRune(",;\r\n", r) }) {
			if start := strings.TrimLeft(cell, ` "`); start != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(start)[0]) {
				t.Errorf("%q: a cell is %q", text, cell)
			}
		}
		rows, err := transfer.Parse(site, nil, transfer.CSV, []byte(file.String()), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := rows[0].Input["description"]; got != text {
			t.Errorf("%q comes back as %q", text, got)
		}
	}
}
