package main

import (
	"fmt"
	"net/http"
)

// The requests that leave no trace.

// touch writes values that are there already, which is not a change.
func (c *client) touch(k *kind) {
	for _, x := range c.pick(k, 1) {
		o := c.op("touch " + k.key)
		o.mark = x.mark
		a := c.send(o, acknowledged, call{method: http.MethodPatch, path: fmt.Sprintf("%s%d/", k.path, x.id),
			body: object{"description": x.mark, "name": x.name}})
		if o.outcome == acknowledged && a.version != x.version {
			c.w.violate(gapless, "%s %d is at version %d and not %d after a write that changed nothing", k.key, x.id, a.version, x.version)
		}
	}
}

// read checks that acknowledged records are still there.
func (c *client) read(k *kind) {
	for _, x := range c.pick(k, 1) {
		o := c.op("read " + k.key)
		o.mark = x.mark
		a := c.send(o, acknowledged, call{method: http.MethodGet, path: fmt.Sprintf("%s%d/", k.path, x.id)})
		if o.outcome != acknowledged {
			return
		}
		c.decode(o, a, 1)
		if a.version != x.version {
			c.w.violate(oneRow, "%s %d reads as version %d and not %d, which was acknowledged", k.key, x.id, a.version, x.version)
		}
	}
}

// beRefused makes a request that must be refused: an invalid value (alone or among valid ones), a name that is taken, a write with a
// read-only token, an old version, or the deletion of a tenant that is in use.
func (c *client) beRefused(k *kind) {
	o := c.op("")
	good, x := c.fresh(k, o.mark, 0)
	bad, _ := c.fresh(k, o.mark, 1)
	request := call{method: http.MethodPost, path: k.path}
	mine := c.pick(k, 1)
	switch c.rnd.IntN(6) {
	case 0:
		o.what, request.body = "create without a name", object{"slug": x.name, "description": o.mark}
	case 1:
		delete(bad, "name")
		o.what, request.body = "create one good and one bad", []object{good, bad}
	case 2:
		o.what, request.body, request.token = "create with a read-only token", good, c.w.reader
	case 3:
		if len(mine) == 0 {
			return
		}
		good["name"], good["slug"] = mine[0].name, mine[0].name
		o.what, request.body = "create a name that is taken", []object{good}
	case 4:
		if len(mine) == 0 || mine[0].version < 2 {
			return
		}
		o.what = "update an old version"
		request = call{method: http.MethodPatch, path: fmt.Sprintf("%s%d/", k.path, mine[0].id), body: object{"description": o.mark},
			version: mine[0].version - 1}
	case 5:
		o.what = "delete a tenant in use"
		request = call{method: http.MethodDelete, path: fmt.Sprintf("%s%d/", tenants.path, c.held.id)}
	}
	c.send(o, refused, request)
}
