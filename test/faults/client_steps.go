package main

import (
	"fmt"
	"maps"
	"net/http"
)

// mostAtOnce is how many records one bulk request has.
const mostAtOnce = 50

func (c *client) createOne(k *kind)  { c.create(k, 1, false) }
func (c *client) createMany(k *kind) { c.create(k, 1+c.rnd.IntN(mostAtOnce), true) }

func (c *client) create(k *kind, n int, bulk bool) {
	if len(c.items[k]) > mostRecords {
		c.deleteMany(k)
		return
	}
	o := c.op("create " + k.key)
	bodies, made := make([]object, n), make([]*item, n)
	for i := range n {
		bodies[i], made[i] = c.fresh(k, o.mark, i)
		o.want = append(o.want, want{action: "create", kind: k.key, name: made[i].name, version: 1})
	}
	a := c.send(o, acknowledged, call{method: http.MethodPost, path: k.path, body: one(bodies, bulk)})
	if o.outcome != acknowledged {
		for _, x := range made {
			c.pin(x.region)
		}
		return
	}
	for i, s := range c.decode(o, a, n) {
		made[i].id, o.want[i].id = s.ID, s.ID
		c.items[k] = append(c.items[k], made[i])
	}
	if !bulk && a.version != 1 {
		c.w.violate(gapless, "%s was created with version %d", o.mark, a.version)
	}
}

// one returns the body of a request: the list for a bulk request, else its only object.
func one(bodies []object, bulk bool) any {
	if bulk {
		return bodies
	}
	return bodies[0]
}

// fresh returns a record to be created, with a new name.
func (c *client) fresh(k *kind, mark string, i int) (object, *item) {
	x := &item{kind: k, version: 1, name: fmt.Sprintf("%s-%d", mark, i), mark: mark}
	body := object{"name": x.name, "slug": x.name, "description": mark}
	maps.Copy(body, k.extra(c.rnd))
	if k == sites {
		x.region = c.anyRegion()
		body["region"] = reference(x.region)
	}
	return body, x
}

// anyRegion returns one of this client's regions, or 0.
func (c *client) anyRegion() int64 {
	if all := c.items[regions]; len(all) > 0 && c.rnd.IntN(3) == 0 {
		return all[c.rnd.IntN(len(all))].id
	}
	return 0
}

func reference(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

func (c *client) updateOne(k *kind)  { c.update(k, 1, false) }
func (c *client) updateMany(k *kind) { c.update(k, 1+c.rnd.IntN(mostAtOnce), true) }

func (c *client) update(k *kind, n int, bulk bool) {
	chosen := c.pick(k, n)
	if len(chosen) == 0 {
		c.createOne(k)
		return
	}
	o := c.op("update " + k.key)
	request := call{method: http.MethodPatch, path: k.path}
	bodies, moved := make([]object, len(chosen)), make([]int64, len(chosen))
	for i, x := range chosen {
		bodies[i] = object{"id": x.id, "description": o.mark}
		if c.rnd.IntN(2) == 0 {
			maps.Copy(bodies[i], k.extra(c.rnd))
		}
		if moved[i] = x.region; k == sites && c.rnd.IntN(4) == 0 {
			moved[i] = c.anyRegion()
			bodies[i]["region"] = reference(moved[i])
		}
		o.want = append(o.want, want{action: "update", kind: k.key, id: x.id, version: x.version + 1})
	}
	if !bulk {
		request.path = fmt.Sprintf("%s%d/", k.path, chosen[0].id)
		if c.rnd.IntN(3) == 0 {
			request.version = chosen[0].version
		}
	}
	request.body = one(bodies, bulk)
	a := c.send(o, acknowledged, request)
	if o.outcome != acknowledged {
		for _, region := range moved {
			c.pin(region)
		}
		c.forget(chosen...)
		return
	}
	c.decode(o, a, len(chosen))
	for i, x := range chosen {
		x.version, x.mark, x.region = x.version+1, o.mark, moved[i]
	}
	if !bulk && a.version != chosen[0].version {
		c.w.violate(gapless, "%s answered version %d of %s %d, and %d is the next", o.mark, a.version, k.key, chosen[0].id, chosen[0].version)
	}
}

// updateTwice names the same records twice in one request: one change each.
func (c *client) updateTwice(k *kind) {
	chosen := c.pick(k, 1+c.rnd.IntN(10))
	if len(chosen) == 0 {
		c.createMany(k)
		return
	}
	o := c.op("update twice " + k.key)
	var bodies []object
	for _, x := range chosen {
		bodies = append(bodies, object{"id": x.id, "description": "not this"})
		o.want = append(o.want, want{action: "update", kind: k.key, id: x.id, version: x.version + 1})
	}
	for _, x := range chosen {
		bodies = append(bodies, object{"id": x.id, "description": o.mark})
	}
	a := c.send(o, acknowledged, call{method: http.MethodPatch, path: k.path, body: bodies})
	if o.outcome != acknowledged {
		c.forget(chosen...)
		return
	}
	c.decode(o, a, len(bodies))
	for _, x := range chosen {
		x.version, x.mark = x.version+1, o.mark
	}
}

// updateShared writes a record that others write at the same time.
func (c *client) updateShared(*kind) {
	x := c.shared[c.rnd.IntN(len(c.shared))]
	o := c.op("update shared " + x.kind.key)
	o.want = []want{{action: "update", kind: x.kind.key, id: x.id}}
	a := c.send(o, acknowledged, call{method: http.MethodPatch, path: fmt.Sprintf("%s%d/", x.kind.path, x.id),
		body: object{"description": o.mark}})
	if o.outcome == acknowledged {
		c.decode(o, a, 1)
		o.want[0].version = a.version
	}
}

func (c *client) deleteOne(k *kind)  { c.delete(k, 1, false) }
func (c *client) deleteMany(k *kind) { c.delete(k, 1+c.rnd.IntN(mostAtOnce), true) }

// delete removes records. The reference of a site to a deleted region is emptied, which is a change of the site.
func (c *client) delete(k *kind, n int, bulk bool) {
	var gone []*item
	for _, x := range c.pick(k, n) {
		if !x.pinned {
			gone = append(gone, x)
		}
	}
	if len(gone) == 0 {
		c.createMany(k)
		return
	}
	o := c.op("delete " + k.key)
	bodies, goneRegions := make([]object, len(gone)), map[int64]bool{}
	for i, x := range gone {
		bodies[i] = object{"id": x.id}
		o.want = append(o.want, want{action: "delete", kind: k.key, id: x.id, version: x.version + 1})
		goneRegions[x.id] = k == regions
	}
	var emptied []*item
	for _, x := range c.items[sites] {
		if goneRegions[x.region] {
			emptied = append(emptied, x)
			o.want = append(o.want, want{action: "update", kind: sites.key, id: x.id, version: x.version + 1})
		}
	}
	request := call{method: http.MethodDelete, path: k.path, body: bodies}
	if !bulk {
		request.path, request.body = fmt.Sprintf("%s%d/", k.path, gone[0].id), nil
	}
	c.send(o, acknowledged, request)
	c.forget(gone...)
	if o.outcome != acknowledged {
		c.forget(emptied...)
		return
	}
	for _, x := range emptied {
		x.version, x.region = x.version+1, 0
	}
}
