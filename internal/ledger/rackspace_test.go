package ledger_test

import (
	"fmt"
	"maps"
	"testing"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// room is a rig with racks and devices.
type room struct {
	*rig
	maker, role record.Values
}

func newRoom(t *testing.T) *room {
	t.Helper()
	r := &room{rig: newRig(t)}
	r.maker, r.role = r.create(t, "dcim.manufacturer", named(1))[0], r.create(t, "dcim.devicerole", named(1))[0]
	return r
}

func (r *room) deviceType(t *testing.T, pairs ...any) record.Values {
	t.Helper()
	r.made++
	input := in("manufacturer", r.maker, "model", fmt.Sprint("model ", r.made), "slug", fmt.Sprint("model-", r.made))
	maps.Copy(input, in(pairs...))
	return r.create(t, "dcim.devicetype", input)[0]
}

func (r *room) rack(t *testing.T, pairs ...any) record.Values {
	t.Helper()
	return r.create(t, "dcim.rack", in(append([]any{"name", "r", "site", r.site}, pairs...)...))[0]
}

func (r *room) deviceInput(of record.Values, pairs ...any) ledger.Input {
	r.made++
	input := in("name", fmt.Sprint("device ", r.made), "device_type", of, "device_role", r.role, "site", r.site)
	maps.Copy(input, in(pairs...))
	return input
}

func (r *room) device(t *testing.T, of record.Values, pairs ...any) record.Values {
	t.Helper()
	return r.create(t, "dcim.device", r.deviceInput(of, pairs...))[0]
}

// TestRackSpaceOfDevices: devices take the space of their rack, whichever of rack, device and type changes.
func TestRackSpaceOfDevices(t *testing.T) {
	r := newRoom(t)
	deep, flat := r.deviceType(t, "u_height", 2), r.deviceType(t, "is_full_depth", false)
	rack := r.rack(t, "u_height", 10)
	at := func(position, face string, of record.Values) ledger.Input {
		return r.deviceInput(of, "rack", rack, "position", position, "face", face)
	}
	r.create(t, "dcim.device", at("1", "front", deep))
	front := r.create(t, "dcim.device", at("5", "front", flat), at("5", "rear", flat), at("10", "front", flat))[0]
	refused(t, "a taken unit", r.tryCreate(t, "dcim.device", at("2", "rear", flat)), "position",
		"device 3 takes unit 2 of the rack. Free units: 3–4, 6–10.")
	refused(t, "two in one list", r.tryCreate(t, "dcim.device", at("7", "front", deep), at("8", "rear", flat)), "position", "unit 8")
	refused(t, "above the rack", r.tryCreate(t, "dcim.device", at("10", "rear", deep)), "position")
	_, err := r.tryUpdate(t, rack, "u_height", 9)
	refused(t, "a lower rack", err, "u_height", "does not fit into a rack of 9 units")
	_, err = r.tryUpdate(t, flat, "u_height", 2)
	refused(t, "a taller type", err, "u_height", "The device ", "does not fit")
	_, err = r.tryUpdate(t, flat, "is_full_depth", true)
	refused(t, "a deeper type", err, "is_full_depth", "Another device takes unit 5")
	_, err = r.tryUpdate(t, flat, "u_height", 0)
	refused(t, "a type without height", err, "u_height", "has no position")
	r.update(t, flat, "u_height", "0.5")
	_, err = r.tryUpdate(t, front, "device_type", deep)
	refused(t, "of a deeper type", err, "position")
	r.update(t, front, "position", nil)
	child := r.deviceType(t, "u_height", 0, "subdevice_role", "child")
	refused(t, "a child with a face", r.tryCreate(t, "dcim.device", r.deviceInput(child, "rack", rack, "face", "front")), "face")
	r.device(t, child, "rack", rack)
}

// TestReservationsOfUnits: a unit has one reservation, and is one of the rack.
func TestReservationsOfUnits(t *testing.T) {
	r := newRoom(t)
	rack, other := r.rack(t, "u_height", 10), r.rack(t, "name", "other")
	user := r.create(t, "users.user", ledger.Input{"username": "u", "password": "correct horse 1"})[0]
	units := func(in2 record.Values, numbers ...any) ledger.Input {
		return in("rack", in2, "user", user, "description", "x", "units", numbers)
	}
	first := r.create(t, "dcim.rackreservation", units(rack, "1", "2"), units(other, "2"))[0]
	refused(t, "a reserved unit", r.tryCreate(t, "dcim.rackreservation", units(rack, "3", "2")), "units", "these units: 2.")
	refused(t, "no unit", r.tryCreate(t, "dcim.rackreservation", units(rack, "11")), "units", "1 to 10, and not 11")
	_, err := r.tryUpdate(t, first, "rack", other)
	refused(t, "moved", err, "units")
	_, err = r.tryUpdate(t, rack, "u_height", 1)
	refused(t, "a lower rack", err, "u_height", "and not 2")
}

// TestPortsAndBays: what refers to a port, a LAG or a device type finds there what it needs, and goes on to.
func TestPortsAndBays(t *testing.T) {
	r := newRoom(t)
	parent, child := r.deviceType(t, "subdevice_role", "parent"), r.deviceType(t, "u_height", 0, "subdevice_role", "child")
	plain := r.deviceType(t)
	device := r.device(t, plain)
	rear := r.create(t, "dcim.rearport", in("device", device, "name", "r", "type", "8p8c", "positions", 2))[0]
	front := func(name string, position int) ledger.Input {
		return in("device", device, "name", name, "type", "8p8c", "rear_port", rear, "rear_port_position", position)
	}
	r.create(t, "dcim.frontport", front("a", 2))
	refused(t, "a position that is not there", r.tryCreate(t, "dcim.frontport", front("b", 3)), "rear_port_position", "the rear port has 2")
	_, err := r.tryUpdate(t, rear, "positions", 1)
	refused(t, "fewer positions", err, "positions", "The front port ")
	refused(t, "a bay of a type that is not a parent", r.tryCreate(t, "dcim.devicebaytemplate", in("device_type", plain, "name", "b")),
		"device_type")
	r.create(t, "dcim.devicebaytemplate", in("device_type", parent, "name", "b"))
	_, err = r.tryUpdate(t, parent, "subdevice_role", nil)
	refused(t, "no longer a parent", err, "subdevice_role")
	refused(t, "a bay of a device that is not a parent", r.tryCreate(t, "dcim.devicebay", in("device", device, "name", "b")), "device")
	housing := r.device(t, parent)
	bay := r.create(t, "dcim.devicebay", in("device", housing, "name", "mine"))[0]
	_, err = r.tryUpdate(t, bay, "installed_device", device)
	refused(t, "no child in a bay", err, "installed_device")
	r.update(t, bay, "installed_device", r.device(t, child))
	port := func(name, kind string, pairs ...any) ledger.Input {
		return in(append([]any{"device", device, "name", name, "type", kind}, pairs...)...)
	}
	ports := r.create(t, "dcim.interface", port("lag", "lag"), port("a", "1000base-t"))
	refused(t, "no LAG", r.tryCreate(t, "dcim.interface", port("b", "1000base-t", "lag", ports[1])), "lag", "must have the type lag")
	r.update(t, ports[1], "lag", ports[0])
	_, err = r.tryUpdate(t, ports[0], "type", "virtual")
	refused(t, "no longer a LAG", err, "type")
}

// TestVirtualChassis: a new chassis makes its master a member, which the master stays. A chassis whose members share a LAG is not deleted.
// A device in a bay is where the device with the bay is.
func TestVirtualChassis(t *testing.T) {
	r := newRoom(t)
	plain := r.deviceType(t)
	master, member := r.device(t, plain), r.device(t, plain)
	chassis := r.create(t, "dcim.virtualchassis", in("name", "c", "master", master))[0]
	if v := r.read(t, master); v.Link("virtual_chassis").ID != chassis.ID() || v.Int("vc_position") != 1 {
		t.Errorf("the master is in chassis %d at position %d", v.Link("virtual_chassis").ID, v.Int("vc_position"))
	}
	_, err := r.tryUpdate(t, chassis, "master", member)
	refused(t, "a master that is not a member", err, "master", "must be a member")
	_, err = r.tryUpdate(t, master, "virtual_chassis", nil)
	refused(t, "a master that leaves", err, "virtual_chassis")
	r.update(t, member, "virtual_chassis", chassis, "vc_position", 2)
	lag := r.create(t, "dcim.interface", in("device", master, "name", "lag", "type", "lag"))[0]
	port := r.create(t, "dcim.interface", in("device", member, "name", "a", "type", "1000base-t", "lag", lag))[0]
	_, err = r.tryUpdate(t, member, "virtual_chassis", nil)
	refused(t, "a member that leaves", err, "virtual_chassis", "lag")
	if err := r.delete(t, chassis); fault.KindOf(err) != fault.Held || !contains(err, fmt.Sprint("The interface ", port.ID()), "lag") {
		t.Errorf("a chassis with a LAG: %v", err)
	}
	r.update(t, port, "lag", nil)
	if err := r.delete(t, chassis); err != nil {
		t.Error(err)
	}
	rack := r.rack(t)
	parent, child := r.deviceType(t, "subdevice_role", "parent"), r.deviceType(t, "u_height", 0, "subdevice_role", "child")
	housing, housed := r.device(t, parent), r.device(t, child)
	r.create(t, "dcim.devicebay", in("device", housing, "name", "b", "installed_device", housed))
	r.update(t, housing, "rack", rack, "position", 3, "face", "front")
	if v := r.read(t, housed); v.Link("rack").ID != rack.ID() || v.Get("position") != nil {
		t.Errorf("the device in the bay is in rack %d at position %v", v.Link("rack").ID, v.Get("position"))
	}
}
