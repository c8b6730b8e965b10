# SPDX-License-Identifier: MIT
"""Tests spans of OpenTelemetry, decoded by the published messages of OTLP: in a file, and as a collector receives
them."""
import base64
import http.server
import json
import pathlib
import sys
import threading

import environment
from support import COROTRACER, check, folder, run

try:
    from google.protobuf import json_format
    from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
except ImportError:
    environment.run_again_with("timeline", __file__)

REALTIME = 1700000000000000000
TRACE = rb"""trace run=00112233445566778899aabbccddeeff host=build-7 from=0 until=2s epoch_monotonic=5000000000 epoch_realtime=1700000000000000000
process 1 pid=100 program=/bin/server command="server -x" probe
thread 1 process=1 tid=101 name=worker
site 1 process=1 kind=source file=/src/server.cpp line=50 reason=db.query
site 2 process=1 kind=source file=/src/server.cpp line=51 reason="GET \"/\xff\"\n=1+1"
end 1 exited 0 at=2s
1ms    t1 create c1 0x11010
1.2ms  t1 resume c1
1.25ms t1 task-begin c1 77 @2
1.4ms  t1 region-begin c1 @1
1.5ms  t1 suspend c1
4ms    t1 resume c1
4.5ms  t1 region-end c1 @1
4.6ms  t1 task-end c1 77
4.7ms  t1 region-begin c1 @1
4.8ms  t1 region-end c1 @1
5ms    t1 suspend c1
"""


def decoded(line):
    """OTLP's JSON differs from that of Protocol Buffers in one point: ids are hexadecimal."""
    message = json.loads(line)
    for span in message["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        for key in ("traceId", "spanId", "parentSpanId"):
            if key in span:
                span[key] = base64.b64encode(bytes.fromhex(span[key])).decode()
    return json_format.ParseDict(message, trace_service_pb2.ExportTraceServiceRequest())


def check_spans(request):
    resource, = request.resource_spans
    told = {one.key: one.value.string_value or one.value.int_value for one in resource.resource.attributes}
    check(told["service.name"] == "server" and told["process.pid"] == 100 and told["host.name"] == "build-7", f"{told}")
    spans = resource.scope_spans[0].spans
    task = next(span for span in spans if span.name == 'GET "/\ufffd"\n=1+1')
    inside, alone = [span for span in spans if span.name == "db.query"]
    check(len(spans) == 3 and all(len(span.trace_id) == 16 and len(span.span_id) == 8 for span in spans), f"{spans}")
    check((task.start_time_unix_nano, task.end_time_unix_nano) == (REALTIME + 1250000, REALTIME + 4600000), f"{task}")
    check((inside.trace_id, inside.parent_span_id) == (task.trace_id, task.span_id), "the region is not its task's")
    check(alone.trace_id != task.trace_id and not alone.parent_span_id, "a region without a task is some task's")
    check(len({span.span_id for span in spans}) == 3, "ids are not unique")
    return [(span.trace_id, span.span_id) for span in spans]


class Collector(http.server.BaseHTTPRequestHandler):
    """A collector that accepts everything, until it is told to answer otherwise."""
    received, answer = [], 200

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Collector.received.append((self.path, self.headers["Content-Type"], self.headers["Authorization"], body))
        self.send_response(Collector.answer)
        self.end_headers()
        self.wfile.write(b"{}" if Collector.answer == 200 else b"too many spans")

    def log_message(self, *_):
        pass


def send(trace, address, status=0):
    return run(COROTRACER, "export", "--format", "otlp", "-o", address, trace, status=status)


def check_collector(trace, ids):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    said = send(trace, f"http://127.0.0.1:{port}/v1/traces", None)
    if "without libcurl" in said.stderr:
        return
    check(said.returncode == 0 and not said.stdout and not said.stderr, f"{said}")
    (path, kind, _, body), = Collector.received
    check(path == "/v1/traces" and kind == "application/json", f"{path} {kind}")
    check(check_spans(decoded(body)) == ids, "ids differ when spans are sent again")
    Collector.answer = 429
    said = send(trace, f"http://user:secret@127.0.0.1:{port}/v1/traces?key=secret", None)
    check(said.returncode and f"the collector at 127.0.0.1:{port} answered 429: too many spans" in said.stderr, said.stderr)
    check("secret" not in said.stderr and said.stderr.count("\n") == 1, said.stderr)
    check(Collector.received[-1][2].startswith("Basic "), "the name and the password were not used")
    server.shutdown()
    server.server_close()
    said = send(trace, f"http://user:secret@127.0.0.1:{port}/v1/traces", None)
    check(said.returncode and "cannot send to the collector at" in said.stderr and "secret" not in said.stderr, said.stderr)


def main():
    with folder() as name:
        place = pathlib.Path(name)
        trace = place / "spans.txt"
        trace.write_bytes(TRACE)
        run(COROTRACER, "export", "--format", "otlp", trace, cwd=place)
        lines = (place / "spans.otlp.jsonl").read_text().splitlines()
        check(len(lines) == 1, f"{len(lines)} requests")
        ids = check_spans(decoded(lines[0]))
        check_collector(trace, ids)


main()
sys.exit(0)
