"""Ansible's inventory plugin netbox.netbox.nb_inventory, unmodified, over the records of fixture.py.

The plugin asks for lists of types that come later, and ends without them. A stand-in between it and the server answers those with no
records, and passes on everything else."""

import json
import os
import subprocess
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import requests

import fixture
from pynetbox_test import BASE

LATER = [
    "/api/{}/".format(name)
    for name in ("virtualization/virtual-machines", "virtualization/clusters", "virtualization/interfaces", "ipam/services", "ipam/ip-addresses")
]


class StandIn(BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path.split("?")[0]
        self.server.asked.append(self.path)
        if path in LATER:
            return self.answer(200, {"count": 0, "next": None, "previous": None, "results": []})
        got = requests.get(BASE + self.path, headers={"Authorization": self.headers.get("Authorization", "")})
        body = got.json()
        if path == "/api/schema/":
            body["paths"].setdefault(LATER[0], {"get": {"parameters": []}})
        self.answer(got.status_code, body)

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def inventory(address, token, **options):
    """What ansible-inventory lists, and what it complains about. The plugin keeps the API document in the home directory."""
    with tempfile.TemporaryDirectory() as home:
        file = os.path.join(home, "netbox.yml")
        with open(file, "w") as out:
            json.dump({"plugin": "netbox.netbox.nb_inventory", "api_endpoint": address, "token": token, **options}, out)
        run = subprocess.run(
            ["ansible-inventory", "--inventory", file, "--list"],
            env=dict(os.environ, HOME=home, ANSIBLE_HOME=home, ANSIBLE_INVENTORY_ENABLED="netbox.netbox.nb_inventory"),
            capture_output=True, encoding="utf-8", timeout=300,
        )
    return json.loads(run.stdout), run.stderr


class Inventory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.nb = fixture.world()
        cls.server = ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
        cls.server.asked = []
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.address = "http://127.0.0.1:{}".format(cls.server.server_port)

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()

    def test_no_options(self):
        found, complaints = inventory(self.address, self.nb.token)
        self.assertNotIn("WARNING", complaints)
        self.assertTrue(any(path.startswith("/api/dcim/devices/?") and "exclude=config_context" in path for path in self.server.asked), self.server.asked)
        hosts = found["_meta"]["hostvars"]
        # The second member of the chassis is no host, and the device without a name has a random one.
        named = {name: values for name, values in hosts.items() if len(name) != 36}
        self.assertEqual(set(named), {"sw1", "blade1"})
        self.assertEqual(len(hosts), 3)
        sw1 = named["sw1"]
        sw1["tags"].sort()  # they are a set
        self.assertEqual({key: sw1.get(key) for key in EXPECTED}, EXPECTED)
        self.assertNotIn("config_context", sw1)

    def test_groups(self):
        found, _ = inventory(
            self.address, self.nb.token, plurals=False, config_context=True, interfaces=True, services=False,
            group_by="site region site_group location rack rack_role role device_type manufacturer platform tenant tag status".split(),
        )
        hosts = {group: sorted("unnamed" if len(host) == 36 else host for host in about.get("hosts", [])) for group, about in found.items()}
        children = {group: about["children"] for group, about in found.items() if "children" in about and group != "all"}
        self.assertEqual({group: hosts[group] for group in HOSTS}, HOSTS)
        self.assertEqual(children, CHILDREN)
        for group in ("location_room", "rack_R1", "rack_role_storage"):
            self.assertIn("sw1", hosts[group])
        sw1 = found["_meta"]["hostvars"]["sw1"]
        self.assertEqual(sw1["config_context"], {"ntp": ["a", "b"]})
        names = [interface["name"] for interface in sw1["interfaces"]]
        self.assertEqual(len(names), len(self.all_interfaces()))
        self.assertIn("interface full", names)

    def all_interfaces(self):
        """Of the members of the chassis: the plugin adds them all to its master."""
        return list(self.nb.dcim.interfaces.filter(virtual_chassis_id=self.nb.ids["stack"]))


HOSTS = {
    "device_type_blade": ["blade1"],
    "device_type_chassis": ["sw1"],
    "device_type_plain": ["unnamed"],
    "manufacturer_acme": ["blade1", "sw1"],
    "manufacturer_other": ["unnamed"],
    "platform_acme-os": ["sw1"],
    "role_role": ["blade1", "unnamed"],
    "role_switch": ["sw1"],
    "site_porto-1": ["unnamed"],
    "status_active": ["blade1", "unnamed"],
    "status_staged": ["sw1"],
    "tag_blue": ["sw1"],
    "tag_red": ["sw1"],
    "tenant_tenant": ["sw1"],
}
CHILDREN = {
    "location_hall": ["location_room"],
    "region_europe": ["region_portugal"],
    "region_portugal": ["site_lisbon-1"],
    "site_group_large": ["site_group_larger"],
    "site_group_larger": ["site_lisbon-1"],
    "site_lisbon-1": ["location_hall"],
}
EXPECTED = {
    "custom_fields": {"owner": "Ana"},
    "device_roles": ["switch"],
    "device_types": ["chassis"],
    "is_virtual": False,
    "local_context_data": [{"ntp": ["a", "b"]}],
    "locations": ["room", "hall"],
    "manufacturers": ["acme"],
    "platforms": ["acme-os"],
    "racks": ["R1"],
    "regions": ["portugal", "europe"],
    "site_groups": ["larger", "large"],
    "sites": ["lisbon-1"],
    "status": {"label": "Staged", "value": "staged"},
    "tags": ["blue", "red"],
    "tenants": ["tenant"],
}


if __name__ == "__main__":
    unittest.main()


class Lookup(unittest.TestCase):
    def look_up(self, words, **options):
        """What the lookup plugin finds, by id."""
        nb = fixture.world()
        given = ", ".join("{}={!r}".format(*each) for each in {"api_endpoint": BASE, "token": nb.token, **options}.items())
        with tempfile.TemporaryDirectory() as home:
            run = subprocess.run(
                ["ansible", "localhost", "--module-name", "debug", "--args", "msg={{ query('netbox.netbox.nb_lookup', '%s', %s) }}" % (words, given)],
                env=dict(os.environ, HOME=home, ANSIBLE_HOME=home, ANSIBLE_STDOUT_CALLBACK="json", ANSIBLE_LOAD_CALLBACK_PLUGINS="1"),
                capture_output=True, encoding="utf-8", timeout=300,
            )
        found = json.loads(run.stdout)["plays"][0]["tasks"][0]["hosts"]["localhost"]["msg"]
        self.assertIsInstance(found, list, found)
        return {each["key"]: each["value"] for each in found}

    def test_devices(self):
        nb = fixture.world()
        device = nb.dcim.devices.get(nb.ids["device"])
        found = self.look_up("devices", api_filter="site={} name={}".format(device.site.slug, device.name))
        self.assertEqual({id: each["name"] for id, each in found.items()}, {device.id: device.name})
        ports = self.look_up("interfaces", api_filter="device_id={}".format(device.id))
        self.assertEqual(sorted(ports), sorted(each.id for each in nb.dcim.interfaces.filter(device_id=device.id)))
