"""Ansible's modules for addresses, VLANs, virtual machines and config contexts, unmodified, each in the steps of ansible_modules.py.

The collection has no modules for ASN ranges and IP ranges."""

import unittest

import ansible_modules
from pynetbox_test import login

SITE, DEVICE, VM = "ansible-net", "ansible-net-1", "ansible-vm"
# What the rows need, made with pynetbox: app, list and fields.
NEEDED = [
    ("extras", "tags", {"name": "Ansible net", "slug": SITE}),
    ("tenancy", "tenants", {"name": "Ansible net", "slug": SITE}),
    ("dcim", "regions", {"name": "Ansible net", "slug": SITE}),
    ("dcim", "site-groups", {"name": "Ansible net", "slug": SITE}),
    ("dcim", "sites", {"name": SITE, "slug": SITE}),
    ("dcim", "sites", {"name": "ansible-net-2", "slug": "ansible-net-2"}),
    ("dcim", "sites", {"name": "ansible-net-3", "slug": "ansible-net-3"}),
    ("dcim", "locations", {"name": "Ansible net", "slug": SITE, "site": {"slug": SITE}}),
    ("dcim", "racks", {"name": "ansible net", "site": {"slug": SITE}}),
    ("dcim", "manufacturers", {"name": "Ansible net", "slug": SITE}),
    ("dcim", "platforms", {"name": "Ansible net", "slug": SITE}),
    ("dcim", "device-roles", {"name": "Ansible net", "slug": SITE}),
    ("dcim", "device-types", {"model": "Ansible net", "slug": SITE, "manufacturer": {"slug": SITE}}),
    ("dcim", "interface-templates", {"device_type": {"slug": SITE}, "name": "eth0", "type": "1000base-t"}),
    ("dcim", "interface-templates", {"device_type": {"slug": SITE}, "name": "eth1", "type": "1000base-t"}),
    ("dcim", "devices", {"name": DEVICE, "device_type": {"slug": SITE}, "device_role": {"slug": SITE}, "site": {"slug": SITE}}),
]
DESCRIBED = {"description": "altered"}
ON_DEVICE = {"name": "eth0", "device": DEVICE}
ON_VM = {"name": "ens1", "virtual_machine": VM}
TAGS = {"tags": ["Ansible net"]}

MACHINES = [
    ("cluster type", "cluster_type", {"name": "Ansible KVM", **TAGS}, DESCRIBED),
    ("cluster group", "cluster_group", {"name": "Ansible East"}, None),
    ("cluster", "cluster", {
        "name": "ansible-cluster", "cluster_type": "Ansible KVM", "cluster_group": "Ansible East", "site": SITE, "tenant": "Ansible net",
        "comments": "two\nlines\n", **TAGS}, DESCRIBED),
    ("virtual machine", "virtual_machine", {
        "name": VM, "cluster": "ansible-cluster", "site": SITE, "virtual_machine_role": "Ansible net", "vcpus": 2, "memory": 4096,
        "disk": 20, "tenant": "Ansible net", "platform": "Ansible net", "status": "Staged", "local_context_data": {"ntp": ["a", "b"]},
        **TAGS}, {"vcpus": 2.5}),
    ("VM interface", "vm_interface", {
        "virtual_machine": VM, "name": "ens1", "enabled": False, "mtu": 9000, "mac_address": "00:aa:bb:cc:dd:0e", **TAGS}, {"mtu": 1500}),
    ("VM interface below another", "vm_interface", {
        "virtual_machine": VM, "name": "ens1.7", "parent_vm_interface": "ens1", "vm_bridge": "ens1"}, DESCRIBED),
]
SPACE = [
    ("route target", "route_target", {"name": "65000:1001", "tenant": "Ansible net", **TAGS}, DESCRIBED),
    ("another route target", "route_target", {"name": "65000:1002"}, DESCRIBED),
    ("VRF", "vrf", {
        "name": "Ansible", "rd": "65000:1000", "tenant": "Ansible net", "enforce_unique": True,
        "import_targets": ["65000:1001", "65000:1002"], "export_targets": ["65000:1002"], "comments": "two\nlines\n", **TAGS},
     {"export_targets": []}),
    ("RIR", "rir", {"name": "Ansible RIR", "is_private": True, **TAGS}, DESCRIBED),
    ("ASN", "asn", {"asn": 4200001000, "rir": "Ansible RIR", "tenant": "Ansible net", **TAGS}, DESCRIBED),
    ("aggregate", "aggregate", {
        "prefix": "10.200.0.0/16", "rir": "Ansible RIR", "date_added": "2024-05-06", "tenant": "Ansible net", **TAGS}, DESCRIBED),
    ("IPv6 aggregate", "aggregate", {"prefix": "2001:db8:200::/48", "rir": "Ansible RIR"}, DESCRIBED),
    ("role", "ipam_role", {"name": "Ansible users", "weight": 200, **TAGS}, {"weight": 300}),
    ("VLAN group", "vlan_group", {
        "name": "Ansible", "scope_type": "dcim.site", "scope": SITE, "min_vid": 100, "max_vid": 199, **TAGS}, DESCRIBED),
    ("VLAN group of a region", "vlan_group", {"name": "Ansible region", "scope_type": "dcim.region", "scope": "Ansible net"}, DESCRIBED),
    ("VLAN group of a site group", "vlan_group", {
        "name": "Ansible site group", "scope_type": "dcim.sitegroup", "scope": "Ansible net"}, None),
    ("VLAN group of a location", "vlan_group", {"name": "Ansible location", "scope_type": "dcim.location", "scope": "Ansible net"}, None),
    ("VLAN group of a rack", "vlan_group", {"name": "Ansible rack", "scope_type": "dcim.rack", "scope": "ansible net"}, None),
    ("VLAN group of a cluster", "vlan_group", {
        "name": "Ansible cluster", "scope_type": "virtualization.cluster", "scope": "ansible-cluster"}, None),
    ("VLAN group of a cluster group", "vlan_group", {
        "name": "Ansible cluster group", "scope_type": "virtualization.clustergroup", "scope": "Ansible East"}, None),
    ("VLAN group without a scope", "vlan_group", {"name": "Ansible lone", "min_vid": 10}, {"max_vid": 20}),
    ("VLAN", "vlan", {
        "name": "ansible users", "vid": 110, "site": SITE, "vlan_group": {"name": "Ansible", "scope_type": "dcim.site", "site": SITE},
        "tenant": "Ansible net", "status": "Reserved", "vlan_role": "Ansible users", **TAGS}, {"status": "active"}),
    ("VLAN of the same name in another group", "vlan", {"name": "ansible users", "vid": 11, "vlan_group": "ansible-lone"}, DESCRIBED),
    ("VLAN without a group", "vlan", {"name": "ansible phones", "vid": 111, "site": SITE}, {"status": "deprecated"}),
]
ADDRESSES = [
    ("container", "prefix", {"prefix": "10.200.0.0/16", "vrf": "Ansible", "status": "Container"}, DESCRIBED),
    ("prefix", "prefix", {
        "prefix": "10.200.8.0/28", "vrf": "Ansible", "site": SITE, "tenant": "Ansible net", "status": "Active",
        "vlan": {"name": "ansible phones", "site": SITE}, "prefix_role": "Ansible users",
        "is_pool": False, "mark_utilized": False, "family": 4, **TAGS}, {"is_pool": True}),
    ("IPv6 prefix", "prefix", {"prefix": "2001:db8:200:a::/64"}, DESCRIBED),
    ("address", "ip_address", {
        "address": "10.200.8.1/28", "vrf": "Ansible", "tenant": "Ansible net", "status": "DHCP", "role": "Loopback",
        "dns_name": "ansible.example.com", **TAGS}, {"status": "reserved"}),
    ("address of the same host without a VRF", "ip_address", {"address": "10.200.9.1/28"}, DESCRIBED),
    ("address without a mask", "ip_address", {"address": "10.200.8.2", "vrf": "Ansible"}, DESCRIBED),
    ("IPv6 address in capitals", "ip_address", {"address": "2001:DB8:200:A::1/64"}, DESCRIBED),
    ("address behind another", "ip_address", {
        "address": "10.200.8.3/28", "vrf": "Ansible", "nat_inside": {"address": "10.200.8.1", "vrf": "Ansible"}}, DESCRIBED),
    ("address of an interface", "ip_address", {"address": "10.200.8.4/28", "vrf": "Ansible", "assigned_object": ON_DEVICE}, DESCRIBED),
    ("address of a VM interface", "ip_address", {"address": "10.200.8.5/28", "vrf": "Ansible", "assigned_object": ON_VM}, DESCRIBED),
    ("primary address of a device", "device", {"name": DEVICE, "primary_ip4": {"address": "10.200.8.4/28", "vrf": "Ansible"}}, None,
     {"first": {"primary_ip4"}, "kept": True}),
    ("primary address of a virtual machine", "virtual_machine", {
        "name": VM, "cluster": "ansible-cluster", "primary_ip4": {"address": "10.200.8.5/28", "vrf": "Ansible"}}, None,
     {"first": {"primary_ip4"}, "kept": True}),
    ("VLANs of a VM interface", "vm_interface", {
        "virtual_machine": VM, "name": "ens1", "mode": "Tagged", "untagged_vlan": {"name": "ansible phones", "site": SITE},
        "tagged_vlans": [{"name": "ansible users", "site": SITE}, {"name": "ansible phones", "site": SITE}], "vrf": "Ansible"},
     None, {"first": {"mode", "untagged_vlan", "tagged_vlans", "vrf"}, "kept": True}),
    ("VLANs of an interface", "device_interface", {
        "device": DEVICE, "name": "eth0", "mode": "Tagged", "untagged_vlan": {"name": "ansible phones", "site": SITE},
        "tagged_vlans": [{"name": "ansible users", "site": SITE}, {"name": "ansible phones", "site": SITE}], "vrf": "Ansible"},
     None, {"first": {"mode", "untagged_vlan", "tagged_vlans", "vrf"}, "kept": True}),
    ("service template", "service_template", {"name": "Ansible web", "ports": [443, 80], "protocol": "tcp", **TAGS}, DESCRIBED),
    ("service", "service", {"device": DEVICE, "name": "ansible ssh", "port": 22, "protocol": "TCP"}, DESCRIBED),
    ("service of a virtual machine", "service", {
        "virtual_machine": VM, "name": "ansible web", "ports": [443, 80], "protocol": "TCP",
        "ipaddresses": [{"address": "10.200.8.5/28", "vrf": "Ansible"}], **TAGS}, DESCRIBED),
    ("FHRP group", "fhrp_group", {
        "protocol": "vrrp3", "group_id": 17, "auth_type": "plaintext", "auth_key": "ansible key", **TAGS}, DESCRIBED),
    ("interface in an FHRP group", "fhrp_group_assignment", {
        "fhrp_group": "@FHRP group", "interface_type": "dcim.interface", "interface_id": "@VLANs of an interface", "priority": 10},
     {"priority": 20}),
    ("VM interface in an FHRP group", "fhrp_group_assignment", {
        "fhrp_group": "@FHRP group", "interface_type": "virtualization.vminterface", "interface_id": "@VM interface", "priority": 10},
     {"priority": 20}),
    ("L2VPN", "l2vpn", {
        "name": "Ansible", "type": "vxlan", "identifier": 17, "import_targets": ["65000:1001"],
        "export_targets": ["65000:1001", "65000:1002"], "tenant": "Ansible net", **TAGS}, {"identifier": 18}),
    ("L2VPN at an interface", "l2vpn_termination", {
        "l2vpn": "@L2VPN", "assigned_object_type": "dcim.interface", "assigned_object_id": "@VLANs of an interface"}, None),
    ("L2VPN at a VM interface", "l2vpn_termination", {
        "l2vpn": "@L2VPN", "assigned_object_type": "virtualization.vminterface", "assigned_object_id": "@VM interface"}, None),
    ("L2VPN at a VLAN", "l2vpn_termination", {"l2vpn": "@L2VPN", "assigned_object_type": "ipam.vlan", "assigned_object_id": "@VLAN"}, None),
    ("config context", "config_context", {
        "name": "Ansible", "weight": 2000, "data": {"ntp": ["a"], "dns": {"first": "b"}}, "sites": [SITE, "ansible-net-2"],
        "regions": ["Ansible net"], "site_groups": ["Ansible net"], "roles": ["Ansible net"], "device_types": [SITE],
        "platforms": ["Ansible net"], "cluster_types": ["Ansible KVM"], "cluster_groups": ["Ansible East"],
        "clusters": ["ansible-cluster"], "tenants": ["Ansible net"], "tags": [SITE], "is_active": False}, {"is_active": True}),
    ("config context of one site more", "config_context", {
        "name": "Ansible", "data": {"ntp": ["a"], "dns": {"first": "b"}}, "sites": [SITE, "ansible-net-2", "ansible-net-3"]},
     None, {"first": {"sites"}, "kept": True}),
    ("custom link", "custom_link", {
        "name": "Ansible", "content_types": ["dcim.site"], "link_text": "Wiki", "link_url": "https://wiki.example/", "weight": 50,
        "group_name": "Docs", "button_class": "teal", "new_window": True, "enabled": False}, {"link_text": "Manual", "enabled": True}),
]


class Addresses(ansible_modules.Rows, unittest.TestCase):
    rows = MACHINES + SPACE + ADDRESSES

    @classmethod
    def setUpClass(cls):
        cls.nb = need(cls)
        cls.said = ansible_modules.run_rows(cls.nb, cls.rows)


def need(test):
    """Makes what the rows need, until the tests of this class are done."""
    nb = login("admin")
    for app, name, fields in NEEDED:
        test.addClassCleanup(getattr(getattr(nb, app), name.replace("-", "_")).create(**fields).delete)
    return nb


class Allocation(unittest.TestCase):
    """Free addresses and prefixes, as tasks take them."""

    @classmethod
    def setUpClass(cls):
        cls.nb = need(cls)
        for network in ("10.201.0.0/16", "10.201.0.0/30", "10.201.1.0/30", "10.202.0.0/24", "10.202.0.0/25"):
            prefix = cls.nb.ipam.prefixes.create(prefix=network, site={"slug": SITE})
            cls.addClassCleanup(prefix.delete)
        cls.addClassCleanup(lambda: cls.nb.ipam.ip_addresses.filter(parent="10.201.0.0/16").delete())

    def task(self, module, changed, state="present", **arguments):
        answer = ansible_modules.run(self.nb, module, state=state, **arguments)
        self.assertFalse(answer.get("failed"), answer.get("msg"))
        self.assertIs(answer["changed"], changed, answer)
        return answer

    def test_new_address(self):
        data = {"prefix": "10.201.0.0/30", "dns_name": "new.example.com"}
        for address in ("10.201.0.1/30", "10.201.0.2/30"):
            taken = self.task("ip_address", True, state="new", data=data)["ip_address"]
            self.assertEqual((taken["address"], taken["dns_name"]), (address, "new.example.com"))
        self.assertEqual(self.task("ip_address", False, state="new", data=data)["msg"], "No available IPs available within 10.201.0.0/30")

    def test_address_of_an_interface(self):
        """A second run finds the address that the first one took."""
        data = {"prefix": "10.201.1.0/30", "assigned_object": ON_DEVICE, "description": "free"}
        taken = self.task("ip_address", True, data=data)["ip_address"]
        self.assertEqual((taken["address"], taken["assigned_object_type"], taken["description"]), ("10.201.1.1/30", "dcim.interface",
        "free"))
        again = self.task("ip_address", False, data=data)["ip_address"]
        self.assertEqual(again["id"], taken["id"])
        other = self.task("ip_address", True, data={**data, "assigned_object": {**ON_DEVICE, "name": "eth1"}})["ip_address"]
        self.assertEqual(other["address"], "10.201.1.2/30")

    def test_prefix(self):
        data = {"parent": "10.201.0.0/16", "prefix_length": 24, "site": SITE, "status": "Reserved"}
        for network in ("10.201.2.0/24", "10.201.3.0/24"):
            taken = self.task("prefix", True, data=data, first_available=True)["prefix"]
            self.addCleanup(self.nb.ipam.prefixes.get(taken["id"]).delete)
            self.assertEqual((taken["prefix"], taken["status"]), (network, "reserved"))
        missing = self.task("prefix", False, data={"parent": "10.201.7.0/24", "prefix_length": 25}, first_available=True)
        self.assertEqual(missing["msg"], "Parent prefix does not exist - 10.201.7.0/24")

    def test_full_prefix(self):
        """A prefix without free space changes nothing. One whose free blocks are all smaller fails."""
        small = ansible_modules.run(self.nb, "prefix", data={"parent": "10.202.0.0/24", "prefix_length": 24}, first_available=True)
        self.assertTrue(small.get("failed"), small)
        self.assertIn("AllocationError: The requested allocation could not be fulfilled.", small["msg"])
        taken = self.task("prefix", True, data={"parent": "10.202.0.0/24", "prefix_length": 25}, first_available=True)["prefix"]
        self.addCleanup(self.nb.ipam.prefixes.get(taken["id"]).delete)
        self.assertEqual(taken["prefix"], "10.202.0.128/25")
        full = self.task("prefix", False, data={"parent": "10.202.0.0/24", "prefix_length": 25}, first_available=True)
        self.assertEqual(full["msg"], "No available prefixes within 10.202.0.0/24")


if __name__ == "__main__":
    unittest.main()
