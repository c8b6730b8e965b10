# SPDX-License-Identifier: MIT
"""Sums up the windows of a fleet: reads the traces of a store, and keeps a few small tables of each as Parquet.

    python3 -m corotracer.ingest SOURCE OUTPUT [--workers N] [--remote-write URL] [--postgresql URL] [--follow SECONDS]

SOURCE and OUTPUT are folders or buckets (corotracer.stores). A window is a trace whose key is
SERVICE/HOST/YYYYMMDD/HHMMSS-RUN.ctrace. OUTPUT gets parts (corotracer.parts), each with the rows of some windows. An
ingester may be killed at any moment, and any number of them may run at once: they claim what they do (corotracer.claims), and
nothing is lost, and nothing is there twice. docs/ingest.md has the tables, and questions.
"""
import argparse
import collections
import concurrent.futures
import multiprocessing
import os
import random
import sys
import tempfile
import time

from . import parts, postgresql, remote_write, windows
from .claims import LEASE, Claims
from .reading import Error, load
from .stores import Store

BATCH = 16  # windows of a part, at most
LEAST = 16  # parts of a service and a day from which one is made
PAUSE = 0.5  # before what another ingester has in hand is looked at again
GRACE = 3600.0  # seconds for which a reader may use what it has listed


def summarise(source, key):
    """Runs in a process of its own, so that two traces are read at once, and a crash of one is the error of one."""
    store = Store(source)
    with tempfile.TemporaryDirectory(prefix="corotracer-") as folder:
        return windows.summary_of(store.local(key, folder), key)


class Batch:
    """Windows of one service and one day that become one part, in the order of time."""

    def __init__(self, keys, answers):
        self.service, self.day = keys[0].service, keys[0].day
        self.keys = keys
        self.answers = answers

    def is_read(self):
        return all(answer.done() for answer in self.answers)


class Ingest:
    """One run over the windows that are not done yet. `say` gets a line for each window that could not be read."""

    def __init__(self, source, output, *, workers=None, remote=None, database=None, batch=BATCH, least=LEAST, grace=GRACE,
                 say=lambda line: None):
        load()  # else each window would be one that cannot be read
        self.source = Store(source)
        self.output = Store(output)
        self.manifest = parts.Manifest(self.output)
        self.claims = Claims(self.output)
        self.workers = workers or os.cpu_count()
        self.remote = remote
        self.database = postgresql.Database(database) if database else None
        self.batch = batch
        self.least = least
        self.grace = grace
        self.say = say
        self._begin()

    def _begin(self):
        self.nr_done = self.nr_broken = self.nr_strange = self.nr_refused = self.nr_failed = 0
        self.failed = set()

    def waiting(self):
        """The windows that are stored and not done, by service and day; other names are counted."""
        done = self.manifest.traces() | self.failed
        waiting = collections.defaultdict(list)
        self.nr_strange = 0
        for name in self.source.keys(ending=".ctrace"):
            try:
                key = windows.Key(name)
            except Error:
                self.nr_strange += 1
                continue
            if key.key not in done:
                waiting[key.service, key.day].append(key)
        return {of: sorted(keys, key=lambda key: (key.time, key.key)) for of, keys in waiting.items()}

    def _batches(self, waiting):
        """Ingesters that began together do different windows first; the samples of a series must come in order."""
        of = sorted(waiting, key=lambda service_day: service_day[::-1])
        if not self.remote:
            random.shuffle(of)
        for one in of:
            for begin in range(0, len(waiting[one]), self.batch):
                yield waiting[one][begin:begin + self.batch]

    def _claimed(self, keys, *of):
        """Those windows, of a service and a day or of any, that are neither done nor in the hands of another ingester."""
        mine = self.claims.take(key.key for key in keys)
        if mine:
            done = mine & self.manifest.traces(*of)
            self.claims.give_back(done)
            mine -= done
        return [key for key in keys if key.key in mine]

    def _pool(self):
        # A process that was forked while threads hold locks may hang: workers are started anew.
        return concurrent.futures.ProcessPoolExecutor(self.workers, mp_context=multiprocessing.get_context("spawn"))

    def run(self):
        """Ingests what is waiting, and waits for what others have in hand. Returns how many it did."""
        self._begin()
        try:
            with self._pool() as pool:
                waiting = self.waiting()
                while waiting:
                    if not self._take_turns(pool, self._batches(waiting)):
                        time.sleep(PAUSE)
                    waiting = self.waiting()
            self.compact()
        finally:
            self.claims.close()
            if self.database:
                self.database.close()
        return self.nr_done

    def _take_turns(self, pool, batches):
        """At most two windows a worker are under way, or one batch. Returns whether there was anything to do."""
        under_way, has_done = collections.deque(), False
        while True:
            while sum(not answer.done() for one in under_way for answer in one.answers) < 2 * self.workers:
                keys = next(batches, None)
                if keys is None:
                    break
                keys = self._claimed(keys, keys[0].service, keys[0].day)
                if keys:
                    under_way.append(Batch(keys, [pool.submit(summarise, self.source.address, key.key) for key in keys]))
            if not under_way:
                return has_done
            concurrent.futures.wait(under_way[0].answers, timeout=LEASE / 6)
            self.claims.write()
            while under_way and under_way[0].is_read():
                self._finish(under_way.popleft())
                has_done = True

    def _finish(self, batch):
        """A window that could not be fetched is not done: the next run takes it again."""
        kept = []
        for key, answer in zip(batch.keys, batch.answers):
            try:
                kept.append((key, answer.result()))
            except OSError as error:
                self._fail([key], error)
            except concurrent.futures.process.BrokenProcessPool:
                raise Error(f"{key.key}: a process ended while it read this window, or another of the same time") from None
        if kept:
            try:
                self._keep(kept)
            except OSError as error:
                self._fail([key for key, _ in kept], error)
        self.claims.give_back(key.key for key in batch.keys)

    def _fail(self, keys, error):
        self.nr_failed += len(keys)
        self.failed.update(key.key for key in keys)
        self.say(f"{keys[0].key}: {error}")

    def _keep(self, kept):
        """Writes what is kept of windows; what says that they are done comes last."""
        import pyarrow
        tables = {name: pyarrow.concat_tables([of[name] for _, of in kept]) for name in windows.SUMMARIES}
        if self.remote:
            self.nr_refused += sum(remote_write.push(self.remote, key, of) for key, of in kept)
        if self.database:
            self.database.push(tables)
        parts.write(self.output, kept[0][0].service, kept[0][0].day, tables)
        for key, of in kept:
            self._count(key, of["windows"]["error"][0].as_py())

    def _count(self, key, error):
        self.nr_done += 1
        if error:
            self.nr_broken += 1
            self.say(f"{key.key}: {error}")

    def compact(self):
        """Makes one part of many, where no other ingester does so."""
        self.claims.write()
        compaction = parts.Compaction(self.output, self.manifest, tuple(windows.SUMMARIES), least=self.least,
                                      grace=self.grace, now_ns=self.claims.now_ns)
        for service, day in compaction.partitions():
            what = [f"compaction of {service} {day}"]
            if self.claims.take(what):
                compaction.run(service, day)
                self.claims.give_back(what)


def counted(number, word):
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def said(ingest):
    words = [f"{counted(ingest.nr_done, 'window')} ingested"]
    for number, what in ((ingest.nr_broken, "could not be read"),
                         (ingest.nr_failed, "could not be fetched or written, and left for the next run"),
                         (ingest.nr_strange, "left out, for want of the key of a window"),
                         (ingest.nr_refused, "refused by the time series database")):
        if number:
            words.append(f"{number} {what}")
    return "corotracer.ingest: " + "; ".join(words)


def one_round(ingest, is_followed):
    """Returns whether the stores could be used; what is left is done by the next round, or run."""
    try:
        ingest.run()
    except (Error, OSError) as error:
        print(f"corotracer.ingest: {error}", file=sys.stderr)
        return False
    if ingest.nr_done or not is_followed:
        print(said(ingest), file=sys.stderr, flush=True)
    return True


def parser_of(module, about):
    """A parser with the words that every way to ingest has; `about` is its module's documentation."""
    made = argparse.ArgumentParser(prog=f"python3 -m corotracer.{module}", description=about.split("\n", maxsplit=1)[0],
                                   epilog="See docs/ingest.md.")
    made.add_argument("source", metavar="SOURCE", help="where the windows are: a folder, or a bucket")
    made.add_argument("output", metavar="OUTPUT", help="where tables go: a folder, or a bucket")
    made.add_argument("--batch", type=int, default=BATCH, metavar="N", help="windows that become one file, at most (%(default)s)")
    made.add_argument("--compact", type=int, default=LEAST, metavar="N",
                      help="files of a service and a day from which one is made (%(default)s)")
    made.add_argument("--grace", type=float, default=GRACE, metavar="SECONDS",
                      help="how long readers may use files that they have listed (%(default)g)")
    return made


def parser():
    made = parser_of("ingest", __doc__)
    made.add_argument("--workers", type=int, metavar="N", help="traces that are read at once (one for each processor)")
    made.add_argument("--remote-write", metavar="URL", help="send figures to Prometheus, as http://HOST:9090/api/v1/write")
    made.add_argument("--postgresql", metavar="URL", help="keep the tables in a database, too, as postgresql://USER@HOST/DATABASE")
    made.add_argument("--follow", type=float, metavar="SECONDS", help="look for new windows again and again, until Ctrl-C")
    return made


def main():
    options = parser().parse_args()
    try:
        ingest = Ingest(options.source, options.output, workers=options.workers, remote=options.remote_write,
                        database=options.postgresql, batch=options.batch, least=options.compact, grace=options.grace,
                        say=lambda line: print(f"corotracer.ingest: {line}", file=sys.stderr))
        while True:
            has_failed = not one_round(ingest, options.follow)
            if not options.follow:
                return 1 if has_failed or ingest.nr_failed else 0
            time.sleep(options.follow)
    except KeyboardInterrupt:
        return 130
    except (Error, OSError) as error:
        print(f"corotracer.ingest: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    parts.leave(main())
