"""Checks the types of racks, devices, addresses and virtual machines against the catalogue, on a server of its own that holds the
records of fixture.py and fixture_addresses.py.

What the catalogue has and later.json does not name must be served; every list must answer in the shape of the reference."""

import json
import os
import subprocess
import unittest

import pynetbox

import fixture
import fixture_addresses
from pynetbox_test import PASSWORD

CATALOGUE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "catalogue")
STAGE = "addresses"  # of later.json
APPS = ("dcim", "ipam", "virtualization")
# Lists of types that the files of these apps do not have: they were here before them.
EARLIER = "dcim/sites dcim/locations dcim/regions dcim/site-groups dcim/rack-roles tenancy/tenants tenancy/tenant-groups".split()
# Answers about cables, which come later.
LATER = ("/trace: ", "/paths: ")
# What is left out on purpose, and the check says so. A key that is sealed must not be found by guessing it.
LEFT_OUT = ["ipam.fhrpgroup: filter: auth_key"]


def setUpModule():
    global server, types
    server = pynetbox.api(os.environ["TERRIER_CATALOGUE_URL"])
    server.create_token("admin", PASSWORD)
    fixture.fill(server.base_url[: -len("/api")], server.token, [*fixture.rows(), *fixture_addresses.ROWS])
    with open(os.path.join(CATALOGUE, "later.json")) as file:
        later = json.load(file)[STAGE]["types"]
    types = {}  # the lists by the names of their types
    for app in APPS:
        with open(os.path.join(CATALOGUE, app + ".json")) as file:
            types.update({app + "." + t["name"]: app + "/" + t["plural"] for t in json.load(file)["types"]})
    types = {name: path for name, path in types.items() if name not in later}
    types["extras.configcontext"] = "extras/config-contexts"
    types["extras.journalentry"] = "extras/journal-entries"
    types["extras.customlink"] = "extras/custom-links"
    types["extras.imageattachment"] = "extras/image-attachments"
    types["extras.savedfilter"] = "extras/saved-filters"


class Catalogue(unittest.TestCase):
    def findings(self, program, *arguments):
        """The lines in which a program says what is wrong. Its last line counts what holds."""
        command = [os.path.join(CATALOGUE, program), "--base", server.base_url[: -len("/api")], "--token", server.token, *arguments]
        run = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", timeout=300)
        *lines, last = run.stdout.splitlines() or [""]
        self.assertRegex(last, r"^[1-9]\d* of \d+ hold$")
        return lines

    def test_types(self):
        self.assertGreater(len(types), 55)
        self.assertEqual(self.findings("check", "--later", STAGE, "--show", "1000", *types), LEFT_OUT)

    def test_two_records(self):
        """A shape that no record has is not checked, and neither is a field that none sets or that all set."""
        for path in types.values():
            app, name = path.split("/")
            self.assertGreaterEqual(getattr(getattr(server, app), name.replace("-", "_")).count(), 2, path)

    def test_shapes(self):
        found = self.findings("shapes-check", "--limit", "1000", *types.values(), *EARLIER)
        self.assertEqual([line for line in found if not any(word in line for word in LATER)], [])


if __name__ == "__main__":
    unittest.main()
