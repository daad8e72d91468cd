"""Addresses, VLANs and virtual machines for the records of fixture.py, in the same form: of each list one record with every optional
field and one with none. A row that repeats a word of fixture.py changes that record."""

from fixture import PICTURE, TAGS

PORT = {"assigned_object_type": "dcim.interface", "assigned_object_id": "@device interface full"}
VIRTUAL = {"assigned_object_type": "virtualization.vminterface", "assigned_object_id": "@vnic"}
SAID = {"description": "Described", "comments": "At length", "tags": TAGS}
NAMED = {"description": "Described", "tags": TAGS}

ROUTING = [
    ("ipam/route-targets", "target", {"name": "65000:1", "tenant": "@tenant", **SAID}),
    ("ipam/route-targets", "bare-target", {"name": "65000:2"}),
    ("ipam/vrfs", "vrf", {
        "name": "Red", "rd": "65000:1", "tenant": "@tenant", "enforce_unique": False, "import_targets": ["@target"],
        "export_targets": ["@target", "@bare-target"], **SAID}),
    ("ipam/vrfs", "bare-vrf", {"name": "Bare"}),
    ("ipam/rirs", "rir", {"name": "Registry", "slug": "registry", "is_private": True, **NAMED}),
    ("ipam/rirs", "bare-rir", {"name": "Bare registry", "slug": "bare-registry"}),
    ("ipam/asn-ranges", "asns", {"name": "Private", "slug": "private", "rir": "@rir", "start": 64512, "end": 64612, "tenant": "@tenant", **NAMED}),
    ("ipam/asn-ranges", "bare-asns", {"name": "Bare", "slug": "bare", "rir": "@rir", "start": 64700, "end": 64701}),
    ("ipam/asns", "asn", {"asn": 64512, "rir": "@rir", "tenant": "@tenant", **SAID}),
    ("ipam/asns", "bare-asn", {"asn": 4200000000, "rir": "@rir"}),
    ("dcim/sites", "lisbon", {"asns": ["@asn", "@bare-asn"]}),
    ("ipam/aggregates", "aggregate", {"prefix": "10.0.0.0/8", "rir": "@rir", "date_added": "2026-01-31", "tenant": "@tenant", **SAID}),
    ("ipam/aggregates", "bare-aggregate", {"prefix": "2001:db8::/32", "rir": "@rir"}),
    ("ipam/roles", "net-role", {"name": "Access", "slug": "access", "weight": 10, **NAMED}),
    ("ipam/roles", "bare-net-role", {"name": "Bare", "slug": "bare"}),
]
VLANS = [
    ("ipam/vlan-groups", "vlans", {
        "name": "Group", "slug": "group", "min_vid": 10, "max_vid": 30, "scope_type": "dcim.site", "scope_id": "@lisbon", **NAMED}),
    ("ipam/vlan-groups", "bare-vlans", {"name": "Bare", "slug": "bare"}),
    ("ipam/vlans", "vlan", {
        "vid": 10, "name": "Users", "site": "@lisbon", "group": "@vlans", "tenant": "@tenant", "status": "reserved", "role": "@net-role", **SAID}),
    ("ipam/vlans", "bare-vlan", {"vid": 20, "name": "Bare"}),
    ("ipam/prefixes", "prefix", {
        "prefix": "10.1.0.0/24", "site": "@lisbon", "vrf": "@vrf", "tenant": "@tenant", "vlan": "@vlan", "status": "reserved", "role": "@net-role",
        "is_pool": True, "mark_utilized": False, **SAID}),
    ("ipam/prefixes", "bare-prefix", {"prefix": "2001:db8:1::/48"}),
    ("ipam/prefixes", "inner-prefix", {"prefix": "10.1.0.0/26", "vrf": "@vrf"}),
    ("ipam/ip-ranges", "range", {
        "start_address": "10.1.0.100/24", "end_address": "10.1.0.120/24", "vrf": "@vrf", "tenant": "@tenant", "status": "reserved",
        "role": "@net-role", "mark_utilized": True, **SAID}),
    ("ipam/ip-ranges", "bare-range", {"start_address": "2001:db8:1::10/64", "end_address": "2001:db8:1::20/64"}),
]
MACHINES = [
    ("virtualization/cluster-types", "cluster-type", {"name": "Metal", "slug": "metal", **NAMED}),
    ("virtualization/cluster-types", "bare-cluster-type", {"name": "Bare", "slug": "bare"}),
    ("virtualization/cluster-groups", "cluster-group", {"name": "West", "slug": "west", **NAMED}),
    ("virtualization/cluster-groups", "bare-cluster-group", {"name": "Bare", "slug": "bare"}),
    ("virtualization/clusters", "cluster", {
        "name": "Cluster", "type": "@cluster-type", "group": "@cluster-group", "status": "planned", "tenant": "@tenant", "site": "@lisbon", **SAID}),
    ("virtualization/clusters", "bare-cluster", {"name": "Bare", "type": "@cluster-type"}),
    ("dcim/devices", "device", {"cluster": "@cluster"}),
    ("dcim/device-roles", "vm-role", {"name": "Machine", "slug": "machine", "vm_role": True}),
    ("virtualization/virtual-machines", "machine", {
        "name": "vm1", "status": "staged", "site": "@lisbon", "cluster": "@cluster", "device": "@device", "role": "@vm-role", "tenant": "@tenant",
        "platform": "@os", "vcpus": 2.5, "memory": 4096, "disk": 100, "local_context_data": {"ntp": ["c"]}, **SAID}),
    ("virtualization/virtual-machines", "bare-machine", {"name": "vm2", "cluster": "@bare-cluster"}),
    ("virtualization/interfaces", "bare-vnic", {"virtual_machine": "@machine", "name": "eth0"}),
    ("virtualization/interfaces", "vnic", {
        "virtual_machine": "@machine", "name": "eth1", "enabled": False, "parent": "@bare-vnic", "bridge": "@bare-vnic", "mtu": 9000,
        "mac_address": "00:11:22:aa:bb:dd", "mode": "tagged", "untagged_vlan": "@vlan", "tagged_vlans": ["@vlan", "@bare-vlan"], "vrf": "@vrf", **NAMED}),
    ("dcim/interfaces", "device interface full", {"untagged_vlan": "@vlan", "tagged_vlans": ["@vlan", "@bare-vlan"], "vrf": "@vrf"}),
]
SERVICES = [
    ("ipam/ip-addresses", "bare-address", {"address": "2001:db8:1::1/64"}),
    ("ipam/ip-addresses", "address", {
        "address": "10.1.0.1/24", "vrf": "@vrf", "tenant": "@tenant", "status": "reserved", "role": "loopback", "nat_inside": "@bare-address",
        "dns_name": "sw1.example.com", **PORT, **SAID}),
    ("ipam/ip-addresses", "machine-address", {"address": "10.1.0.2/24", **VIRTUAL}),
    ("ipam/ip-addresses", "machine-address6", {"address": "2001:db8:1::2/64", **VIRTUAL}),
    ("ipam/ip-addresses", "device-address6", {"address": "2001:db8:1::3/64", **PORT}),
    ("ipam/fhrp-groups", "fhrp", {
        "name": "Gateway", "protocol": "vrrp3", "group_id": 7, "auth_type": "md5", "auth_key": "secret", **SAID}),
    ("ipam/fhrp-groups", "bare-fhrp", {"protocol": "other", "group_id": 8}),
    ("ipam/ip-addresses", "shared-address", {"address": "10.1.0.3/24", "assigned_object_type": "ipam.fhrpgroup", "assigned_object_id": "@fhrp"}),
    ("ipam/fhrp-group-assignments", "fhrp-member", {
        "group": "@fhrp", "interface_type": "dcim.interface", "interface_id": "@device interface full", "priority": 100}),
    ("ipam/fhrp-group-assignments", "fhrp-vm-member", {
        "group": "@fhrp", "interface_type": "virtualization.vminterface", "interface_id": "@vnic", "priority": 10}),
    ("ipam/l2vpns", "l2vpn", {
        "name": "Wire", "slug": "wire", "type": "vxlan", "identifier": 700, "import_targets": ["@target"], "export_targets": ["@target"],
        "tenant": "@tenant", **SAID}),
    ("ipam/l2vpns", "bare-l2vpn", {"name": "Bare", "slug": "bare", "type": "vpls"}),
    ("ipam/l2vpn-terminations", "end", {"l2vpn": "@l2vpn", "tags": TAGS, **PORT}),
    ("ipam/l2vpn-terminations", "vm-end", {"l2vpn": "@l2vpn", **VIRTUAL}),
    ("ipam/l2vpn-terminations", "vlan-end", {"l2vpn": "@bare-l2vpn", "assigned_object_type": "ipam.vlan", "assigned_object_id": "@vlan"}),
    ("ipam/service-templates", "template", {"name": "HTTP", "protocol": "tcp", "ports": [80, 8080], **SAID}),
    ("ipam/service-templates", "bare-template", {"name": "DNS", "protocol": "udp", "ports": [53]}),
    ("ipam/services", "service", {"device": "@device", "name": "HTTP", "protocol": "tcp", "ports": [80, 8080], "ipaddresses": ["@address"], **SAID}),
    ("ipam/services", "bare-service", {"virtual_machine": "@machine", "name": "DNS", "protocol": "udp", "ports": [53]}),
]
CONTEXTS = [
    ("extras/config-contexts", "context", {
        "name": "All", "weight": 2000, "description": "Described", "is_active": True, "data": {"ntp": ["d"]}, "regions": ["@portugal"],
        "site_groups": ["@larger"], "sites": ["@lisbon"], "locations": ["@room"], "device_types": ["@chassis"], "roles": ["@switch"],
        "platforms": ["@os"], "cluster_types": ["@cluster-type"], "cluster_groups": ["@cluster-group"], "clusters": ["@cluster"],
        "tenant_groups": ["@subgroup"], "tenants": ["@tenant"], "tags": ["red"]}),
    ("extras/config-contexts", "bare-context", {"name": "Bare", "data": {"dns": ["e"]}}),
]
CUSTOM = [
    ("extras/custom-fields", "ticket-field", {"name": "ticket", "type": "text", "content_types": ["extras.journalentry"]}),
    ("extras/journal-entries", "entry", {
        "assigned_object_type": "dcim.site", "assigned_object_id": "@lisbon", "kind": "warning", "comments": "Power fails", "tags": TAGS,
        "custom_fields": {"ticket": "T1"}}),
    ("extras/journal-entries", "bare-entry", {
        "assigned_object_type": "dcim.device", "assigned_object_id": "@device", "comments": "Moved", "created_by": None}),
    ("extras/custom-links", "link", {
        "content_types": ["dcim.site", "dcim.device"], "name": "Wiki", "enabled": False, "link_text": "Wiki of {{ object.name }}",
        "link_url": "https://wiki.example/{{ object.name }}", "weight": 200, "group_name": "Docs", "button_class": "teal", "new_window": True}),
    ("extras/custom-links", "bare-link", {"content_types": ["dcim.site"], "name": "Bare", "link_text": "Bare", "link_url": "/"}),
]
IMAGES = [
    ("extras/image-attachments", "image", {"content_type": "dcim.site", "object_id": "@lisbon", "name": "Door", "image": PICTURE}),
    ("extras/image-attachments", "bare-image", {"content_type": "dcim.site", "object_id": "@porto", "image": PICTURE}),
]
SAVED = [
    ("extras/saved-filters", "saved", {
        "content_types": ["dcim.site", "dcim.rack"], "name": "Active", "slug": "active", "description": "Described", "user": 1, "weight": 50,
        "enabled": False, "shared": False, "parameters": {"status": ["active"], "q": "a"}}),
    ("extras/saved-filters", "bare-saved", {"content_types": ["dcim.site"], "name": "Bare", "slug": "bare", "parameters": {"name": "x"}}),
]
PRIMARY = [
    ("dcim/devices", "device", {"primary_ip4": "@address", "primary_ip6": "@device-address6"}),
    ("dcim/virtual-device-contexts", "vdc", {"primary_ip4": "@address", "primary_ip6": "@device-address6"}),
    ("virtualization/virtual-machines", "machine", {"primary_ip4": "@machine-address", "primary_ip6": "@machine-address6"}),
]
ROWS = ROUTING + VLANS + MACHINES + SERVICES + CONTEXTS + CUSTOM + IMAGES + SAVED + PRIMARY
