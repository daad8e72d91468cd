"""Ansible's modules for racks, types, devices and components, unmodified, each in the steps of ansible_modules.py."""

import unittest

import ansible_modules
from pynetbox_test import login

SITE, TYPE, DEVICE = "ansible-site", "ansible-type", "ansible-1"
# What the rows need, made with pynetbox.
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


class Devices(ansible_modules.Rows, unittest.TestCase):
    rows = PLACES_AND_TYPES + DEVICES

    @classmethod
    def setUpClass(cls):
        nb = login("admin")
        for name, fields in NEEDED:
            cls.addClassCleanup(getattr(nb.dcim, name.replace("-", "_")).create(**fields).delete)
        cls.said = ansible_modules.run_rows(nb, cls.rows)


if __name__ == "__main__":
    unittest.main()
