package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// mostRecords is how many records of a kind a client keeps. It deletes the others.
const mostRecords = 150

// item is a record that only this client writes, so that it knows its version exactly.
type item struct {
	kind    *kind
	id      int64
	version int64
	name    string
	mark    string // the mark of the op that wrote it last
	region  int64  // of a site; 0 for none
	pinned  bool   // never deleted, because a record of unknown state may refer to it
}

// client makes requests and records the answers. After a request without a clear answer it never touches the same records again, because it
// does not know their state any more.
type client struct {
	w      *world
	name   string
	rnd    *rand.Rand
	count  int
	ops    []*op
	items  map[*kind][]*item
	shared []*item // written by every client: their versions are known only from answers
	held   *item   // a tenant that can't be deleted because a site refers to it

	kit        int64 // the kit that crates are made from
	households []*household

	given   *given
	form    deviceForm
	devices []*item
}

func newClient(w *world, n int, shared []*item) *client {
	return &client{w: w, name: fmt.Sprint("c", n), rnd: rand.New(rand.NewPCG(w.seed, uint64(n)+1)), items: map[*kind][]*item{}, shared: shared}
}

// run makes requests until ctx ends. It finishes the last request.
func (c *client) run(ctx context.Context, pace *pace) {
	for pace.wait(ctx) {
		c.step()
		if n := len(c.ops); n > 0 && c.ops[n-1].outcome == unknown {
			_ = pause(ctx, 100*time.Millisecond) // without answers a client must not send faster
		}
	}
}

// step makes one request. The seed chooses its kind.
func (c *client) step() {
	k := kinds[c.rnd.IntN(len(kinds))]
	steps := []struct {
		weight int
		do     func(*kind)
	}{
		{12, c.createOne}, {5, c.createMany}, {20, c.updateOne}, {9, c.updateMany}, {8, c.deleteOne}, {3, c.deleteMany},
		{5, c.touch}, {5, c.read}, {3, c.updateTwice}, {8, c.updateShared}, {9, c.beRefused}, {12, c.workOnFamily},
		{1, c.workOnDevice}, {6, c.takeAddresses},
	}
	all := 0
	for _, s := range steps {
		all += s.weight
	}
	n := c.rnd.IntN(all)
	for _, s := range steps {
		if n -= s.weight; n < 0 {
			s.do(k)
			return
		}
	}
}

// send makes a request and records its outcome. If the outcome is not the expected one, that is a violation, unless a fault explains it.
func (c *client) send(o *op, expect outcome, request call) answer {
	if request.token == "" {
		request.token = c.w.admin
	}
	o.client, o.began = c.name, time.Now()
	a := c.w.do(context.Background(), c.rnd, request)
	o.ended, o.status, o.request = time.Now(), a.status, a.request
	switch {
	case a.good():
		o.outcome = acknowledged
	case a.refused():
		o.outcome = refused
	}
	c.ops = append(c.ops, o)
	switch {
	case o.outcome == unknown && !c.w.excused(o.began, o.ended):
		c.w.violate(answered, "%s %s (%s) got no good answer from %s, and no fault explains it: %v %d %.300s", request.method,
			request.path, o.what, a.at, a.err, a.status, a.body)
	case o.outcome != unknown && o.outcome != expect:
		c.w.violate(answered, "%s %s (%s, %s) was to be %v: %d %.300s", request.method, request.path, o.what, o.mark, expect, a.status, a.body)
	case o.outcome == acknowledged:
		if a.request == "" {
			c.w.violate(answered, "%s %s has no X-Request-ID", request.method, request.path)
		}
		c.w.acknowledge(len(o.want))
	}
	return a
}

// op returns a new op with its own mark.
func (c *client) op(what string) *op {
	c.count++
	return &op{what: what, mark: fmt.Sprintf("%s-%d", c.name, c.count)}
}

// shown is a record as far as the client reads it.
type shown struct {
	ID          int64
	Name        string
	Description string
}

// decode returns the records of an answer, and checks that they have the written values.
func (c *client) decode(o *op, a answer, n int) []shown {
	many := c.records(o, a, n)
	for _, s := range many {
		if s.Description != o.mark {
			c.w.violate(answered, "%s (%s) was acknowledged and shows %q", o.what, o.mark, s.Description)
		}
	}
	return many
}

// records returns the records of an answer, nil if there are not as many as there should be.
func (c *client) records(o *op, a answer, n int) []shown {
	var many []shown
	body := a.body
	if len(body) > 0 && body[0] == '{' {
		body = slices.Concat([]byte("["), body, []byte("]"))
	}
	if err := json.Unmarshal(body, &many); err != nil || len(many) != n {
		c.w.violate(answered, "%s (%s) was answered %d with %d of %d records: %v %.300s", o.what, o.mark, a.status, len(many), n, err, a.body)
		return nil
	}
	return many
}

// pick returns up to n different records.
func (c *client) pick(k *kind, n int) []*item {
	all := c.items[k]
	n = min(n, len(all))
	picked := make([]*item, n)
	for i, at := range c.rnd.Perm(len(all))[:n] {
		picked[i] = all[at]
	}
	return picked
}

// forget removes records from those that the client works on.
func (c *client) forget(gone ...*item) {
	for _, x := range gone {
		if x.region != 0 {
			c.pin(x.region)
		}
		c.items[x.kind] = slices.DeleteFunc(c.items[x.kind], func(y *item) bool { return x == y })
	}
}

// pin keeps a region from being deleted, because it is not known any more which records refer to it.
func (c *client) pin(region int64) {
	for _, x := range c.items[regions] {
		if x.id == region {
			x.pinned = true
		}
	}
}

// pace limits the clients together to the number of changes that the run is meant to have. A run that ends early would have few of its
// faults.
type pace struct {
	w      *world
	target int
	began  time.Time
	over   time.Duration
}

func (p *pace) wait(ctx context.Context) bool {
	for ctx.Err() == nil {
		done, _ := p.w.acknowledged()
		if float64(done) <= 300+float64(p.target)*float64(time.Since(p.began))/float64(p.over) {
			return true
		}
		_ = pause(ctx, 20*time.Millisecond) // the loop checks ctx
	}
	return false
}
