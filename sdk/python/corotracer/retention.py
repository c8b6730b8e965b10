# SPDX-License-Identifier: MIT
"""Removes what is old: traces, and what is kept of them.

    python3 -m corotracer.retention SOURCE OUTPUT [--traces AGE] [--found AGE] [--size BYTES] [--tables AGE] [--findings AGE]

SOURCE has the windows, OUTPUT what `corotracer.ingest` keeps of them. A window's trace is removed when it is older than
--traces, or than --found where something was found in it; then, beyond --size bytes in all, the oldest go, first those in which nothing was found. Traces that
are not ingested stay. The tables of a day are emptied when the day is older than --tables, that of findings when it is older than --findings; then
all of the day goes, if its traces are gone. What killed ingesters left goes after a day. An AGE is a number of days. Without an option nothing is removed for its sake; --dry-run removes nothing at all.
"""
import argparse
import collections
import datetime
import sys

from . import parts, windows
from .reading import Error
from .stores import Store

FINDINGS = "findings"
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}

Trace = collections.namedtuple("Trace", "key nr_bytes began is_found")


def bytes_of(text):
    """A number of bytes, with K, M, G or T behind it."""
    unit = text[-1:].upper()
    if unit in UNITS and text[:-1].isdigit():
        return int(text[:-1]) * UNITS[unit]
    return int(text)


class Retention:
    """What is to be removed; ages are numbers of days, None: for ever."""

    def __init__(self, source, output, *, traces=None, found=None, size=None, tables=None, findings=None, now=None):
        self.source, self.output = Store(source), Store(output)
        self.manifest = parts.Manifest(self.output)
        self.traces, self.found, self.size = traces, found, size
        self.tables, self.findings = tables, findings
        self.now = now or datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)

    def _is_old(self, began, age):
        return age is not None and began < self.now - datetime.timedelta(days=age)

    def _done(self):
        """The traces that are ingested, oldest first."""
        rows = parts.read(self.output, self.manifest, FINDINGS)
        found = set(rows["trace"].to_pylist()) if rows else set()
        ingested = self.manifest.traces()
        done = [Trace(one.key, one.nr_bytes, windows.Key(one.key).began, one.key in found)
                for one in self.source.objects(ending=".ctrace") if one.key in ingested]
        return sorted(done, key=lambda trace: (trace.began, trace.key))

    def old_traces(self):
        """The keys of the traces to remove."""
        done = self._done()
        old = [trace for trace in done if self._is_old(trace.began, self.found if trace.is_found else self.traces)]
        kept = [trace for trace in done if trace not in set(old)]
        excess = sum(trace.nr_bytes for trace in kept) - self.size if self.size is not None else 0
        for trace in sorted(kept, key=lambda trace: trace.is_found):
            if excess <= 0:
                break
            excess -= trace.nr_bytes
            old.append(trace)
        return [trace.key for trace in old]

    def old_parts(self):
        """The parts of which all goes, and the files of tables to empty."""
        stored = {(key.service, key.day) for key in self._keys()}
        gone, emptied = [], []
        for part in self.manifest.parts():
            ends = datetime.datetime.fromisoformat(part.day) + datetime.timedelta(days=1)
            old = [table for table in windows.SUMMARIES if self._is_old(ends, self.findings if table == FINDINGS else self.tables)]
            if len(old) == len(windows.SUMMARIES) and (part.service, part.day) not in stored:
                gone.append(part)
            else:
                emptied += [parts.file_of(table, part.service, part.day, part.name) for table in old]
        return gone, [key for key in emptied if self.output.nr_rows(key)]

    def strays(self):
        """Files of tables that no part has: an ingester was killed between its first table and the entry of the part."""
        of = {(part.service, part.day, part.name) for part in self.manifest.parts()}
        old = (self.now - datetime.timedelta(days=1)).replace(tzinfo=datetime.timezone.utc).timestamp() * 1e9
        for one in self.output.objects(ending=".parquet"):
            table, *where = parts.placed(one.key)
            if table != parts.MANIFEST and tuple(where) not in of and one.changed_ns < old:
                yield one.key

    def _keys(self):
        for key in self.source.keys(ending=".ctrace"):
            try:
                yield windows.Key(key)
            except Error:
                pass

    def run(self):
        """Returns how many traces were removed, and how many files of tables were removed or emptied."""
        traces = self.old_traces()
        for key in traces:
            self.source.remove(key)
        gone, emptied = self.old_parts()
        for key in emptied:
            self.output.write_table(key, self.output.read_table(key).slice(0, 0))
        for part in gone:  # the entry goes first, so that nobody looks for the tables
            self.output.remove(parts.file_of(parts.MANIFEST, part.service, part.day, part.name))
            for table in windows.SUMMARIES:
                self.output.remove(parts.file_of(table, part.service, part.day, part.name))
        strays = list(self.strays())
        for key in strays:
            self.output.remove(key)
        return len(traces), len(emptied) + len(gone) * len(windows.SUMMARIES) + len(strays)


def parser():
    made = argparse.ArgumentParser(prog="python3 -m corotracer.retention", description=__doc__.split("\n", maxsplit=1)[0],
                                   epilog="See docs/ingest.md.")
    made.add_argument("source", metavar="SOURCE", help="where the windows are: a folder, or a bucket")
    made.add_argument("output", metavar="OUTPUT", help="where tables are: a folder, or a bucket")
    for name, what in (("traces", "traces in which nothing was found"), ("found", "traces in which something was found"),
                       ("tables", "tables except findings"), ("findings", "the table of findings")):
        made.add_argument(f"--{name}", type=float, metavar="DAYS", help=f"how long {what} are kept (for ever)")
    made.add_argument("--size", type=bytes_of, metavar="BYTES", help="how much traces may take: 500G (no limit)")
    made.add_argument("--dry-run", action="store_true", help="print what would be removed")
    return made


def main():
    options = parser().parse_args()
    try:
        retention = Retention(options.source, options.output, traces=options.traces, found=options.found, size=options.size,
                              tables=options.tables, findings=options.findings)
        if options.dry_run:
            gone, emptied = retention.old_parts()
            print(*retention.old_traces(), *emptied, *retention.strays(), *(part.name for part in gone), sep="\n")
            return 0
        nr_traces, nr_files = retention.run()
    except (Error, OSError) as error:
        print(f"corotracer.retention: {error}", file=sys.stderr)
        return 1
    print(f"corotracer.retention: {nr_traces} traces removed, and {nr_files} files of tables removed or emptied", file=sys.stderr)
    return 0


if __name__ == "__main__":
    parts.leave(main())
