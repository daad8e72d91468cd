"""The records of inventory_test.py: two sites in nested regions and groups, a virtual chassis of two, virtual machines with and without a
site, services, addresses of both families and config contexts of three weights. Rows are as in fixture.py."""

SWITCH = {"device_type": "@type", "device_role": "@switch", "site": "@lisbon"}
ON_INTERFACE = {"assigned_object_type": "dcim.interface"}
ON_VM_INTERFACE = {"assigned_object_type": "virtualization.vminterface"}

ROWS = [
    ("extras/tags", "red", {"name": "Red", "slug": "red"}),
    ("extras/tags", "blue", {"name": "Blue", "slug": "blue"}),
    ("extras/custom-fields", "owner", {
        "name": "owner", "type": "text", "content_types": ["dcim.device", "virtualization.virtualmachine"]}),
    ("tenancy/tenants", "internal", {"name": "Internal", "slug": "internal"}),
    ("tenancy/tenants", "customer", {"name": "Customer", "slug": "customer"}),
    ("dcim/regions", "europe", {"name": "Europe", "slug": "europe"}),
    ("dcim/regions", "portugal", {"name": "Portugal", "slug": "portugal", "parent": "@europe"}),
    ("dcim/site-groups", "large", {"name": "Large", "slug": "large"}),
    ("dcim/site-groups", "larger", {"name": "Larger", "slug": "larger", "parent": "@large"}),
    ("dcim/sites", "lisbon", {
        "name": "Lisbon", "slug": "lisbon", "region": "@portugal", "group": "@larger", "tenant": "@internal",
        "time_zone": "Africa/Abidjan"}),
    ("dcim/sites", "porto", {"name": "Porto", "slug": "porto"}),
    ("dcim/locations", "hall", {"name": "Hall", "slug": "hall", "site": "@lisbon"}),
    ("dcim/locations", "room", {"name": "Room", "slug": "room", "site": "@lisbon", "parent": "@hall"}),
    ("dcim/rack-roles", "storage", {"name": "Storage", "slug": "storage"}),
    ("dcim/racks", "rack", {"name": "R1", "site": "@lisbon", "location": "@room", "role": "@storage"}),
    ("dcim/manufacturers", "acme", {"name": "Acme", "slug": "acme"}),
    ("dcim/platforms", "os", {"name": "Acme OS", "slug": "acme_os"}),
    ("dcim/device-roles", "switch", {"name": "Switch", "slug": "switch"}),
    ("dcim/device-roles", "server", {"name": "Server", "slug": "server"}),
    ("dcim/device-types", "type", {"manufacturer": "@acme", "model": "T1", "slug": "t1"}),
    ("dcim/virtual-chassis", "stack", {"name": "stack"}),
    ("virtualization/cluster-types", "kvm", {"name": "KVM", "slug": "kvm"}),
    ("virtualization/cluster-groups", "east", {"name": "East", "slug": "east"}),
    ("virtualization/clusters", "placed", {"name": "placed", "type": "@kvm", "group": "@east", "site": "@lisbon"}),
    ("virtualization/clusters", "everywhere", {"name": "everywhere", "type": "@kvm"}),
    ("dcim/devices", "sw1", {
        **SWITCH, "name": "sw1", "location": "@room", "rack": "@rack", "tenant": "@customer", "platform": "@os", "serial": "S1",
        "asset_tag": "A1",
        "status": "staged", "virtual_chassis": "@stack", "vc_position": 1, "local_context_data": {"ntp": ["local"]},
        "tags": ["@red", "@blue"],
        "custom_fields": {"owner": "Ana"}}),
    ("dcim/devices", "sw2", {**SWITCH, "name": "sw2", "virtual_chassis": "@stack", "vc_position": 2}),
    ("dcim/virtual-chassis", "stack", {"master": "@sw1"}),
    ("dcim/devices", "srv1", {
        "name": "srv1", "device_type": "@type", "device_role": "@server", "site": "@porto", "cluster": "@everywhere", "tenant": "@internal",
        "tags": ["@red"]}),
    ("dcim/devices", "unnamed", {"device_type": "@type", "device_role": "@server", "site": "@porto"}),
    ("virtualization/virtual-machines", "vm1", {
        "name": "vm1", "cluster": "@placed", "role": "@server", "tenant": "@customer", "platform": "@os", "vcpus": 2, "memory": 4096,
        "disk": 20,
        "local_context_data": {"dns": {"search": "example.com"}}, "tags": ["@red", "@blue"], "custom_fields": {"owner": "Ana"}}),
    ("virtualization/virtual-machines", "vm2", {"name": "vm2", "cluster": "@everywhere", "status": "offline"}),
    ("dcim/interfaces", "sw1 eth0", {
        "device": "@sw1", "name": "eth0", "type": "1000base-t", "mac_address": "00:11:22:aa:bb:cc", "mtu": 9000, "tags": ["@red"]}),
    ("dcim/interfaces", "sw1 eth1", {"device": "@sw1", "name": "eth1", "type": "1000base-t", "enabled": False}),
    ("dcim/interfaces", "sw2 eth0", {"device": "@sw2", "name": "eth0", "type": "1000base-t"}),
    ("virtualization/interfaces", "vm1 ens1", {"virtual_machine": "@vm1", "name": "ens1", "tags": ["@blue"]}),
    ("virtualization/interfaces", "vm2 ens1", {"virtual_machine": "@vm2", "name": "ens1"}),
    ("ipam/ip-addresses", "sw1 v4", {
        "address": "10.1.0.1/24", "dns_name": "sw1.example.com", **ON_INTERFACE, "assigned_object_id": "@sw1 eth0"}),
    ("ipam/ip-addresses", "sw1 v6", {
        "address": "2001:db8::1/64", "dns_name": "sw1-v6.example.com", **ON_INTERFACE, "assigned_object_id": "@sw1 eth0"}),
    ("ipam/ip-addresses", "sw2 v4", {"address": "10.1.0.2/24", **ON_INTERFACE, "assigned_object_id": "@sw2 eth0"}),
    ("ipam/ip-addresses", "vm1 v4", {
        "address": "10.1.0.9/24", "dns_name": "vm1.example.com", **ON_VM_INTERFACE, "assigned_object_id": "@vm1 ens1"}),
    ("ipam/ip-addresses", "free", {"address": "10.1.0.77/24"}),
    ("ipam/prefixes", "first", {"prefix": "10.1.0.0/24", "site": "@lisbon"}),
    ("ipam/prefixes", "second", {"prefix": "2001:db8::/64", "site": "@lisbon"}),
    ("ipam/prefixes", "lone", {"prefix": "10.2.0.0/24"}),
    ("ipam/services", "ssh", {"device": "@sw1", "name": "ssh", "ports": [22], "protocol": "tcp", "ipaddresses": ["@sw1 v4"]}),
    ("ipam/services", "web", {"virtual_machine": "@vm1", "name": "web", "ports": [443, 80], "protocol": "tcp"}),
    ("extras/config-contexts", "all", {
        "name": "all", "weight": 1000, "data": {"ntp": ["base"], "dns": {"servers": ["a", "b"], "search": "base"}}}),
    ("extras/config-contexts", "switches", {
        "name": "switches", "weight": 2000, "roles": ["@switch"], "data": {"ntp": ["switch"], "syslog": "s"}}),
    ("extras/config-contexts", "place", {
        "name": "place", "weight": 3000, "regions": ["@europe"], "data": {"dns": {"servers": ["c"]}, "syslog": "r"}}),
    ("dcim/devices", "sw1", {"primary_ip4": "@sw1 v4", "primary_ip6": "@sw1 v6"}),
    ("virtualization/virtual-machines", "vm1", {"primary_ip4": "@vm1 v4"}),
]
