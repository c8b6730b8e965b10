# SPDX-License-Identifier: MIT
"""A scheduler on greenlets, with a mailbox, recorded for corotracer by four calls.

    python rota.py            every letter is read
    python rota.py --fault    a reader never reads its letter

The fault is in Mailbox.read(): the reader looks into the mailbox, yields once, and then waits without looking again. If
a letter is put in meanwhile, no reader is notified of it.
"""
import argparse
import collections
import selectors
import signal
import socket

import greenlet

import corotracer


class Scheduler:
    def __init__(self):
        self.ready = collections.deque()
        self.loop = greenlet.getcurrent()
        self.nr_alive = 0
        self.outside = selectors.DefaultSelector()
        self.ears = socket.socketpair()  # another thread could call through these sockets
        self.outside.register(self.ears[0], selectors.EVENT_READ)

    def spawn(self, function, *arguments):
        def body():
            function(*arguments)
            self.nr_alive -= 1

        self.nr_alive += 1
        self.ready.append(greenlet.greenlet(body, self.loop))

    def wake(self, sleeper):
        corotracer.woken(sleeper)
        self.ready.append(sleeper)

    def give_way(self):
        self.wake(greenlet.getcurrent())
        self.loop.switch()

    def run(self):
        while self.nr_alive:
            if self.ready:
                self.ready.popleft().switch()
                continue
            with corotracer.parked(self):
                self.outside.select()


class Mailbox:
    def __init__(self, scheduler, is_faulty):
        self.scheduler, self.is_faulty = scheduler, is_faulty
        self.letters, self.readers = [], []

    def read(self):
        while not self.letters:
            if self.is_faulty:
                self.scheduler.give_way()
            self.readers.append(greenlet.getcurrent())
            with corotracer.waits_for(self):
                self.scheduler.loop.switch()
        return self.letters.pop()

    def write(self, letter):
        self.letters.append(letter)
        corotracer.notify(self, min(1, len(self.readers)))
        if self.readers:
            self.scheduler.wake(self.readers.pop(0))


def read_all(mailbox, count):
    for _ in range(count):
        mailbox.read()


def write_all(mailbox, count):
    for number in range(count):
        mailbox.write(f"letter {number}")
        mailbox.scheduler.give_way()


def main(options):
    scheduler = Scheduler()
    for _ in range(options.boxes):
        mailbox = Mailbox(scheduler, options.fault)
        scheduler.spawn(read_all, mailbox, options.letters)
        scheduler.spawn(write_all, mailbox, options.letters)
    scheduler.run()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fault", action="store_true", help="wait without another look")
    parser.add_argument("--boxes", type=int, default=4, help="how many mailboxes there are (4)")
    parser.add_argument("--letters", type=int, default=51, help="how many letters each of them gets (51)")
    parser.add_argument("--limit", type=int, default=0, metavar="SECONDS", help="end by SIGALRM after so long (0: never)")
    arguments = parser.parse_args()
    signal.alarm(arguments.limit)
    corotracer.install()
    main(arguments)
