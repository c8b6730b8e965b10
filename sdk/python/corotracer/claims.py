# SPDX-License-Identifier: MIT
"""Who does what: claims of ingesters that share a store, so that they do different windows.

An ingester's claim is one object, claims/HOST-PROCESS-NUMBER.json, which lists what it has in hand, and which it writes
again now and then. A claim that has not been written for LEASE seconds, by the store's clock, or whose process is gone from this machine, holds nothing. A
store of objects has no locks, so two ingesters may still take the same window in the same moment: they do the work twice, and write the same.
"""
import json
import os
import socket
import uuid

FOLDER = "claims"
LEASE = 30.0


class Claims:
    def __init__(self, store):
        self.store = store
        self.host = socket.gethostname()
        self.key = f"{FOLDER}/{self.host}-{os.getpid()}-{uuid.uuid4().hex}.json"
        self.held = set()
        self.now_ns = 0  # by the store's clock

    def write(self):
        """Says that the claim is alive, and what it holds."""
        self.store.write(self.key, json.dumps(sorted(self.held)).encode())
        self.now_ns = self.store.changed_ns(self.key)

    def _is_dead(self, one):
        """A claim of a process of this machine that is gone, or one that is too old."""
        host, number, _ = one.key.removeprefix(f"{FOLDER}/").rsplit("-", 2)
        if host == self.host and not os.path.exists(f"/proc/{number}"):
            return True
        return one.changed_ns < self.now_ns - LEASE * 1e9

    def others(self):
        """What others hold: {what: (since when, whose)}."""
        held = {}
        for one in self.store.objects(f"{FOLDER}/", ".json"):
            if one.key == self.key:
                continue
            try:
                if self._is_dead(one):
                    self.store.remove(one.key)
                else:
                    held.update(dict.fromkeys(json.loads(self.store.read(one.key)), (one.changed_ns, one.key)))
            except FileNotFoundError:  # its ingester has ended
                pass
        return held

    def take(self, wanted):
        """Claims what nobody else holds; returns that, as a set."""
        self.write()
        mine = set(wanted) - self.others().keys()
        if not mine:
            return mine
        self.held |= mine
        self.write()
        held, me = self.others(), (self.now_ns, self.key)
        for what in [what for what in mine if held.get(what, me) < me]:  # two took it in the same moment
            mine.discard(what)
            self.held.discard(what)
        return mine

    def give_back(self, what):
        self.held -= set(what)

    def close(self):
        self.store.remove(self.key)
