#!/usr/bin/env python3
"""Copies records from a NetBox to a Terrier: tags, custom fields, tenants, places, racks and their reservations, types with their
templates, devices with their components, modules and virtual chassis. It copies no VRFs, prefixes, addresses, VLANs, clusters and virtual
machines, nor anything else that is not in LISTS below. It needs Python 3.8 and nothing else.

    export NETBOX_TOKEN=… TERRIER_TOKEN=…
    copy-from-netbox.py --from https://netbox.example.com --to https://terrier.example.com --dry-run
    copy-from-netbox.py --from https://netbox.example.com --to https://terrier.example.com

NetBox is only read. A record that Terrier has already is found by its name or slug and updated where it differs, so the script can
run again: after an error, or to catch up before the move. Nothing is deleted in Terrier, with one exception: Terrier makes the
components of a new device from its type, and those that the device in NetBox does not have are removed from devices created by this
run. The exit code is 1 if a record could not be copied. docs/coming-from-netbox.md says more.
"""
import argparse
import http.client
import json
import os
import re
import sys
import urllib.error
import urllib.request
from collections import Counter, defaultdict

PAGE = 500

# What is copied, in an order in which no record comes before those that it refers to. Behind each list are the fields by which a record
# is known. Templates come last: then Terrier makes no components of its own on the first run, which would have to be compared.
LISTS = {
    "extras/tags": ["slug"],
    "extras/custom-fields": ["name"],
    "tenancy/tenant-groups": ["slug", "parent"],
    "tenancy/tenants": ["slug", "group"],
    "dcim/regions": ["slug", "parent"],
    "dcim/site-groups": ["slug", "parent"],
    "dcim/sites": ["slug"],
    "dcim/locations": ["slug", "site", "parent"],
    "dcim/rack-roles": ["slug"],
    "dcim/racks": ["name", "site", "location"],
    "dcim/rack-reservations": ["rack", "units"],
    "dcim/manufacturers": ["slug"],
    "dcim/platforms": ["slug"],
    "dcim/device-roles": ["slug"],
    "dcim/inventory-item-roles": ["slug"],
    "dcim/device-types": ["slug", "manufacturer"],
    "dcim/module-types": ["model", "manufacturer"],
    "dcim/virtual-chassis": ["name"],
    "dcim/devices": ["name", "site", "tenant"],
    "dcim/virtual-device-contexts": ["name", "device"],
    "dcim/module-bays": ["name", "device"],
    "dcim/modules": ["module_bay"],
    "dcim/console-ports": ["name", "device"],
    "dcim/console-server-ports": ["name", "device"],
    "dcim/power-ports": ["name", "device"],
    "dcim/power-outlets": ["name", "device"],
    "dcim/interfaces": ["name", "device"],
    "dcim/rear-ports": ["name", "device"],
    "dcim/front-ports": ["name", "device"],
    "dcim/device-bays": ["name", "device"],
    "dcim/inventory-items": ["name", "device", "parent"],
    "dcim/console-port-templates": ["name", "device_type", "module_type"],
    "dcim/console-server-port-templates": ["name", "device_type", "module_type"],
    "dcim/power-port-templates": ["name", "device_type", "module_type"],
    "dcim/power-outlet-templates": ["name", "device_type", "module_type"],
    "dcim/interface-templates": ["name", "device_type", "module_type"],
    "dcim/rear-port-templates": ["name", "device_type", "module_type"],
    "dcim/front-port-templates": ["name", "device_type", "module_type"],
    "dcim/module-bay-templates": ["name", "device_type"],
    "dcim/device-bay-templates": ["name", "device_type"],
    "dcim/inventory-item-templates": ["name", "device_type", "parent"],
}
# Records that may be moved. One that is not found is known by these fields alone, if no other record in NetBox or in Terrier has the same.
MOVED = {
    "tenancy/tenant-groups": ["slug"],
    "tenancy/tenants": ["slug"],
    "dcim/regions": ["slug"],
    "dcim/site-groups": ["slug"],
    "dcim/locations": ["slug", "site"],
    "dcim/racks": ["name", "site"],
    "dcim/device-types": ["slug"],
    "dcim/module-types": ["model"],
    "dcim/devices": ["name"],
}
# A device without a name is known by the first of these that it has, or else by where it is.
UNNAMED = [["asset_tag"], ["serial", "device_type"], ["site", "rack", "position", "face", "device_type"]]
# Lists that are not copied. Their records are found by this field, so that others can refer to them.
FOUND = {"users/users": "username"}
# References to records that may come later in the same list or in a later one. They are set when all records exist.
AFTERWARDS = {
    "dcim/virtual-chassis": ["master"],
    "dcim/interfaces": ["parent", "bridge", "lag"],
    "dcim/interface-templates": ["bridge"],
}
# Components, which Terrier makes from the templates of a type.
MADE = [name for name, keys in LISTS.items() if "device" in keys and name != "dcim/virtual-device-contexts"]
# Names that newer releases of NetBox gave to fields.
RENAMED = {"dcim/devices": {"role": "device_role"}, "extras/custom-fields": {"object_types": "content_types"}}
# Files, which are not copied: NetBox has them in a directory of its own.
FILES = {"front_image", "rear_image"}
# Fields with JSON of people's own, which is copied as it is.
RAW = {"local_context_data", "napalm_args", "default"}
# References that only show what another field says.
SHOWN = {"primary_ip", "component", "parent_device", "installed_module", "link_peers", "connected_endpoints", "role"}


def kind_of(name):
    """The type of the records of a list: dcim/device-types has dcim.devicetype."""
    app, plural = name.replace("-", "").split("/")
    return "{}.{}".format(app, plural if plural.endswith("chassis") else plural[:-1])


KINDS = {kind_of(name) for name in LISTS}


class Stop(Exception):
    """Ends the run with a message."""


class Refused(Exception):
    """A server refused a body. The answer says why."""

    def __init__(self, answer):
        super().__init__(answer)
        self.answer = answer


class Server:
    def __init__(self, name, base, token, variable):
        if not token:
            raise Stop("Set {} to a token of {}.".format(variable, name))
        self.name, self.base, self.variable = name, base.rstrip("/"), variable
        # The two styles of NetBox tokens; Terrier's are of the first.
        self.authorization = ("Bearer " if token.startswith("nbt_") else "Token ") + token

    def call(self, method, path, body=None):
        url = path if path.startswith("http") else "{}/api/{}".format(self.base, path)
        request = urllib.request.Request(url, method=method, data=None if body is None else json.dumps(body).encode())
        request.add_header("Authorization", self.authorization)
        request.add_header("Accept", "application/json")
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                return json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            if error.code == 400:
                raise Refused(parsed(text)) from None
            if error.code in (401, 403):
                raise Stop("{} refuses {} {}: {}\nCheck the token in {} and its permissions: NetBox needs view, Terrier view, add, "
                           "change and, for components, delete.".format(self.name, method, url, text[:300], self.variable)) from None
            if error.code == 404 and method in ("GET", "OPTIONS"):
                return None
            if error.headers.get("Location"):
                raise Stop("{} is not at {}: it leads to {}. Use that address.".format(self.name, url, error.headers["Location"])) from None
            raise Stop("{} answers {} to {} {}: {}".format(self.name, error.code, method, url, text[:1000])) from None
        except (urllib.error.URLError, http.client.HTTPException, OSError, ValueError) as error:
            raise Stop("No answer from {} ({}): {}\nCheck the address and the network, then run the script again: "
                       "it goes on where it stopped.".format(self.name, url, error)) from None

    def check(self):
        """Ends the run if there is no such API at the address: lists that are missing are skipped."""
        if self.call("GET", "status/") is None:
            raise Stop("There is no {} at {}: {}/api/status/ is not found. Check the address, and the path if it has one.".format(self.name, self.base, self.base))

    def all(self, name):
        """Every record of a list, in the order of ids; None if the server has no such list."""
        rows, url = [], "{}/?limit={}&ordering=id".format(name, PAGE) + ("&exclude=config_context" if name == "dcim/devices" else "")
        while url:
            page = self.call("GET", url)
            if page is None:
                return None
            rows += page["results"]
            url = page["next"] and "{}/api/{}".format(self.base, page["next"].split("/api/", 1)[1])
        return rows


def parsed(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


class Reference:
    """A reference to a record of one of the servers."""

    def __init__(self, name, id):
        self.name, self.id = name, id


def plain(value):
    """A value as it is written: choices as their value, nested records as references."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        if set(value) == {"value", "label"}:
            return value["value"]
        if {"id", "url", "display"} <= set(value):
            found = re.search(r"/api/([\w-]+/[\w-]+)/\d+/$", value["url"])
            return Reference(found.group(1) if found else value["url"], value["id"])  # plugins have other addresses
    return value


def flat(name, row):
    """A record as it is written."""
    row = {key: value if key in RAW else plain(value) for key, value in row.items()}
    for new, old in RENAMED.get(name, {}).items():
        if old not in row and new in row:
            row[old] = row[new]
    if "inventory-item" in name and isinstance(row.get("parent"), int):
        row["parent"] = Reference(name, row["parent"])
    if isinstance(row.get("component"), Reference):
        row["component_id"] = row["component"]
    if "custom_fields" in row:
        row["custom_fields"] = {key: plain(value) for key, value in row["custom_fields"].items()}
    return row


def comparable(value):
    """A value in which references of one server are ids, and lists of references have one order."""
    if isinstance(value, Reference):
        return value.id
    if isinstance(value, dict):
        return {key: comparable(each) for key, each in value.items()}
    if isinstance(value, list):
        return sorted(each.id for each in value) if value and isinstance(value[0], Reference) else value
    return value


class Copy:
    def __init__(self, source, target, dry):
        self.source, self.target, self.dry = source, target, dry
        self.ids = defaultdict(dict)  # by list: the id in Terrier of each id in NetBox
        self.current = defaultdict(dict)  # by list: the records of Terrier by their id
        self.created = defaultdict(set)  # by list: ids of the records that this run created
        self.updated = defaultdict(set)  # by list: ids of other records that it changed
        self.extra = {}  # by list: ids of components that Terrier made and NetBox lacks
        self.custom_fields = defaultdict(set)  # by type: names
        self.afterwards = defaultdict(list)  # by list: id in Terrier and fields
        self.left_out = Counter()
        self.totals = Counter()

    def run(self):
        self.source.check()
        self.target.check()
        for name, key in FOUND.items():
            there = {row[key]: row["id"] for row in self.target.all(name) or []}
            for row in self.source.all(name) or []:
                if row[key] in there:
                    self.ids[name][row["id"]] = there[row[key]]
        for name in LISTS:
            self.copy(name)
        for name in AFTERWARDS:
            self.finish(name)
        for name in reversed(MADE):
            self.remove(name)

    def copy(self, name):
        """Copies one list. Records that refer to others of the list wait until those are copied."""
        rows, fields = self.source.all(name), self.writable(name)
        if rows is None or fields is None:
            print("{:36} skipped, {} has no such list".format(name, self.source.name if rows is None else self.target.name))
            return
        pending = {row["id"]: flat(name, row) for row in rows}
        self.current[name] = {row["id"]: flat(name, row) for row in self.target.all(name)}
        there, numbers = self.by_key(name), Counter()
        moved, once = alone(name, self.current[name].values()), alone(name, pending.values())
        counts = Counter()
        while pending:
            create, update, waiting = [], [], {}
            for row in pending.values():
                body, missing = self.translate(name, row, fields)
                if any(each.name == name and each.id in pending for each in missing.values()):
                    waiting[row["id"]] = row
                    continue
                if missing and name in MADE:
                    counts.update(refused=1, lost=1)  # one line for all: what is wrong is said where their device is
                    continue
                if missing:
                    self.refuse(name, row, {field: "refers to record {} of {}, which was not copied".format(r.id, r.name) for field, r in missing.items()}, counts)
                    continue
                key = known_by(name, body)
                numbers[key] += 1
                id = there.get(key + (numbers[key],))
                if id is None and known_alone(name, row) in once:
                    id = moved.get(known_alone(name, body))
                if id is None:
                    create.append((row, body))
                else:
                    update.append((row, body, id))
            if len(waiting) == len(pending):
                for row in waiting.values():
                    self.refuse(name, row, "refers to a record that refers back to it", counts)
                break
            update += self.create(name, create, counts)
            self.update(name, update, counts)
            pending = waiting
        if counts["lost"]:
            print("  not copied: {} of {}, because they belong or refer to records that were not copied".format(counts["lost"], name), file=sys.stderr)
        if name in MADE:
            copied = set(self.ids[name].values())
            self.extra[name] = [id for id, row in self.current[name].items() if id not in copied and self.made_now(row)]
        if name == "extras/custom-fields":
            for row in rows:
                for kind in flat(name, row)["content_types"] if row["id"] in self.ids[name] else []:
                    self.custom_fields[kind].add(row["name"])
        self.totals.update(counts)
        word = "would be " if self.dry else ""
        print("{:36} {:6} in {}: {} {w}created, {} {w}updated, {} the same{}".format(
            name, len(rows), self.source.name, counts["created"], counts["updated"], counts["same"],
            ", {} REFUSED".format(counts["refused"]) if counts["refused"] else "", w=word), flush=True)

    def writable(self, name):
        """The fields of a list that Terrier lets be written; None if it has no such list."""
        options = self.target.call("OPTIONS", name + "/")
        if options is None:
            return None
        if "POST" not in options.get("actions", {}):
            raise Stop("The token in {} may not add to {}. Give its user that permission, or use a token of an administrator.".format(self.target.variable, name))
        return {field for field, about in options["actions"]["POST"].items() if not about.get("read_only")}

    def by_key(self, name):
        """The ids of Terrier's records by what they are known by. Their order distinguishes those that share a key."""
        numbers, found = Counter(), {}
        for id, row in self.current[name].items():
            key = known_by(name, row)
            numbers[key] += 1
            found[key + (numbers[key],)] = id
        return found

    def made_now(self, row):
        """Whether Terrier made a component in this run, with its device or module."""
        return row["device"].id in self.created["dcim/devices"] or (
            isinstance(row.get("module"), Reference) and row["module"].id in self.created["dcim/modules"])

    def translate(self, name, row, fields):
        """The body for a record of NetBox, with references to Terrier's records, and the references that can't be followed."""
        body, missing = {}, {}
        for field, value in row.items():
            references = [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, Reference)]
            known = all(each.name in LISTS or each.name in FOUND for each in references)
            if field in FILES:
                self.left_out["{} of {}".format(field, name)] += 1 if value else 0
            elif field not in fields or not known:
                if references and field not in SHOWN:
                    self.left_out["{} of {}".format(field, name)] += 1
            elif field == "custom_fields":
                mine = {key: each for key, each in value.items() if key in self.custom_fields[kind_of(name)] and not isinstance(each, Reference)}
                for key in value.keys() - mine.keys():
                    self.left_out["custom field {} of {}".format(key, name)] += 1
                body[field] = mine
            elif field == "content_types":
                body[field] = [kind for kind in value if kind in KINDS]
            elif field in AFTERWARDS.get(name, []):
                body[field] = value  # translated in the end
            else:
                body[field] = self.mapped(value, field, missing)
        return body, missing

    def mapped(self, value, field, missing):
        if isinstance(value, list):
            return [self.mapped(each, field, missing) for each in value]
        if not isinstance(value, Reference):
            return value
        if value.id not in self.ids[value.name]:
            missing[field] = value
            return None
        return Reference(value.name, self.ids[value.name][value.id])

    def create(self, name, rows, counts):
        """Creates records, and returns what has to be updated in them: Terrier fills in what the device type says, for one."""
        counts["created"] += len(rows)
        done = []
        for row, body in rows:
            if self.dry:
                self.ids[name][row["id"]] = -row["id"]  # so that others can refer to it
        for part in [] if self.dry else parts(rows, 100 if name in ("dcim/devices", "dcim/modules") else 500):
            bodies = [{f: comparable(v) for f, v in body.items() if v is not None and f not in AFTERWARDS.get(name, [])} for _, body in part]
            for (row, body), answer in self.send("POST", name, part, bodies, counts, "created"):
                self.ids[name][row["id"]] = answer["id"]
                self.created[name].add(answer["id"])
                self.current[name][answer["id"]] = flat(name, answer)
                done.append((row, body, answer["id"]))
        return done

    def update(self, name, rows, counts):
        """Writes the fields in which records differ."""
        different = []
        for row, body, id in rows:
            self.ids[name][row["id"]] = id
            deferred = {field: body.pop(field) for field in AFTERWARDS.get(name, []) if field in body}
            if deferred:
                self.afterwards[name].append((row, deferred, id))
            changes = differences(body, self.current[name][id])
            if changes:
                different.append((row, dict(changes, id=id)))
            if id not in self.created[name]:
                counts["updated" if changes else "same"] += 1
                self.updated[name].update([id] if changes else [])
        for part in [] if self.dry else parts(different, 500):
            for _, answer in self.send("PATCH", name, part, [change for _, change in part], counts, "updated"):
                self.current[name][answer["id"]] = flat(name, answer)

    def finish(self, name):
        """Sets the references that could not be set before."""
        counts, rows = Counter(), []
        for row, body, id in self.afterwards[name]:
            missing = {}
            body = {field: self.mapped(value, field, missing) for field, value in body.items()}
            if missing:
                self.refuse(name, row, {field: "refers to record {} of {}, which was not copied".format(r.id, r.name) for field, r in missing.items()}, counts)
            changes = differences(body, self.current[name].get(id, {}))
            if changes and not missing:
                rows.append((row, dict(changes, id=id)))
                if id not in self.created[name] | self.updated[name]:
                    counts.update(updated=1, same=-1)
        for part in [] if self.dry else parts(rows, 500):
            self.send("PATCH", name, part, [change for _, change in part], counts, "updated")
        self.totals.update(counts)

    def remove(self, name):
        """Removes components that Terrier made with a device of this run and that the device in NetBox does not have."""
        for part in parts(self.extra.get(name, []), 500):
            self.target.call("DELETE", name + "/", [{"id": id} for id in part])
            self.totals["removed"] += len(part)

    def send(self, method, name, rows, bodies, counts, word):
        """Sends records together and returns them with their answers. Records that are refused are reported, and the others sent again."""
        if not rows:
            return []
        try:
            return list(zip(rows, self.target.call(method, name + "/", bodies)))
        except Refused as refused:
            answer = refused.answer
        wrong = [bool(each) for each in answer] if isinstance(answer, list) and len(answer) == len(rows) else [len(rows) == 1] * len(rows)
        for (row, *_), bad, each in zip(rows, wrong, answer if isinstance(answer, list) else [answer] * len(rows)):
            if bad:
                counts[word] -= 1
                self.refuse(name, row, each, counts)
        good = [pair for pair, bad in zip(zip(rows, bodies), wrong) if not bad]
        done = []
        for part in parts(good, len(good) if any(wrong) else (len(good) + 1) // 2):
            done += self.send(method, name, [row for row, _ in part], [body for _, body in part], counts, word)
        return done

    def refuse(self, name, row, why, counts):
        counts["refused"] += 1
        text = "; ".join("{}: {}".format(k, " ".join(v) if isinstance(v, list) else v) for k, v in why.items()) if isinstance(why, dict) else why
        print("  not copied: {} {} ({}/{}/{}/): {}".format(name, row.get("display") or row["id"], self.source.base, name, row["id"], text), file=sys.stderr)


def known_by(name, row):
    """What a record is known by, with references as ids of Terrier."""
    fields = LISTS[name]
    if name == "dcim/devices" and not row.get("name"):
        fields = next((each for each in UNNAMED if all(row.get(field) not in (None, "") for field in each)), UNNAMED[-1])
    values = [comparable(row.get(field)) for field in fields]
    return (*fields, *(value.casefold() if isinstance(value, str) else json.dumps(value) for value in values))


def known_alone(name, row):
    """What a record that was moved is known by; None if it is not known so."""
    values = [comparable(row.get(field)) for field in MOVED.get(name, [])]
    return tuple(str(value).casefold() for value in values) if values and values[0] else None


def alone(name, rows):
    """The ids of the records that no other of the list is like, by what they are known by when they are moved."""
    found = defaultdict(list)
    for row in rows:
        found[known_alone(name, row)].append(row["id"])
    return {key: ids[0] for key, ids in found.items() if key and len(ids) == 1}


def differences(body, row):
    """The fields of a body that a record has otherwise, as they are written."""
    changes = {}
    for field, value in body.items():
        now, wanted = comparable(row.get(field)), comparable(value)
        if field == "custom_fields":
            now = {key: (now or {}).get(key) for key in wanted}
        if now != wanted:
            changes[field] = wanted
    return changes


def parts(rows, size):
    return [rows[start : start + size] for start in range(0, len(rows), max(size, 1))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="source", required=True, metavar="URL", help="the NetBox, which is only read")
    parser.add_argument("--to", dest="target", required=True, metavar="URL", help="the Terrier")
    parser.add_argument("--dry-run", action="store_true", help="compare and count, but write nothing")
    options = parser.parse_args()
    try:
        copy = Copy(
            Server("NetBox", options.source, os.environ.get("NETBOX_TOKEN"), "NETBOX_TOKEN"),
            Server("Terrier", options.target, os.environ.get("TERRIER_TOKEN"), "TERRIER_TOKEN"),
            options.dry_run,
        )
        copy.run()
    except Stop as stop:
        sys.exit("copy-from-netbox: {}".format(stop))
    except Refused as refused:
        sys.exit("copy-from-netbox: the server refused a request: {}".format(json.dumps(refused.answer)[:2000]))
    except KeyboardInterrupt:
        sys.exit("copy-from-netbox: stopped; run it again to go on")
    for what, number in sorted((+copy.left_out).items()):
        why = "a file, which is not copied" if what.split(" of ")[0] in FILES else "which Terrier does not have"
        print("left out: {} ({} records), {}".format(what, number, why))
    if copy.totals["removed"]:
        print("removed {} components that Terrier made from templates and NetBox does not have".format(copy.totals["removed"]))
    print("{} created, {} updated, {} the same, {} refused{}".format(
        *(copy.totals[word] for word in ("created", "updated", "same", "refused")), " (dry run: nothing was written)" if options.dry_run else ""))
    if copy.totals["refused"]:
        sys.exit("copy-from-netbox: correct the records named above, in NetBox or in Terrier, and run the script again")


if __name__ == "__main__":
    main()
