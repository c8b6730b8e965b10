# SPDX-License-Identifier: MIT
"""What is kept of windows, in parts, and how parts become fewer while others read, write and are killed.

A part has the rows of some windows of one service and one day: TABLE/service=SERVICE/day=DAY/PART.parquet for each table, and
manifest/service=SERVICE/day=DAY/PART.parquet, which is written last: its rows say which windows the part has. A name begins with the number of
windows, so that parts with fewer windows sort before parts with more, and is otherwise made from the windows alone.

Windows may be in several parts: two writers may have done them at once, and compaction makes a part of many. A reader takes each window from
the first part, by name, that has it and is not replaced, and so sees each window once, whatever was killed where. Compaction goes in steps, each of
which may be the last:
    1. a part is written that has all windows of the others;
    2. the others are called replaced, `grace` later, so that a reader who listed the tables before step 1 still reads these;
    3. their files are removed, `grace` after that.
No step needs a lock. A part is replaced only by a part that has more windows, so that the largest part always stays.
"""
import collections
import hashlib
import os
import sys

MANIFEST = "manifest"
TRIES = 100  # of a reader whom compaction disturbs each time

Part = collections.namedtuple("Part", "service day name traces is_replaced changed_ns")


def file_of(table, service, day, name):
    return f"{table}/service={service}/day={day}/{name}.parquet"


def placed(key):
    """The table, service, day and name that file_of made a key of."""
    table, service, day, name = key.removesuffix(".parquet").split("/")
    return table, service.partition("=")[2], day.partition("=")[2], name


def name_of(traces):
    """The name of the part that has these windows, the same whoever writes it."""
    return f"{len(traces):06}-{hashlib.sha256(chr(0).join(sorted(traces)).encode()).hexdigest()[:24]}"


def labelled(table, name):
    """Gives the rows the name of their part, behind the columns that all tables begin with."""
    import pyarrow
    column = pyarrow.array([name] * table.num_rows, pyarrow.string())
    if "part" in table.column_names:
        return table.set_column(table.column_names.index("part"), "part", column)
    return table.add_column(table.column_names.index("began") + 1, "part", column)


def _write_entry(store, service, day, name, traces, is_replaced):
    import pyarrow
    nr = len(traces)
    store.write_table(file_of(MANIFEST, service, day, name), pyarrow.table({
        "part": [name] * nr, "trace": sorted(traces), "replaced": [is_replaced] * nr}))


def write(store, service, day, tables):
    """Writes the tables of a part; returns its name."""
    traces = tables["windows"]["trace"].to_pylist()
    name = name_of(traces)
    for table, rows in tables.items():
        store.write_table(file_of(table, service, day, name), labelled(rows, name))
    _write_entry(store, service, day, name, traces, False)
    return name


class Manifest:
    """Which parts there are. Entries are read once, and again if they have changed."""

    def __init__(self, store):
        self.store = store
        self._read = {}

    def _listed(self, below):
        """Entries by their keys. A folder may be changed while it is listed: then an entry and the one that replaces it might both be missed."""
        before = None
        while True:
            listed = {one.key: one.changed_ns for one in self.store.objects(below, ".parquet")}
            if not self.store.is_local or (before is not None and before <= set(listed)):
                return listed
            before = set(listed)

    def _entry(self, key, changed_ns):
        if self._read.get(key, (None, None))[0] != changed_ns:
            rows = self.store.read_table(key)
            _, service, day, name = placed(key)
            self._read[key] = changed_ns, Part(service, day, name, frozenset(rows["trace"].to_pylist()),
                                               rows["replaced"][0].as_py(), changed_ns)
        return self._read[key][1]

    def _tried(self, below):
        listed = self._listed(below)
        for gone in [key for key in self._read if key.startswith(below) and key not in listed]:
            del self._read[gone]
        found = [self._entry(key, changed_ns) for key, changed_ns in listed.items()]
        live = frozenset().union(*(part.traces for part in found if not part.is_replaced))
        if all(part.traces <= live for part in found if part.is_replaced):
            return found
        raise FileNotFoundError("a part was replaced after its replacement could be listed")

    def parts(self, service=None, day=None):
        """All parts, or those of a service and a day, in the order of their names."""
        below = f"{MANIFEST}/service={service}/day={day}/" if service is not None else f"{MANIFEST}/"
        return again(lambda: sorted(self._tried(below), key=lambda part: part.name))

    def traces(self, *of):
        return frozenset().union(*(part.traces for part in self.parts(*of)))


def again(read):
    """Reads, and again as long as what was listed is gone when it is read."""
    for _ in range(TRIES - 1):
        try:
            return read()
        except FileNotFoundError:
            pass
    return read()


def chosen(parts):
    """Which windows are read of which part: [(part, traces)], each window once."""
    taken, of = set(), []
    for part in parts:
        traces = frozenset() if part.is_replaced else part.traces - taken
        taken |= traces
        if traces:
            of.append((part, traces))
    return of


def largest(parts):
    """The parts of which none is within another one: what is left when compaction has gone all its steps."""
    live = [part for part in parts if not part.is_replaced]
    return [part for part in live if not any(part.traces < other.traces for other in live)]


def read(store, manifest, table, *of):
    """Returns a whole table, or that of a service and a day: the rows of each window once. None: there is no window."""
    import pyarrow
    import pyarrow.compute

    def one(part, traces):
        rows = store.read_table(file_of(table, part.service, part.day, part.name))
        if traces == part.traces:
            return rows
        return rows.filter(pyarrow.compute.is_in(rows["trace"], pyarrow.array(sorted(traces), pyarrow.string())))

    def whole():
        rows = [one(part, traces) for part, traces in chosen(manifest.parts(*of))]
        return pyarrow.concat_tables(rows, promote_options="default") if rows else None

    return again(whole)


class Summaries:
    """What `python3 -m corotracer.ingest` keeps, as tables of pyarrow: corotracer.parts.Summaries(PLACE).table("windows")."""

    def __init__(self, place):
        from .stores import Store
        self.store = Store(place)
        self.manifest = Manifest(self.store)

    def table(self, name, service=None, day=None):
        return read(self.store, self.manifest, name, *((service, day) if service is not None else ()))


class Compaction:
    """Makes one part of many. `now_ns` is a moment by the store's clock."""

    def __init__(self, store, manifest, tables, *, least, grace, now_ns):
        self.store = store
        self.manifest = manifest
        self.tables = tables
        self.least = least
        self.before_ns = now_ns - int(grace * 1e9)

    def partitions(self):
        """The services and days in which something is to be done."""
        of = collections.defaultdict(list)
        for part in self.manifest.parts():
            of[part.service, part.day].append(part)
        return sorted(where for where, parts in of.items() if len(largest(parts)) >= self.least or self._replaced(parts)
                      or any(part.is_replaced for part in parts))

    def _replaced(self, parts):
        """Those whose windows another part has, and has had for long enough."""
        live = [part for part in parts if not part.is_replaced]
        return [part for part in live
                if any(part.traces < other.traces and other.changed_ns <= self.before_ns for other in live)]

    def run(self, service, day):
        for part in self.manifest.parts(service, day):
            if part.is_replaced and part.changed_ns <= self.before_ns:
                self._remove(part)
        if len(largest(self.manifest.parts(service, day))) >= self.least:
            write(self.store, service, day,
                  {table: read(self.store, self.manifest, table, service, day) for table in self.tables})
        for part in self._replaced(self.manifest.parts(service, day)):
            _write_entry(self.store, service, day, part.name, part.traces, True)

    def _remove(self, part):
        for table in (*self.tables, MANIFEST):  # while the entry is there, others know what is left to remove
            self.store.remove(file_of(table, part.service, part.day, part.name))


def leave(status):
    """Ends the process at once, when all is written: threads of Arrow may outlive what they need, if a process takes itself down,
    and then abort it (https://github.com/apache/arrow/issues/34314)."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
