"""Checks the types of racks and devices against the catalogue, on a server that holds the records of fixture.py.

What the catalogue has and later.json does not name must be served; every list must answer in the shape of the reference."""

import json
import os
import subprocess
import unittest

import fixture

CATALOGUE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "catalogue")
STAGE = "devices"  # of later.json
# Lists of types that the catalogue's file does not have: they were here before it.
EARLIER = "dcim/sites dcim/locations dcim/regions dcim/site-groups dcim/rack-roles tenancy/tenants tenancy/tenant-groups".split()
# Answers about cables, which come later.
LATER = ("/trace: ", "/paths: ")


def setUpModule():
    global server, types
    server = fixture.world()
    with open(os.path.join(CATALOGUE, "later.json")) as file:
        later = json.load(file)[STAGE]["types"]
    with open(os.path.join(CATALOGUE, "dcim.json")) as file:
        types = [t for t in json.load(file)["types"] if "dcim." + t["name"] not in later]


class Catalogue(unittest.TestCase):
    def findings(self, program, *arguments):
        """The lines in which a program says what is wrong. Its last line counts what holds."""
        command = [os.path.join(CATALOGUE, program), "--base", server.base_url[: -len("/api")], "--token", server.token, *arguments]
        run = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", timeout=300)
        *lines, last = run.stdout.splitlines() or [""]
        self.assertRegex(last, r"^[1-9]\d* of \d+ hold$")
        return lines

    def none(self, findings, expected):
        """Fails with every finding that holds none of the expected words."""
        self.assertEqual("\n".join(line for line in findings if not any(word in line for word in expected)), "")

    def test_types(self):
        names = ["dcim." + t["name"] for t in types]
        self.assertGreater(len(names), 30)
        self.none(self.findings("check", "--later", STAGE, "--show", "1000", *names), ())

    def test_shapes(self):
        lists = ["dcim/" + t["plural"] for t in types]
        self.none(self.findings("shapes-check", "--limit", "1000", *lists, *EARLIER), LATER)


if __name__ == "__main__":
    unittest.main()
