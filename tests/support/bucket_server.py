# SPDX-License-Identifier: MIT
"""A server for S3 on this machine: moto's, in this process, which refuses requests whose signature is not right.

Prints one line of JSON with its endpoint, the bucket, and the credentials. Then it obeys lines on standard input, and
answers each with a line of JSON: "down" and "up" take it off the network and bring it back, with all that it holds;
"mode MODE" makes it answer as it should (good), with 503 (busy), with half of each object (cut), or after the client
has given up (silent); "puts" lists how often each key was stored; "parts" counts the uploads that were not ended.
"""
import json
import logging
import sys
import threading

import boto3
from moto import settings
from moto.core.authorization import ActionAuthenticatorMixin
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

BUCKET = "traces"
REGION = "eu-central-1"
ALLOWED = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}


class Failing:
    """The application, with what goes wrong between it and its clients."""

    def __init__(self):
        self.inner = DomainDispatcherApplication(create_backend_app)
        self.mode = "good"
        self.puts = {}
        self.released = threading.Event()

    def __call__(self, environ, start):
        if self.mode == "busy":
            start("503 Slow Down", [("Content-Length", "0")])
            return [b""]
        if self.mode == "silent":
            self.released.wait()
        said = []
        body = b"".join(self.inner(environ, lambda status, headers, *more: said.extend((status, headers))))
        status, headers = said
        if environ["REQUEST_METHOD"] == "PUT" and status.startswith("200"):
            key = environ["PATH_INFO"].removeprefix(f"/{BUCKET}/")
            self.puts[key] = self.puts.get(key, 0) + 1
        if self.mode == "cut" and environ["REQUEST_METHOD"] == "GET":
            body = body[:len(body) // 2]
        start(status, headers)
        return [body]


class Quiet(WSGIRequestHandler):
    def log(self, *_):
        pass


class Server:
    def __init__(self):
        self.application = Failing()
        self.port = 0
        self.serving = None
        self.up()

    def up(self):
        self.serving = make_server("127.0.0.1", self.port, self.application, threaded=True, request_handler=Quiet)
        self.port = self.serving.server_port
        threading.Thread(target=self.serving.serve_forever, daemon=True).start()

    def down(self):
        self.serving.shutdown()
        self.serving.server_close()

    def client(self, service, identity="any", secret="any"):
        return boto3.client(service, endpoint_url=f"http://127.0.0.1:{self.port}", region_name=REGION,
                            aws_access_key_id=identity, aws_secret_access_key=secret)

    def prepare(self):
        """Makes the bucket, and a user who may use it; from then on signatures count."""
        users = self.client("iam")
        users.create_user(UserName="agent")
        users.put_user_policy(UserName="agent", PolicyName="all", PolicyDocument=json.dumps(ALLOWED))
        key = users.create_access_key(UserName="agent")["AccessKey"]
        self.client("s3").create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
        ActionAuthenticatorMixin.request_count = 0
        settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
        self.own = self.client("s3", key["AccessKeyId"], key["SecretAccessKey"])
        return {"endpoint": f"http://127.0.0.1:{self.port}", "bucket": BUCKET, "region": REGION,
                "id": key["AccessKeyId"], "secret": key["SecretAccessKey"]}

    def obey(self, line):
        word, _, value = line.strip().partition(" ")
        if word in ("up", "down"):
            getattr(self, word)()
        elif word == "mode":
            self.application.mode = value
            if value == "silent":
                self.application.released.clear()
            else:
                self.application.released.set()
        elif word == "puts":
            return self.application.puts
        elif word == "parts":
            return len(self.own.list_multipart_uploads(Bucket=BUCKET).get("Uploads", []))
        return None


def main():
    logging.disable(logging.CRITICAL)
    server = Server()
    print(json.dumps(server.prepare()), flush=True)
    for line in sys.stdin:
        print(json.dumps(server.obey(line)), flush=True)


if __name__ == "__main__":
    main()
