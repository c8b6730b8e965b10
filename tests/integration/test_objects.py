# SPDX-License-Identifier: MIT
"""Tests stores of objects before a server for S3 that checks signatures (moto's): small objects and those in parts,
keys with characters that have to be encoded, credentials from each of the usual places, and none that are wrong. What
unit tests cannot have a real server say is here; servers that fail are in tests/unit/test_objects.c, too."""
import functools
import http.client
import http.server
import json
import os
import pathlib
import re
import signal
import subprocess
import threading

import bucket
from support import BUILD, COROTRACER, check, folder, run

REFUSED, NOT_FOUND = 7, 4
KEYS = ("a", "checkout/web-3/20260102/030405-4711.ctrace", "day=1/service=a b/part+1&2%.parquet", "umläut/…")


def check_contents(server, scratch):
    small, large, back = scratch / "small", scratch / "large", scratch / "back"
    small.write_bytes(os.urandom(1000))
    large.write_bytes(os.urandom((11 << 20) + 17))
    for key in KEYS:
        server.act("put", key, small)
        back.write_text("something longer that was there before" * 100)
        server.act("get", key, back)
        check(back.read_bytes() == small.read_bytes(), f"'{key}' came back as something else")
    check(server.keys() == {key: 1000 for key in KEYS}, f"{server.keys()} were listed")
    check(list(server.keys()) == sorted(KEYS, key=str.encode), "keys are listed in another order")
    check(server.act("list", "day=1/").count("\n") == 1, "the prefix is not kept to")
    server.act("put", "large", large, PART_BYTES=str(5 << 20))
    server.act("get", "large", back)
    check(back.read_bytes() == large.read_bytes(), "the object in parts came back as something else")
    check(server.tell("parts") == 0, "an upload was not ended")
    (scratch / "empty").write_bytes(b"")
    server.act("put", "empty", scratch / "empty")
    server.act("get", "empty", back)
    check(back.read_bytes() == b"", "an empty object came back with bytes")
    for key in (*KEYS, "large", "empty", "never"):
        server.act("remove", key)
    check(not server.keys(), "something was not removed")
    check("NoSuchKey" in server.act("get", "a", back, status=NOT_FOUND), "another complaint was expected")


def check_many(server, scratch):
    """More keys than one answer lists."""
    one = scratch / "one"
    one.write_bytes(b"1")
    place = server.address("many")
    for number in range(3):
        bucket.act(place, "put", f"{number}", one, env=server.environment())
    check(bucket.act(place, "list", env=server.environment()) == "0 1\n1 1\n2 1\n", "the store's prefix is in its keys")
    check("many/2" in server.keys(), "the object lies elsewhere")


def check_refused(server, scratch):
    told = server.act("list", status=REFUSED, AWS_SECRET_ACCESS_KEY="a wrong secret")
    check("SignatureDoesNotMatch" in told and "secret" not in told, told)
    told = server.act("list", status=REFUSED, AWS_ACCESS_KEY_ID="AKIAWRONG")
    check("InvalidAccessKeyId" in told and "AKIAWRONG" not in told, told)
    place = f"s3://other?endpoint={server.about['endpoint']}"
    check("NoSuchBucket" in bucket.act(place, "list", status=NOT_FOUND, env=server.environment()), "the bucket is there")
    told = server.act("list", status=REFUSED, AWS_ACCESS_KEY_ID="", HOME=str(scratch))
    check("there are no credentials for S3" in told, told)


def check_files(server, scratch):
    """Credentials and region of a profile in files."""
    place = scratch / ".aws"
    place.mkdir()
    (place / "credentials").write_text("[default]\naws_access_key_id = AKIAWRONG\naws_secret_access_key = x\n"
                                       f"[ours]\naws_access_key_id={server.about['id']}\n"
                                       f"aws_secret_access_key = {server.about['secret']}  \n")
    (place / "config").write_text(f"[profile ours]\nregion = {server.about['region']}\ns3 =\n  region = nowhere\n"
                                  f"endpoint_url = {server.about['endpoint']}\n[default]\nregion = us-west-2\n")
    without = {name: value for name, value in server.environment(HOME=str(scratch), AWS_PROFILE="ours").items()
               if name not in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION")}
    check("many/2" in bucket.act("s3://traces", "list", env=without), "the profile does not lead to the bucket")
    check("InvalidAccessKeyId" in bucket.act(server.address(), "list", status=REFUSED, env={**without, "AWS_PROFILE": "default"}),
          "another profile was taken")


def check_container(server, scratch):
    """Credentials from the address that a container's environment names."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append((self.path, self.headers["Authorization"]))
            body = json.dumps({"AccessKeyId": server.about["id"], "SecretAccessKey": server.about["secret"],
                               "Expiration": "2999-01-01T00:00:00Z"}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    container = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=container.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{container.server_port}/v2"
    told = server.act("list", AWS_ACCESS_KEY_ID="", HOME=str(scratch / "none"), AWS_CONTAINER_CREDENTIALS_FULL_URI=address,
                      AWS_CONTAINER_AUTHORIZATION_TOKEN="the token")
    check("many/2" in told and asked == [("/v2", "the token")], f"{told} {asked}")
    told = server.act("list", status=REFUSED, AWS_ACCESS_KEY_ID="", HOME=str(scratch / "none"),
                      AWS_CONTAINER_CREDENTIALS_FULL_URI="http://example.com/")
    check("there are no credentials" in told, "a strange address was asked")
    container.shutdown()


def check_commands(server, scratch):
    """Commands read a trace by its address, of a bucket or of a server that asks for no signature."""
    trace = scratch / "trace.ctrace"
    run(COROTRACER, "run", "-o", trace, "--", BUILD / "tests/targets/annotated", "serve", 2)
    server.act("put", "deep/trace.ctrace", trace)
    wanted = run(COROTRACER, "report", "--format", "json", trace).stdout
    address = f"s3://traces/deep/trace.ctrace?endpoint={server.about['endpoint']}"
    check(run(COROTRACER, "report", "--format", "json", address, env=server.environment()).stdout == wanted, "another report")
    told = run(COROTRACER, "report", address.replace("trace.ctrace", "none"), env=server.environment(), status=NOT_FOUND).stderr
    check("deep/none': the answer is 404: NoSuchKey" in told, told)

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=scratch))
    threading.Thread(target=web.serve_forever, daemon=True).start()
    place = f"http://127.0.0.1:{web.server_port}"
    check(run(COROTRACER, "report", "--format", "json", f"{place}/trace.ctrace?signature=hidden",
              env=server.environment()).stdout == wanted, "another report")
    told = run(COROTRACER, "info", f"{place}/none?signature=hidden", env=server.environment(), status=NOT_FOUND).stderr
    check("/none': the answer is 404" in told and "hidden" not in told, told)
    told = run(COROTRACER, "info", f"{place}/one?signature=hidden", env=server.environment(), status=5).stderr
    check(f"'{place}/one'" in told and "hidden" not in told, told)
    with subprocess.Popen([COROTRACER, "serve", "--listen", "localhost:0", address], stderr=subprocess.PIPE, text=True,
                          env=server.environment()) as serving:
        page = re.search(r"http://(\S+)/#token", serving.stderr.readline())
        connection = http.client.HTTPConnection(page[1])
        connection.request("GET", "/api/v1/trace")
        check(connection.getresponse().read() == trace.read_bytes(), "serve hands out another trace")
        serving.send_signal(signal.SIGINT)
    web.shutdown()


def check_many_traces(server, scratch):
    """A side of a comparison, or what is checked, are all traces of a prefix, or those whose keys are matched."""
    trace = scratch / "trace.ctrace"
    for key in ("shop/web-1/20260101/1.ctrace", "shop/web-2/20260101/2.ctrace", "shop/web-1/20260102/3.ctrace", "shop/db-1/20260101/4.ctrace"):
        server.act("put", key, trace)
    query = f"?endpoint={server.about['endpoint']}"

    def judged(place):
        told = run(COROTRACER, "check", "-f", "json", f"s3://traces/{place}{query}", "lost == 0", env=server.environment()).stdout
        return [re.search(r"([0-9])\.ctrace", one["subject"])[1] for one in json.loads(told)["traces"]]

    check(judged("shop/") == ["4", "1", "3", "2"], f"{judged('shop/')}")
    check(judged("shop/web-*/20260101/") == ["1", "2"], f"{judged('shop/web-*/20260101/')}")
    check(judged("shop/*/20260102/*") == ["3"], f"{judged('shop/*/20260102/*')}")
    page = json.loads(run(COROTRACER, "diff", "--format", "json", f"s3://traces/shop/*/20260101/{query}",
                          f"s3://traces/shop/*/20260102/{query}", env=server.environment()).stdout)
    check((page["runs_before"], page["runs_after"]) == (3, 1), f"{page}")
    told = run(COROTRACER, "diff", str(trace), f"s3://traces/none/{query}", env=server.environment(), status=NOT_FOUND).stderr
    check("'s3://traces/none/' has no trace" in told, told)


def check_failing(server, scratch):
    one = scratch / "one"
    server.tell("mode cut")
    told = server.act("get", "many/1", scratch / "back", status=2)
    check("again and again" in told, told)
    server.tell("mode busy")
    check("503" in server.act("put", "late", one, status=2), "it was stored")
    server.tell("mode good")
    server.tell("down")
    check("again and again" in server.act("put", "late", one, status=2), "it was stored")
    server.tell("up")
    server.act("put", "late", one)
    check(server.tell("puts")["late"] == 1, "it was stored more than once")


def main():
    with folder() as name, bucket.served() as server:
        scratch = pathlib.Path(name)
        check_contents(server, scratch)
        check_many(server, scratch)
        check_refused(server, scratch)
        check_files(server, scratch)
        check_container(server, scratch)
        check_commands(server, scratch)
        check_many_traces(server, scratch)
        check_failing(server, scratch)


if __name__ == "__main__":
    main()
