package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"
)

// All clients take free addresses of the same prefix and of one inside it. Nobody deletes an address or chooses one, so each that is in
// the database was given out, and no two records may have the same. Nothing but allocation keeps them apart: the global table
// allows duplicates.
var (
	addresses = &kind{key: "ipam.ipaddress", path: "/api/ipam/ip-addresses/", table: "ipam_ipaddress"}

	pools = []string{"10.0.0.0/10", "10.0.0.0/11"}
)

// mostTaken is how many addresses one request takes.
const mostTaken = 5

// given are the addresses that were acknowledged.
type given struct {
	pools []int64 // the ids of the prefixes

	mu sync.Mutex
	to map[netip.Addr]string // the mark of the op
}

// makePools creates the prefixes that addresses are taken from.
func (c *client) makePools() (*given, error) {
	g := &given{to: map[netip.Addr]string{}}
	for _, network := range pools {
		id, err := c.setUp("/api/ipam/prefixes/", "ipam.prefix", object{"prefix": network})
		if err != nil {
			return nil, err
		}
		g.pools = append(g.pools, id)
	}
	return g, nil
}

// takeAddresses takes free addresses, one or a few.
func (c *client) takeAddresses(*kind) {
	o := c.op("take addresses")
	n := 1 + c.rnd.IntN(2)*c.rnd.IntN(mostTaken)
	for range n {
		o.want = append(o.want, want{action: "create", kind: addresses.key, name: fmt.Sprint(nil), version: 1}) // it has no name
	}
	a := c.send(o, acknowledged, call{method: http.MethodPost,
		path: fmt.Sprintf("/api/ipam/prefixes/%d/available-ips/", c.given.pools[c.rnd.IntN(len(pools))]),
		body: slices.Repeat([]object{{"description": o.mark}}, n)})
	if o.outcome != acknowledged {
		return
	}
	for i, s := range c.decode(o, a, n) {
		o.want[i].id = s.ID
	}
	var records []struct{ Address netip.Prefix }
	if err := json.Unmarshal(a.body, &records); err != nil {
		c.w.violate(answered, "%s (%s) was answered with no address: %v %.300s", o.what, o.mark, err, a.body)
	}
	for _, x := range records {
		if other := c.given.note(x.Address.Addr(), o.mark); other != "" {
			c.w.violate(givenOnce, "%s was given to %s and to %s", x.Address, other, o.mark)
		}
	}
}

// note keeps who was given an address, and returns who was given it before.
func (g *given) note(host netip.Addr, mark string) (other string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	other = g.to[host]
	g.to[host] = mark
	return other
}

// checkAddresses checks that every address that was given is there, and that no address has two records.
func (w *world) checkAddresses(ctx context.Context, g *given) error {
	rows, err := w.db.Query(ctx, "SELECT host(address) FROM ipam_ipaddress")
	if err != nil {
		return err
	}
	hosts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	w.compareAddresses(hosts, g)
	return nil
}

func (w *world) compareAddresses(stored []string, g *given) {
	counts := map[netip.Addr]int{}
	for _, text := range stored {
		host, err := netip.ParseAddr(text)
		if counts[host]++; err != nil || counts[host] == 2 {
			w.violate(givenOnce, "%s has more than one record (given to %q, %v)", text, g.to[host], err)
		}
	}
	for host, mark := range g.to {
		if counts[host] == 0 {
			w.violate(givenOnce, "%s was given to %s, and is not there", host, mark)
		}
	}
}
