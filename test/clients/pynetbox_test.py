"""The real pynetbox against a running Terrier. test/clients/run starts the server and sets the environment."""

import os
import unittest
from concurrent.futures import ThreadPoolExecutor

import pynetbox
import requests

BASE = os.environ["TERRIER_CLIENT_URL"]
PASSWORD = os.environ["TERRIER_CLIENT_PASSWORD"]

MANY = 2500


def api(token=None, **kwargs):
    return pynetbox.api(BASE, token=token, **kwargs)


def login(username):
    nb = api()
    nb.create_token(username, PASSWORD)
    return nb


def setUpModule():
    """One token for all tests, obtained as a script would obtain it."""
    global nb
    nb = login("admin")


class Refusals:
    """Assertions on what the client raises."""

    def refused(self, status, *words):
        test = self

        class Context:
            def __enter__(self):
                return self

            def __exit__(self, kind, error, _):
                # An AllocationError would mean that a POST was answered with 204 or 409.
                test.assertIsInstance(error, pynetbox.RequestError, "no RequestError was raised")
                test.assertEqual(error.req.status_code, status, str(error))
                for word in words:
                    test.assertIn(word, str(error))
                self.error = error
                return True

        return Context()


class Start(unittest.TestCase, Refusals):
    def test_version(self):
        self.assertEqual(api().version, "3.5")

    def test_status(self):
        status = nb.status()
        self.assertRegex(status["netbox-version"], r"^3\.5\.\d+$")
        self.assertTrue(status["terrier-version"])

    def test_openapi(self):
        document = nb.openapi()
        self.assertTrue(document["openapi"].startswith("3."))
        self.assertIn("/dcim/sites/", document["paths"])
        self.assertNotIn("/api/dcim/sites/", document["paths"])

    def test_create_token(self):
        own = api()
        token = own.create_token("reader", PASSWORD)
        self.assertRegex(token.key, r"^[0-9a-f]{40}$")
        self.assertEqual(own.token, token.key)
        self.assertEqual(token.user.username, "reader")
        self.assertTrue(token.write_enabled)
        self.assertIsNone(token.expires)
        self.assertEqual(token.description, "")
        self.assertIn(token.key[-6:], token.display)
        self.assertIn("reader", token.display)
        # The token works: the user may see their own tokens, and nothing else.
        self.assertEqual(own.users.tokens.get(token.id).id, token.id)
        with self.refused(403, "You do not have permission"):
            list(own.dcim.sites.all())

    def test_create_token_refused(self):
        own = api()
        with self.refused(403, "Invalid username/password"):
            own.create_token("reader", "not the password")
        with self.refused(403, "Invalid username/password"):
            own.create_token("nobody", "not the password")
        with self.refused(400, "password", "blank"):
            own.create_token("reader", "")
        self.assertIsNone(own.token)

    def test_wrong_token(self):
        with self.refused(403, "Invalid token"):
            list(api("0123456789abcdef" * 2 + "00112233").dcim.sites.all())
        with self.refused(403, "Invalid token"):
            api("short").dcim.sites.get(1)
        with self.refused(403, "Authentication credentials were not provided."):
            list(api().dcim.sites.all())
        with self.refused(403, "Authentication credentials were not provided."):
            api().dcim.sites.create(name="x", slug="x")


class Records(unittest.TestCase, Refusals):
    """Each test works on records whose names begin with its own name."""

    def setUp(self):
        self.name = self.id().rsplit(".", 1)[1].replace("_", "-")

    def site(self, suffix="", **fields):
        name = self.name + suffix
        return nb.dcim.sites.create(name=name, slug=name, **fields)

    def test_create_one_and_get(self):
        site = self.site(status="planned", facility="F1", latitude=52.5)
        self.assertIsInstance(site.id, int)
        self.assertEqual(site.url, "{}/api/dcim/sites/{}/".format(BASE, site.id))
        self.assertEqual(site.status.value, "planned")
        self.assertEqual(site.status.label, "Planned")
        self.assertEqual(str(site), self.name)
        self.assertEqual(site.latitude, 52.5)

        for found in (
            nb.dcim.sites.get(site.id),
            nb.dcim.sites.get(slug=self.name),
            nb.dcim.sites.get(name=self.name, status="planned"),
        ):
            self.assertEqual(dict(found), dict(site))

    def test_get_missing(self):
        self.assertIsNone(nb.dcim.sites.get(10**9))
        self.assertIsNone(nb.dcim.sites.get(name="there is no such site"))

    def test_get_several(self):
        self.site("-1", facility=self.name)
        self.site("-2", facility=self.name)
        with self.assertRaisesRegex(ValueError, "more than one result"):
            nb.dcim.sites.get(facility=self.name)

    def test_create_many(self):
        names = ["{}-{}".format(self.name, i) for i in (3, 1, 2)]
        sites = nb.dcim.sites.create([{"name": n, "slug": n} for n in names])
        self.assertEqual([s.name for s in sites], names, "the answer has the order of the request")
        self.assertEqual(len({s.id for s in sites}), 3)

    def test_create_many_all_or_none(self):
        with self.refused(400) as refused:
            nb.dcim.sites.create([{"name": self.name, "slug": self.name}, {"name": self.name + "-2"}])
        self.assertEqual(refused.error.req.json(), [{}, {"slug": ["This field is required."]}])
        self.assertEqual(nb.dcim.sites.count(name__isw=self.name), 0)

    def test_filter_and_count(self):
        for i, status in enumerate(["active", "active", "planned"]):
            self.site("-{}".format(i), status=status, facility=self.name)
        mine = {"facility": self.name}
        self.assertEqual(nb.dcim.sites.count(**mine), 3)
        self.assertEqual(nb.dcim.sites.count(status="active", **mine), 2)
        self.assertEqual(len(nb.dcim.sites.filter(status="active", **mine)), 2)
        self.assertEqual(len(list(nb.dcim.sites.filter(status=["active", "planned"], **mine))), 3)
        self.assertEqual(len(list(nb.dcim.sites.filter(status__n="active", **mine))), 1)
        self.assertEqual(len(list(nb.dcim.sites.filter(name__ic="-2", **mine))), 1)
        self.assertEqual([s.name[-1] for s in nb.dcim.sites.filter(ordering="-name", **mine)], ["2", "1", "0"])
        self.assertEqual(len(list(nb.dcim.sites.filter(self.name))), 3, "a positional argument is a search")
        self.assertEqual(len(list(nb.dcim.sites.filter(name="there is no such site"))), 0)
        self.assertEqual(len(nb.dcim.sites.filter(name="there is no such site")), 0)
        self.assertGreaterEqual(nb.dcim.sites.count(), 3)

    def test_filter_by_id_list(self):
        ids = [self.site("-{}".format(i)).id for i in range(3)]
        self.assertEqual(sorted(s.id for s in nb.dcim.sites.filter(id=ids[:2])), ids[:2])

    def test_unknown_filter(self):
        with self.refused(400, "facilty", "facility"):
            list(nb.dcim.sites.filter(facilty="x"))
        with self.refused(400, "nmae", "name"):
            nb.dcim.sites.count(nmae="x")

    def test_choices(self):
        choices = nb.dcim.sites.choices()
        self.assertIn({"value": "active", "display_name": "Active"}, choices["status"])
        self.assertEqual(len(choices["status"]), 5)

    def test_save(self):
        site = self.site()
        site.description = "changed"
        site.status = "retired"
        self.assertTrue(site.save())
        again = nb.dcim.sites.get(site.id)
        self.assertEqual((again.description, again.status.value), ("changed", "retired"))
        self.assertEqual(site.updates().keys(), {"description", "status"})
        self.assertFalse(again.save(), "nothing changed, so nothing is sent")

    def test_save_keeps_what_was_read(self):
        """A client sends back what it read; the round trip changes nothing else."""
        region = nb.dcim.regions.create(name=self.name, slug=self.name)
        site = self.site(region=region.id, latitude=1.25, time_zone="Europe/Berlin", tags=[])
        before = dict(nb.dcim.sites.get(site.id))
        read = nb.dcim.sites.get(site.id)
        self.assertTrue(read.update({"comments": "x"}))
        after = dict(nb.dcim.sites.get(site.id))
        for key in before.keys() - {"comments", "last_updated"}:
            self.assertEqual(after[key], before[key], key)

    def test_update(self):
        site = self.site()
        self.assertTrue(site.update({"facility": "F2", "status": "staging"}))
        again = nb.dcim.sites.get(site.id)
        self.assertEqual((again.facility, again.status.value, again.name), ("F2", "staging", self.name))

    def test_bulk_update(self):
        sites = [self.site("-{}".format(i)) for i in range(3)]
        answer = nb.dcim.sites.update([{"id": s.id, "facility": "bulk"} for s in sites])
        self.assertEqual([s.id for s in answer], [s.id for s in sites])
        for site in sites:
            site.description = "by record"
        nb.dcim.sites.update(sites)
        for site in nb.dcim.sites.filter(id=[s.id for s in sites]):
            self.assertEqual((site.facility, site.description), ("bulk", "by record"))
        nb.dcim.sites.filter(name__isw=self.name).update(description="by set")
        self.assertEqual(nb.dcim.sites.count(name__isw=self.name, description="by set"), 3)
        with self.refused(400, "id"):
            nb.dcim.sites.update([{"id": sites[0].id, "facility": "no"}, {"id": 10**9, "facility": "no"}])
        self.assertEqual(nb.dcim.sites.get(sites[0].id).facility, "bulk", "all or none")

    def test_delete(self):
        site = self.site()
        self.assertTrue(site.delete())
        self.assertIsNone(nb.dcim.sites.get(site.id))
        with self.refused(404):
            site.delete()

    def test_bulk_delete(self):
        sites = [self.site("-{}".format(i)) for i in range(5)]
        self.assertTrue(nb.dcim.sites.delete([sites[0].id, str(sites[1].id), sites[2]]))
        self.assertEqual(nb.dcim.sites.count(name__isw=self.name), 2)
        self.assertTrue(nb.dcim.sites.filter(name__isw=self.name).delete())
        self.assertEqual(nb.dcim.sites.count(name__isw=self.name), 0)

    def test_delete_held(self):
        tenant = nb.tenancy.tenants.create(name=self.name, slug=self.name)
        self.site(tenant=tenant.id)
        with self.refused(409, "dependent"):
            tenant.delete()

    def test_nested_and_lazy_fetch(self):
        parent = nb.dcim.regions.create(name=self.name + "-up", slug=self.name + "-up", description="above")
        region = nb.dcim.regions.create(name=self.name, slug=self.name, parent=parent.id, description="far away")
        # By id, by record, and by attributes that match exactly one.
        for suffix, given in (("-1", region.id), ("-2", {"slug": region.slug}), ("-3", {"name": region.name})):
            site = self.site(suffix, region=given)
            self.assertEqual(site.region.id, region.id)
        site = nb.dcim.sites.get(site.id)
        self.assertEqual(site.region.name, self.name)
        self.assertFalse(site.region.has_details)
        self.assertEqual(site.region.description, "far away", "fetched when it was asked for")
        self.assertTrue(site.region.has_details)
        self.assertEqual(site.region.parent.description, "above", "and on from there")
        self.assertTrue(site.full_details())
        self.assertEqual([s.id for s in nb.dcim.sites.filter(region=self.name, ordering="-id")][0], site.id)
        self.assertEqual(nb.dcim.sites.count(region_id=region.id), 3)
        site.region = None
        self.assertTrue(site.save())
        self.assertIsNone(nb.dcim.sites.get(site.id).region)
        with self.refused(400, "region", "not found"):
            self.site("-4", region=10**9)
        with self.refused(400, "region", "not found"):
            self.site("-4", region={"name": "there is no such region"})

    def test_tags(self):
        red, blue = [nb.extras.tags.create(name=self.name + c, slug=self.name + c) for c in ("-red", "-blue")]
        site = self.site(tags=[red.id, {"name": blue.name}])
        self.assertEqual({t.slug for t in site.tags}, {red.slug, blue.slug})
        self.assertEqual(site.tags[0].color, "9e9e9e")
        self.site("-2", tags=[{"slug": red.slug}])
        self.assertEqual(nb.dcim.sites.count(tag=red.slug), 2)
        self.assertEqual(nb.dcim.sites.count(tag=[red.slug, blue.slug]), 1, "repeated tags are ANDed")
        site = nb.dcim.sites.get(site.id)
        site.tags = [t for t in site.tags if t.slug != red.slug]
        self.assertTrue(site.save())
        self.assertEqual([t.slug for t in nb.dcim.sites.get(site.id).tags], [blue.slug])
        with self.refused(400, "tags"):
            self.site("-3", tags=[{"name": "there is no such tag"}])

    def test_custom_fields(self):
        field = nb.extras.custom_fields.create(
            name="rooms", type="integer", content_types=["dcim.site"], validation_minimum=1
        )
        try:
            site = self.site(custom_fields={"rooms": 3})
            self.assertEqual(site.custom_fields, {"rooms": 3})
            site = nb.dcim.sites.get(site.id)
            site.custom_fields["rooms"] = 4
            self.assertTrue(site.save())
            self.assertEqual(nb.dcim.sites.get(site.id).custom_fields["rooms"], 4)
            self.assertEqual([s.id for s in nb.dcim.sites.filter(cf_rooms=4)], [site.id])
            self.assertEqual(nb.dcim.sites.count(cf_rooms__gt=4), 0)
            with self.refused(400, "custom_fields", "rooms"):
                site.update({"custom_fields": {"rooms": 0}})
            with self.refused(400, "custom_fields", "halls"):
                self.site("-2", custom_fields={"halls": 1})
        finally:
            field.delete()

    def test_errors_name_the_field(self):
        with self.refused(400, "slug", "This field is required."):
            nb.dcim.sites.create(name=self.name)
        with self.refused(400, "status", "not a valid choice"):
            self.site(status="gone")
        with self.refused(400, "latitude"):
            self.site(latitude=91)
        self.site()
        with self.refused(400, "name", "slug", "already exists"):
            self.site()

    def test_limit_and_offset(self):
        for i in range(7):
            self.site("-{}".format(i), facility=self.name)
        ordered = [s.id for s in nb.dcim.sites.filter(facility=self.name, ordering="name")]
        page = nb.dcim.sites.filter(facility=self.name, ordering="name", limit=3, offset=2)
        self.assertEqual([s.id for s in page], ordered[2:5])
        self.assertEqual(len(page), 7, "len is the count of all")
        whole = nb.dcim.sites.filter(facility=self.name, ordering="name", limit=2)
        self.assertEqual([s.id for s in whole], ordered, "limit is the size of a page, not of the result")
        self.assertEqual(len(list(nb.dcim.sites.all(limit=5, offset=1))), 5)
        self.assertEqual(list(nb.dcim.sites.filter(facility=self.name, limit=3, offset=100)), [])

    def test_object_changes(self):
        site = self.site()
        site.update({"description": "second"})
        site.delete()
        changes = list(
            nb.extras.object_changes.filter(
                changed_object_type="dcim.site", changed_object_id=site.id, ordering="time"
            )
        )
        self.assertEqual([c.action.value for c in changes], ["create", "update", "delete"])
        create, update, delete = changes
        self.assertEqual(create.user.username, "admin")
        self.assertEqual(create.user_name, "admin")
        self.assertRegex(create.request_id, r"^[0-9a-f-]{36}$")
        self.assertIsNone(create.prechange_data)
        self.assertEqual(dict(create.postchange_data)["name"], self.name)
        self.assertEqual(dict(update.prechange_data)["description"], "")
        self.assertEqual(dict(update.postchange_data)["description"], "second")
        self.assertIsNone(delete.postchange_data)
        self.assertEqual(nb.extras.object_changes.count(request_id=create.request_id), 1)
        with self.refused(405, "not allowed"):
            nb.extras.object_changes.create(action="create")


class Images(unittest.TestCase):
    """pynetbox sends only JSON, so files go out with requests, which it is built on."""

    def test_upload(self):
        site = nb.dcim.sites.create(name="Pictured", slug="pictured")
        address, headers = BASE + "/api/extras/image-attachments/", {"Authorization": "Token " + nb.token}
        picture = b"GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
        made = requests.post(address, headers=headers, data={"content_type": "dcim.site", "object_id": site.id, "name": "Front view"},
                             files={"image": ("IMG 1.gif", picture, "text/html")})
        self.assertEqual(made.status_code, 201, made.text)
        image = nb.extras.image_attachments.get(made.json()["id"])
        self.assertEqual((str(image), image.image_width, image.image_height, image.parent.slug), ("Front view", 1, 1, "pictured"))
        self.assertTrue(image.image.endswith("/site_{}_Front_view.gif".format(site.id)), image.image)
        got = requests.get(image.image, headers=headers)
        self.assertEqual((got.status_code, got.content, got.headers["Content-Type"]), (200, picture, "image/gif"))
        self.assertEqual(requests.get(image.image).status_code, 404)

        changed = requests.patch(image.url, headers=headers, files={"image": ("b.html", b"<script>", "image/gif")})
        self.assertEqual((changed.status_code, list(changed.json())), (400, ["image"]), changed.text)
        self.assertTrue(image.update({"name": "Door"}))  # pynetbox leaves the file as it is
        self.assertEqual(requests.get(image.image, headers=headers).content, picture)
        site.delete()
        self.assertEqual(requests.get(image.image, headers=headers).status_code, 404)


class Accounts(unittest.TestCase, Refusals):
    def test_tokens(self):
        admin = nb.users.users.get(username="admin")
        token = nb.users.tokens.create(user=admin.id, description="for a script", write_enabled=False)
        self.assertRegex(token.key, r"^[0-9a-f]{40}$")
        own = api(token.key)
        self.assertGreaterEqual(own.dcim.sites.count(), 0)
        with self.refused(403, "You do not have permission to perform this action."):
            own.dcim.sites.create(name="read only", slug="read-only")
        again = nb.users.tokens.get(token.id)
        self.assertIsNone(again.key, "a key is shown once")
        self.assertEqual(again.display, token.display)
        self.assertTrue(all(t.key is None for t in nb.users.tokens.all()))
        self.assertTrue(again.update({"description": "changed"}))
        self.assertEqual(own.dcim.sites.count(name="x"), 0, "the token still works after a change to it")
        self.assertTrue(again.delete())
        with self.refused(403, "Invalid token"):
            own.dcim.sites.count()
        restored = nb.users.tokens.create(user=admin.id, key=token.key)
        self.assertEqual(restored.key, token.key)
        self.assertGreaterEqual(own.dcim.sites.count(), 0)
        with self.refused(400, "key"):
            nb.users.tokens.create(user=admin.id, key="0" * 40)
        restored.delete()

    def test_other_peoples_tokens(self):
        own = login("other")
        self.assertTrue(all(t.user.username == "other" for t in own.users.tokens.all()))
        admins = next(t for t in nb.users.tokens.all() if t.user.username == "admin")
        self.assertIsNone(own.users.tokens.get(admins.id))
        # Who may not see a user learns nothing about them; who may still needs the right to grant.
        with self.refused(400, "user", "not found"):
            own.users.tokens.create(user=admins.user.id)
        sees = nb.users.permissions.create(
            name="sees users",
            object_types=["users.user"],
            actions=["view"],
            users=[nb.users.users.get(username="other").id],
        )
        with self.refused(403, "You do not have permission"):
            own.users.tokens.create(user=admins.user.id)
        sees.delete()

    def test_permissions(self):
        other = nb.users.users.get(username="other")
        group = nb.users.groups.create(name="planners")
        self.assertTrue(other.update({"groups": [group.id]}))
        own = login("other")
        here = nb.dcim.sites.create(name="permitted", slug="permitted", status="planned")
        there = nb.dcim.sites.create(name="hidden", slug="hidden", status="active")
        permission = nb.users.permissions.create(
            name="plans",
            object_types=["dcim.site"],
            actions=["view", "change"],
            groups=[group.id],
            constraints={"status": "planned"},
        )
        self.assertEqual(nb.users.permissions.get(name="plans").actions, ["view", "change"])
        self.assertEqual([s.id for s in own.dcim.sites.filter(id=[here.id, there.id])], [here.id])
        self.assertIsNone(own.dcim.sites.get(there.id))
        mine = own.dcim.sites.get(here.id)
        self.assertTrue(mine.update({"description": "allowed"}))
        with self.refused(403, "You do not have permission"):
            mine.update({"status": "active"})
        self.assertEqual(nb.dcim.sites.get(here.id).status.value, "planned", "rolled back")
        with self.refused(403, "You do not have permission"):
            own.dcim.sites.create(name="no", slug="no", status="planned")
        with self.refused(400, "constraints"):
            permission.update({"constraints": {"colour": "red"}})
        self.assertTrue(permission.delete())
        with self.refused(403, "You do not have permission"):
            own.dcim.sites.count()


class ManySites(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        sites = [{"name": "many-{:04}".format(i), "slug": "many-{:04}".format(i)} for i in range(MANY)]
        made = []
        for start in range(0, MANY, 1000):
            made += nb.dcim.sites.create(sites[start : start + 1000])
        cls.made = {s.id for s in made}
        assert len(cls.made) == MANY

    @classmethod
    def tearDownClass(cls):
        left = sorted(cls.made)
        for start in range(0, len(left), 1000):
            nb.dcim.sites.delete(left[start : start + 1000])

    def each_once(self, sites):
        ids = [s.id for s in sites]
        self.assertEqual(len(ids), len(set(ids)), "an id came twice")
        self.assertEqual(self.made - set(ids), set(), "an id is missing")
        return ids

    def test_threading(self):
        threaded = api(nb.token, threading=True)
        total = nb.dcim.sites.count()
        self.assertEqual(len(self.each_once(threaded.dcim.sites.all())), total)
        self.assertEqual(len(self.each_once(threaded.dcim.sites.filter(name__isw="many-"))), MANY)
        # Small pages, so that many are fetched side by side; the client drops the last one
        # where the page size divides the count, hence 37.
        self.assertEqual(len(self.each_once(threaded.dcim.sites.filter(name__isw="many-", limit=37))), MANY)

    def test_pages(self):
        self.assertEqual(len(self.each_once(nb.dcim.sites.all())), nb.dcim.sites.count())
        self.assertEqual(len(self.each_once(nb.dcim.sites.filter(name__isw="many-", limit=97))), MANY)
        names = [s.name for s in nb.dcim.sites.filter(name__isw="many-", limit=300)]
        self.assertEqual(names, sorted(names), "pages follow each other in order")

    def test_threading_while_others_write(self):
        """Pages are fetched in parallel; what stays in the table is seen exactly once."""
        threaded = api(nb.token, threading=True)

        def write(i):
            nb.dcim.sites.update([{"id": id, "comments": str(i)} for id in sorted(self.made)[i::25]])

        with ThreadPoolExecutor(2) as pool:
            writes = pool.map(write, range(8))
            for _ in range(3):
                self.each_once(threaded.dcim.sites.all())
            list(writes)


class Hazards(unittest.TestCase):
    """pynetbox sends the caller's token to the url of any nested object."""

    def urls(self, value, path):
        if isinstance(value, dict):
            for key, inner in value.items():
                if key in ("local_context_data", "config_context"):
                    continue  # pynetbox leaves these as they are
                if key == "url":
                    yield path, inner
                yield from self.urls(inner, path + "." + key)
        elif isinstance(value, list):
            for inner in value:
                yield from self.urls(inner, path + "[]")

    def test_every_url_is_ours(self):
        nb.dcim.sites.create(
            name="hazard",
            slug="hazard",
            region={"slug": nb.dcim.regions.create(name="hazard", slug="hazard").slug},
            tenant=nb.tenancy.tenants.create(name="hazard", slug="hazard").id,
            tags=[nb.extras.tags.create(name="hazard", slug="hazard").id],
        )
        # A Host header is somebody's invention and appears in no answer.
        headers = {"Authorization": "Token " + nb.token, "Host": "evil.example"}
        seen, lists = 0, 0
        for app in ("dcim", "tenancy", "extras", "users"):
            for address in requests.get("{}/api/{}/".format(BASE, app), headers=headers).json().values():
                self.assertTrue(address.startswith(BASE + "/api/"), address)
                answer = requests.get(address, headers=headers, params={"limit": 100})
                self.assertEqual(answer.status_code, 200, address)
                self.assertNotIn("evil.example", answer.text)
                page = answer.json()
                if address.endswith("/users/config/"):  # no list: the caller's preferences
                    self.assertEqual(page, {})
                    continue
                if address.endswith("/extras/feed/"):  # no list: its next is a position
                    self.assertIsInstance(page["next"], int)
                    continue
                for link in (page["next"], page["previous"]):
                    self.assertTrue(link is None or link.startswith(BASE + "/api/"), link)
                lists += 1
                for path, url in self.urls(page["results"], address):
                    self.assertIsInstance(url, str, path)
                    self.assertTrue(url.startswith(BASE + "/api/"), "{}: {}".format(path, url))
                    seen += 1
        self.assertGreaterEqual(lists, 13)
        self.assertGreater(seen, 50)


if __name__ == "__main__":
    unittest.main()
