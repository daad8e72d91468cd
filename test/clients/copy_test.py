"""examples/copy-from-netbox.py, with a Terrier that holds the records of fixture.py in NetBox's place and an empty one to copy to."""

import os
import re
import subprocess
import sys
import unittest

import pynetbox
import requests

import fixture
from pynetbox_test import BASE, PASSWORD

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "copy-from-netbox.py")
TARGET = os.environ.get("TERRIER_COPY_URL", "")
# Every server has its own, and files are not copied.
OWN = {"id", "url", "created", "last_updated", "component_id", "front_image", "rear_image"}


def setUpModule():
    global source, target, lists
    source = fixture.world()
    target = pynetbox.api(TARGET)
    target.create_token("admin", PASSWORD)
    lists = sorted({path for path, _, _ in fixture.rows()})


def copy(*arguments, token=None):
    environment = dict(os.environ, NETBOX_TOKEN=source.token, TERRIER_TOKEN=token or target.token)
    command = [sys.executable, "-B", SCRIPT, "--from", BASE, "--to", TARGET, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", timeout=300)


def records(nb, path):
    """The records of a list without what differs between two servers: ids are left out of names, too."""
    answer = requests.get("{}/{}/?limit=0".format(nb.base_url, path), headers={"Authorization": "Token " + nb.token}).json()
    names = {row["id"]: row.get("name") for row in answer["results"]}
    for row in answer["results"]:
        if isinstance(row.get("parent"), int):
            row["parent"] = names[row["parent"]]
    return sorted((shared(row) for row in answer["results"]), key=repr)


def shared(value):
    if isinstance(value, dict):
        return {key: shared(inner) for key, inner in value.items() if key not in OWN}
    if isinstance(value, list):
        return [shared(inner) for inner in value]
    return re.sub(r" \(\d+\)", "", value) if isinstance(value, str) else value


class Copy(unittest.TestCase):
    maxDiff = 4000

    def last(self, run):
        self.assertEqual((run.returncode, run.stderr), (0, ""), run.stdout)
        return run.stdout.splitlines()[-1]

    def same(self):
        for path in lists:
            with self.subTest(path):
                here, there = records(source, path), records(target, path)
                self.assertGreaterEqual(len(here), 1)
                self.assertEqual(there, here)

    def test_copy(self):
        """One test, because each copy begins where the one before it ended."""
        made = sum(len(records(source, path)) for path in lists)
        self.assertEqual(self.last(copy("--dry-run")), "{} created, 0 updated, 0 the same, 0 refused (dry run: nothing was written)".format(made))
        self.assertEqual(target.dcim.sites.count(), 0, "a dry run writes nothing")

        run = copy()
        self.assertEqual(self.last(run), "{} created, 0 updated, 0 the same, 0 refused".format(made))
        self.assertIn("left out: front_image of dcim/device-types (1 records), a file, which is not copied", run.stdout)
        self.same()
        self.assertEqual(self.last(copy()), "0 created, 0 updated, {} the same, 0 refused".format(made))

        # What was changed in the meantime is changed back.
        target.dcim.devices.get(name="sw1").update({"description": "elsewhere", "tags": [], "position": None})
        target.dcim.interfaces.get(device="sw1", name="interface full").update({"lag": None, "mtu": 1500})
        self.assertEqual(self.last(copy()), "0 created, 2 updated, {} the same, 0 refused".format(made - 2))
        self.same()

        # Terrier makes the components of a new device from its type; the source has one of them no more and another with a label.
        new = source.dcim.devices.create(
            name="sw3", device_type=source.ids["chassis"], device_role=source.ids["switch"], site=source.ids["porto"], platform=source.ids["free-os"]
        )
        source.dcim.interfaces.get(device_id=new.id, name="type interface bare").update({"label": "relabelled"})
        source.dcim.power_outlets.get(device_id=new.id, name="type power-outlet full").delete()
        run = copy()
        self.assertIn("removed 1 components", run.stdout)
        self.assertTrue(self.last(run).startswith("1 created, 1 updated, "), run.stdout)
        self.same()
        new.delete()
        target.dcim.devices.get(name="sw3").delete()

        # What was moved is moved, not created a second time. JSON is copied as it is, whatever it looks like.
        source.dcim.devices.get(name="sw1").update({"tenant": source.ids["lone-tenant"], "local_context_data": {"value": 1, "label": "x"}})
        source.dcim.devices.get(name="sw2").update({"local_context_data": {"id": 1, "url": "https://example.com/"}})
        source.tenancy.tenants.get(slug="tenant").update({"group": source.ids["group"]})
        source.dcim.racks.get(name="R2").update({"location": source.dcim.locations.create(name="New", slug="new", site=source.ids["porto"]).id})
        self.assertTrue(self.last(copy()).startswith("1 created, 4 updated, "))
        self.same()

    def test_wrong_address(self):
        """A list that is missing is skipped, but not all of them."""
        run = copy("--from", BASE + "/elsewhere")
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn("There is no NetBox at " + BASE + "/elsewhere", run.stderr)

    def test_errors(self):
        run = copy("--dry-run", token="0" * 40)
        self.assertEqual(run.returncode, 1)
        self.assertIn("TERRIER_TOKEN", run.stderr)

        mine = source.dcim.manufacturers.create(name="Clash", slug="clash-in-netbox")
        model = source.dcim.device_types.create(manufacturer=mine.id, model="Clash", slug="clash")
        lost = source.dcim.devices.create(name="Clash", device_type=model.id, device_role=source.ids["switch"], site=source.ids["porto"])
        for port in "12":
            source.dcim.interfaces.create(device=lost.id, name="Clash port " + port, type="virtual")
        theirs = target.dcim.manufacturers.create(name="Clash", slug="clash-in-terrier")
        run = copy()
        self.assertEqual(run.returncode, 1)
        self.assertIn("not copied: dcim/manufacturers Clash ({}/dcim/manufacturers/{}/): name: ".format(BASE, mine.id), run.stderr)
        self.assertIn("not copied: dcim/device-types Clash ({}/dcim/device-types/{}/): manufacturer: refers to".format(BASE, model.id), run.stderr)
        self.assertIn("run the script again", run.stderr)
        self.assertIn("not copied: 2 of dcim/interfaces, because", run.stderr)
        self.assertNotIn("Clash port", run.stderr, "one line for all components of a device that was not copied")
        theirs.delete()
        self.assertTrue(self.last(copy()).startswith("5 created, 0 updated, "))
        for each in (target.dcim.devices.get(name="Clash"), lost, target.dcim.device_types.get(slug="clash"), target.dcim.manufacturers.get(slug="clash-in-netbox"), model, mine):
            each.delete()


if __name__ == "__main__":
    unittest.main()
