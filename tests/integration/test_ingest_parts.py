# SPDX-License-Identifier: MIT
"""Tests that what is kept of windows is there once, whoever is killed, ingests beside, compacts or reads: in Parquet and
in PostgreSQL; and that what is old goes."""
import contextlib
import datetime
import os
import pathlib
import shutil
import signal
import sys
import threading

import database_servers
from columnar_reader import need_packages
from environment import require_package
from support import check, folder, run, seeded_chance

need_packages(__file__)
require_package()
import pyarrow  # noqa: E402
import pyarrow.compute as compute  # noqa: E402
from windowed import TABLES, everything, ingest, make_store, opened, rows, said  # noqa: E402
from corotracer import claims, parts, retention, stores, windows  # noqa: E402

KILLS = int(os.environ.get("KILLS", "6"))


def entries(output):
    return list(output.glob("manifest/*/*/*.parquet"))


def kill(going):
    os.killpg(going.pid, signal.SIGKILL)
    going.communicate(timeout=60)


def check_killed(store, place, whole, chance):
    """An ingester that is killed at any moment is followed by one that does the rest."""
    output = place / "killed"
    for _ in range(KILLS):
        going = ingest(store, output, "--batch", "1", "--compact", "3", "--grace", "0", start_new_session=True)
        wanted = len(entries(output)) + chance.randrange(3)
        with contextlib.suppress(Exception):
            going.wait(chance.random() * 2)
        while going.poll() is None and len(entries(output)) < wanted:
            pass
        kill(going)
    said(ingest(store, output, "--batch", "1", "--compact", "3", "--grace", "0"))
    check(everything(output) == whole, "what killed ingesters left is not what one writes")


def check_several(store, place, whole):
    """Several ingesters share the work; each window is there once, and no claim is left."""
    output = place / "several"
    texts = [said(going) for going in [ingest(store, output, "--batch", "2") for _ in range(3)]]
    check(everything(output) == whole, "three ingesters do not write what one writes")
    did = [int(text.split("corotracer.ingest: ")[-1].split()[0]) for text in texts]
    check(sum(did) >= 13, f"{did}")
    check(not list(output.rglob("claims/*")), "a claim is left behind")
    check(not list(output.rglob(".*")), "something half is left behind")


def check_claims(place):
    """A claim holds what it names, until its process is gone or it has not been written for too long."""
    store = stores.Store(place / "claimed")
    one, other = claims.Claims(store), claims.Claims(store)
    check(one.take(["a", "b"]) == {"a", "b"}, "what nobody has is not given")
    check(other.take(["b", "c"]) == {"c"}, "what another has is given")
    one.give_back(["b"])
    one.write()
    check(other.take(["b"]) == {"b"}, "what was given back is not given")
    gone = claims.Claims(store)
    gone.key = f"claims/{gone.host}-{2**22 + 1}-0.json"
    gone.held = {"d"}
    gone.write()
    check(one.take(["d"]) == {"d"}, "a process that is gone holds something")
    late = claims.Claims(store)
    late.key, late.held = "claims/elsewhere-1-0.json", {"e"}
    late.write()
    check(one.take(["e"]) == set(), "a claim of another machine holds nothing")
    long_ago = late.now_ns - int(2 * claims.LEASE * 1e9)
    os.utime(place / "claimed" / late.key, ns=(long_ago, long_ago))
    check(one.take(["e"]) == {"e"}, "a claim that was not written for long holds something")


class Reader(threading.Thread):
    """Reads all tables again and again; each time each window is there once."""

    def __init__(self, read, whole):
        super().__init__()
        self.read, self.whole = read, whole
        self.trouble, self.nr_read, self.is_over = None, 0, False

    def run(self):
        while not (self.is_over and self.nr_read) and not self.trouble:
            seen = self.read()
            self.trouble = next((f"{table}: {len(seen[table])} rows, not {len(self.whole[table])}" for table in TABLES
                                 if seen[table] != self.whole[table]), None)
            self.nr_read += 1


def arrow_of(output):
    kept = parts.Summaries(output)

    def sort(rows):
        return sorted(rows, key=repr)

    return lambda: {table: sort(tuple(row.values()) for row in kept.table(table).drop_columns("part").to_pylist()) for table in TABLES}


def check_compacted(store, place, whole):
    """Readers see each row once while parts become fewer, and the files become fewer."""
    output = place / "compacted"
    said(ingest(store, output, "--batch", "1", "--compact", "99"))
    nr_before = len(entries(output))
    check(nr_before == 13, f"{nr_before} parts")
    in_order = {table: sorted(rows, key=repr) for table, rows in whole.items()}
    readers = [Reader(arrow_of(output), in_order), Reader(lambda: everything(output), whole)]
    for reader in readers:
        reader.start()
    said(ingest(store, output, "--compact", "2"))  # DuckDB may use for an hour what it has listed
    check(len(entries(output)) > nr_before, "no part was made of many")
    readers[1].is_over = True
    readers[1].join()
    for _ in range(4):  # without grace, step by step, only readers that look again may read
        said(ingest(store, output, "--compact", "2", "--grace", "0"))
    readers[0].is_over = True
    readers[0].join()
    for reader in readers:
        check(not reader.trouble, f"{reader.trouble}, in the reading number {reader.nr_read}")
    nr_after = len(entries(output))
    partitions = len(list(output.glob("manifest/*/*")))
    check(nr_after == partitions, f"{nr_after} parts of {partitions} services and days are left")
    for table in TABLES:
        check(len(list(output.glob(f"{table}/*/*/*.parquet"))) == nr_after, f"{table} has files that no part needs")
    check(everything(output) == whole, "compaction changed something")


def of_traces(tables, traces):
    return {table: rows.filter(compute.is_in(rows["trace"], pyarrow.array(traces))) for table, rows in tables.items()}


def fullest(kept):
    """Returns the service and the day with the most windows: in the hour after midnight, others may have just one."""
    return max({part[:2] for part in kept.manifest.parts()}, key=lambda of: (len(kept.manifest.traces(*of)), of))


def check_overlapping(place, whole):
    """Two that compact at once make parts that overlap: each window is read once, and the next compaction unites them."""
    source, output = stores.Store(place / "output"), stores.Store(place / "overlapping")
    kept = parts.Summaries(place / "output")
    service, day = fullest(kept)
    tables = {table: kept.table(table, service, day) for table in TABLES}
    traces = sorted(tables["windows"]["trace"].to_pylist())
    for some in (traces[:-1], traces[1:]):
        parts.write(output, service, day, of_traces(tables, some))
    for _ in range(2):
        told = {table: [row for row in whole[table] if row[0] in traces] for table in TABLES}
        check(everything(place / "overlapping") == told, "windows of two parts are read twice, or not")
        compaction = parts.Compaction(output, parts.Manifest(output), TABLES, least=2, grace=0, now_ns=1 << 62)
        compaction.run(service, day)
    check(source.keys() and len(parts.largest(parts.Manifest(output).parts())) == 1, "overlapping parts stay")


def states_of(output):
    """How many parts have their files and are read, are called replaced, and have no files."""
    of = parts.Manifest(output).parts()
    files = set(output.keys(ending=".parquet"))
    return (sum(not part.is_replaced for part in of), sum(part.is_replaced for part in of),
            sum(parts.file_of("windows", *part[:3]) not in files for part in of))


def check_steps(place):
    """Each step of compaction leaves `grace` to readers of the one before."""
    output, kept = stores.Store(place / "stepped"), parts.Summaries(place / "output")
    service, day = fullest(kept)
    traces = sorted(kept.manifest.traces(service, day))
    tables = {table: kept.table(table, service, day) for table in TABLES}
    for trace in traces:
        parts.write(output, service, day, of_traces(tables, [trace]))
    nr = len(traces)

    def step(seconds):
        newest = max(part.changed_ns for part in parts.Manifest(output).parts())
        parts.Compaction(output, parts.Manifest(output), TABLES, least=2, grace=100, now_ns=newest + int(seconds * 1e9)).run(service, day)
        return states_of(output)

    check(step(0) == (nr + 1, 0, 0), f"after the first step {states_of(output)}")
    check(step(99) == (nr + 1, 0, 0), f"too early {states_of(output)}")
    check(step(101) == (1, nr, 0), f"after the second step {states_of(output)}")
    check(step(99) == (1, nr, 0), f"too early {states_of(output)}")
    check(step(101) == (1, 0, 0), f"after the third step {states_of(output)}")


class Disturbed(parts.Manifest):
    """A reader between whose listing and reading all parts are compacted."""
    def __init__(self, store, steps):
        super().__init__(store)
        self.steps = steps

    def _listed(self, below):
        listed = super()._listed(below)
        for _ in range(self.steps):
            parts.Compaction(self.store, parts.Manifest(self.store), TABLES, least=2, grace=0, now_ns=1 << 62).run(*self.of)
        self.steps = 0
        return listed


def check_disturbed(place, whole):
    """A reader who has listed what is then replaced, or removed, looks again."""
    kept = parts.Summaries(place / "output")
    service, day = fullest(kept)
    tables = {table: kept.table(table, service, day) for table in TABLES}
    traces = sorted(tables["windows"]["trace"].to_pylist())
    for steps in (1, 2, 3):
        output = stores.Store(place / f"disturbed-{steps}")
        for trace in traces:
            parts.write(output, service, day, of_traces(tables, [trace]))
        reader = Disturbed(output, steps)
        reader.of = service, day
        seen = sorted(parts.read(output, reader, "windows")["trace"].to_pylist())
        check(seen == traces, f"after {steps} steps: {seen}, not {traces}")
    check(len(traces) > 1 and whole, "one part is none too few")


def in_database(server, table):
    columns = server.ask(f"SELECT string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position) FROM information_schema.columns "
                         f"WHERE table_schema = 'corotracer' AND table_name = '{table}'", "postgres")
    return server.ask(f"SELECT {columns} FROM corotracer.{table} ORDER BY {', '.join(str(i + 1) for i in range(columns.count(',') + 1))}",
                      "postgres")


def check_postgresql(store, place, whole, chance):
    """The same rows are in PostgreSQL, once, whoever was killed, ingests again, or beside."""
    if not database_servers.find("initdb"):
        print("left out: no PostgreSQL is installed", flush=True)
        return
    with database_servers.server(database_servers.PostgreSQL, place / "server") as server:
        address = server.address(database="postgres")
        for number in range(3):
            going = ingest(store, place / f"in-database-{number % 2}", "--batch", "2", "--postgresql", address, start_new_session=True)
            while going.poll() is None and len(entries(place / f"in-database-{number % 2}")) < chance.randrange(2, 6):
                pass
            kill(going)
        for going in [ingest(store, place / f"in-database-{number}", "--postgresql", address) for number in range(2)]:
            said(going)
        for table in TABLES:
            nr = int(server.ask(f"SELECT count(*) FROM corotracer.{table}", "postgres"))
            check(nr == len(whole[table]), f"{table}: {nr} rows in PostgreSQL, not {len(whole[table])}")
        before = {table: in_database(server, table) for table in TABLES}
        said(ingest(store, place / "in-database-again", "--postgresql", address))
        check({table: in_database(server, table) for table in TABLES} == before, "a window that is ingested again changes something")
        told = server.ask("SELECT trace, nr_events, extract(epoch FROM began)::bigint FROM corotracer.windows ORDER BY trace", "postgres")
        wanted = [f"{row['trace']}|{row['nr_events'] or ''}|{int(row['began'].replace(tzinfo=datetime.timezone.utc).timestamp())}"
                  for row in parts.Summaries(place / "output").table("windows").sort_by("trace").to_pylist()]
        check(told.splitlines() == wanted, f"{told} is not {wanted}")
        server.ask("DELETE FROM corotracer.windows WHERE service = 'billing'", "postgres")
        check(server.ask("SELECT count(*) FROM corotracer.findings WHERE service = 'billing'", "postgres") == "0",
              "findings of windows that are gone stay")
    text = said(ingest(store, place / "no-database", "--postgresql", address), status=1)
    check("PostgreSQL: " in text and not entries(place / "no-database"), text)


def check_retention(place, keys, broken):
    """Old traces go, first those in which nothing was found; old tables go, findings last; what is not ingested stays."""
    store, output = place / "aging", place / "aged"
    shutil.copytree(place / "store", store)
    said(ingest(store, output, "--batch", "2"))
    late = f"search/host-0/20260101/000000-{1:032x}.ctrace"
    (store / late).parent.mkdir(parents=True)
    shutil.copy(store / next(key for key in keys if key.startswith("search/")), store / late)
    there = {one.key: one.nr_bytes for one in stores.Store(store).objects(ending=".ctrace")}
    found = set(dict(rows(output, "findings", "trace, rule")))
    check(found and found < set(keys), f"{found}")
    began = {key: windows.Key(key).began for key in keys}
    now = max(began.values()) + datetime.timedelta(seconds=1)

    def removed(**options):
        return set(retention.Retention(store, output, now=now, **options).old_traces())

    check(removed() == set(), "something goes that nobody asked for")
    check(removed(traces=0.01, found=1) == {key for key in [*keys, broken] if key not in found
                                           and windows.Key(key).began < now - datetime.timedelta(days=0.01)}, "the wrong traces are old")
    ingested = sum(there[key] for key in [*keys, broken])
    check(removed(size=ingested) == set(), "a size that suffices removes something")
    oldest = min((key for key in [*keys, broken] if key not in found), key=lambda key: (windows.Key(key).began, key))
    check(removed(size=ingested - 1) == {oldest}, "the oldest trace without a finding is not the first to go")
    check(removed(size=0) == {*keys, broken}, "a trace that is not ingested goes, or others stay")
    run(sys.executable, "-m", "corotracer.retention", store, output, "--size", "0", "--dry-run")
    check(there.keys() == {one.key for one in stores.Store(store).objects(ending=".ctrace")}, "a dry run removes something")
    (store / late).unlink()
    told = rows(output, "findings", "* EXCLUDE part", "ORDER BY ALL")
    retention.Retention(store, output, tables=1, findings=9, now=now + datetime.timedelta(days=3)).run()
    check(rows(output, "windows") == [] and rows(output, "findings", "* EXCLUDE part", "ORDER BY ALL") == told, "findings go with the rest")
    check("0 windows ingested" in said(ingest(store, output)), "what has gone is ingested again")
    retention.Retention(store, output, size=0, now=now + datetime.timedelta(days=3)).run()
    retention.Retention(store, output, tables=1, findings=9, now=now + datetime.timedelta(days=30)).run()
    check(not list(output.rglob("*.parquet")), "the last day is left behind")
    stray = output / f"windows/service=x/day=2026-01-01/{parts.name_of(['x'])}.parquet"
    stray.parent.mkdir(parents=True)
    stray.write_text("half")
    retention.Retention(store, output).run()
    check(stray.exists(), "what may still be written is removed")
    os.utime(stray, (0, 0))
    retention.Retention(store, output).run()
    check(not stray.exists(), "what a killed ingester left stays for ever")


def main():
    chance = seeded_chance()
    with folder() as name:
        place = pathlib.Path(name)
        store, keys, broken = make_store(place)
        said(ingest(store, place / "output"))
        whole = everything(place / "output")
        check(len(whole["windows"]) == 13, f"{len(whole['windows'])} windows")
        check_claims(place)
        check_killed(store, place, whole, chance)
        check_several(store, place, whole)
        check_compacted(store, place, whole)
        check_overlapping(place, whole)
        check_steps(place)
        check_disturbed(place, whole)
        check_retention(place, keys, broken)
        check_postgresql(store, place, whole, chance)


main()
