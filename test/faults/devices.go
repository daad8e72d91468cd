package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/jackc/pgx/v5"
)

// Devices bring so many interfaces that a request which creates or deletes one takes a while, and is often in the middle when a process is
// killed.
var (
	devices    = &kind{key: "dcim.device", path: "/api/dcim/devices/", table: "dcim_device"}
	interfaces = &kind{key: "dcim.interface", path: "/api/dcim/interfaces/", table: "dcim_interface"}

	deviceKinds = []*kind{devices, interfaces}
)

// interfacesEach is how many interfaces every device has.
const interfacesEach = 600

// mostDevices is how many devices a client keeps.
const mostDevices = 2

// deviceForm is what every new device refers to.
type deviceForm struct{ model, role int64 }

// makeDeviceType creates the device type of all devices, with its templates.
func (c *client) makeDeviceType() (form deviceForm, err error) {
	maker, err := c.setUp("/api/dcim/manufacturers/", "dcim.manufacturer", object{"name": "maker", "slug": "maker"})
	if err != nil {
		return form, err
	}
	if form.role, err = c.setUp("/api/dcim/device-roles/", "dcim.devicerole", object{"name": "role", "slug": "role"}); err != nil {
		return form, err
	}
	form.model, err = c.setUp("/api/dcim/device-types/", "dcim.devicetype", object{"manufacturer": maker, "model": "model", "slug": "model"})
	if err != nil {
		return form, err
	}
	o := c.op("create dcim.interfacetemplate")
	bodies := make([]object, interfacesEach)
	for i := range bodies {
		bodies[i] = object{"device_type": form.model, "name": interfaceName(i), "type": "virtual"}
		o.want = append(o.want, want{action: "create", kind: "dcim.interfacetemplate", name: interfaceName(i), version: 1})
	}
	a := c.send(o, acknowledged, call{method: http.MethodPost, path: "/api/dcim/interface-templates/", body: bodies})
	if len(c.made(o, a, interfacesEach)) != interfacesEach {
		return form, fmt.Errorf("the templates of interfaces could not be created")
	}
	return form, nil
}

func interfaceName(i int) string { return fmt.Sprint("port ", i) }

// workOnDevice creates, moves or deletes a device. If there is no clear answer, the client never touches it again.
func (c *client) workOnDevice(*kind) {
	if len(c.devices) < mostDevices {
		c.createDevice()
		return
	}
	x := c.devices[c.rnd.IntN(len(c.devices))]
	step := []func(*item){c.moveDevice, c.deleteDevice}[c.rnd.IntN(2)]
	step(x)
	if c.ops[len(c.ops)-1].outcome != acknowledged {
		c.forgetDevice(x)
	}
}

func (c *client) forgetDevice(x *item) {
	c.devices = slices.DeleteFunc(c.devices, func(other *item) bool { return other == x })
}

func (c *client) createDevice() {
	o := c.op("create " + devices.key)
	x := &item{kind: devices, version: 1, name: o.mark}
	o.want = append([]want{{action: "create", kind: devices.key, name: o.mark, version: 1}}, interfaceChanges("create", 1)...)
	a := c.send(o, acknowledged, call{method: http.MethodPost, path: devices.path, body: object{"name": o.mark,
		"device_type": c.form.model, "device_role": c.form.role, "site": c.shared[0].id}})
	if ids := c.made(o, a, 1); ids != nil {
		x.id, o.want[0].id = ids[0], ids[0]
		c.devices = append(c.devices, x)
	}
}

// moveDevice gives a device another name and site. Its interfaces stay as they are.
func (c *client) moveDevice(x *item) {
	o := c.op("move " + devices.key)
	o.want = []want{{action: "update", kind: devices.key, id: x.id, version: x.version + 1}}
	c.send(o, acknowledged, call{method: http.MethodPatch, path: fmt.Sprintf("%s%d/", devices.path, x.id),
		body: object{"name": o.mark, "site": c.shared[c.rnd.IntN(len(c.shared))].id}})
	x.version++
}

func (c *client) deleteDevice(x *item) {
	o := c.op("delete " + devices.key)
	o.want = append([]want{{action: "delete", kind: devices.key, id: x.id, version: x.version + 1}}, interfaceChanges("delete", 2)...)
	c.send(o, acknowledged, call{method: http.MethodDelete, path: fmt.Sprintf("%s%d/", devices.path, x.id)})
	c.forgetDevice(x)
}

// interfaceChanges returns the expected changes of a device's interfaces.
func interfaceChanges(action string, version int64) []want {
	all := make([]want, interfacesEach)
	for i := range all {
		all[i] = want{action: action, kind: interfaces.key, name: interfaceName(i), version: version}
	}
	return all
}

// checkDevices checks that every device has all its interfaces.
func (w *world) checkDevices(ctx context.Context) error {
	rows, err := w.db.Query(ctx, `SELECT d.id FROM dcim_device d LEFT JOIN dcim_interface i ON i.device_id = d.id GROUP BY d.id
		HAVING count(i.id) <> $1`, interfacesEach)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	for _, id := range ids {
		w.violate(whole, "device %d has not all its interfaces", id)
	}
	return err
}
