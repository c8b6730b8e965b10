# SPDX-License-Identifier: MIT
"""A program under `corotracer run`, for the benchmarks."""
import os
import pathlib
import re
import subprocess
import threading
import time

BUILD = pathlib.Path(os.environ["COROTRACER_BUILD"]).resolve()
ENGINE = BUILD / "corotracer"


def status_kb(pid, field):
    try:
        found = re.search(rf"^{field}:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(found[1]) if found else 0


def watch_memory(engine, memory):
    """Returns the largest resident memory while a program runs: the engine's total, and its own without the memory that
    it has mapped."""
    children = pathlib.Path(f"/proc/{engine.pid}/task/{engine.pid}/children")
    while engine.poll() is None:
        memory["max_own_bytes"] = max(memory["max_own_bytes"], 1024 * status_kb(engine.pid, "RssAnon"))
        memory["max_rss_bytes"] = max(memory["max_rss_bytes"], 1024 * status_kb(engine.pid, "VmHWM"))
        time.sleep(0.05)
        # The memory of the summary after the end does not belong to the recording.
        try:
            if not children.read_text().strip() and memory["max_own_bytes"]:
                return
        except (FileNotFoundError, ProcessLookupError):
            return


def trace_counts(trace):
    """Returns the events by kind, and the number of lost events, as `corotracer info` counts them."""
    text = subprocess.run([str(ENGINE), "info", str(trace)], capture_output=True, text=True, check=True).stdout
    kinds = {name: int(count.replace(",", ""))
             for name, count in re.findall(r"^  (\S+) +([\d,]+)$", text.split("\nevents ")[1], re.MULTILINE)}
    lost = re.search(r"^lost +([\d,]+) event", text, re.MULTILINE)
    return kinds, int(lost[1].replace(",", "")) if lost else 0


def record(trace, command, options=(), environment=None):
    """Runs a command under the engine; returns what the program printed, and the engine's memory."""
    memory = {"max_rss_bytes": 0, "max_own_bytes": 0}
    with subprocess.Popen([str(ENGINE), "run", "-o", str(trace), *options, "--", *map(str, command)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, **(environment or {})}) as engine:
        watcher = threading.Thread(target=watch_memory, args=(engine, memory))
        watcher.start()
        printed, said = engine.communicate()
        watcher.join()
    if engine.returncode:
        raise SystemExit(f"{command}: exit status {engine.returncode}: {said}")
    return printed, memory
