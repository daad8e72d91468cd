package store_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/access"
	"terrier/internal/dbtest"
	"terrier/internal/fill"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/test/storetest"
)

// openFleet returns a store with 400 devices and 20,000 interfaces, and a counter of its statements.
func openFleet(t *testing.T) (*store.Store, *record.Registry, *pgxpool.Pool, *dbtest.Counter) {
	t.Helper()
	counter := &dbtest.Counter{}
	s, reg, db := storetest.Open(t, counter)
	g := fill.New(s, 7)
	for _, x := range []struct {
		key string
		n   int
	}{{"extras.tag", 5}, {"tenancy.tenant", 20}, {"dcim.site", 100}} {
		if err := g.Fill(t.Context(), reg.Type(x.key), x.n, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Fleet(t.Context(), 400); err != nil {
		t.Fatal(err)
	}
	return s, reg, db, counter
}

// TestFleetIsReadByIndex: a page of interfaces looks up what it refers to by its id, and finds the interfaces of a device through an
// index, whatever the values are; and so are addresses, VLANs and the like.
func TestFleetIsReadByIndex(t *testing.T) {
	t.Parallel()
	s, reg, db, _ := openFleet(t)
	addressFiltersAreIndexed(t, s, reg, db)
	typ := reg.Type("dcim.interface")
	for _, c := range []struct{ filter, reads string }{
		{"", " dcim_interface_order "},
		{"device_id", "Index Cond: (device_id = $1)"},
		{"device", " dcim_device_order "},
	} {
		if c.filter == "device" { // there are so few of them that a scan would be cheaper
			if _, err := db.Exec(t.Context(), `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET enable_seqscan = off', current_database());
				END $$`); err != nil {
				t.Fatal(err)
			}
		}
		q := store.Query{Scope: access.Machine(), Limit: 1000}
		var args []string
		if c.filter != "" {
			test, _, err := typ.ParseFilter(c.filter, []string{"1"})
			if err != nil {
				t.Fatal(err)
			}
			q.Where, args = []record.Predicate{test}, []string{"{1}", "{1}"}
			if c.filter == "device_id" {
				args = []string{"1", "1"}
			}
		}
		statements, err := store.ListStatement(s, typ, q)
		if err != nil {
			t.Fatal(err)
		}
		_, page, _ := strings.Cut(statements, ";")
		plan := genericPlan(t, db, page, args...)
		if !strings.Contains(plan, c.reads) {
			t.Errorf("%q is not read by %s:\n%s", c.filter, c.reads, plan)
		}
		for _, bad := range []string{"Seq Scan on dcim_interface", "Seq Scan on dcim_device ", "Hash Left Join", "Incremental Sort"} {
			if strings.Contains(plan, bad) {
				t.Errorf("%q is read by %s:\n%s", c.filter, bad, plan)
			}
		}
	}
}

// TestDevicesWithoutInterfaces: the page of a filter that looks for other records of each one is counted only if there are more pages.
func TestDevicesWithoutInterfaces(t *testing.T) {
	t.Parallel()
	s, reg, db, counter := openFleet(t)
	if _, err := db.Exec(t.Context(), "DELETE FROM dcim_interface WHERE device_id <= 3"); err != nil {
		t.Fatal(err)
	}
	typ := reg.Type("dcim.device")
	test, _, err := typ.ParseFilter("interfaces", []string{"false"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		limit, offset, rows int
		statements          int64
	}{{10, 0, 3, 1}, {3, 0, 3, 1}, {2, 0, 2, 2}, {10, 1, 2, 2}, {10, 5, 0, 2}} {
		var page store.Page
		n := counter.During(func() {
			page, err = s.List(t.Context(), typ, store.Query{Scope: access.Machine(), Limit: c.limit, Offset: c.offset,
				Where: []record.Predicate{test}, View: record.View{Brief: true}})
		})
		if err != nil || page.Total != (store.Total{Count: 3, Counted: true}) || len(page.Rows) != c.rows || n != c.statements {
			t.Errorf("%+v: %d rows of %+v with %d statements, %v", c, len(page.Rows), page.Total, n, err)
		}
	}
}
