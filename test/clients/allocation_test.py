"""The real pynetbox takes free addresses, prefixes, VLANs and AS numbers."""

import unittest
from concurrent.futures import ThreadPoolExecutor

import pynetbox
from pynetbox.core.endpoint import DetailEndpoint

from pynetbox_test import Refusals, api, login


def setUpModule():
    global nb
    nb = login("admin")


class Allocation(unittest.TestCase, Refusals):
    def make(self, endpoint, **fields):
        """A record that is deleted when the test ends."""
        record = endpoint.create(**fields)
        self.addCleanup(record.delete)
        return record

    def exhausted(self, take):
        """pynetbox knows what 409 means."""
        with self.assertRaises(pynetbox.AllocationError):
            take()

    def setUp(self):
        self.vrf = self.make(nb.ipam.vrfs, name=self.id(), enforce_unique=True)
        self.addCleanup(lambda: nb.ipam.prefixes.filter(vrf_id=self.vrf.id).delete())
        self.addCleanup(lambda: nb.ipam.ip_addresses.filter(vrf_id=self.vrf.id).delete())

    def prefix(self, network, **fields):
        return nb.ipam.prefixes.create(prefix=network, vrf=self.vrf.id, **fields)

    def test_addresses(self):
        for network, expected in (("10.9.0.0/29", "10.9.0.{}/29"), ("2001:db8:9::/125", "2001:db8:9::{}/125")):
            prefix = self.prefix(network)
            with self.subTest(network):
                free = prefix.available_ips.list()
                self.assertEqual(str(free[0]), expected.format(1))
                self.assertEqual((free[0].family, free[0].vrf.id), (4 if "." in network else 6, self.vrf.id))
                room = len(free)
                one = prefix.available_ips.create()
                self.assertEqual((one.address, one.vrf.id), (expected.format(1), self.vrf.id))
                named = prefix.available_ips.create({"dns_name": "Two.example.com", "status": "reserved", "role": "loopback"})
                self.assertEqual((named.address, named.dns_name, named.status.value), (expected.format(2), "two.example.com", "reserved"))
                many = prefix.available_ips.create([{"description": "a"}, {"description": "b"}])
                found = [(each.address, each.description) for each in many]
                self.assertEqual(found, [(expected.format(3), "a"), (expected.format(4), "b")])
                self.assertEqual(nb.ipam.ip_addresses.get(many[1].id).address, expected.format(4))
                self.assertEqual(len(prefix.available_ips.list()), room - 4)
                self.exhausted(lambda: prefix.available_ips.create([{}] * (room - 3)))
                self.assertEqual(nb.ipam.ip_addresses.count(parent=network, vrf_id=self.vrf.id), 4, "all or none")
                self.assertTrue(named.delete())
                self.assertEqual(prefix.available_ips.create().address, expected.format(2), "the lowest again")
                prefix.available_ips.create([{}] * (room - 4))
                self.assertEqual(prefix.available_ips.list(), [])
                self.exhausted(prefix.available_ips.create)

    def test_addresses_of_a_range(self):
        run = self.make(nb.ipam.ip_ranges, start_address="10.9.1.10/24", end_address="10.9.1.12/24", vrf=self.vrf.id)
        self.assertEqual([str(each) for each in run.available_ips.list()], ["10.9.1.10/24", "10.9.1.11/24", "10.9.1.12/24"])
        self.assertEqual(run.available_ips.create().address, "10.9.1.10/24")
        self.assertEqual([each.address for each in run.available_ips.create([{}, {}])], ["10.9.1.11/24", "10.9.1.12/24"])
        self.exhausted(run.available_ips.create)

    def test_addresses_of_an_interface(self):
        kind = self.make(nb.virtualization.cluster_types, name="alloc", slug="alloc")
        cluster = self.make(nb.virtualization.clusters, name=self.id(), type=kind.id)
        machine = self.make(nb.virtualization.virtual_machines, name="alloc", cluster=cluster.id)
        port = nb.virtualization.interfaces.create(virtual_machine=machine.id, name="ens1")
        taken = self.prefix("10.9.2.0/30").available_ips.create(
            {"assigned_object_type": "virtualization.vminterface", "assigned_object_id": port.id, "tags": []}
        )
        self.assertEqual((taken.address, taken.assigned_object.name), ("10.9.2.1/30", "ens1"))
        self.assertEqual([each.id for each in nb.ipam.ip_addresses.filter(vminterface_id=port.id)], [taken.id])

    def test_addresses_at_once(self):
        """Threads that take addresses at the same time get different ones, and all of them."""
        prefix = self.prefix("10.9.3.0/26")

        def take(i):
            own = api(nb.token).ipam.prefixes.get(prefix.id)
            return [each.address for each in own.available_ips.create([{}] * (1 + i % 3))]

        with ThreadPoolExecutor(4) as pool:
            taken = [address for some in pool.map(take, range(31)) for address in some]
        self.assertEqual(sorted(taken), sorted("10.9.3.{}/26".format(i) for i in range(1, len(taken) + 1)))

    def test_prefixes(self):
        prefix = self.prefix("10.9.8.0/22", status="container")
        self.prefix("10.9.8.0/25")
        self.assertEqual([str(each) for each in prefix.available_prefixes.list()], ["10.9.8.128/25", "10.9.9.0/24", "10.9.10.0/23"])
        one = prefix.available_prefixes.create({"prefix_length": 25, "status": "reserved", "description": "one"})
        self.assertEqual((one.prefix, one.vrf.id, one.status.value, one.description), ("10.9.8.128/25", self.vrf.id, "reserved", "one"))
        many = prefix.available_prefixes.create([{"prefix_length": 24}, {"prefix_length": 26, "is_pool": True}])
        self.assertEqual([(each.prefix, each.is_pool) for each in many], [("10.9.9.0/24", False), ("10.9.10.0/26", True)])
        self.exhausted(lambda: prefix.available_prefixes.create([{"prefix_length": 24}, {"prefix_length": 23}]))
        self.exhausted(lambda: prefix.available_prefixes.create({"prefix_length": 23}))
        self.assertEqual(nb.ipam.prefixes.count(within="10.9.8.0/22", vrf_id=self.vrf.id), 4)
        for wrong in (33, "x"):
            with self.refused(400, "prefix_length"):
                prefix.available_prefixes.create({"prefix_length": wrong})

    def test_vlans(self):
        group = self.make(nb.ipam.vlan_groups, name=self.id(), slug="alloc", min_vid=10, max_vid=14)
        self.addCleanup(lambda: nb.ipam.vlans.filter(group_id=group.id).delete())
        nb.ipam.vlans.create(name="taken", vid=11, group=group.id)
        free = group.available_vlans.list()
        self.assertEqual([each.vid for each in free], [10, 12, 13, 14])
        self.assertEqual(free[0].group.id, group.id)
        one = group.available_vlans.create({"name": "one", "status": "reserved"})
        self.assertEqual((one.vid, one.name, one.group.id, one.status.value), (10, "one", group.id, "reserved"))
        many = group.available_vlans.create([{"name": "two"}, {"name": "three"}])
        self.assertEqual([(each.vid, each.name) for each in many], [(12, "two"), (13, "three")])
        with self.refused(400, "name"):
            group.available_vlans.create({})
        self.exhausted(lambda: group.available_vlans.create([{"name": "four"}, {"name": "five"}]))
        self.assertEqual(group.available_vlans.create({"name": "last"}).vid, 14)
        self.exhausted(lambda: group.available_vlans.create({"name": "none"}))

    def test_asns(self):
        """This pynetbox has no word for them, and newer ones do the same."""
        rir = self.make(nb.ipam.rirs, name=self.id(), slug="alloc")
        run = self.make(nb.ipam.asn_ranges, name=self.id(), slug="alloc", rir=rir.id, start=4200002000, end=4200002002)
        self.addCleanup(lambda: nb.ipam.asns.filter(rir_id=rir.id).delete())
        available = DetailEndpoint(run, "available-asns")
        self.assertEqual([each["asn"] for each in available.list()], [4200002000, 4200002001, 4200002002])
        self.assertEqual(available.create({})["asn"], 4200002000)
        self.assertEqual([each["asn"] for each in available.create([{"description": "a"}, {}])], [4200002001, 4200002002])
        self.exhausted(lambda: available.create({}))


if __name__ == "__main__":
    unittest.main()
