"""Runs the modules of Ansible's collection netbox.netbox, unmodified, as Ansible does but in this process: to start a process
for each task takes a second. ansible.yml is run by Ansible itself.

Each row of a table is run in five steps: create a record, ask for the same again, alter one field, delete it, delete it again. Records of
later rows need those of earlier ones, so they are deleted in the opposite order.

A row is a title, a module, its data, the fields that are altered or None, and what else the task needs. In the data "@title" is the id of
the record that an earlier row made."""

import contextlib
import importlib
import io
import json
import traceback

from ansible.module_utils import basic

OURS = ("first", "kept")  # options that are not the module's: the fields that the first step changes, and whether nothing is deleted


def run(nb, module, **arguments):
    """What a module answers to its arguments."""
    main = importlib.import_module("ansible_collections.netbox.netbox.plugins.modules.netbox_" + module).main
    given = {"netbox_url": nb.base_url[: -len("/api")], "netbox_token": nb.token, **arguments}
    basic._ANSIBLE_ARGS = json.dumps({"ANSIBLE_MODULE_ARGS": given}).encode()  # where a module finds them when Ansible starts it
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            main()
    except SystemExit:
        return json.loads(out.getvalue())
    except Exception:
        return {"failed": True, "msg": traceback.format_exc()}
    raise AssertionError("the module {} ended without an answer".format(module))


def run_rows(nb, rows):
    """What the steps of all rows said, by title and step."""
    said, made, last = {}, {}, []

    def value(given):
        if isinstance(given, dict):
            return {key: value(each) for key, each in given.items()}
        if isinstance(given, list):
            return [value(each) for each in given]
        return made.get(given[1:], given) if isinstance(given, str) and given.startswith("@") else given

    for title, module, data, altered, *more in rows:
        options = dict(*more)
        arguments = {key: each for key, each in options.items() if key not in OURS}

        def task(step, state="present", title=title, module=module, data=data, arguments=arguments, **changed):
            answer = run(nb, module, **{"state": state, **value({**arguments, "data": {**data, **changed}})})
            said[title, step] = answer
            return answer

        for each in task("create").values():
            if isinstance(each, dict) and "id" in each:
                made[title] = each["id"]
        task("again")
        if altered:
            task("alter", **altered)
        if not options.get("kept"):
            last.append(task)
    for task in reversed(last):
        task("absent", "absent")
        task("absent again", "absent")
    return said


class Rows:
    """Tests of what was said. A class that has it needs the rows and what they said."""

    def answer(self, title, step):
        answer = self.said[title, step]
        self.assertFalse(answer.get("failed"), answer.get("msg"))
        return answer

    def test_create(self):
        for title, _, _, _, *more in self.rows:
            with self.subTest(title):
                answer = self.answer(title, "create")
                first = dict(*more).get("first", {"state"})
                self.assertEqual((answer["changed"], set(answer.get("diff", {}).get("after", {}))), (bool(first), first), answer)

    def test_again(self):
        for title, *_ in self.rows:
            with self.subTest(title):
                answer = self.answer(title, "again")
                self.assertIs(answer["changed"], False, answer)

    def test_alter(self):
        for title, _, _, altered, *_ in self.rows:
            if altered:
                with self.subTest(title):
                    answer = self.answer(title, "alter")
                    self.assertEqual((answer["changed"], answer.get("diff", {}).get("after")), (True, altered), answer)

    def test_absent(self):
        for title, _, _, _, *more in self.rows:
            if not dict(*more).get("kept"):
                with self.subTest(title):
                    self.assertIs(self.answer(title, "absent")["changed"], True)
                    self.assertIs(self.answer(title, "absent again")["changed"], False)
