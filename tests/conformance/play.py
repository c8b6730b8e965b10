# SPDX-License-Identifier: MIT
"""Plays the script to a probe, as an engine with a clock of its own would, and reads what the probe leaves."""
import array
import mmap
import os
import re
import socket
import struct
import subprocess

TIME_LIMIT = 60
RECORD = struct.Struct("<QQQQ")
CHUNK_BYTES, CHUNK_RECORDS, RING_CHUNKS = 65536, 2048, 256


class Layout:
    """The offsets of the fields, from the C compiler by way of tools/make-layout."""

    def __init__(self, text):
        self.places = {}
        module = None
        for line in text.splitlines():
            name = re.match(r"pub mod (\w+) {", line)
            module = name.group(1) if name else module
            field = re.match(r"    pub const (\w+): (Word|Half|Bytes) = \w+::at\((\d+)\);", line)
            size = re.match(r"    pub const BYTES: usize = (\d+);", line)
            if field:
                self.places[f"{module}.{field.group(1).lower()}"] = int(field.group(3)), field.group(2)
            elif size:
                self.places[module] = int(size.group(1)), "Bytes"

    def place(self, field):
        return self.places[field][0]

    def form(self, field):
        return {"Word": "<Q", "Half": "<I"}[self.places[field][1]]


class Segment:
    """The memory that a probe has sent."""

    def __init__(self, layout, descriptor):
        self.layout = layout
        self.memory = mmap.mmap(descriptor, os.fstat(descriptor).st_size)
        os.close(descriptor)

    def get(self, field, base=0):
        return struct.unpack_from(self.layout.form(field), self.memory, base + self.layout.place(field))[0]

    def put(self, field, value, base=0):
        struct.pack_into(self.layout.form(field), self.memory, base + self.layout.place(field), value)

    def order(self, name, value):
        self.put(f"orders.{name}", value, self.get("header.orders_offset"))

    def ring(self, index):
        return self.get("header.ring_offset") + index * self.layout.place("ring")

    def bytes(self, begin, length):
        return bytes(self.memory[begin:begin + length])

    def masked(self):
        """Returns what must be equal, by name. What differs between two runs of one program is left out."""
        header = bytearray(self.bytes(0, self.layout.place("header")))
        for field, length in (("pid", 8), ("clock_counter", 8), ("clock_monotonic_ns", 8), ("clock_realtime_ns", 8),
                              ("identity", 16)):
            begin = self.layout.place(f"header.{field}")
            header[begin:begin + length] = bytes(length)
        yield "header", bytes(header)
        yield "orders", self.bytes(self.get("header.orders_offset"), self.layout.place("orders"))
        for index in range(self.get("header.rings_used")):
            yield f"ring {index}", self.masked_ring(index)
        sites = self.get("header.site_offset")
        for site in range(self.get("header.sites_used")):
            yield f"site {site}", self.bytes(sites + 32 * site, 32)
        yield "names", self.bytes(self.get("header.name_offset"), self.get("header.names_used"))
        for chunk in range(self.get("header.chunks_used")):
            yield from self.masked_chunk(chunk)

    def masked_ring(self, index):
        ring = bytearray(self.bytes(self.ring(index), self.layout.place("ring")))
        owner = self.layout.place("ring.owner")
        ring[owner:owner + 4] = bytes(4) if not any(ring[owner:owner + 4]) else b"tid."
        return bytes(ring)

    def masked_chunk(self, chunk):
        begin = self.get("header.chunk_offset") + chunk * CHUNK_BYTES
        for number, record in enumerate(RECORD.iter_unpack(self.bytes(begin, CHUNK_BYTES))):
            kind = record[3] >> 32 & 255
            is_thread = kind in (40, 41)  # thread-start, thread-stop: the object is the kernel's id
            yield f"chunk {chunk} record {number}", (*record[:2], 0 if is_thread else record[2], record[3])


def listen(name):
    server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server.bind("\0" + name)
    server.listen(1)
    server.settimeout(TIME_LIMIT)
    return server


def take_descriptor(server):
    with server, server.accept()[0] as peer:
        numbers = array.array("i")
        _, told, *_ = peer.recvmsg(64, socket.CMSG_LEN(4))
        for level, kind, data in told:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                numbers.frombytes(data[:4])
    return numbers[0]


def play_own(segment, words):
    if words[0] == "@time":
        segment.order("coarse_time", int(words[1], 0))
    elif words[0] == "@order":
        segment.order(words[1], int(words[2], 0))
    elif words[0] == "@drain":
        segment.put("ring.tail", int(words[2], 0), segment.ring(int(words[1], 0)))
    else:
        raise ValueError(f"script: {words[0]} is not known")


def play_line(segment, player, line):
    """Plays one line: a line that begins with @ is executed here, any other line by the player, which answers."""
    words = line.split()
    if not words or words[0].startswith("#"):
        return
    if words[0].startswith("@"):
        play_own(segment, words)
        return
    orders = segment.get("header.orders_offset")
    segment.put("orders.coarse_time", segment.get("orders.coarse_time", orders) + 1, orders)
    player.stdin.write(line + "\n")
    player.stdin.flush()
    answer = player.stdout.readline()
    if answer != "ok\n":
        raise RuntimeError(f"'{line}' was answered by '{answer.strip()}'")


def play(program, script, layout):
    """Plays the script to the program, and returns what it leaves: a dict by the part's name."""
    name = f"corotracer-conformance-{os.getpid()}-{os.path.basename(program)}"
    environment = dict(os.environ, COROTRACER_SOCKET=name, COROTRACER_CLOCK="coarse")
    server = listen(name)
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env=environment) as player:
        segment = Segment(layout, take_descriptor(server))
        segment.order("coarse_time", 1_000_000)
        for line in script.splitlines():
            play_line(segment, player, line)
        player.stdin.close()
        if player.wait(TIME_LIMIT) != 0:
            raise RuntimeError(f"{program} ended with {player.returncode}")
    return dict(segment.masked())


def difference(one, other):
    """Says in words the first part in which two segments differ; None: they are equal."""
    for part in [*one, *(part for part in other if part not in one)]:
        if one.get(part) != other.get(part):
            return f"{part}: {told(one.get(part), other.get(part))}"
    return None


def told(one, other):
    """Returns the first differing words of two parts of bytes or records."""
    if one is None or other is None:
        return f"{'the second one' if other is None else 'the first one'} has none"
    if isinstance(one, tuple):
        return f"{' '.join(f'{word:#x}' for word in one)}, and {' '.join(f'{word:#x}' for word in other)}"
    at = next((at for at in range(0, len(one), 8) if one[at:at + 8] != other[at:at + 8]), len(one))
    return f"at byte {at} {one[at:at + 8].hex(' ')}, and {other[at:at + 8].hex(' ')}"
