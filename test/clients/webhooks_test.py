"""The real pynetbox with webhooks and deliveries. test/clients/run starts server and worker and sets the environment."""

import json
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import requests
from pynetbox.core.endpoint import DetailEndpoint
from pynetbox.core.response import Record

from pynetbox_test import BASE, Refusals, api, login

PATIENCE = 30


def setUpModule():
    global nb
    nb = login("admin")


class Receiver:
    """An unfriendly receiver: whatever it answers, it tries to lure clients to its own address."""

    def __init__(self, test):
        receiver = self
        self.status = 200
        self.requests = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                receiver.requests.append((self.command, self.path, self.headers, body))
                answer = json.dumps({"id": 1, "url": receiver.trap, "next": receiver.trap}).encode()
                self.send_response(receiver.status)
                for name in ("url", "Location", "next"):
                    self.send_header(name, receiver.trap)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_GET = do_PATCH = do_OPTIONS = do_POST

            def log_message(self, *args):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # Both look like addresses of the API.
        self.url = "http://127.0.0.1:{}/api/dcim/hooks/1/".format(server.server_port)
        self.trap = "http://127.0.0.1:{}/api/dcim/traps/1/".format(server.server_port)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        test.addCleanup(server.server_close)
        test.addCleanup(thread.join)
        test.addCleanup(server.shutdown)


class Recording(requests.Session):
    """A session that remembers which addresses it was sent to."""

    def __init__(self):
        super().__init__()
        self.addresses = []

    def send(self, request, **kwargs):
        self.addresses.append(request.url)
        return super().send(request, **kwargs)


class Webhooks(unittest.TestCase, Refusals):
    """Each test has a webhook of its own, which is notified only of sites whose names begin with the test's name."""

    def setUp(self):
        self.name = self.id().rsplit(".", 1)[1].replace("_", "-")
        self.receiver = Receiver(self)

    def webhook(self, **fields):
        given = dict(
            name=self.name,
            content_types=["dcim.site"],
            type_create=True,
            payload_url=self.receiver.url,
            conditions={"attr": "name", "op": "regex", "value": self.name},
        )
        given.update(fields)
        webhook = nb.extras.webhooks.create(**given)
        self.addCleanup(webhook.delete)
        return webhook

    def sites(self, count):
        names = ["{}-{}".format(self.name, i) for i in range(count)]
        return nb.dcim.sites.create([{"name": name, "slug": name} for name in names])

    def ended(self, webhook, state, count):
        """Waits until so many deliveries of the webhook have a state."""
        deadline = time.monotonic() + PATIENCE
        tick = threading.Event()
        while nb.extras.deliveries.count(webhook_id=webhook.id, state=state) != count:
            self.assertLess(
                time.monotonic(), deadline, [dict(d) for d in nb.extras.deliveries.filter(webhook_id=webhook.id)]
            )
            tick.wait(0.05)
        return list(nb.extras.deliveries.filter(webhook_id=webhook.id, state=state))

    def test_create_read_update_delete(self):
        webhook = nb.extras.webhooks.create(
            name=self.name,
            content_types=["dcim.site", "dcim.region"],
            type_create=True,
            payload_url=self.receiver.url,
            secret="s3cret",
            additional_headers="X-Site: {{ data.slug }}",
            conditions={"attr": "status", "value": "active"},
        )
        self.assertEqual(str(webhook), self.name)
        self.assertEqual(webhook.content_types, ["dcim.site", "dcim.region"])
        self.assertEqual(webhook.http_method.value, "POST")
        self.assertEqual(webhook.http_content_type, "application/json")
        self.assertEqual((webhook.enabled, webhook.ssl_verification), (True, True))
        self.assertEqual((webhook.type_update, webhook.type_delete, webhook.max_retries), (False, False, 0))

        again = nb.extras.webhooks.get(name=self.name)
        self.assertEqual(dict(again), dict(webhook))
        self.assertEqual(dict(again.conditions), {"attr": "status", "value": "active"})
        self.assertEqual([w.id for w in nb.extras.webhooks.filter(self.name)], [webhook.id])
        for shown in (webhook, again):
            self.assertNotIn("s3cret", json.dumps(dict(shown)))

        # What was not touched is not sent: conditions and secret survive a save.
        again.type_delete = True
        again.http_method = "PUT"
        self.assertEqual(again.updates().keys(), {"type_delete", "http_method"})
        self.assertTrue(again.save())
        again = nb.extras.webhooks.get(webhook.id)
        self.assertEqual((again.type_delete, again.http_method.value), (True, "PUT"))
        self.assertEqual(dict(again.conditions), {"attr": "status", "value": "active"})
        self.assertTrue(again.update({"secret": "an0ther", "enabled": False}))

        self.assertTrue(again.delete())
        self.assertIsNone(nb.extras.webhooks.get(webhook.id))
        for change in nb.extras.object_changes.filter(changed_object_type="extras.webhook", changed_object_id=webhook.id):
            for secret in ("s3cret", "an0ther", "data.slug"):
                self.assertNotIn(secret, json.dumps(dict(change), default=str))

    def test_refusals(self):
        for words, given in (
            (("type_create", "at least one event"), {"type_create": False}),
            (("content_types",), {"content_types": []}),
            (("content_types", "users.token"), {"content_types": ["users.token"]}),
            (("payload_url",), {"payload_url": "localhost:9000"}),
            (("additional_headers", "Line 2", "colon"), {"additional_headers": "X-A: b\nX-B"}),
            (("body_template",), {"body_template": "{{ data.name "}),
            (("conditions", "equals"), {"conditions": {"attr": "a", "op": "equals", "value": 1}}),
            (("ca_file_path", "TERRIER_WEBHOOK_CA_DIR"), {"ca_file_path": "ca.pem"}),
            (("http_method",), {"http_method": "TRACE"}),
        ):
            with self.subTest(given=given), self.refused(400, *words):
                self.webhook(**given)
        self.assertEqual(nb.extras.webhooks.count(name=self.name), 0)
        with self.refused(405, "not allowed"):
            nb.extras.deliveries.create(state="queued")

    def test_strangers_see_nothing(self):
        webhook = self.webhook()
        own = login("reader")
        for endpoint in (own.extras.webhooks, own.extras.deliveries, own.extras.condition_errors, own.extras.queues):
            with self.refused(403, "You do not have permission"):
                list(endpoint.all())
        with self.refused(403, "You do not have permission"):
            own.extras.webhooks.get(webhook.id)

    def test_viewers_see_no_bodies(self):
        webhook = self.webhook(additional_headers="Authorization: Bearer x")
        self.sites(1)
        (delivery,) = self.ended(webhook, "successful", 1)
        permission = nb.users.permissions.create(
            name=self.name,
            object_types=["extras.webhook", "extras.delivery"],
            actions=["view"],
            users=[nb.users.users.get(username="reader").id],
        )
        self.addCleanup(permission.delete)
        own = login("reader")
        seen = own.extras.deliveries.get(delivery.id)
        self.assertEqual((seen.state.value, seen.attempt_count, seen.attempts), ("successful", 1, None))
        self.assertIsNone(own.extras.webhooks.get(webhook.id).additional_headers)
        with self.refused(403, "You do not have permission"):
            DetailEndpoint(seen, "retry").create()
        delivery.full_details()
        self.assertEqual(len(delivery.attempts), 1)
        self.assertNotIn("Bearer", json.dumps(dict(delivery)), "only the header's name is kept")

    def test_pages_of_deliveries(self):
        webhook = self.webhook()
        sites = self.sites(7)
        self.ended(webhook, "successful", 7)
        walked = api(nb.token)
        walked.http_session = Recording()
        found = list(walked.extras.deliveries.filter(webhook_id=webhook.id, limit=3))
        self.assertEqual(len(walked.http_session.addresses), 3, "three, three and one")
        self.assertEqual(len({d.id for d in found}), 7)
        self.assertEqual({d.object_id for d in found}, {s.id for s in sites})
        self.assertEqual([d.id for d in found], sorted((d.id for d in found), reverse=True), "the newest is first")
        threaded = api(nb.token, threading=True)
        self.assertEqual({d.id for d in threaded.extras.deliveries.filter(webhook_id=webhook.id, limit=3)}, {d.id for d in found})
        for delivery in found:
            self.assertEqual((delivery.event.value, delivery.sequence, delivery.attempt_count), ("created", 1, 1))
            self.assertEqual((delivery.object_type, delivery.webhook.id), ("dcim.site", webhook.id))
        self.assertEqual(
            {headers["X-Hook-Delivery"] for _, _, headers, _ in self.receiver.requests}, {d.id for d in found}
        )

    def test_failure_and_retry(self):
        webhook = self.webhook()
        self.receiver.status = 500
        self.sites(1)
        (delivery,) = self.ended(webhook, "failed", 1)
        self.assertEqual(delivery.status_code, 500)
        self.assertEqual(delivery.reason, "The receiver answered 500 Internal Server Error.")
        self.assertIsNone(delivery.retry_at)
        self.receiver.status = 204
        queued = DetailEndpoint(delivery, "retry").create()
        self.assertEqual((queued["id"], queued["state"]["value"]), (delivery.id, "queued"))
        (again,) = self.ended(webhook, "successful", 1)
        self.assertEqual((again.id, again.attempt_count, again.status_code), (delivery.id, 2, 204))
        again.full_details()
        first, second = again.attempts
        self.assertEqual((first.response.status, second.response.status), (500, 204))
        self.assertEqual(first.request.body, second.request.body)
        self.assertEqual([body for _, _, _, body in self.receiver.requests], [first.request.body.encode()] * 2)
        with self.refused(400, "Only a failed delivery", "successful"):
            DetailEndpoint(again, "retry").create()

    def test_condition_errors(self):
        self.webhook(conditions={"attr": "name", "op": "gt", "value": 5})
        (site,) = self.sites(1)
        (error,) = nb.extras.condition_errors.filter(object_id=site.id, object_type="dcim.site")
        self.assertEqual(error.webhook.name, self.name)
        self.assertIn("gt", error.reason)

    def test_queues_and_workers(self):
        webhook = self.webhook()
        self.sites(1)
        self.ended(webhook, "successful", 1)
        (queue,) = (q for q in nb.extras.queues.all() if q.webhook.id == webhook.id)
        self.assertEqual((queue.queued, queue.successful, queue.failed, queue.paused), (0, 1, 0, False))
        (worker,) = nb.extras.workers.all()
        self.assertIn(worker.host, worker.id)

    def test_nothing_leads_to_the_receiver(self):
        """pynetbox sends the caller's token to the url of any nested object."""
        webhook = self.webhook(
            secret="s3cret", body_template='{"url": "{{ data.url }}"}', additional_headers="url: {{ data.url }}"
        )
        for status, state, count in ((200, "successful", 1), (302, "failed", 1), (500, "failed", 2)):
            self.receiver.status = status
            self.sites(1)[0].delete()
            self.ended(webhook, state, count)
        # What people write is shown as they wrote it, so no address can be written where pynetbox would follow it.
        lure = {"id": 1, "url": self.receiver.trap}
        for place, conditions in (
            ("value.url", {"attr": "region", "value": lure}),
            ("or[0].value[1].deeper.url", {"or": [{"attr": "region", "op": "in", "value": [1, {"deeper": lure}]}]}),
        ):
            with self.subTest(place=place), self.refused(400, "conditions", place):
                webhook.update({"conditions": conditions})
        with self.refused(400, "default", "url"):
            nb.extras.custom_fields.create(name="lure", type="json", content_types=["dcim.site"], default=lure)

        walked = api(nb.token)
        walked.http_session = Recording()
        records = [walked.extras.webhooks.get(webhook.id)]
        for delivery in walked.extras.deliveries.filter(webhook_id=webhook.id):
            records += [delivery, walked.extras.deliveries.get(delivery.id)]
        records += walked.extras.queues.all()
        records += walked.extras.object_changes.filter(changed_object_type="extras.webhook", changed_object_id=webhook.id)
        seen = sum(self.walk(record) for record in records)
        self.assertGreater(seen, 30)
        self.assertGreater(len(walked.http_session.addresses), 10)
        for address in walked.http_session.addresses:
            self.assertTrue(address.startswith(BASE + "/api/"), address)

        # Only the worker has been at the receiver, never with a token, and it followed nothing.
        self.assertEqual([(method, path) for method, path, _, _ in self.receiver.requests], [("POST", "/api/dcim/hooks/1/")] * 3)
        for _, _, headers, body in self.receiver.requests:
            self.assertNotIn(nb.token, str(headers) + body.decode())

    def walk(self, value):
        """Touches all that pynetbox made of an answer, and asks each record for more. Returns how many records it met."""
        if isinstance(value, list):
            return sum(self.walk(v) for v in value)
        if not isinstance(value, Record):
            return 0
        str(value), dict(value), hash(value)
        self.assertIsNone(getattr(value, "what_no_answer_has", None))
        value.full_details()
        inner = [v for name, v in vars(value).items() if not name.startswith("_") and name not in ("api", "endpoint")]
        return 1 + sum(self.walk(v) for v in inner)


if __name__ == "__main__":
    unittest.main()
