package main

import (
	"context"
	"fmt"

	"terrier/internal/fill"
	"terrier/internal/inventory"
	"terrier/internal/record"
	"terrier/internal/store"
)

// The numbers of records that the sites refer to. They are those of a large company.
const (
	regions = 200
	groups  = 50
	tenants = 500
	tags    = 20
)

// Names are scattered over the table, so that a page by name is not also a page of the heap. The n-th site has the number n × stride
// modulo a prime, which never repeats.
const (
	stride = 618_033_989
	prime  = 999_999_937
)

// siteNumber returns the number in the name of the n-th site.
func siteNumber(n int64) int64 { return n * stride % prime }

// register is a database that can be filled with sites.
type register struct {
	*fill.Generator
	database string
	store    *store.Store
	sent     *sent // by the store
}

// seed makes the rows of all runs the same.
const seed = 1

// newRegister opens a database and fills it with the records that sites refer to.
func newRegister(ctx context.Context, database string) (*register, error) {
	reg, err := record.NewRegistry(inventory.Types()...)
	if err != nil {
		return nil, err
	}
	sent := &sent{}
	s, err := store.Open(ctx, database, reg, sent)
	if err != nil {
		return nil, err
	}
	r := &register{fill.New(s, seed), database, s, sent}
	for _, others := range []struct {
		of string
		n  int
	}{{"extras.tag", tags}, {"dcim.region", regions}, {"dcim.sitegroup", groups}, {"tenancy.tenant", tenants}} {
		if err := r.Fill(ctx, s.Type(others.of), others.n, nil); err != nil {
			s.Close()
			return nil, err
		}
	}
	return r, nil
}

// addSites adds n sites. The API would take hours.
func (r *register) addSites(ctx context.Context, n int) error {
	recipe := fill.ForSearch()
	recipe["name"] = func(r fill.Row) any { return fmt.Sprint("Site ", siteNumber(int64(r.Number))) }
	recipe["slug"] = func(r fill.Row) any { return fmt.Sprint("site-", siteNumber(int64(r.Number))) }
	recipe["physical_address"] = func(r fill.Row) any {
		return fmt.Sprintf("%d Harbour Road, Building %d", siteNumber(int64(r.Number)), r.Number%40)
	}
	if err := r.Fill(ctx, r.store.Type("dcim.site"), n, recipe); err != nil {
		return err
	}
	return execute(ctx, r.database, "CHECKPOINT") // and not during a measurement
}
