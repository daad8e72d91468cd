"""A caller whose lists have used up their time, because more of them are read all the time."""

import threading
import time
import urllib.request

# Two letters are in no index of trigrams.
PATH = "/api/dcim/interfaces/?limit=1000&" + "&".join("name__nic=" + chr(97 + i // 26) + chr(97 + i % 26) for i in range(20))


class Busy:
    """with Busy(server, token, lists): the caller's time is used up when the block begins, by so many lists at once that run beside it."""

    def __init__(self, server, token, lists):
        self.server, self.token, self.ended = server, token, threading.Event()
        self.statuses = []
        self.threads = [threading.Thread(target=self.read) for _ in range(lists)]

    def read(self):
        while not self.ended.is_set():
            try:
                request = urllib.request.Request(self.server + PATH, headers={"Authorization": "Token " + self.token})
                with urllib.request.urlopen(request) as answer:
                    answer.read()
                    self.statuses.append(answer.status)
            except OSError as error:
                self.statuses.append(str(error))

    def wait(self):
        """Waits until lists of the caller have waited for five seconds in a row: then their time is used up."""
        deadline = time.monotonic() + 60
        since = None
        while time.monotonic() < deadline:
            with urllib.request.urlopen(self.server + "/readyz") as answer:
                if "waiting for lists" not in answer.read().decode():
                    since = None
                    continue
            since = since or time.monotonic()
            if time.monotonic() > since + 5:
                return
        raise AssertionError("the caller's lists have not used up their time")

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        try:
            self.wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.ended.set()
        for thread in self.threads:
            thread.join()
