"""Fills a server with devices and measures nb_inventory over them. test/clients/inventory-bench starts the server."""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import time

from pynetbox_test import BASE, login

PORTS = 24
LOG = os.environ["TERRIER_SERVER_LOG"]
ROUNDS = 3
# What the plugin is asked for.
OPTIONS = [("interfaces", {"interfaces": True}), ("interfaces, config contexts", {"interfaces": True, "config_context": True})]


def fill(nb, count):
    """Creates the devices, with their interfaces from the type, and an address on each interface."""
    maker = nb.dcim.manufacturers.create(name="Acme", slug="acme")
    kind = nb.dcim.device_types.create(manufacturer=maker.id, model="T1", slug="t1")
    nb.dcim.interface_templates.create(
        [{"device_type": kind.id, "name": "xe-0/0/{}".format(i), "type": "10gbase-x-sfpp"} for i in range(PORTS)]
    )
    role = nb.dcim.device_roles.create(name="Switch", slug="switch")
    platform = nb.dcim.platforms.create(name="OS", slug="os")
    tenant = nb.tenancy.tenants.create(name="Tenant", slug="tenant")
    site_count = 1 + count // 100
    sites = nb.dcim.sites.create([{"name": "site {}".format(i), "slug": "site-{}".format(i)} for i in range(site_count)])
    nb.extras.config_contexts.create(name="all", data={"ntp": ["a", "b"]})
    for start in range(0, count, 100):
        part = range(start, min(start + 100, count))
        devices = nb.dcim.devices.create(
            [
                {
                    "name": "sw{:05}".format(i), "device_type": kind.id, "device_role": role.id, "platform": platform.id,
                    "tenant": tenant.id, "site": sites[i // 100].id,
                }
                for i in part
            ]
        )
        ports = {}
        for port in nb.dcim.interfaces.filter(device_id=[device.id for device in devices]):
            ports.setdefault(port.device.id, []).append(port.id)
        addresses = nb.ipam.ip_addresses.create(
            [
                {
                    "address": "10.{}.{}.{}/16".format(i // 250, i % 250, 1 + j), "assigned_object_type": "dcim.interface",
                    "assigned_object_id": port, "dns_name": "p{}.sw{:05}.example.com".format(j, i),
                }
                for i, device in zip(part, devices)
                for j, port in enumerate(ports[device.id])
            ]
        )
        nb.dcim.devices.update([{"id": device.id, "primary_ip4": each.id} for device, each in zip(devices, addresses[::PORTS])])
        print("\r{} devices".format(part[-1] + 1), end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


def measure(nb, options):
    """The seconds of one run, the requests that the server wrote down meanwhile, and how many hosts were listed."""
    with tempfile.TemporaryDirectory() as home:
        file = os.path.join(home, "netbox.yml")
        with open(file, "w") as out:
            json.dump({"plugin": "netbox.netbox.nb_inventory", "api_endpoint": BASE, "token": nb.token, **options}, out)
        before = os.path.getsize(LOG)
        start = time.monotonic()
        run = subprocess.run(
            ["ansible-inventory", "--inventory", file, "--list"],
            env=dict(os.environ, HOME=home, ANSIBLE_HOME=home, ANSIBLE_INVENTORY_ENABLED="netbox.netbox.nb_inventory"),
            capture_output=True, encoding="utf-8", check=True,
        )
        took = time.monotonic() - start
    with open(LOG) as log:
        log.seek(before)
        requests = re.findall(r"msg=request method=GET path=(\S+) status=200 bytes=(\d+) us=(\d+)", log.read())
    hosts = json.loads(run.stdout)["_meta"]["hostvars"]
    return took, [(path, int(size), int(us) / 1e6) for path, size, us in requests], hosts


def main(count):
    nb = login("admin")
    start = time.monotonic()
    fill(nb, count)
    print("filled in {:.0f} s".format(time.monotonic() - start))
    for title, options in OPTIONS:
        for _ in range(ROUNDS):
            took, requests, hosts = measure(nb, options)
            ports = [len(host["interfaces"]) for host in hosts.values()]
            addresses = sum(len(port["ip_addresses"]) for host in hosts.values() for port in host["interfaces"])
            if (len(ports), set(ports), addresses) != (count, {PORTS}, count * PORTS):
                raise SystemExit("not all were listed: {} hosts, {} addresses".format(len(ports), addresses))
            share = sum(each[2] for each in requests)
            print("{}: {} hosts in {:.1f} s; {} requests, server {:.2f} s, {:.0f} MB".format(
                title, len(hosts), took, len(requests), share, sum(each[1] for each in requests) / 1e6))
    worst = collections.Counter()
    for path, _, seconds in requests:
        worst[path] += seconds
    for path, seconds in worst.most_common(5):
        print("  {:.2f} s in {} requests: {}".format(seconds, sum(each[0] == path for each in requests), path))


if __name__ == "__main__":
    main(int(sys.argv[1]))
