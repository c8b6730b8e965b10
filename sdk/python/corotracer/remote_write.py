# SPDX-License-Identifier: MIT
"""Sends the figures of a window to Prometheus by its remote write protocol, version 1
(https://prometheus.io/docs/specs/prw/remote_write_spec): a WriteRequest of protocol buffers, packed as Snappy blocks.

A window's figures are samples at the window's end. The trace's key is the label `trace` of corotracer_window_info,
corotracer_window_findings and corotracer_window_trace_delay_p99_seconds, so that an alert leads to the trace that shows what the alert is
about.
"""
import datetime
import struct
import urllib.error
import urllib.request

from .reading import Error

LITERAL_MOST = 1 << 16
QUANTILES = (("0.5", "delay_p50_ns"), ("0.9", "delay_p90_ns"), ("0.99", "delay_p99_ns"), ("0.999", "delay_p999_ns"),
             ("1", "delay_max_ns"))
FIGURES = (("events", "nr_events"), ("lost_events", "nr_lost"), ("coroutines", "nr_coroutines"), ("alive", "nr_alive"),
           ("alive_most", "nr_alive_most"))


def _varint(number):
    out = bytearray()
    while number > 0x7f:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _field(number, content):
    """A field of protocol buffers that has a length."""
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _label(name, value):
    return _field(1, _field(1, name.encode()) + _field(2, value.encode()))


def _series(name, labels, value, at_ms):
    """A series with one sample. Labels are sorted, as the protocol demands."""
    named = {"__name__": f"corotracer_window_{name}", **labels}
    sample = b"\x09" + struct.pack("<d", value) + b"\x10" + _varint(at_ms)
    return _field(1, b"".join(_label(key, named[key]) for key in sorted(named)) + _field(2, sample))


def packed(content):
    """Snappy's block format, all of it literals: the protocol demands the format, and a window's figures are small."""
    out = bytearray(_varint(len(content)))
    for begin in range(0, len(content), LITERAL_MOST):
        literal = content[begin:begin + LITERAL_MOST]
        out += b"\xf4" + struct.pack("<H", len(literal) - 1) + literal
    return bytes(out)


def request_of(key, tables):
    """The samples of a window, as bytes of a WriteRequest; b"" if the trace could not be read."""
    row = tables["windows"].to_pylist()[0]
    if row["error"]:
        return b""
    at_ms = int(key.began.replace(tzinfo=datetime.timezone.utc).timestamp() * 1000) + row["observed_ns"] // 10**6
    who = {"service": key.service, "host": key.host}
    series = [_series("info", {**who, "trace": key.key, "run": row["run"]}, 1, at_ms),
              _series("seconds", who, row["observed_ns"] / 1e9, at_ms)]
    series += [_series(name, who, row[column], at_ms) for name, column in FIGURES]
    series += [_series("delay_seconds", {**who, "quantile": quantile}, row[column] / 1e9, at_ms)
               for quantile, column in QUANTILES if row[column] is not None]
    if row["delay_p99_ns"] is not None:  # once more, so that it leads to the trace: an alert compares it with others
        series.append(_series("trace_delay_p99_seconds", {**who, "trace": key.key}, row["delay_p99_ns"] / 1e9, at_ms))
    found = {}
    for finding in tables["findings"].to_pylist():
        named = (finding["rule"], finding["grade"])
        found[named] = found.get(named, 0) + 1
    series += [_series("findings", {**who, "rule": rule, "grade": grade, "trace": key.key}, count, at_ms)
               for (rule, grade), count in found.items()]
    return b"".join(series)


def push(url, key, tables):
    """
    Sends the figures of a window. Returns how many windows the database refused, 0 or 1: one whose samples are older
    than what the database takes. Raises Error if the database cannot be reached.
    """
    content = request_of(key, tables)
    if not content:
        return 0
    request = urllib.request.Request(url, data=packed(content), headers={
        "Content-Encoding": "snappy", "Content-Type": "application/x-protobuf", "User-Agent": "corotracer",
        "X-Prometheus-Remote-Write-Version": "0.1.0"})
    try:
        with urllib.request.urlopen(request, timeout=30):
            return 0
    except urllib.error.HTTPError as error:
        if error.code == 400:
            return 1
        raise Error(f"{url} answers {error.code}: {error.read(200).decode(errors='replace').strip()}") from None
    except OSError as error:
        raise Error(f"{url} cannot be reached: {error}") from None
