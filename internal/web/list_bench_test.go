package web

import (
	"fmt"
	"io"
	"testing"
	"time"
)

// BenchmarkRecordsTable measures the table of a list: 50 records with eight columns of the usual kinds.
func BenchmarkRecordsTable(b *testing.B) {
	all, err := ParseTemplates()
	if err != nil {
		b.Fatal(err)
	}
	page := &listPage{Path: "/dcim/sites/", Title: "Sites", CanChange: true, CanDelete: true, Menu: true}
	kinds := []tableCell{{Text: "active", State: "active"}, {Text: "Portugal", Path: "dcim/regions/4/"}, {Text: "LIS-01"}, {},
		{Text: "Acme Logistics", Path: "tenancy/tenants/1/"}, {Text: "Point of presence 2 in Lisbon"},
		{Tags: []tableTag{{"core", "extras/tags/1/", "f44336"}, {"edge", "extras/tags/2/", "2196f3"}}}, {At: time.Unix(1e9, 0)}}
	for i := range kinds {
		kinds[i].Label = labelAttr(fmt.Sprint("Column ", i))
	}
	page.Heads = make([]head, len(kinds)+1)
	for i := range page.Heads {
		page.Heads[i] = head{Label: fmt.Sprint("Column ", i), Href: "/dcim/sites/?ordering=name"}
	}
	for i := range 50 {
		page.Rows = append(page.Rows, row{ID: fmt.Sprint(i), Path: fmt.Sprintf("dcim/sites/%d/", i), Name: fmt.Sprint("Lisbon ", i), Cells: kinds,
			Menu: (&TypePages{Path: "/dcim/sites/"}).rowMenu(fmt.Sprint(i), fmt.Sprint("Lisbon ", i), rowRights{true, true, true})})
	}
	for b.Loop() {
		if err := all.ExecuteTemplate(io.Discard, "records-table", page); err != nil {
			b.Fatal(err)
		}
	}
}
