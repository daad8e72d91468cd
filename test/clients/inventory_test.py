"""Ansible's inventory plugin netbox.netbox.nb_inventory, unmodified, over the records of inventory_fixture.py, on a server of its own.

What it lists is compared with inventory.json. TERRIER_REWRITE=1 rewrites that file."""

import json
import os
import re
import subprocess
import tempfile
import threading
import unittest
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pynetbox

import busy
import fixture
import inventory_fixture
from pynetbox_test import BASE, PASSWORD

SERVER = os.environ["TERRIER_INVENTORY_URL"]
EXPECTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "inventory.json")
GROUPS = "site region site_group location rack rack_role role device_type manufacturer platform tenant tag status".split()
GROUPS += "cluster cluster_type cluster_group is_virtual services time_zone utc_offset".split()
WHOLE = {"plurals": False, "interfaces": True, "services": True, "config_context": True, "group_by": GROUPS}
CHANGING = {"id", "url", "created", "last_updated"}
# What the plugin is asked for, by the tests that look at it. All share one home directory, where it keeps the API document.
RUNS = {
    "a": {},
    "b": WHOLE,
    "c 0": {**WHOLE, "fetch_all": False, "max_uri_length": 0},
    "c 80": {**WHOLE, "fetch_all": False, "max_uri_length": 80},
    "c 4000": {**WHOLE, "fetch_all": False, "max_uri_length": 4000},
    "d e f": {
        "plurals": False, "site_data": True, "prefixes": True, "racks": False, "services": False, "config_context": True,
        "flatten_config_context": True, "flatten_local_context_data": True, "flatten_custom_fields": True,
        "virtual_chassis_name": True, "dns_name": True, "ansible_host_dns_name": True},
    "g": {
        "query_filters": [
            {"tag": "red"}, {"tag": "blue"}, {"cf_owner": "Ana"}, {"tenant__n": "internal"}, {"has_primary_ip": "true"}, {"colour": "red"}],
        "device_query_filters": [{"role": "switch"}], "vm_query_filters": [{"role": "server"}]},
    "h": {**WHOLE},
    "i": {"interfaces": True},
    "j": {"api_endpoint": BASE},
    "k": {"query_filters": [{"tenant": "nobody"}]},
    "l": WHOLE,
}


class SmallPages(BaseHTTPRequestHandler):
    """Passes requests on to the server, and asks for pages of one record where the plugin asks for the largest."""

    continued = 0  # pages after a first one

    def do_GET(self):
        SmallPages.continued += re.search(r"limit=1(&|$)", self.path) is not None
        request = urllib.request.Request(SERVER + self.path.replace("limit=0", "limit=1"), headers=dict(self.headers))
        with urllib.request.urlopen(request) as answer:
            body = answer.read().replace(SERVER.encode(), self.server.url.encode())
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers["Content-Type"])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def serve_small_pages():
    server = ThreadingHTTPServer(("127.0.0.1", 0), SmallPages)
    server.url = "http://127.0.0.1:{}".format(server.server_port)
    threading.Thread(target=server.serve_forever).start()
    unittest.addModuleCleanup(server.server_close)
    unittest.addModuleCleanup(server.shutdown)
    return server.url


def ansible_inventory(home, options):
    """What ansible-inventory lists, and what it complains about."""
    with tempfile.NamedTemporaryFile("w", suffix="netbox.yml") as file:
        json.dump({"plugin": "netbox.netbox.nb_inventory", **options}, file)
        file.flush()
        run = subprocess.run(
            ["ansible-inventory", "--inventory", file.name, "--list"],
            env=dict(os.environ, HOME=home, ANSIBLE_HOME=home, ANSIBLE_INVENTORY_ENABLED="netbox.netbox.nb_inventory"),
            capture_output=True, encoding="utf-8", timeout=300,
        )
    more, brace, listed = run.stdout.partition("{\n")  # what it may not see it says before the list
    return json.loads(brace + listed), more + run.stderr


def tidy(value):
    """Without what differs between runs. Tags are a set."""
    if isinstance(value, dict):
        return {name(key): tidy(sorted(each, key=str) if key == "tags" else each) for key, each in value.items() if key not in CHANGING}
    if isinstance(value, list):
        return [tidy(each) for each in value]
    return name(value) if isinstance(value, str) else value


def name(text):
    """A device without a name gets a random one."""
    return "unnamed" if len(text) == 36 and text.count("-") == 4 else text


def setUpModule():
    """Runs the plugin with all options, two at a time. The first run is against another server."""
    global nb, found, complaints, reads
    nb = pynetbox.api(SERVER)
    nb.create_token("admin", PASSWORD)
    fixture.fill(SERVER, nb.token, inventory_fixture.ROWS)
    found, complaints = {}, {}
    RUNS["h"]["api_endpoint"] = serve_small_pages()
    with tempfile.TemporaryDirectory() as home, ThreadPoolExecutor(2) as pool:

        def run(key):
            token = {"i": lambda: blind_to("ipam.service"), "j": lambda: fixture.world().token, "k": lambda: blind_to("tenancy.tenant")}.get(key, lambda: nb.token)()
            listed, complaints[key] = ansible_inventory(home, {"api_endpoint": SERVER, "token": token, **RUNS[key]})
            found[key] = tidy(listed)

        run("j")
        list(pool.map(run, sorted(RUNS.keys() - {"j", "l"})))
        with busy.Busy(SERVER, nb.token, 10) as reading:
            run("l")
            reading.wait()
        reads = reading.statuses


def blind_to(hidden):
    """The token of a user who may see everything but the records of a type."""
    types = ["{}.{}".format(each.app_label, each.model) for each in nb.extras.content_types.all()]
    reader = nb.users.users.create(username="blind." + hidden, password=PASSWORD)
    nb.users.permissions.create(name="blind to " + hidden, object_types=[t for t in types if t != hidden], actions=["view"], users=[reader.id])
    return nb.users.tokens.create(user=reader.id).key


class Inventory(unittest.TestCase):
    maxDiff = None

    def same(self, key):
        """The whole list is what the file says."""
        with open(EXPECTED) as file:
            expected = json.load(file)
        if os.environ.get("TERRIER_REWRITE"):
            expected[key] = found[key]
            with open(EXPECTED, "w") as file:
                json.dump(expected, file, indent=1, sort_keys=True)
                file.write("\n")
        self.assertEqual(found[key], expected[key])

    def hosts(self, key):
        return found[key]["_meta"]["hostvars"]

    def test_a_no_options(self):
        self.assertEqual(complaints["a"], "")
        # The second member of the chassis is no host.
        self.assertEqual(set(self.hosts("a")), {"sw1", "srv1", "unnamed", "vm1", "vm2"})
        sw1 = self.hosts("a")["sw1"]
        self.assertNotIn("config_context", sw1)
        self.assertEqual((sw1["ansible_host"], sw1["primary_ip4"], sw1["primary_ip6"]), ("2001:db8::1", "10.1.0.1", "2001:db8::1"))
        self.assertEqual((sw1["regions"], sw1["site_groups"]), (["portugal", "europe"], ["larger", "large"]))
        self.assertEqual(sw1["locations"], ["room", "hall"])
        self.same("a")

    def test_b_everything(self):
        self.assertEqual(complaints["b"], "")
        sw1, vm1, vm2 = (self.hosts("b")[each] for each in ("sw1", "vm1", "vm2"))
        self.assertEqual(sw1["config_context"], {"ntp": ["local"], "dns": {"servers": ["c"], "search": "base"}, "syslog": "r"})
        self.assertEqual(vm1["config_context"], {"ntp": ["base"], "dns": {"servers": ["c"], "search": "example.com"}, "syslog": "r"})
        self.assertEqual(vm2["config_context"], {"ntp": ["base"], "dns": {"servers": ["a", "b"], "search": "base"}})
        addresses = lambda host: [(port["name"], [each["address"] for each in port["ip_addresses"]]) for port in host["interfaces"]]
        self.assertEqual(addresses(sw1), [("eth0", ["10.1.0.1/24", "2001:db8::1/64"]), ("eth1", []), ("eth0", ["10.1.0.2/24"])])
        self.assertEqual(addresses(vm1), [("ens1", ["10.1.0.9/24"])])
        children = {group: about["children"] for group, about in found["b"].items() if "children" in about and group != "all"}
        self.assertEqual(children, CHILDREN)
        self.same("b")

    def test_c_in_parts(self):
        for length in ("0", "80", "4000"):
            with self.subTest(length):
                self.assertEqual(complaints["c " + length], "")
                self.assertEqual(found["c " + length], found["b"])

    def test_d_sites(self):
        site = self.hosts("d e f")["stack"]["site"]
        self.assertEqual((site["name"], [each["prefix"] for each in site["prefixes"]]), ("Lisbon", ["10.1.0.0/24", "2001:db8::/64"]))
        self.assertEqual(self.hosts("d e f")["srv1"]["site"]["prefixes"], [])
        self.same("d e f")

    def test_e_flat(self):
        stack = self.hosts("d e f")["stack"]
        self.assertEqual((stack["ntp"], stack["syslog"], stack["owner"]), (["local"], "r", "Ana"))
        self.assertFalse({"config_context", "local_context_data", "custom_fields"} & set(stack))

    def test_f_names(self):
        self.assertEqual(set(self.hosts("d e f")), {"stack", "srv1", "unnamed", "vm1", "vm2"})
        named = {host: (about.get("ansible_host"), about.get("dns_name")) for host, about in self.hosts("d e f").items()}
        self.assertEqual(named["stack"], ("sw1-v6.example.com", "sw1-v6.example.com"))
        self.assertEqual(named["vm1"], ("vm1.example.com", "vm1.example.com"))
        self.assertEqual(named["vm2"], (None, None))

    def test_g_filters(self):
        self.assertEqual(set(self.hosts("g")), {"sw1", "vm1"})
        self.assertIn("colour not in", complaints["g"].replace("\n", " "))

    def test_h_many_pages(self):
        """A list of several pages is listed whole."""
        self.assertEqual(complaints["h"], "")
        self.assertGreater(SmallPages.continued, 10)
        self.assertEqual(found["h"], found["b"])

    def test_i_without_services(self):
        self.assertIn("Permission denied: {}/api/ipam/services/".format(SERVER), complaints["i"].replace("\n", ""))
        self.assertEqual(set(self.hosts("i")), set(self.hosts("a")))
        self.assertEqual({len(about["services"]) for about in self.hosts("i").values()}, {0})
        self.assertEqual(len(self.hosts("i")["sw1"]["interfaces"]), 3)

    def test_j_two_servers(self):
        """The document that the plugin kept of another server does no harm."""
        self.assertEqual(complaints["j"], "")
        self.assertIn("blade1", self.hosts("j"))

    def test_k_unknown_tenant(self):
        """A filter by a type of which the token may see nothing finds nothing. It is not refused, which would end the inventory."""
        self.assertIn("Permission denied: {}/api/tenancy/tenants/".format(SERVER), complaints["k"].replace("\n", ""))
        self.assertEqual(self.hosts("k"), {})

    def test_l_time_used_up(self):
        """A caller whose lists have used up their time gets the same inventory, and none of the lists is refused."""
        self.assertEqual(complaints["l"], "")
        self.assertEqual(found["l"], found["b"])
        self.assertEqual(set(reads), {200})


CHILDREN = {
    "location_hall": ["location_room"],
    "region_europe": ["region_portugal"],
    "region_portugal": ["site_lisbon"],
    "site_group_large": ["site_group_larger"],
    "site_group_larger": ["site_lisbon"],
    "site_lisbon": ["location_hall"],
}


class Lookup(unittest.TestCase):
    def look_up(self, words, **options):
        """What the lookup plugin finds, by id."""
        given = ", ".join("{}={!r}".format(*each) for each in {"api_endpoint": SERVER, "token": nb.token, **options}.items())
        with tempfile.TemporaryDirectory() as home:
            message = "msg={{ query('netbox.netbox.nb_lookup', '%s', %s) }}" % (words, given)
            run = subprocess.run(
                ["ansible", "localhost", "--module-name", "debug", "--args", message],
                env=dict(os.environ, HOME=home, ANSIBLE_HOME=home, ANSIBLE_STDOUT_CALLBACK="json", ANSIBLE_LOAD_CALLBACK_PLUGINS="1"),
                capture_output=True, encoding="utf-8", timeout=300,
            )
        found = json.loads(run.stdout)["plays"][0]["tasks"][0]["hosts"]["localhost"]["msg"]
        self.assertIsInstance(found, list, found)
        return {each["key"]: each["value"] for each in found}

    def test_addresses(self):
        device = nb.dcim.devices.get(name="sw1")
        found = self.look_up("ip-addresses", api_filter="device_id={} family=4".format(device.id))
        self.assertEqual([each["address"] for each in found.values()], ["10.1.0.1/24", "10.1.0.2/24"], "those of the chassis")
        ports = self.look_up("interfaces", api_filter="device_id={}".format(device.id))
        self.assertEqual(sorted(ports), sorted(each.id for each in nb.dcim.interfaces.filter(device_id=device.id)))


if __name__ == "__main__":
    unittest.main()
