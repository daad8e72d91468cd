"""A small world for tests with real clients: two records in every list, one with every optional field and one with none.

Each row is a list, a word for the record and its fields. A value that begins with @ is the id of the record of that word."""

import functools

import requests

from pynetbox_test import BASE, login

TAGS = ["@red", "@blue"]
# The smallest picture, as JSON has it.
PICTURE = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs="
WORLD = [
    ("extras/tags", "red", {"name": "Red", "slug": "red", "color": "ff0000", "description": "A colour"}),
    ("extras/tags", "blue", {"name": "Blue", "slug": "blue"}),
    ("extras/custom-fields", "owner-field", {"name": "owner", "type": "text", "content_types": ["dcim.rack", "dcim.device", "dcim.interface"]}),
    ("tenancy/tenant-groups", "group", {"name": "Group", "slug": "group"}),
    ("tenancy/tenant-groups", "subgroup", {"name": "Subgroup", "slug": "subgroup", "parent": "@group", "description": "Below", "tags": TAGS}),
    ("tenancy/tenants", "tenant", {"name": "Tenant", "slug": "tenant", "group": "@subgroup", "description": "Pays", "comments": "Much", "tags": TAGS}),
    ("tenancy/tenants", "lone-tenant", {"name": "Lone tenant", "slug": "lone-tenant"}),
    ("dcim/regions", "europe", {"name": "Europe", "slug": "europe"}),
    ("dcim/regions", "portugal", {"name": "Portugal", "slug": "portugal", "parent": "@europe", "description": "West", "tags": TAGS}),
    ("dcim/site-groups", "large", {"name": "Large", "slug": "large"}),
    ("dcim/site-groups", "larger", {"name": "Larger", "slug": "larger", "parent": "@large", "description": "Still", "tags": TAGS}),
    ("dcim/sites", "lisbon", {
        "name": "Lisbon 1", "slug": "lisbon-1", "status": "staging", "region": "@portugal", "group": "@larger", "tenant": "@tenant",
        "facility": "F1", "time_zone": "Europe/Lisbon", "description": "By the river", "physical_address": "Rua 1", "shipping_address": "Rua 2",
        "latitude": 38.72, "longitude": -9.14, "comments": "Old", "tags": TAGS}),
    ("dcim/sites", "porto", {"name": "Porto 1", "slug": "porto-1"}),
    ("dcim/locations", "hall", {"name": "Hall", "slug": "hall", "site": "@lisbon"}),
    ("dcim/locations", "room", {
        "name": "Room", "slug": "room", "site": "@lisbon", "parent": "@hall", "status": "planned", "tenant": "@tenant", "description": "Cool",
        "tags": TAGS}),
    ("dcim/rack-roles", "storage", {"name": "Storage", "slug": "storage", "color": "00ff00", "description": "Disks", "tags": TAGS}),
    ("dcim/rack-roles", "any", {"name": "Any", "slug": "any"}),
    ("dcim/racks", "rack", {
        "name": "R1", "facility_id": "X1", "site": "@lisbon", "location": "@room", "tenant": "@tenant", "status": "planned", "role": "@storage",
        "serial": "RS1", "asset_tag": "RA1", "type": "4-post-cabinet", "width": 23, "u_height": 48, "desc_units": True, "outer_width": 600,
        "outer_depth": 1000, "outer_unit": "mm", "mounting_depth": 900, "weight": 120.5, "max_weight": 900, "weight_unit": "kg",
        "description": "First", "comments": "By the door", "tags": TAGS, "custom_fields": {"owner": "Ana"}}),
    ("dcim/racks", "bare-rack", {"name": "R2", "site": "@porto"}),
    ("dcim/rack-reservations", "reservation", {
        "rack": "@rack", "units": [40, 41], "user": "@user", "tenant": "@tenant", "description": "Soon", "comments": "In May", "tags": TAGS}),
    ("dcim/rack-reservations", "bare-reservation", {"rack": "@bare-rack", "units": [3], "user": "@user", "description": "Later"}),
    ("dcim/manufacturers", "acme", {"name": "Acme", "slug": "acme", "description": "Makes it all", "tags": TAGS}),
    ("dcim/manufacturers", "other-maker", {"name": "Other", "slug": "other"}),
    ("dcim/platforms", "os", {
        "name": "Acme OS", "slug": "acme-os", "manufacturer": "@acme", "napalm_driver": "acme", "napalm_args": {"global_delay_factor": 2}, "description": "Boots",
        "tags": TAGS}),
    ("dcim/platforms", "free-os", {"name": "Free OS", "slug": "free-os"}),
    ("dcim/device-roles", "switch", {"name": "Switch", "slug": "switch", "color": "0000ff", "vm_role": False, "description": "Switches", "tags": TAGS}),
    ("dcim/device-roles", "role", {"name": "Role", "slug": "role"}),
    ("dcim/inventory-item-roles", "part", {"name": "Part", "slug": "part", "color": "00ffff", "description": "Of it", "tags": TAGS}),
    ("dcim/inventory-item-roles", "bare-part", {"name": "Bare part", "slug": "bare-part"}),
    ("dcim/device-types", "chassis", {
        "manufacturer": "@acme", "model": "Chassis", "slug": "chassis", "default_platform": "@os", "part_number": "P1", "u_height": 2,
        "is_full_depth": False, "subdevice_role": "parent", "airflow": "front-to-rear", "weight": 10.5, "weight_unit": "kg",
        "front_image": PICTURE, "rear_image": PICTURE, "description": "Takes parts", "comments": "Heavy", "tags": TAGS}),
    ("dcim/device-types", "plain", {"manufacturer": "@other-maker", "model": "Plain", "slug": "plain"}),
    ("dcim/device-types", "blade", {"manufacturer": "@acme", "model": "Blade", "slug": "blade", "u_height": 0, "subdevice_role": "child"}),
    ("dcim/module-types", "card", {
        "manufacturer": "@acme", "model": "Card", "part_number": "P2", "weight": 1.5, "weight_unit": "lb", "description": "Goes in", "comments": "Hot",
        "tags": TAGS}),
    ("dcim/module-types", "bare-card", {"manufacturer": "@other-maker", "model": "Bare card"}),
]

# What only types of devices have.
TYPE = [
    ("dcim/module-bay-templates", "bay-template", {"device_type": "@chassis", "name": "type slot full", "label": "S", "position": "7", "description": "For cards"}),
    ("dcim/module-bay-templates", "bare-bay-template", {"device_type": "@chassis", "name": "type slot bare"}),
    ("dcim/device-bay-templates", "device-bay-template", {"device_type": "@chassis", "name": "type bay full", "label": "B", "description": "For blades"}),
    ("dcim/device-bay-templates", "bare-device-bay-template", {"device_type": "@chassis", "name": "type bay bare"}),
    ("dcim/inventory-item-templates", "item-template", {"device_type": "@chassis", "name": "type item bare"}),
    ("dcim/inventory-item-templates", "inner-item-template", {
        "device_type": "@chassis", "parent": "@item-template", "name": "type item full", "label": "I", "role": "@part", "manufacturer": "@acme",
        "part_id": "P3", "description": "Inside", "component_type": "dcim.interfacetemplate", "component_id": "@chassis interface bare"}),
]
DEVICES = [
    ("dcim/virtual-chassis", "stack", {"name": "Stack", "domain": "D1", "description": "Two", "comments": "Of them", "tags": TAGS}),
    ("dcim/virtual-chassis", "bare-stack", {"name": "Bare stack"}),
    ("dcim/devices", "device", {
        "name": "sw1", "device_type": "@chassis", "device_role": "@switch", "tenant": "@tenant", "platform": "@os", "serial": "DS1", "asset_tag": "DA1",
        "site": "@lisbon", "location": "@room", "rack": "@rack", "position": 10.5, "face": "front", "status": "staged", "airflow": "rear-to-front",
        "virtual_chassis": "@stack", "vc_position": 1, "vc_priority": 10, "description": "First", "comments": "Hums",
        "local_context_data": {"ntp": ["a", "b"]}, "tags": TAGS, "custom_fields": {"owner": "Ana"}}),
    ("dcim/devices", "member", {
        "name": "sw2", "device_type": "@chassis", "device_role": "@switch", "site": "@lisbon", "virtual_chassis": "@stack", "vc_position": 2}),
    ("dcim/devices", "bare-device", {"device_type": "@plain", "device_role": "@role", "site": "@porto"}),
    ("dcim/devices", "blade-device", {"name": "blade1", "device_type": "@blade", "device_role": "@role", "site": "@lisbon"}),
    ("dcim/virtual-chassis", "stack", {"master": "@device"}),
    ("dcim/virtual-device-contexts", "vdc", {
        "name": "Inner", "device": "@device", "identifier": 1, "tenant": "@tenant", "status": "planned", "description": "Half", "comments": "Of it",
        "tags": TAGS}),
    ("dcim/virtual-device-contexts", "bare-vdc", {"name": "Bare", "device": "@bare-device", "status": "active"}),
    ("dcim/interfaces", "device lag", {"device": "@device", "name": "lag1", "type": "lag"}),
    ("dcim/module-bays", "slot", {"device": "@device", "name": "slot full", "label": "S", "position": "9", "description": "For cards", "tags": TAGS}),
    ("dcim/module-bays", "bare-slot", {"device": "@device", "name": "slot bare"}),
    ("dcim/module-bays", "plain-slot", {"device": "@bare-device", "name": "slot"}),
    ("dcim/modules", "module", {
        "device": "@device", "module_bay": "@slot", "module_type": "@card", "status": "failed", "serial": "MS1", "asset_tag": "MA1",
        "description": "In slot 9", "comments": "Hot", "tags": TAGS}),
    ("dcim/modules", "bare-module", {"device": "@bare-device", "module_bay": "@plain-slot", "module_type": "@bare-card"}),
    ("dcim/device-bays", "bay", {
        "device": "@device", "name": "bay full", "label": "B", "description": "For blades", "installed_device": "@blade-device", "tags": TAGS}),
    ("dcim/device-bays", "bare-bay", {"device": "@device", "name": "bay bare"}),
]
COMPONENTS = [
    ("dcim/interfaces", "virtual", {"device": "@device", "name": "virtual", "type": "virtual", "parent": "@device interface bare"}),
    ("dcim/interfaces", "radio", {
        "device": "@device", "name": "radio", "type": "ieee802.11ac", "rf_role": "ap", "rf_channel": "5g-36-5180-20", "tx_power": 20}),
    ("dcim/inventory-items", "item", {"device": "@device", "name": "item bare"}),
    ("dcim/inventory-items", "inner-item", {
        "device": "@device", "parent": "@item", "name": "item full", "label": "I", "role": "@part", "manufacturer": "@acme", "part_id": "P4", "serial": "IS1",
        "asset_tag": "IA1", "discovered": True, "description": "Inside", "component_type": "dcim.interface", "component_id": "@device interface full",
        "tags": TAGS}),
]

# Ports of types, devices and modules: kind, required fields, optional fields. ~ is the word of the record that has them.
PORTS = [
    ("console-port", {}, {"type": "rj-45"}),
    ("console-server-port", {}, {"type": "rj-45"}),
    ("power-port", {}, {"type": "iec-60320-c14", "maximum_draw": 200, "allocated_draw": 100}),
    ("power-outlet", {}, {"type": "iec-60320-c13", "feed_leg": "A", "power_port": "@~ power-port bare"}),
    ("interface", {"type": "1000base-t"}, {
        "mgmt_only": True, "poe_mode": "pse", "poe_type": "type2-ieee802.3at", "bridge": "@~ interface bare", "enabled": False}),
    ("rear-port", {"type": "8p8c"}, {"color": "ffff00", "positions": 4}),
    ("front-port", {"type": "8p8c", "rear_port": "@~ rear-port bare"}, {"rear_port": "@~ rear-port full", "color": "ffff00", "rear_port_position": 2}),
]
# Further fields of components: those of all kinds, and those of one kind.
COMPONENT = {
    "": {"module": "@module", "mark_connected": True, "tags": TAGS},
    "console-port": {"speed": 9600},
    "console-server-port": {"speed": 9600},
    "interface": {"mtu": 9000, "mac_address": "00:11:22:aa:bb:cc", "speed": 1000000, "duplex": "full", "wwn": "00:11:22:33:44:55:66:77",
                  "mode": "tagged", "lag": "@~ lag", "vdcs": ["@vdc"], "custom_fields": {"owner": "Ana"}},
}


DESCRIBED = {"label": "L1", "description": "Described"}


def ports(word, ending, owner, prefix, also):
    """Rows for the ports of a record: of each kind one with the required fields and one with all."""
    for kind, required, optional in PORTS:
        for name, fields in (("bare", required), ("full", {**required, **optional, **DESCRIBED, **also.get(kind, {}), **also.get("", {})})):
            fields = {key: value.replace("~", word) if isinstance(value, str) else value for key, value in fields.items()}
            yield "dcim/{}{}".format(kind, ending), "{} {} {}".format(word, kind, name), {**fields, **owner, "name": "{}{} {}".format(prefix, kind, name)}


def rows():
    yield from WORLD
    yield from ports("chassis", "-templates", {"device_type": "@chassis"}, "type ", {})
    yield from ports("card", "-templates", {"module_type": "@card"}, "card {module} ", {})
    yield from TYPE
    yield from DEVICES
    yield from ports("device", "s", {"device": "@device"}, "", COMPONENT)
    yield from COMPONENTS


def fill(base, token, rows):
    """Creates the records of rows, and returns their ids by their words."""
    session = requests.Session()
    session.headers["Authorization"] = "Token " + token
    call = lambda method, path, **kw: answer(session.request(method, "{}/api/{}/".format(base, path), **kw))
    ids = {"user": call("GET", "users/users", params={"username": "admin"})["results"][0]["id"]}

    def value(given):
        if isinstance(given, list):
            return [value(each) for each in given]
        return ids[given[1:]] if isinstance(given, str) and given.startswith("@") else given

    for path, word, fields in rows:
        body = {key: value(given) for key, given in fields.items()}
        if word in ids:  # a row that repeats a word changes the record
            call("PATCH", "{}/{}".format(path, ids[word]), json=body)
        else:
            ids[word] = call("POST", path, json=body)["id"]
    return ids


def answer(got):
    if not got.ok:
        raise SystemExit("{} {}: {} {}\n{}".format(got.request.method, got.url, got.status_code, got.text, got.request.body))
    return got.json()


@functools.lru_cache(maxsize=None)
def world():
    """The server with all these records in it, as pynetbox's api. They are created once."""
    nb = login("admin")
    nb.ids = fill(BASE, nb.token, rows())
    return nb
