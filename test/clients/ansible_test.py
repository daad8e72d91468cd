"""Debian's Ansible with its collection netbox.netbox, unmodified. test/clients/run starts the server and sets the environment.

ansible.yml is run once; the tests look at what its tasks said and at what the server made of them."""

import json
import os
import subprocess
import unittest

from pynetbox_test import login

HERE = os.path.dirname(os.path.abspath(__file__))


def play(file, token):
    """Runs the one play of a playbook, and returns what each task said by its name."""
    environment = dict(
        os.environ,
        TERRIER_CLIENT_TOKEN=token,
        ANSIBLE_STDOUT_CALLBACK="json",
        ANSIBLE_LOCALHOST_WARNING="false",
        ANSIBLE_PIPELINING="true",
    )
    run = subprocess.run(
        ["ansible-playbook", "--inventory", "localhost,", file],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=1800,
    )
    try:
        tasks = json.loads(run.stdout)["plays"][0]["tasks"]
    except ValueError:
        raise AssertionError("ansible-playbook: {}{}".format(run.stdout, run.stderr)) from None
    return {task["task"]["name"]: task["hosts"]["localhost"] for task in tasks}


def setUpModule():
    global nb, said
    nb = login("admin")
    said = play(os.path.join(HERE, "ansible.yml"), nb.token)


class Playbook(unittest.TestCase):
    def changed(self, task, **diff):
        """The task reports a change, and of nothing else than these fields."""
        self.reported(task, True)
        if diff:
            self.assertEqual(said[task]["diff"]["after"], diff)

    def unchanged(self, task):
        self.reported(task, False)

    def reported(self, task, changed):
        self.assertIn(task, said, "the playbook ended before: {}".format(said))
        self.assertFalse(said[task].get("failed"), said[task].get("msg"))
        self.assertIs(said[task]["changed"], changed, said[task])

    def written(self, kind, id):
        """What the server wrote down, which is not always what a client believes to have changed."""
        rows = nb.extras.object_changes.filter(changed_object_type=kind, changed_object_id=id, ordering="time")
        return [row.action.value for row in rows]

    def test_site(self):
        self.changed("create site")
        self.unchanged("create site again")
        self.changed("change site", status="active", facility="F1")
        self.changed("delete site")
        site = said["create site"]["site"]
        self.assertEqual((site["slug"], site["status"], site["latitude"]), ("ansible", "planned", 52.5))
        self.assertEqual(self.written("dcim.site", site["id"]), ["create", "update", "delete"])

    def test_journal(self):
        """The module has no name to look for: each run writes an entry."""
        self.changed("create journal entry")
        entry = said["create journal entry"]["journal_entry"]
        self.assertEqual((entry["kind"], entry["comments"]), ("success", "Handed over"))
        self.assertEqual(entry["assigned_object_id"], said["create site"]["site"]["id"])
        self.assertEqual(self.written("extras.journalentry", entry["id"]), ["create", "delete"])

    def test_webhook(self):
        self.changed("create webhook")
        self.unchanged("create webhook again")
        self.changed(
            "change webhook", payload_url="https://receiver.example.com/other", type_delete=True, enabled=False
        )
        self.unchanged("change webhook again")
        self.changed("delete webhook")
        self.unchanged("delete webhook again")
        webhook = said["create webhook"]["webhook"]
        self.assertEqual(webhook["content_types"], ["dcim.site"])
        self.assertEqual(webhook["http_method"], "PUT")
        self.assertEqual(webhook["additional_headers"], "X-Site: {{ data.slug }}")
        self.assertEqual(webhook["body_template"], '{"name": {{ data.name | tojson }}}')
        self.assertEqual(self.written("extras.webhook", webhook["id"]), ["create", "update", "delete"])

    def test_conditions(self):
        """pynetbox cannot read conditions back, so the module believes to change them each time. Nothing is written."""
        self.changed("create conditional webhook")
        self.changed("create conditional webhook again")
        webhook = nb.extras.webhooks.get(name="conditional")
        self.assertEqual(dict(webhook)["conditions"]["and"], [{"attr": "status", "value": "active"}])
        self.assertEqual(self.written("extras.webhook", webhook.id), ["create"])

    def test_secret(self):
        """A secret is never shown, so the module sends it each time."""
        self.changed("create webhook with secret")
        self.changed("create webhook with secret again", secret="s3cret")
        webhook = nb.extras.webhooks.get(name="secret")
        self.assertEqual(self.written("extras.webhook", webhook.id), ["create"])

    def test_refused(self):
        task = said["refused webhook"]
        self.assertTrue(task["failed"])
        self.assertIn("payload_url", task["msg"])
        self.assertIsNone(nb.extras.webhooks.get(name="refused"))


if __name__ == "__main__":
    unittest.main()
