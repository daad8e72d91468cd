"""Lists a demo network with nb_inventory, first alone and then while lists of the same caller use up their time, and compares the hosts.
test/clients/inventory-busy starts the server."""

import collections
import json
import os
import subprocess
import tempfile
import time

from busy import Busy
from pynetbox_test import BASE, login

LISTS = 4  # beside the inventory
OPTIONS = {"plurals": False, "interfaces": True, "services": True, "config_context": True, "group_by": ["site", "role"]}


def inventory(token):
    """The hosts that are listed, and the seconds that it took."""
    with tempfile.TemporaryDirectory() as home:
        file = os.path.join(home, "netbox.yml")
        with open(file, "w") as out:
            json.dump({"plugin": "netbox.netbox.nb_inventory", "api_endpoint": BASE, "token": token, **OPTIONS}, out)
        start = time.monotonic()
        run = subprocess.run(
            ["ansible-inventory", "--inventory", file, "--list"],
            env=dict(
                os.environ, HOME=home, ANSIBLE_HOME=home, ANSIBLE_INVENTORY_ENABLED="netbox.netbox.nb_inventory",
                ANSIBLE_TRANSFORM_INVALID_GROUP_CHARS="ignore"),
            capture_output=True, encoding="utf-8",
        )
        took = time.monotonic() - start
    if run.returncode or run.stderr:
        raise SystemExit("the inventory ended with {}: {}".format(run.returncode, run.stderr))
    return json.loads(run.stdout)["_meta"]["hostvars"], took


def main():
    token = login("admin").token
    alone, took = inventory(token)
    print("alone: {} hosts in {:.1f} s".format(len(alone), took), flush=True)
    with Busy(BASE, token, LISTS) as reading:
        beside, took = inventory(token)
        reading.wait()
    answers = collections.Counter(reading.statuses)
    print("with its time used up: {} hosts in {:.1f} s, beside lists answered {}".format(len(beside), took, dict(answers)))
    if not alone or beside != alone or set(answers) != {200}:
        raise SystemExit("the inventory is another one, or lists were refused")


if __name__ == "__main__":
    main()
