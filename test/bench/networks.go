package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"

	"terrier/internal/fill"
	"terrier/internal/record"
	"terrier/test/bench/figures"
)

const (
	prefixesPath  = "/api/ipam/prefixes/"
	addressesPath = "/api/ipam/ip-addresses/"
)

// warmUps is how often a request is sent before it is measured. PostgreSQL keeps a plan after five.
const warmUps = 6

// networks is a register of prefixes and addresses.
type networks struct {
	*fleet
	fill.Networks
	dense, sparse int64 // ids of prefixes: the one whose addresses are taken but the last, and a /24 in the middle
}

// networkCost is a request whose time may grow with the number of prefixes and addresses. Its goal is in milliseconds.
type networkCost struct {
	name, what string
	goal       float64 // none if the request reads all descendants of the /8
	ask        func(*networks) (milliseconds float64, err error)
}

var networkCosts = []networkCost{
	{"first", "first page of 50, which holds the /8, with depth, children and utilisation", 0,
		listNetworks(prefixesPath + "?utilization=true")},
	{"page", "page of 50 after it, with the same", 30, (*networks).pageAfter},
	{"deep", "page of 50 in the middle, by next, with the same", 30, (*networks).deepPage},
	{"within", "within a /16 of 3,584 prefixes, with the count", 50, listNetworks(prefixesPath + "?within=10.1.0.0/16")},
	{"within-include", "within or equal to a /24, with the count", 50, listNetworks(prefixesPath + "?within_include=10.1.7.0/24")},
	{"contains", "prefixes that contain an IPv6 address, with the count", 50, listNetworks(prefixesPath + "?contains=2001:db8:0:7::5")},
	{"contains-8", "prefixes that contain an address of the /8, with the count", 0, listNetworks(prefixesPath + "?contains=10.1.7.5")},
	{"mask", "prefixes by mask_length and within, with the count", 50, listNetworks(prefixesPath + "?mask_length=24&within=10.1.0.0/16")},
	{"mask-alone", "prefixes by mask_length alone, with the count", 50, listNetworks(prefixesPath + "?mask_length=16")},
	{"parent", "addresses by parent, a /16, with the count", 50, listNetworks(addressesPath + "?parent=10.1.0.0/16")},
	{"free", "first free address of a /24", 5, func(n *networks) (float64, error) { return n.free(n.sparse, netip.Addr{}) }},
	{"free-dense", "first free address of a network that is full but for the last", 60,
		func(n *networks) (float64, error) { return n.free(n.dense, record.LastAddress(n.Dense()).Prev()) }},
	{"insert", "create a prefix around a ninth of all", 50, func(n *networks) (float64, error) {
		id, took, err := n.add()
		if err != nil {
			return 0, err
		}
		_, err = n.side.Do(n.side.Delete(fmt.Sprintf("%s%d/", prefixesPath, id)), http.StatusNoContent)
		return took, err
	}},
	{"delete", "delete a prefix around a ninth of all", 50, func(n *networks) (float64, error) {
		id, _, err := n.add()
		if err != nil {
			return 0, err
		}
		_, took, err := n.timed(n.side.Delete(fmt.Sprintf("%s%d/", prefixesPath, id)), http.StatusNoContent)
		return took, err
	}},
}

// measureNetworks measures single requests in a register with a /8 that nine of ten prefixes are inside of.
func (b *bench) measureNetworks(ctx context.Context) (rows []figures.Row, err error) {
	if b.networks == nil {
		if b.networks, err = b.makeNetworks(ctx); err != nil {
			return nil, err
		}
	}
	for _, c := range networkCosts {
		r := figures.Row{Case: "prefixes-" + c.name, What: c.what, Unit: "ms", Absolute: true}
		if c.goal > 0 {
			r.Goal = figures.AtMost(c.goal)
			if b.o.quick { // single requests on a busy machine
				r.Goal.Gate = 10 * c.goal
			}
		}
		ask := cost{ask: func(*bench) (float64, error) { return c.ask(b.networks) }}
		for range warmUps {
			if _, err := c.ask(b.networks); err != nil {
				return nil, fmt.Errorf("%s: %w", r.Case, err)
			}
		}
		took, err := b.repeated(ask)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Case, err)
		}
		r.Terrier.Figure = figures.Median(took)
		r.Judge(took)
		rows = append(rows, r)
	}
	return rows, nil
}

func (b *bench) makeNetworks(ctx context.Context) (n *networks, err error) {
	n = &networks{Networks: fill.Networks{Prefixes: b.o.prefixes, Addresses: b.o.prefixes}}
	n.fleet, err = b.openFilled(ctx, "prefixes", func(r *register) error { return r.Networks(ctx, n.Networks) })
	if err != nil {
		return nil, err
	}
	if n.sparse, err = n.find("10.1.7.0/24"); err != nil {
		return nil, err
	}
	n.dense, err = n.make(n.Dense().String())
	return n, err
}

// find returns the id of a prefix.
func (n *networks) find(prefix string) (int64, error) {
	raw, _, err := n.timed(n.side.Get(prefixesPath+"?fields=id&prefix="+prefix), http.StatusOK)
	if err != nil {
		return 0, err
	}
	var page struct{ Results []struct{ ID int64 } }
	if err := json.Unmarshal(raw, &page); err != nil {
		return 0, err
	}
	if len(page.Results) == 0 {
		return 0, errors.New("there is no prefix " + prefix)
	}
	return page.Results[0].ID, nil
}

// make returns the id of a prefix, and creates it if there is none.
func (n *networks) make(prefix string) (int64, error) {
	if id, err := n.find(prefix); err == nil {
		return id, nil
	}
	id, _, err := n.create(prefix)
	return id, err
}

func (n *networks) create(prefix string) (id int64, took float64, err error) {
	raw, took, err := n.timed(n.side.Post(prefixesPath, body(map[string]any{"prefix": prefix, "status": "container"})), http.StatusCreated)
	var made struct{ ID int64 }
	if err == nil {
		err = json.Unmarshal(raw, &made)
	}
	return made.ID, took, err
}

// add creates the prefix that many others are inside of.
func (n *networks) add() (id int64, took float64, err error) {
	wide, _ := n.Wide()
	return n.create(wide.String())
}

// listNetworks requests a page, which must find something.
func listNetworks(address string) func(*networks) (float64, error) {
	return func(n *networks) (float64, error) {
		l, took, err := n.page(address + "&limit=50")
		if err == nil && l.Count == 0 {
			err = errors.New(address + " finds nothing")
		}
		return took, err
	}
}

// pageAfter requests the page after the first.
func (n *networks) pageAfter() (float64, error) {
	const list = prefixesPath + "?utilization=true&limit=50"
	if n.deepAt[list] == "" {
		if err := n.follow(list, list); err != nil {
			return 0, err
		}
	}
	_, took, err := n.page(n.deepAt[list])
	return took, err
}

// deepPage requests a page after the middle of the list by following next. It is another page each time.
func (n *networks) deepPage() (float64, error) {
	list := fmt.Sprintf("%s?utilization=true&limit=50&offset=%d", prefixesPath, n.Prefixes/2)
	if n.deepAt[list] == "" {
		if err := n.follow(list, list); err != nil {
			return 0, err
		}
	}
	at := n.deepAt[list]
	_, took, err := n.page(at)
	return took, errors.Join(err, n.follow(list, at))
}

// follow remembers the page after another as the next one of a walk.
func (n *networks) follow(walk, from string) error {
	l, _, err := n.page(from)
	if err != nil {
		return err
	}
	if l.Next == nil {
		return errors.New(from + " is the last page")
	}
	n.deepAt[walk] = *l.Next
	return nil
}

// free requests the first free address of a prefix, as a script does that only looks. It must be the wanted one, if that is given.
func (n *networks) free(id int64, want netip.Addr) (float64, error) {
	raw, took, err := n.timed(n.side.Get(fmt.Sprintf("%s%d/available-ips/?limit=1", prefixesPath, id)), http.StatusOK)
	if err != nil {
		return 0, err
	}
	var free []struct{ Address netip.Prefix }
	if err := json.Unmarshal(raw, &free); err != nil {
		return 0, err
	}
	if len(free) != 1 || want.IsValid() && free[0].Address.Addr() != want {
		return 0, fmt.Errorf("the first free address should be %s: %s", want, raw)
	}
	return took, nil
}
