# SPDX-License-Identifier: MIT
#
# Tests the example server by itself, untraced: what it answers, how connections end, how it ends, and that the planted
# fault drops exactly the coroutines whose connections were reset. The only argument is the folder that holds the
# programs.
import json
import os
import re
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

PROGRAMS = sys.argv.pop()
PATIENCE_SECONDS = 60


def program(name):
    return os.path.join(PROGRAMS, name)


class Server:
    """A running server. `arguments` are passed on unchanged; `descriptors` limits the number of its descriptors."""

    def __init__(self, *arguments, name="example-tcp-server", descriptors=None):
        self.log = tempfile.NamedTemporaryFile("r", prefix="tcp-server-", suffix=".log")
        self.process = subprocess.Popen(
            [program(name), "--log", self.log.name, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment(),
            preexec_fn=lambda: self.limit(descriptors),
        )
        first = self.process.stdout.readline()
        match = re.fullmatch(r"listening on 127\.0\.0\.1:(\d+)\n", first)
        if match is None:
            self.process.kill()
            raise AssertionError(f"first line is {first!r}; {self.process.stderr.read()}")
        self.port = int(match[1])

    @staticmethod
    def environment():
        # A stuck coroutine's frame is never freed: that is the planted fault, and not a failure of this test.
        options = os.environ.get("ASAN_OPTIONS", "")
        return {**os.environ, "ASAN_OPTIONS": options + ":detect_leaks=0"}

    @staticmethod
    def limit(descriptors):
        if descriptors is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_SECONDS)

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)
        return self.finish()

    def finish(self):
        """Waits for the end; returns the exit status and the output on standard error."""
        _, said = self.process.communicate(timeout=PATIENCE_SECONDS)
        return self.process.returncode, said

    def lines(self, what):
        """Returns the log's lines that begin with that word, as a list of dictionaries."""
        with open(self.log.name) as log:
            words = [line.split() for line in log]
        return [dict(pair.split("=") for pair in line[1:]) for line in words if line[0] == what]


def receive_to_end(connection):
    received = b""
    while block := connection.recv(65536):
        received += block
    return received


class SelfLoad(unittest.TestCase):
    def run_load(self, name, connections, resets, *arguments):
        server = Server("--self-load", f"{connections}:{resets}", *arguments, name=name)
        status, said = server.finish()
        self.assertEqual(status, 0, said)
        self.assertEqual(len(server.lines("accepted")), connections)
        return server, said

    def test_correct_build_ends_every_connection(self):
        for connections, resets, workers in ((50, 47, 2), (50, 50, 1), (50, 0, 3), (400, 300, 4)):
            with self.subTest(connections=connections, resets=resets, workers=workers):
                server, said = self.run_load(
                    "example-tcp-server", connections, resets, "--workers", str(workers)
                )
                self.assertIn(f"{connections} connections accepted, 0 still open", said)
                self.assertEqual(len(server.lines("finished")), connections)
                self.assertEqual(server.lines("dropped"), [])

    def test_fault_drops_exactly_the_reset_connections(self):
        for connections, resets in ((50, 47), (61, 23), (10, 0)):
            with self.subTest(connections=connections, resets=resets):
                server, said = self.run_load(
                    "example-tcp-server-fault-a", connections, resets, "--exit-after-idle", "0.3"
                )
                self.assertIn(f"{connections} connections accepted, {resets} still open", said)
                self.assertEqual(len(server.lines("finished")), connections - resets)
                dropped = server.lines("dropped")
                self.assertEqual(len(dropped), resets)
                accepted = {line["fd"] for line in server.lines("accepted")}
                self.assertLessEqual({line["fd"] for line in dropped}, accepted)
                for line in dropped:
                    self.assertNotEqual(int(line["worker"]), server.process.pid)


    def test_fault_under_reuse_of_descriptors(self):
        server = Server(name="example-tcp-server-fault-a")
        for _ in range(3):
            subprocess.run(
                [program("example-tcp-load"), "--port", str(server.port)]
                + ["--connections", "10", "--resets", "7"],
                check=True,
                timeout=PATIENCE_SECONDS,
            )
        status, said = server.terminate()
        self.assertEqual(status, 0, said)
        self.assertIn("30 connections accepted, 21 still open", said)
        dropped = server.lines("dropped")
        self.assertEqual(len(dropped), 21)
        # The kernel hands out the lowest free number, so the same numbers occur repeatedly.
        self.assertLess(len({line["fd"] for line in dropped}), 21)


class Serving(unittest.TestCase):
    def setUp(self):
        self.server = Server()

    def tearDown(self):
        status, said = self.server.terminate()
        self.assertEqual(status, 0, said)
        self.assertIn(" 0 still open", said)
        self.assertEqual(
            len(self.server.lines("finished")), len(self.server.lines("accepted"))
        )

    def test_lines_in_pieces_and_many_at_once(self):
        with self.server.connect() as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for piece in (b"one\ntw", b"o\n", b"three and \xc3\xa4", b"\nfo", b"ur"):
                connection.sendall(piece)
            connection.shutdown(socket.SHUT_WR)
            # A text without an end of line is not a line, and gets no answer.
            self.assertEqual(receive_to_end(connection), b"ONE\nTWO\nTHREE AND \xc3\xa4\n")

    def test_line_too_long_ends_the_connection(self):
        with self.server.connect() as connection:
            connection.sendall(b"x" * 4096)
            self.assertEqual(receive_to_end(connection), b"")

    def test_peer_that_reads_late(self):
        text = b"some text for a line\n" * 1000000
        with self.server.connect() as connection:
            # The client reads nothing until all buffers on the way are full: the server waits in a write.
            sent = self.send_while_it_goes(connection, text)
            self.assertLess(sent, len(text))
            sender = threading.Thread(target=self.send_to_end, args=(connection, text[sent:]))
            sender.start()
            self.assertEqual(receive_to_end(connection), text.upper())
            sender.join()

    @staticmethod
    def send_while_it_goes(connection, text):
        view = memoryview(text)
        sent = 0
        while sent < len(text) and select.select([], [connection], [], 0.5)[1]:
            sent += connection.send(view[sent : sent + 65536])
        return sent

    @staticmethod
    def send_to_end(connection, text):
        connection.sendall(text)
        connection.shutdown(socket.SHUT_WR)

    def test_many_connections_one_after_the_other(self):
        for _ in range(200):
            with self.server.connect() as connection:
                connection.sendall(b"again\n")
                self.assertEqual(connection.recv(100), b"AGAIN\n")

    def test_signal_ends_open_connections(self):
        # tearDown sends the signal, and checks that all of them have ended.
        load = subprocess.Popen(
            [program("example-tcp-load"), "--port", str(self.server.port)]
            + ["--connections", "20", "--resets", "5", "--hold"],
            stdout=subprocess.PIPE,
            text=True,
        )
        self.assertEqual(load.stdout.readline(), "holding\n")
        self.addCleanup(load.stdout.close)
        self.addCleanup(load.wait)
        self.addCleanup(load.terminate)

    def test_benchmark_prints_figures(self):
        load = subprocess.run(
            [program("example-tcp-load"), "--port", str(self.server.port)]
            + ["--connections", "8", "--duration", "0.3"],
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE_SECONDS,
        )
        figures = json.loads(load.stdout)
        self.assertEqual(figures["connections"], 8)
        self.assertGreaterEqual(figures["requests"], 8)
        self.assertLessEqual(figures["latency_p50_us"], figures["latency_p99_us"])


class Ending(unittest.TestCase):
    def test_after_so_many_connections(self):
        server = Server("--connections", "3")
        for _ in range(3):
            with server.connect() as connection:
                connection.sendall(b"line\n")
                self.assertEqual(connection.recv(100), b"LINE\n")
        status, said = server.finish()
        self.assertEqual(status, 0)
        self.assertIn("3 connections accepted, 0 still open", said)

    def test_after_idle_with_a_connection_open(self):
        server = Server("--connections", "1", "--exit-after-idle", "0.1")
        with server.connect() as connection:
            connection.sendall(b"line\n")
            status, said = server.finish()
            # The correct build ends such a connection normally.
            self.assertEqual(receive_to_end(connection), b"LINE\n")
        self.assertEqual(status, 0)
        self.assertIn("1 connections accepted, 0 still open", said)

    def test_failing_load_is_told(self):
        server = Server("--self-load", "100:0", descriptors=32)
        status, said = server.finish()
        self.assertEqual(status, 1)
        self.assertIn("example-tcp-load: ", said)

    def test_interrupt(self):
        server = Server()
        server.process.send_signal(signal.SIGINT)
        self.assertEqual(server.finish()[0], 0)

    def test_out_of_descriptors(self):
        server = Server(descriptors=32)
        crowd = [server.connect() for _ in range(60)]
        # All connections are tested before any is closed, because each one that ends makes room for one that waits.
        shed = sum(self.is_shed(connection) for connection in crowd)
        for connection in crowd:
            connection.close()
        self.assertGreaterEqual(shed, 60 - 32)
        self.assertLess(shed, 60)
        # The connections that ended made room.
        while True:
            with server.connect() as connection:
                if not self.is_shed(connection):
                    break
        self.assertEqual(server.terminate()[0], 0)

    @staticmethod
    def is_shed(connection):
        try:
            connection.sendall(b"line\n")
            return connection.recv(100) != b"LINE\n"
        except (ConnectionResetError, BrokenPipeError):
            return True


class Options(unittest.TestCase):
    def test_what_makes_no_sense_is_refused(self):
        for name, *arguments in (
            ("example-tcp-server", "--port", "65536"),
            ("example-tcp-server", "--workers", "0"),
            ("example-tcp-server", "--self-load", "50"),
            ("example-tcp-server", "--self-load", "10:11"),
            ("example-tcp-server", "--exit-after-idle", "soon"),
            ("example-tcp-server", "--unknown"),
            ("example-tcp-server", "word"),
            ("example-tcp-load",),
            ("example-tcp-load", "--port", "1", "--connections", "1", "--resets", "2"),
        ):
            with self.subTest(name=name, arguments=arguments):
                refused = subprocess.run(
                    [program(name), *arguments], capture_output=True, text=True, timeout=60
                )
                self.assertEqual(refused.returncode, 2)
                self.assertNotEqual(refused.stderr, "")

    def test_file_that_can_not_be_made(self):
        refused = subprocess.run(
            [program("example-tcp-server"), "--log", "/no/such/folder/log"],
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual(refused.returncode, 1)
        self.assertIn("/no/such/folder/log", refused.stderr)


if __name__ == "__main__":
    unittest.main()
