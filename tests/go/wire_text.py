# SPDX-License-Identifier: MIT
"""Go traces as text, to be written by hand: the form that `go tool trace -d=wire` prints, and back.

The first line is `Trace Go1.26`. Then follows a line for each batch and event: its name, and ARGUMENT=VALUE for each
argument, in any order; an argument that is left out is 0. If a batch's `size` is left out, it is computed. A stack's
frames, and a string's data, are on the following lines. `#` begins a comment. Negative numbers are taken as 64-bit
numbers: m=-1 is no thread.
Names and arguments are those of src/gotrace/wire.def.
"""
import ast
import pathlib
import re

WIRE = pathlib.Path(__file__).resolve().parents[2] / "src/gotrace/wire.def"
TIMED = {name: (int(number), ["dt", *arguments.split()]) for number, name, arguments in re.findall(
    r'^X\(\w+, (\d+), \d+, "(\w+)", \w+, \d+, "(.*)"\)$', WIRE.read_text(encoding="utf-8"), re.MULTILINE)}
PLAIN = {"Stacks": (2, []), "Stack": (3, ["id", "nframes"]), "Strings": (4, []), "String": (5, ["id"]), "CPUSamples": (6, []),
         "CPUSample": (7, ["time", "m", "p", "g", "stack"]), "Frequency": (8, ["freq"]), "Sync": (50, []),
         "ClockSnapshot": (51, ["dt", "mono", "sec", "nsec"])}
ENTRIES = TIMED | PLAIN
NAMES = {number: (name, arguments) for name, (number, arguments) in ENTRIES.items()}
FRAME = ["pc", "func", "file", "line"]
HEAD = ["gen", "m", "time"]
BATCH, EXPERIMENTAL, END = 1, 49, 52


def number(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def numbers(names, values):
    return b"".join(number(values.get(name, 0)) for name in names)


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    def take(self, count):
        self.at += count
        return self.data[self.at - count:self.at]


# -------------------------------------------------------------- text to bytes

def values_of(words):
    return {key: int(value, 0) for key, value in (word.split("=", 1) for word in words)}


def data_of(line):
    """Returns the bytes of `data="..."`: backslashes as in a Python literal, which with few exceptions are those of
    Go."""
    return ast.literal_eval("b" + line.split("=", 1)[1]) if line.isascii() else line.split('"')[1].encode()


class Assembler:
    def __init__(self):
        self.out, self.head, self.payload = bytearray(), None, bytearray()

    def end_batch(self):
        if self.head is not None:
            kind, values = self.head
            self.out += bytes([BATCH] if kind == "EventBatch" else [EXPERIMENTAL, values.get("exp", 0)])
            self.out += numbers(HEAD, values) + number(values.get("size", len(self.payload))) + self.payload
        self.head, self.payload = None, bytearray()

    def line(self, name, words):
        if name.startswith("data="):
            data = data_of(" ".join([name, *words]))
            self.payload += (number(len(data)) if self.head[0] == "EventBatch" else b"") + data
        elif name.startswith("pc="):
            self.payload += numbers(FRAME, values_of([name, *words]))
        elif name in ("EventBatch", "ExperimentalBatch"):
            self.end_batch()
            self.head = name, values_of(words)
        elif name == "EndOfGeneration":
            self.end_batch()
            self.out.append(END)
        else:
            kind, arguments = ENTRIES[name]
            self.payload += bytes([kind]) + numbers(arguments, values_of(words))


def assemble(text):
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]
    assembler = Assembler()
    assembler.out += f"go 1.{lines[0].rsplit('.', 1)[1]} trace\0\0\0".encode()
    for line in lines[1:]:
        words = [line] if line.startswith("data=") else line.split(" #")[0].split()
        assembler.line(words[0], words[1:])
    assembler.end_batch()
    return bytes(assembler.out)


# -------------------------------------------------------------- bytes to text

def entry_text(payload):
    name, arguments = NAMES[payload.take(1)[0]]
    values = {argument: payload.number() for argument in arguments}
    lines = [" ".join([name, *(f"{key}={value}" for key, value in values.items())])]
    if name == "Stack":
        for _ in range(values["nframes"]):
            lines.append("\t" + " ".join(f"{key}={payload.number()}" for key in FRAME))
    elif name == "String":
        data = "".join(f"\\x{byte:02x}" for byte in payload.take(payload.number()))
        lines.append(f'\tdata="{data}"')
    return lines


def batch_text(kind, values, payload):
    head = " ".join(f"{key}={value}" for key, value in values.items())
    if kind == EXPERIMENTAL:
        data = "".join(f"\\x{byte:02x}" for byte in payload)
        return [f"ExperimentalBatch {head}", f'\tdata="{data}"']
    lines, entries = [f"EventBatch {head}"], Bytes(payload)
    while entries.at < len(payload):
        lines += entry_text(entries)
    return lines


def batches(data):
    """Yields (kind, head, payload) of each batch, in the order of the file; kind END has neither."""
    rest = Bytes(data[16:])
    while rest.at < len(rest.data):
        kind = rest.take(1)[0]
        values = {"exp": rest.take(1)[0]} if kind == EXPERIMENTAL else {}
        if kind == END:
            yield kind, {}, b""
            continue
        values |= {key: rest.number() for key in HEAD}
        yield kind, values, rest.take(rest.number())


def disassemble(data):
    lines = [f"Trace Go{data[3:7].decode()}"]
    for kind, values, payload in batches(data):
        lines += ["EndOfGeneration"] if kind == END else batch_text(kind, values, payload)
    return "\n".join(lines) + "\n"
