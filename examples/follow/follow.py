#!/usr/bin/env python3
"""Keeps an exact copy of records in SQLite. It needs nothing but Python.

    TERRIER_URL=https://terrier.example TERRIER_TOKEN=… ./follow.py copy.db dcim.site dcim.device

The copy is the table record (type, id, version, state). Stop it or kill it at any moment: it goes on where it was.
"""

import http.client
import json
import os
import sqlite3
import sys
import time
import urllib.error
import urllib.request

TABLES = """
PRAGMA journal_mode = WAL; -- others may read the copy meanwhile
CREATE TABLE IF NOT EXISTS record (type TEXT, id INTEGER, version INTEGER, state TEXT, PRIMARY KEY (type, id));
CREATE TABLE IF NOT EXISTS follower (types TEXT PRIMARY KEY, position INTEGER);
"""

# SQLite reads the JSON itself, so that every state stays as it was sent.
ADD_LINE = "INSERT INTO record SELECT :type, :line ->> 'id', :line ->> 'version', :line -> 'state'"

# A change that the copy has already is recognised by its version. A deleted record has no state any more.
APPLY_PAGE = """
INSERT INTO record
SELECT value ->> 'object_type', value ->> 'object_id', value ->> 'version', value -> 'snapshots' -> 'postchange'
FROM json_each(:page, '$.results') WHERE true
ON CONFLICT DO UPDATE SET version = excluded.version, state = excluded.state WHERE excluded.version > version
"""
DROP_DELETED = "DELETE FROM record WHERE state = 'null'"
KEEP_POSITION = "UPDATE follower SET position = :page ->> 'next'"


def ask(path):
    head = {"Authorization": "Token " + os.environ["TERRIER_TOKEN"]}
    return urllib.request.urlopen(urllib.request.Request(os.environ["TERRIER_URL"] + "/api/extras/feed/" + path, headers=head), timeout=60)


def next_line(lines):
    line = next(lines)
    if not line.endswith(b"\n"):
        raise EOFError("the snapshot broke off")
    return line


def start(db, types):
    """Replaces the copy by a snapshot of each type, in one transaction."""
    with db:
        db.execute("DELETE FROM record")
        db.execute("DELETE FROM follower")
        for kind in types:
            with ask("snapshot/?type=" + kind) as lines:
                position = json.loads(next_line(lines))["position"]
                # The first snapshot is the oldest. What the others have of the changes since will come again.
                db.execute("INSERT OR IGNORE INTO follower VALUES (?, ?)", (",".join(types), position))
                line, count = next_line(lines), 0
                while not line.startswith(b'{"end"'):
                    db.execute(ADD_LINE, {"type": kind, "line": line.decode()})
                    line, count = next_line(lines), count + 1
                if json.loads(line)["count"] != count:
                    raise EOFError("the snapshot is not complete")


def go_on(db, types, position):
    """Applies the changes after a position. It waits until there are some, but not for long."""
    with ask(f"?after={position}&types={','.join(types)}&limit=500&wait=20") as answer:
        page = {"page": answer.read().decode()}
    with db:
        db.execute(APPLY_PAGE, page)
        db.execute(DROP_DELETED)
        db.execute(KEEP_POSITION, page)


def follow(db, types):
    found = db.execute("SELECT position FROM follower WHERE types = ?", (",".join(types),)).fetchone()
    if found is None:
        return start(db, types)
    try:
        go_on(db, types, found[0])
    except urllib.error.HTTPError as refused:
        if refused.code != 410:  # the changes after this position are no longer kept
            raise
        start(db, types)


def main():
    db = sqlite3.connect(sys.argv[1])
    db.executescript(TABLES)
    while True:
        try:
            follow(db, sys.argv[2:])
        except (OSError, http.client.HTTPException, StopIteration, EOFError) as fault:
            if isinstance(fault, urllib.error.HTTPError) and fault.code in (400, 403):
                sys.exit(f"{fault}: {fault.read().decode()}")
            print(fault, file=sys.stderr)
            time.sleep(2)


if __name__ == "__main__":
    main()
