package main

import (
	"fmt"
	"net/http"
	"slices"
)

// The record types with parents and children that the program under test has besides its own. A shelf has items and crates. A new crate
// gets slots and lids, made from the templates of its kit. A crate is at the site of its shelf and moves with it.
var (
	shelves = &kind{key: "trial.shelf", path: "/api/trial/shelves/", table: "trial_shelf"}
	items   = &kind{key: "trial.item", path: "/api/trial/items/", table: "trial_item"}
	crates  = &kind{key: "trial.crate", path: "/api/trial/crates/", table: "trial_crate"}
	spaces  = &kind{key: "trial.slot", path: "/api/trial/slots/", table: "trial_slot"}
	lids    = &kind{key: "trial.lid", path: "/api/trial/lids/", table: "trial_lid"}

	familyKinds = []*kind{shelves, items, crates, spaces, lids}
)

// The children of every crate. The first two slots are a pair, and each lid covers one of them.
const (
	spacesEach = 4
	lidsEach   = 2
)

// household is a shelf that only this client writes, with the records that depend on it.
type household struct {
	shelf         *item
	site          int64 // 0 for none
	items, crates []*item
}

// mostHouseholds is how many shelves a client keeps, and mostMembers how many records are on one.
const (
	mostHouseholds = 4
	mostMembers    = 12
)

// makeKit creates the kit that all crates are made from.
func (c *client) makeKit() (int64, error) {
	kit, err := c.setUp("/api/trial/kits/", "trial.kit", object{"name": "kit"})
	if err != nil {
		return 0, err
	}
	templates := make([]int64, spacesEach)
	for i := range templates {
		body := object{"kit": kit, "name": fmt.Sprintf("{crate} %d", i+1)}
		if i == 1 {
			body["pair"] = templates[0]
		}
		if templates[i], err = c.setUp("/api/trial/slot-templates/", "trial.slottemplate", body); err != nil {
			return 0, err
		}
	}
	for i := range lidsEach {
		body := object{"kit": kit, "name": fmt.Sprint("lid ", i+1), "slot": templates[i]}
		if _, err := c.setUp("/api/trial/lid-templates/", "trial.lidtemplate", body); err != nil {
			return 0, err
		}
	}
	return kit, nil
}

// setUp creates a record before the faults begin.
func (c *client) setUp(path, kind string, body object) (int64, error) {
	o := c.op("create " + kind)
	o.want = []want{{action: "create", kind: kind, name: fmt.Sprint(body["name"]), version: 1}}
	made := c.made(o, c.send(o, acknowledged, call{method: http.MethodPost, path: path, body: body}), 1)
	if len(made) != 1 {
		return 0, fmt.Errorf("%s could not be created", kind)
	}
	return made[0], nil
}

// made returns the ids of the records in an answer.
func (c *client) made(o *op, a answer, n int) []int64 {
	if o.outcome != acknowledged {
		return nil
	}
	var ids []int64
	for _, s := range c.records(o, a, n) {
		ids = append(ids, s.ID)
	}
	return ids
}

// workOnFamily makes one request about a shelf and the records that depend on it. If there is no clear answer, the client never touches the
// whole household again.
func (c *client) workOnFamily(*kind) {
	if len(c.households) < mostHouseholds {
		c.createShelf()
		return
	}
	f := c.households[c.rnd.IntN(len(c.households))]
	steps := []func(*household){c.moveShelf, c.moveShelf, c.createCrates, c.createCrates, c.createItems, c.deleteCrates, c.deleteShelf}
	if len(f.crates)+len(f.items) > mostMembers {
		steps = []func(*household){c.deleteCrates, c.deleteShelf}
	}
	steps[c.rnd.IntN(len(steps))](f)
	if c.ops[len(c.ops)-1].outcome != acknowledged {
		c.households = slices.DeleteFunc(c.households, func(other *household) bool { return other == f })
	}
}

// anySite returns one of the sites that nobody deletes, or 0.
func (c *client) anySite() int64 {
	if n := c.rnd.IntN(len(c.shared) + 1); n < len(c.shared) {
		return c.shared[n].id
	}
	return 0
}

func (c *client) createShelf() {
	o := c.op("create " + shelves.key)
	f := &household{shelf: &item{kind: shelves, version: 1, name: o.mark}, site: c.anySite()}
	o.want = []want{{action: "create", kind: shelves.key, name: o.mark, version: 1}}
	a := c.send(o, acknowledged, call{method: http.MethodPost, path: shelves.path, body: object{"name": o.mark, "site": reference(f.site)}})
	if ids := c.made(o, a, 1); ids != nil {
		f.shelf.id, o.want[0].id = ids[0], ids[0]
		c.households = append(c.households, f)
	}
}

// moveShelf gives a shelf another name and site. Its crates follow it.
func (c *client) moveShelf(f *household) {
	o := c.op("move " + shelves.key)
	site := c.anySite()
	o.want = []want{{action: "update", kind: shelves.key, id: f.shelf.id, version: f.shelf.version + 1}}
	followers := f.crates
	if site == f.site {
		followers = nil
	}
	for _, x := range followers {
		o.want = append(o.want, want{action: "update", kind: crates.key, id: x.id, version: x.version + 1})
	}
	c.send(o, acknowledged, call{method: http.MethodPatch, path: fmt.Sprintf("%s%d/", shelves.path, f.shelf.id),
		body: object{"name": o.mark, "site": reference(site)}})
	f.site = site
	f.shelf.version++
	for _, x := range followers {
		x.version++
	}
}

// createMembers creates records on a shelf, in one request.
func (c *client) createMembers(f *household, k *kind, more object, brings func(name string) []want) []*item {
	o := c.op("create " + k.key)
	bodies, made := make([]object, 1+c.rnd.IntN(3)), []*item{}
	for i := range bodies {
		x := &item{kind: k, version: 1, name: fmt.Sprintf("%s-%d", o.mark, i)}
		if i == 0 {
			x.name = o.mark // it identifies a request without an answer
		}
		bodies[i] = object{"name": x.name, "shelf": f.shelf.id}
		for name, value := range more {
			bodies[i][name] = value
		}
		made = append(made, x)
		o.want = append(o.want, want{action: "create", kind: k.key, name: x.name, version: 1})
	}
	for _, x := range made {
		o.want = append(o.want, brings(x.name)...)
	}
	ids := c.made(o, c.send(o, acknowledged, call{method: http.MethodPost, path: k.path, body: bodies}), len(bodies))
	if ids == nil {
		return nil
	}
	for i, id := range ids {
		made[i].id, o.want[i].id = id, id
	}
	return made
}

func (c *client) createItems(f *household) {
	f.items = append(f.items, c.createMembers(f, items, nil, func(string) []want { return nil })...)
}

// createCrates creates crates with their children.
func (c *client) createCrates(f *household) {
	made := c.createMembers(f, crates, object{"kit": c.kit}, func(name string) []want { return childChanges("create", 1, name) })
	f.crates = append(f.crates, made...)
}

// childChanges returns the expected changes of a crate's children.
func childChanges(action string, version int64, crate string) []want {
	var all []want
	for i := range spacesEach {
		all = append(all, want{action: action, kind: spaces.key, name: fmt.Sprintf("%s %d", crate, i+1), version: version})
	}
	for i := range lidsEach {
		all = append(all, want{action: action, kind: lids.key, name: fmt.Sprint("lid ", i+1), version: version})
	}
	return all
}

// deleteCrates deletes up to two crates of a shelf, and with them their slots and lids.
func (c *client) deleteCrates(f *household) {
	if len(f.crates) == 0 {
		c.createCrates(f)
		return
	}
	gone := f.crates[:min(len(f.crates), 1+c.rnd.IntN(2))]
	o := c.op("delete " + crates.key)
	var bodies []object
	for _, x := range gone {
		bodies = append(bodies, object{"id": x.id})
		o.want = append(o.want, want{action: "delete", kind: crates.key, id: x.id, version: x.version + 1})
	}
	for _, x := range gone {
		o.want = append(o.want, childChanges("delete", 2, x.name)...)
	}
	c.send(o, acknowledged, call{method: http.MethodDelete, path: crates.path, body: bodies})
	f.crates = slices.Clone(f.crates[len(gone):])
}

// deleteShelf deletes a shelf. Its items are deleted too. Its crates stay, without a shelf.
func (c *client) deleteShelf(f *household) {
	o := c.op("delete " + shelves.key)
	o.want = []want{{action: "delete", kind: shelves.key, id: f.shelf.id, version: f.shelf.version + 1}}
	for _, x := range f.items {
		o.want = append(o.want, want{action: "delete", kind: items.key, id: x.id, version: x.version + 1})
	}
	for _, x := range f.crates {
		o.want = append(o.want, want{action: "update", kind: crates.key, id: x.id, version: x.version + 1})
	}
	c.send(o, acknowledged, call{method: http.MethodDelete, path: fmt.Sprintf("%s%d/", shelves.path, f.shelf.id)})
	c.households = slices.DeleteFunc(c.households, func(other *household) bool { return other == f })
}
