# SPDX-License-Identifier: MIT
"""Sums up the windows of a fleet: reads the traces of a store, and keeps a few small tables of each as Parquet.

    python3 -m corotracer.ingest SOURCE OUTPUT [--workers N] [--remote-write URL] [--follow SECONDS]

SOURCE and OUTPUT are folders, or buckets as `corotracer run --upload` knows them: s3://BUCKET/PREFIX, for another server
than Amazon's s3://BUCKET/PREFIX?endpoint=http://HOST:PORT&region=REGION. Credentials come from where AWS's tools look. A window is a trace whose key is SERVICE/HOST/YYYYMMDD/HHMMSS-RUN.ctrace.
OUTPUT gets TABLE/service=SERVICE/day=YYYY-MM-DD/WINDOW.parquet; the file of the table `windows` is written last and says
that a window is done. Every ingester writes the same files, so it may be killed at any moment, and any number
of them may run at once: nothing is lost, and nothing is there twice. docs/ingest.md has the tables, and questions.
"""
import argparse
import concurrent.futures
import multiprocessing
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time
import urllib.parse

from . import remote_write, windows
from .reading import Error, load

COMMITTED = "windows"  # the table whose file says that a window is done


def bucket_of(address):
    """Returns the file system of a bucket, and where in it the address leads."""
    from pyarrow import fs
    parts = urllib.parse.urlsplit(address)
    asked = dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True))
    endpoint = urllib.parse.urlsplit(asked.pop("endpoint", ""))
    region = asked.pop("region", "") or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if parts.scheme != "s3" or not parts.netloc or asked:
        raise Error(f"'{address}' is not s3://BUCKET/PREFIX, nor s3://BUCKET/PREFIX?endpoint=http://HOST:PORT&region=REGION")
    other = {"endpoint_override": endpoint.netloc, "scheme": endpoint.scheme} if endpoint.netloc else {}
    return fs.S3FileSystem(region=region, **other), f"{parts.netloc}{parts.path}".rstrip("/")


class Store:
    """A folder, or a prefix of a bucket."""

    def __init__(self, address):
        from pyarrow import fs
        self.address = address
        self.is_local = "://" not in address
        if self.is_local:
            self.files, self.root = fs.LocalFileSystem(), os.path.abspath(address)
        else:
            self.files, self.root = bucket_of(address)

    def keys(self, below="", ending=""):
        """The keys of all objects below a prefix, in order."""
        from pyarrow import fs
        selector = fs.FileSelector(f"{self.root}/{below}".rstrip("/"), recursive=True, allow_not_found=True)
        found = self.files.get_file_info(selector)
        return sorted(file.path[len(self.root) + 1:] for file in found if file.is_file and file.path.endswith(ending))

    def has(self, key):
        return self.files.get_file_info(f"{self.root}/{key}").is_file

    def local(self, key, folder):
        """The path of a file with the object's bytes, in the folder unless the store is one."""
        if self.is_local:
            return f"{self.root}/{key}"
        path = os.path.join(folder, "window.ctrace")
        with self.files.open_input_stream(f"{self.root}/{key}") as source, open(path, "wb") as file:
            shutil.copyfileobj(source, file, 1 << 20)
        return path

    def write_table(self, key, table):
        """Writes a table as Parquet; the object appears whole or not at all."""
        from pyarrow import parquet
        path = f"{self.root}/{key}"
        if not self.is_local:  # an object is there when its last byte has come
            with self.files.open_output_stream(path) as stream:
                parquet.write_table(table, stream, compression="zstd")
            return
        partial = f"{os.path.dirname(path)}/.{os.path.basename(path)}.{os.getpid()}"
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(table, partial, compression="zstd")
        os.replace(partial, path)


def output_key(table, key):
    return f"{table}/service={key.service}/day={key.day}/{key.name()}.parquet"


def summarise(source, key):
    """Runs in a process of its own, so that two traces are read at once, and a crash of one is the error of one."""
    store = Store(source)
    with tempfile.TemporaryDirectory(prefix="corotracer-") as folder:
        return windows.summary_of(store.local(key, folder), key)


class Ingest:
    """One run over the windows that are not done yet. `say` gets a line for each window that could not be read."""

    def __init__(self, source, output, *, workers=None, remote=None, say=lambda line: None):
        load()  # else each window would be one that cannot be read
        self.source = Store(source)
        self.output = Store(output)
        self.workers = workers or os.cpu_count()
        self.remote = remote
        self.say = say
        self.nr_done = self.nr_broken = self.nr_strange = self.nr_refused = self.nr_failed = 0

    def waiting(self):
        """The windows that are stored and not done, in the order of time; other names are counted."""
        done = {key.rsplit("/", 1)[1] for key in self.output.keys(COMMITTED, ".parquet")}
        keys = []
        self.nr_strange = 0
        for name in self.source.keys(ending=".ctrace"):
            try:
                key = windows.Key(name)
            except Error:
                self.nr_strange += 1
                continue
            if f"{key.name()}.parquet" not in done:
                keys.append(key)
        return sorted(keys, key=lambda key: (key.day, key.time, key.key))

    def keep(self, key, tables):
        """Writes what is kept of a window; the table that says that the window is done comes last."""
        if self.remote:
            self.nr_refused += remote_write.push(self.remote, key, tables)
        for name in sorted(tables, key=lambda name: name == COMMITTED):
            self.output.write_table(output_key(name, key), tables[name])
        self.nr_done += 1
        error = tables[COMMITTED]["error"][0].as_py()
        if error:
            self.nr_broken += 1
            self.say(f"{key.key}: {error}")

    def run(self):
        """Ingests what is waiting. Returns the number of windows."""
        keys = self.waiting()
        if not self.remote:
            random.shuffle(keys)  # ingesters that began together do different windows; samples must come in order
        # A process that was forked while threads hold locks may hang: workers are started anew.
        context = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(self.workers, mp_context=context) as pool:
            self._take_turns(pool, keys)
        return len(keys)

    def _take_turns(self, pool, keys):
        """At most two windows a worker are under way, so that another ingester's work is seen before it is repeated."""
        under_way = []
        for key in keys:
            if self.output.has(output_key(COMMITTED, key)):
                continue
            under_way.append((key, pool.submit(summarise, self.source.address, key.key)))
            if len(under_way) >= 2 * self.workers:
                self._finish(*under_way.pop(0))
        for key, answer in under_way:
            self._finish(key, answer)

    def _finish(self, key, answer):
        """A window that could not be fetched, or written, is not done: the next run takes it again."""
        try:
            self.keep(key, answer.result())
        except OSError as error:
            self.nr_failed += 1
            self.say(f"{key.key}: {error}")
        except concurrent.futures.process.BrokenProcessPool:
            raise Error(f"{key.key}: a process ended while it read this window, or another of the same time") from None


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


def main():
    parser = argparse.ArgumentParser(prog="python3 -m corotracer.ingest", description=__doc__.split("\n", maxsplit=1)[0],
                                     epilog="See docs/ingest.md.")
    parser.add_argument("source", metavar="SOURCE", help="where the windows are: a folder, or a bucket")
    parser.add_argument("output", metavar="OUTPUT", help="where tables go: a folder, or a bucket")
    parser.add_argument("--workers", type=int, metavar="N", help="traces that are read at once (one for each processor)")
    parser.add_argument("--remote-write", metavar="URL", help="send figures to Prometheus, as http://HOST:9090/api/v1/write")
    parser.add_argument("--follow", type=float, metavar="SECONDS", help="look for new windows again and again, until Ctrl-C")
    options = parser.parse_args()
    try:
        while True:
            ingest = Ingest(options.source, options.output, workers=options.workers, remote=options.remote_write,
                            say=lambda line: print(f"corotracer.ingest: {line}", file=sys.stderr))
            ingest.run()
            if ingest.nr_done or not options.follow:
                print(said(ingest), file=sys.stderr, flush=True)
            if not options.follow:
                return 1 if ingest.nr_failed else 0
            time.sleep(options.follow)
    except KeyboardInterrupt:
        return 130
    except (Error, OSError) as error:
        print(f"corotracer.ingest: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
