"""The real pynetbox on racks, devices and components, over the records of fixture.py."""

import unittest

import requests
from pynetbox.core.endpoint import DetailEndpoint

import fixture
from pynetbox_test import BASE, Refusals


def setUpModule():
    global nb, ids
    nb = fixture.world()
    ids = nb.ids


def names(records):
    return sorted(str(record) for record in records)


class Devices(unittest.TestCase, Refusals):
    def test_components_come_with_the_device(self):
        device = nb.dcim.devices.create(name="made", device_type=ids["chassis"], device_role={"slug": "switch"}, site={"slug": "porto-1"})
        self.addCleanup(device.delete)
        for kind in ("console-port", "console-server-port", "power-port", "power-outlet", "interface", "front-port", "rear-port"):
            made = getattr(nb.dcim, kind.replace("-", "_") + "s").filter(device_id=device.id)
            self.assertEqual([each.name for each in made], ["type {} bare".format(kind), "type {} full".format(kind)])
        outlet = nb.dcim.power_outlets.get(device_id=device.id, name="type power-outlet full")
        self.assertEqual(outlet.power_port.name, "type power-port bare")
        self.assertEqual(outlet.power_port.id, nb.dcim.power_ports.get(device_id=device.id, name="type power-port bare").id)
        self.assertEqual(names(nb.dcim.device_bays.filter(device="made")), ["type bay bare", "type bay full"])
        self.assertEqual(nb.dcim.inventory_items.count(device_id=device.id), 2)
        self.assertEqual(device.airflow.value, "front-to-rear", "from the type")

    def test_bulk(self):
        """Many devices with their components in one request, changed and deleted together."""
        devices = nb.dcim.devices.create(
            [{"name": "bulk-{}".format(i), "device_type": ids["chassis"], "device_role": ids["switch"], "site": ids["porto"]} for i in range(20)]
        )
        self.assertEqual([device.name for device in devices], ["bulk-{}".format(i) for i in range(20)])
        mine = {"device_id": [device.id for device in devices]}
        self.assertEqual(nb.dcim.interfaces.count(**mine), 40)
        more = nb.dcim.interfaces.create([{"device": device.id, "name": "xe-0/0/{}".format(i), "type": "10gbase-x-sfpp"} for device in devices for i in range(10)])
        self.assertEqual(len(more), 200)
        nb.dcim.interfaces.update([{"id": each.id, "mtu": 9000} for each in more])
        self.assertEqual(nb.dcim.interfaces.count(mtu=9000, name__isw="xe-", **mine), 200)
        with self.refused(400, "must make a unique set"):
            nb.dcim.interfaces.create([{"device": devices[0].id, "name": name, "type": "lag"} for name in ("new", "xe-0/0/0")])
        self.assertEqual(nb.dcim.interfaces.count(name="new", **mine), 0, "all or none")
        self.assertTrue(nb.dcim.devices.delete(devices))
        self.assertEqual(nb.dcim.interfaces.count(name__isw="xe-0/0/"), 0)

    def test_sync_components(self):
        """A device gets what its type has gained since, and nothing twice."""
        device = nb.dcim.devices.create(name="behind", device_type=ids["chassis"], device_role=ids["switch"], site=ids["porto"])
        self.addCleanup(device.delete)
        nb.dcim.interfaces.get(device_id=device.id, name="type interface full").delete()
        sync = DetailEndpoint(device, "sync-components")
        missing = [{"type": "dcim.interface", "name": "type interface full", "device": device.id}]
        for body, added in ({"dry_run": True}, missing), ({}, missing), ({}, []):
            answer = sync.create(body)
            self.assertEqual([{**each, "device": each["device"]["id"]} for each in answer["added"]], added)
        self.assertEqual(nb.dcim.interfaces.count(device_id=device.id), 2)

    def test_context_can_be_left_out(self):
        device = nb.dcim.devices.get(ids["device"])
        self.assertEqual(device.config_context, {"ntp": ["a", "b"]})
        (row,) = requests.get(
            BASE + "/api/dcim/devices/", params={"id": ids["device"], "exclude": "config_context"}, headers={"Authorization": "Token " + nb.token}
        ).json()["results"]
        self.assertNotIn("config_context", row)
        self.assertEqual(row["local_context_data"], {"ntp": ["a", "b"]})

    def test_elevation(self):
        units = list(nb.dcim.racks.get(ids["rack"]).elevation.list(face="front"))
        self.assertEqual(len(units), 2 * 48, "half units")
        taken = [unit for unit in units if unit.device]
        self.assertEqual([unit.device.name for unit in taken], ["sw1"] * 4)
        self.assertEqual({unit.name for unit in taken}, {"U10.5", "U11", "U11.5", "U12"})
        self.assertTrue(all(unit.occupied for unit in taken))
        self.assertFalse(any(unit.device for unit in nb.dcim.racks.get(ids["rack"]).elevation.list(face="rear")), "not of full depth")
        free = nb.dcim.racks.get(ids["rack"]).elevation.list(face="front", exclude=ids["device"])
        self.assertFalse(any(unit.occupied for unit in free))


class Filters(unittest.TestCase):
    """What clients send beside the filters of a list."""

    def test_templates_by_type(self):
        for kind in ("power_port_templates", "rear_port_templates", "interface_templates"):
            endpoint = getattr(nb.dcim, kind)
            self.assertEqual(names(endpoint.filter(device_type=ids["chassis"])), names(endpoint.filter(devicetype_id=ids["chassis"])))
            self.assertEqual(endpoint.count(devicetype_id=ids["chassis"]), 2)

    def test_without_effect(self):
        self.assertEqual(nb.dcim.front_ports.get(device_id=ids["device"], name="front-port bare", rear_port=10**9).id, ids["device front-port bare"])
        self.assertEqual(
            nb.dcim.front_port_templates.get(devicetype_id=ids["chassis"], name="type front-port bare", rear_port=10**9).id, ids["chassis front-port bare"]
        )

    def test_interfaces_of_machines(self):
        self.assertEqual(nb.dcim.interfaces.count(virtual_machine_id=1), 0)

    def test_twice(self):
        self.assertEqual(nb.dcim.devices.count(name=["sw1", "sw1"]), 1)

    def test_by_request(self):
        change = next(nb.extras.object_changes.filter(changed_object_type="dcim.rack", changed_object_id=ids["rack"], action="create"))
        for name in ("created_by_request", "modified_by_request"):
            self.assertEqual([rack.id for rack in nb.dcim.racks.filter(**{name: change.request_id})], [ids["rack"]])
        self.assertEqual(nb.dcim.racks.count(updated_by_request=change.request_id), 0)

    def test_virtual_chassis(self):
        own = nb.dcim.interfaces.create([{"device": ids["member"], "name": name, "type": "lag", "mgmt_only": only} for name, only in (("shared", False), ("apart", True))])
        self.addCleanup(nb.dcim.interfaces.delete, own)
        of = lambda **filters: {record.name for record in nb.dcim.interfaces.filter(**filters)} & {"shared", "apart", "lag1"}
        self.assertEqual(of(device_id=ids["device"]), {"lag1", "shared"}, "the interfaces of other members, but not their management interfaces")
        self.assertEqual(of(device_id=ids["member"]), {"lag1", "shared", "apart"})
        self.assertEqual(of(device="sw1"), {"lag1", "shared"}, "a name does so for the master")
        self.assertEqual(of(device="sw2"), {"shared", "apart"})
        self.assertEqual([stack.id for stack in nb.dcim.virtual_chassis.filter(master="sw1")], [ids["stack"]])

    def test_surroundings(self):
        for filters in (
            {"mac_address": "00:11:22:aa:bb:cc"},
            {"manufacturer": "acme", "rack_id": ids["rack"], "face": "front"},
            {"virtual_chassis_member": True, "location": "hall"},
            {"tenant_group": "group"},
            {"region": "europe", "role": "switch", "position": 10.5},
            {"cf_owner": "Ana"},
        ):
            self.assertEqual([device.id for device in nb.dcim.devices.filter(**filters)], [ids["device"]], filters)
        self.assertEqual(nb.dcim.inventory_items.count(device="sw1", name="item full"), 1)


if __name__ == "__main__":
    unittest.main()
