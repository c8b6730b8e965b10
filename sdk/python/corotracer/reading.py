# SPDX-License-Identifier: MIT
"""Reads traces: tables as Arrow, SQL, and the report.

    trace = corotracer.open("run.ctrace")
    trace.query("SELECT place, p99(duration_ns) FROM waits GROUP BY place").to_pandas()
    trace.report().findings[0]

libcorotracer does the work: this module loads the library when the first trace is opened, and needs pyarrow for
tables. In a notebook a finding shows its picture. sdk/python/README.md explains more.
"""
import concurrent.futures
import contextlib
import glob
import html
import json
import os
import pathlib
import tempfile
import threading

from . import _reader
from ._reader import Error

__all__ = ["Error", "Finding", "Fleet", "Report", "Trace", "fleet", "open_trace"]

LIBRARY = "libcorotracer.so.0"
_loading = threading.Lock()
_version = ""


def load():
    """Loads the library once: from COROTRACER_LIBRARY, from the folder of this package, or as the system finds it."""
    global _version
    with _loading:
        if _version:
            return
        beside = pathlib.Path(__file__).with_name(LIBRARY)
        path = os.environ.get("COROTRACER_LIBRARY") or (beside if beside.exists() else LIBRARY)
        try:
            _version = _reader.load(path)
        except OSError as error:
            raise Error(f"traces are read by {LIBRARY}, which cannot be loaded ({error}); install corotracer, or set "
                        "COROTRACER_LIBRARY to the library's path") from None


def _arrow():
    try:
        import pyarrow
        import pyarrow.ipc
    except ImportError:
        raise Error("tables are Arrow's, and pyarrow is not installed: pip install pyarrow") from None
    return pyarrow


class Finding:
    """One finding of a report. `facts` holds everything that the JSON report says of the finding."""

    def __init__(self, trace, number, facts):
        self._trace = trace
        self._number = number
        self.facts = facts
        self.rule = facts["rule"]
        self.grade = facts["grade"]
        self.title = facts["title"]
        self.steps = facts["steps"]
        self.members = facts["members"]
        self.next_step = facts["next_step"]

    def picture(self):
        """The picture of the finding as SVG; None if the finding has no picture."""
        if not self.facts["picture"] or not self.facts["picture"].get("lanes"):
            return None
        return self._trace._written(_reader.SVG, self._number)

    def __str__(self):
        return f"{self.grade.upper()}  {self.rule}: {self.title}"

    __repr__ = __str__

    def _repr_html_(self):
        grade, rule, title = (html.escape(text) for text in (self.grade.capitalize(), self.rule, self.title))
        return f"<p><b>{grade}</b> <code>{rule}</code> {title}</p>{self.picture() or ''}"


class Report:
    """The judgement of a trace. `facts` is the JSON report (docs/spec/report-json.md)."""

    def __init__(self, trace):
        self._trace = trace
        self.facts = json.loads(trace._written(_reader.JSON, 0))
        self.headline = self.facts["headline"]
        self.findings = [Finding(trace, number, facts) for number, facts in enumerate(self.facts["findings"], 1)]

    def __str__(self):
        return self._trace._written(_reader.TEXT, 0)

    def __repr__(self):
        return f"<report: {self.headline}>"

    def _repr_html_(self):
        findings = "".join(finding._repr_html_() for finding in self.findings)
        return f"<p><b>{html.escape(self.headline)}</b></p>{findings}"


class Trace:
    """
    A trace of any form that corotracer reads.

    `memory`: most bytes that the rows of a trace take, and that a question takes (0: the library's own limits).
    `timeout`: seconds after which a question ends in an Error, not counting the first reading of the trace.
    Any number of threads may use a trace; their questions are answered one after the other.
    """

    def __init__(self, path, *, memory=0, timeout=0.0):
        load()
        self.path = os.fspath(path)
        self._lock = threading.Lock()
        self._opened = _reader.Opened(self.path, memory, int(timeout * 1e9))

    def close(self):
        """Frees the trace. Tables that were read from it stay."""
        with self._lock:
            self._opened.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"<trace {self.path}>"

    @contextlib.contextmanager
    def _answer(self, write, *question):
        """The path of a file with the answer, which is removed afterwards."""
        with tempfile.TemporaryDirectory(prefix="corotracer-") as folder:
            path = os.path.join(folder, "answer")
            with self._lock:
                write(*question, path)
            yield path

    def _written(self, form, number):
        with self._answer(self._opened.write_report, form, number) as path:
            return pathlib.Path(path).read_text(encoding="utf-8")

    def _read(self, write, what):
        arrow = _arrow()
        with self._answer(write, what) as path, arrow.memory_map(path) as file:
            return arrow.ipc.open_stream(file).read_all()

    def query(self, sql):
        """The answer to one statement of SQL, as `corotracer query` answers it, as a pyarrow.Table."""
        return self._read(self._opened.write_query, sql)

    @property
    def tables(self):
        """The names of the tables."""
        names = self.query("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'virtual' ORDER BY name")
        return names["name"].to_pylist()

    def table(self, name):
        """A whole table, as a pyarrow.Table: many times faster than a query for all of its rows. Texts are dictionaries,
        and each time `NAME_ns` is followed by `NAME_at`, the same moment by the traced machine's clock."""
        return self._read(self._opened.write_table, name)

    def report(self):
        """What is wrong, and why."""
        return Report(self)


class Fleet:
    """
    Many traces. A question is asked of all of them, some at once, and the answers become one table, whose first column,
    `trace`, has the path of each row's trace.

    Traces stay open between questions unless `keep` is False. `broken` has the error of each trace that could not be
    read, by its path; these are left out if `skip_broken` is True, and otherwise raise the error.
    """

    def __init__(self, paths, *, memory=0, timeout=0.0, workers=None, keep=True, skip_broken=False):
        self.paths = list(dict.fromkeys(os.fspath(path) for path in paths))
        self.broken = {}
        self._options = {"memory": memory, "timeout": timeout}
        self._keep = keep
        self._skip_broken = skip_broken
        self._traces = {}
        self._pool = concurrent.futures.ThreadPoolExecutor(workers or os.cpu_count())

    def close(self):
        """Frees all traces."""
        self._pool.shutdown()
        for trace in self._traces.values():
            trace.close()
        self._traces.clear()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __len__(self):
        return len(self.paths)

    def __repr__(self):
        return f"<fleet of {len(self.paths)} traces, {len(self.broken)} broken>"

    def _ask_one(self, path, question):
        trace = self._traces.get(path) or Trace(path, **self._options)
        try:
            return question(trace)
        finally:
            if self._keep:
                self._traces[path] = trace
            else:
                trace.close()

    def ask(self, question):
        """The answers of question(trace), by the path of the trace, in the order of the paths."""
        paths = [path for path in self.paths if path not in self.broken]
        asked = {path: self._pool.submit(self._ask_one, path, question) for path in paths}
        answers = {}
        for path, answer in asked.items():
            try:
                answers[path] = answer.result()
            except Error as error:
                if not self._skip_broken:
                    raise Error(f"{path}: {error}") from None
                self.broken[path] = error
        return answers

    def query(self, sql):
        """One statement of SQL, asked of all traces, as one pyarrow.Table."""
        arrow = _arrow()
        answers = self.ask(lambda trace: trace.query(sql))
        named = [answer.add_column(0, "trace", arrow.array([path] * answer.num_rows, arrow.string()))
                 for path, answer in answers.items()]
        return arrow.concat_tables(named, promote_options="permissive") if named else arrow.table({"trace": []})

    def findings(self):
        """All findings of all traces, as one pyarrow.Table."""
        return self.query("SELECT * FROM findings")


def open_trace(path, *, memory=0, timeout=0.0):
    """Opens a trace: corotracer.open."""
    return Trace(path, memory=memory, timeout=timeout)


def fleet(paths, **options):
    """Opens many traces: a list of paths, or a pattern such as "traces/**/*.ctrace". The options are those of Fleet."""
    if isinstance(paths, (str, os.PathLike)):
        found = sorted(glob.glob(os.fspath(paths), recursive=True))
        if not found:
            raise Error(f"no trace matches '{os.fspath(paths)}'")
        paths = found
    return Fleet(paths, **options)
