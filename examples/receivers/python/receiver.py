#!/usr/bin/env python3
"""A receiver of Terrier's webhooks in Python, with nothing but the standard library.

    PORT=9001 SECRET=... python3 examples/receivers/python/receiver.py
"""

import hashlib
import hmac
import json
import os
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environb.get(b"SECRET") or sys.exit("SECRET is not set")
MAX_AGE = int(os.environ.get("MAX_AGE") or 0)
MAX_BODY = 16 << 20
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
NUMBER = re.compile(r"[0-9]{1,18}")

# A real receiver keeps both in its database, written in one transaction with whatever it does about the event.
lock = threading.Lock()
seen = set()  # deliveries
newest = {}  # sequence numbers, by model and id


def signed(body, signature):
    # As bytes: compare_digest refuses text that is not ASCII.
    right = hmac.new(SECRET, body, hashlib.sha512).hexdigest().encode()
    return hmac.compare_digest(right, signature.encode("latin-1", "replace"))


def fresh(timestamp):
    return bool(NUMBER.fullmatch(timestamp)) and abs(time.time() - int(timestamp)) <= MAX_AGE


def receive(headers, body):
    """Returns the status to answer and the line to print."""
    if not signed(body, headers.get("X-Hook-Signature", "")) and not signed(
        body, headers.get("X-Hook-Signature-Previous", "")
    ):
        return 401, "refused signature"
    if MAX_AGE and not fresh(headers.get("X-Hook-Timestamp", "")):
        return 401, "refused timestamp"
    delivery = headers.get("X-Hook-Delivery", "")
    sequence = headers.get("X-Hook-Sequence", "")
    if not UUID.fullmatch(delivery) or not NUMBER.fullmatch(sequence):
        return 400, "refused headers"
    try:
        event = json.loads(body)
        of = event["model"], event["data"]["id"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return 400, "refused body"
    if not isinstance(of[0], str) or not isinstance(of[1], int):
        return 400, "refused body"

    sequence = int(sequence)
    with lock:
        if delivery in seen:
            return 204, f"ignored {delivery} duplicate"
        if sequence <= newest.get(of, 0):
            return 204, f"ignored {delivery} stale: seq {sequence}, known {newest[of]}"
        # Here goes what the receiver is for. Work that takes longer than a second or two belongs on a queue.
        seen.add(delivery)
        newest[of] = sequence
        return 204, f"accepted {delivery} seq {sequence}"


class Handler(BaseHTTPRequestHandler):
    timeout = 10  # for a sender that stops in the middle

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not NUMBER.fullmatch(length):
            return self.answer(411, "refused length")
        if int(length) > MAX_BODY:
            return self.answer(413, "refused long body")
        # The signature covers these bytes: decoding and encoding them again would give others.
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            return self.answer(400, "refused broken body")
        self.answer(*receive(self.headers, body))

    def answer(self, status, line):
        print(line, flush=True)
        self.send_response(status)
        self.send_header("Connection", "close")
        self.end_headers()

    def log_message(self, *args):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler)
print(f"listening on http://127.0.0.1:{server.server_port}/", flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    pass
