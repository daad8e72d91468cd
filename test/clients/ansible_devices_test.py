"""Ansible's modules for racks, types, devices and components, unmodified, each in five steps: create a record, ask for the same again,
alter one field, delete it, delete it again. Records of later rows need those of earlier ones, so they are deleted in the opposite order.

A row is a title, a module, its data, the field that is altered, and what else the task needs. The two plays are made from the rows and
run beside each other."""

import json
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

import ansible_test
from pynetbox_test import login

SITE, TYPE, DEVICE = "ansible-site", "ansible-type", "ansible-1"
# What both plays need, made with pynetbox.
NEEDED = [
    ("sites", {"name": SITE, "slug": SITE}),
    ("manufacturers", {"name": "Ansible needed", "slug": "ansible-needed"}),
    ("device-roles", {"name": "Ansible needed", "slug": "ansible-needed"}),
    ("racks", {"name": "ansible needed", "site": {"slug": SITE}}),
    ("device-types", {"model": TYPE, "slug": TYPE, "manufacturer": {"slug": "ansible-needed"}, "u_height": 2, "subdevice_role": "parent"}),
    ("interface-templates", {"device_type": {"slug": TYPE}, "name": "made eth", "type": "1000base-t"}),
    ("device-types", {"model": "ansible-blade", "slug": "ansible-blade", "manufacturer": {"slug": "ansible-needed"}, "u_height": 0, "subdevice_role": "child"}),
]
TEMPLATE = {"device_type": "ansible-own-type"}
OF_DEVICE = {"device": DEVICE}
DESCRIBED = {"description": "altered"}

PLACES_AND_TYPES = [
    ("location", "location", {"name": "ansible hall", "site": SITE}, DESCRIBED),
    ("inner location", "location", {"name": "ansible room", "site": SITE, "parent_location": "ansible-hall"}, DESCRIBED),
    ("rack role", "rack_role", {"name": "Ansible", "color": "AABBCC"}, {"color": "ddeeff"}),
    ("rack", "rack", {
        "name": "ansible rack", "site": SITE, "location": "ansible hall", "rack_role": "Ansible", "status": "Reserved", "type": "4-post cabinet",
        "width": 19, "u_height": 47, "outer_width": 600, "outer_unit": "Millimeters", "weight": 120.5, "weight_unit": "kg", "max_weight": 800,
        "mounting_depth": 900, "desc_units": True, "tags": []}, {"facility_id": "F7"}),
    ("rack of the same name", "rack", {"name": "ansible rack", "site": SITE, "location": "ansible room"}, {"serial": "S7"}),
    ("manufacturer", "manufacturer", {"name": "Ansible maker"}, DESCRIBED),
    ("platform", "platform", {"name": "Ansible OS", "manufacturer": "ansible-maker", "napalm_driver": "ansible"}, DESCRIBED),
    ("device role", "device_role", {"name": "Ansible role", "color": "FFFFFF", "vm_role": False}, DESCRIBED),
    ("item role", "inventory_item_role", {"name": "Ansible part", "slug": "ansible-part", "color": "00FF00"}, DESCRIBED),
    ("module type", "module_type", {"model": "ansible module", "manufacturer": "ansible-maker", "part_number": "7", "weight": 1.5, "weight_unit": "kg"},
     {"comments": "altered"}),
    ("device type", "device_type", {
        "model": "ansible-own-type", "manufacturer": "ansible-maker", "u_height": 2, "is_full_depth": False, "airflow": "front-to-rear", "subdevice_role": "Parent",
        "part_number": "P7", "weight": 12.5, "weight_unit": "lb"}, DESCRIBED),
    ("console port template", "console_port_template", {**TEMPLATE, "name": "made con", "type": "rj-45"}, {"type": "usb-a"}),
    ("console server port template", "console_server_port_template", {**TEMPLATE, "name": "made srv", "type": "rj-45"}, {"type": "usb-a"}),
    ("power port template", "power_port_template", {**TEMPLATE, "name": "made psu", "type": "iec-60320-c14", "maximum_draw": 100, "allocated_draw": 50},
     {"maximum_draw": 120}),
    ("power outlet template", "power_outlet_template", {
        **TEMPLATE, "name": "made out", "type": "iec-60320-c13", "feed_leg": "A", "power_port_template": "made psu"},
     {"feed_leg": "B"}),
    ("interface template", "device_interface_template", {**TEMPLATE, "name": "made eth", "type": "1000BASE-T (1GE)", "mgmt_only": True},
     {"mgmt_only": False}),
    ("rear port template", "rear_port_template", {**TEMPLATE, "name": "made rear", "type": "lc", "positions": 2}, {"positions": 4}),
    ("front port template", "front_port_template", {
        **TEMPLATE, "name": "made front", "type": "lc", "rear_port_template": "made rear", "rear_port_template_position": 2},
     {"type": "sc"}),
    ("device bay template", "device_bay_template", {**TEMPLATE, "name": "made bay"}, None),
]
DEVICES = [
    ("virtual chassis", "virtual_chassis", {"name": "ansible stack", "domain": "one"}, {"domain": "two"}),
    ("device", "device", {
        "name": DEVICE, "device_type": TYPE, "device_role": "Ansible needed", "site": SITE,
        "rack": "ansible needed", "position": 5, "face": "Front", "airflow": "mixed", "status": "Staged",
        "serial": "A-1", "asset_tag": "ansible-a-1", "local_context_data": {"ntp": ["a", "b"]}, "virtual_chassis": "ansible stack", "vc_position": 1,
        "vc_priority": 5, "comments": "two\nlines\n"}, {"position": 8}),
    ("member", "device", {
        "name": "ansible-2", "device_type": TYPE, "device_role": "Ansible needed", "site": SITE, "virtual_chassis": "ansible stack", "vc_position": 2},
     {"vc_priority": 7}),
    ("device by serial", "device", {
        "name": "ansible-3", "serial": "A-3", "device_type": TYPE, "device_role": "Ansible needed", "site": SITE}, {"asset_tag": "ansible-a-3"},
     {"query_params": ["serial"]}),
    ("child", "device", {"name": "ansible-blade-1", "device_type": "ansible-blade", "device_role": "Ansible needed", "site": SITE}, None),
    ("virtual chassis with a master", "virtual_chassis", {"name": "ansible pair", "master": "ansible-3"}, DESCRIBED),
    ("interface", "device_interface", {
        **OF_DEVICE, "name": "eth0", "type": "1000BASE-T (1GE)", "enabled": False, "mtu": 9000, "mac_address": "00:aa:bb:cc:dd:ee", "mgmt_only": True,
        "mode": "Tagged", "speed": 1000000, "duplex": "full", "label": "port 0", "mark_connected": True, "poe_mode": "pse",
        "poe_type": "type2-ieee802.3at"}, {"mtu": 1500}),
    ("interface made from a template", "device_interface", {"device": "ansible-3", "name": "made eth", "mtu": 9000}, DESCRIBED, {"first": {"mtu"}}),
    ("LAG", "device_interface", {**OF_DEVICE, "name": "lag0", "type": "Link Aggregation Group (LAG)"}, None),
    ("LAG member", "device_interface", {**OF_DEVICE, "name": "eth1", "type": "SFP+ (10GE)", "lag": "lag0"}, None, {"kept": True}),
    ("LAG member by keys", "device_interface", {**OF_DEVICE, "name": "eth2", "type": "SFP+ (10GE)", "lag": {"name": "lag0", "device": DEVICE}}, None, {"kept": True}),
    ("parent and bridge", "device_interface", {
        **OF_DEVICE, "name": "eth1.7", "type": "Virtual", "parent_interface": {"name": "eth1", "device": DEVICE},
        "bridge": {"name": "eth2", "device": DEVICE}}, None, {"kept": True}),
    ("member's interface", "device_interface", {"device": "ansible-2", "name": "eth9", "type": "1000BASE-T (1GE)"}, None, {"kept": True}),
    ("member's interface through the master", "device_interface", {**OF_DEVICE, "name": "eth9"}, {"label": "through"},
     {"first": set(), "update_vc_child": True, "kept": True}),
    ("console port", "console_port", {**OF_DEVICE, "name": "con", "type": "usb-c"}, DESCRIBED),
    ("console server port", "console_server_port", {**OF_DEVICE, "name": "srv", "type": "usb-c"}, DESCRIBED),
    ("power port", "power_port", {**OF_DEVICE, "name": "psu", "type": "iec-60320-c14", "maximum_draw": 100, "allocated_draw": 50}, {"allocated_draw": 60}),
    ("power outlet", "power_outlet", {
        **OF_DEVICE, "name": "out", "type": "iec-60320-c13", "feed_leg": "A", "power_port": {"name": "psu", "device": DEVICE}}, DESCRIBED),
    ("rear port", "rear_port", {**OF_DEVICE, "name": "rear", "type": "lc", "positions": 2}, DESCRIBED),
    ("front port", "front_port", {
        **OF_DEVICE, "name": "front", "type": "lc", "rear_port": {"name": "rear", "device": DEVICE}, "rear_port_position": 2}, DESCRIBED),
    ("device bay", "device_bay", {**OF_DEVICE, "name": "bay", "installed_device": "ansible-blade-1"}, DESCRIBED),
    ("item", "inventory_item", {**OF_DEVICE, "name": "fan", "manufacturer": "ansible-needed", "part_id": "7", "serial": "F7", "asset_tag": "ansible-f-7"},
     DESCRIBED),
    ("item below another", "inventory_item", {**OF_DEVICE, "name": "blade of fan", "parent_inventory_item": {"name": "fan", "device": DEVICE}}, DESCRIBED),
]


ROWS = PLACES_AND_TYPES + DEVICES
OURS = ("first", "kept")  # options that are not the module's: the fields that the first step changes, and whether nothing is deleted


def tasks(rows):
    last = []
    for title, module, data, altered, *more in rows:
        arguments = {key: value for key, value in dict(*more).items() if key not in OURS}

        def task(step, state="present", **changed):
            name = "{}: {}".format(title, step)
            return {"name": name, "netbox.netbox.netbox_" + module: {"data": {**data, **changed}, "state": state, **arguments}, "ignore_errors": True}

        yield task("create")
        yield task("again")
        if altered:
            yield task("alter", **altered)
        if not dict(*more).get("kept"):
            last += [task("absent again", "absent"), task("absent", "absent")]
    yield from reversed(last)


def play(rows):
    play = {
        "hosts": "localhost",
        "connection": "local",
        "gather_facts": False,
        "vars": {"ansible_python_interpreter": "/usr/bin/python3"},  # the one for which Debian installs pynetbox
        "module_defaults": {"group/netbox.netbox.netbox": {"netbox_url": nb.base_url[: -len("/api")], "netbox_token": nb.token}},
        "tasks": list(tasks(rows)),
    }
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump([play], file)
        file.flush()
        return ansible_test.play(file.name, nb.token)


def setUpModule():
    global nb, said
    nb = login("admin")
    made = [getattr(nb.dcim, name.replace("-", "_")).create(**fields) for name, fields in NEEDED]
    with ThreadPoolExecutor() as pool:
        said = {name: answer for one in pool.map(play, (PLACES_AND_TYPES, DEVICES)) for name, answer in one.items()}
    for record in made:
        unittest.addModuleCleanup(record.delete)


class Modules(unittest.TestCase):
    def said(self, title, step):
        name = "{}: {}".format(title, step)
        self.assertIn(name, said, "the playbook ended before")
        self.assertFalse(said[name].get("failed"), said[name].get("msg"))
        return said[name]

    def test_create(self):
        for title, _, _, _, *more in ROWS:
            with self.subTest(title):
                answer = self.said(title, "create")
                first = dict(*more).get("first", {"state"})
                self.assertEqual((answer["changed"], set(answer.get("diff", {}).get("after", {}))), (bool(first), first), answer)

    def test_again(self):
        for title, *_ in ROWS:
            with self.subTest(title):
                answer = self.said(title, "again")
                self.assertIs(answer["changed"], False, answer)

    def test_alter(self):
        for title, _, _, altered, *_ in ROWS:
            if altered:
                with self.subTest(title):
                    answer = self.said(title, "alter")
                    self.assertEqual((answer["changed"], answer.get("diff", {}).get("after")), (True, altered), answer)

    def test_absent(self):
        for title, _, _, _, *more in ROWS:
            if not dict(*more).get("kept"):
                with self.subTest(title):
                    self.assertIs(self.said(title, "absent")["changed"], True)
                    self.assertIs(self.said(title, "absent again")["changed"], False)


if __name__ == "__main__":
    unittest.main()
