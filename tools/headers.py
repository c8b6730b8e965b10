# SPDX-License-Identifier: MIT
"""Reads the public headers as a manual: groups of functions, the explanation of each function, and the types that they
need.

A paragraph that begins with a function's name explains the function, and so does a sentence that begins with the name
after other functions' sentences. A group is a header; in ct.h, a group is the part below a heading of dashes. The
layout is the one that clang-format produces.
"""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBRARY = "libcorotracer"
INCLUDE = ROOT / "include/corotracer"
PROBE = ["ctp_probe.h", "ctp_probe_events.h", "ctp_probe_annotate.h", "ctp_probe_runtime.h", "ctp_flight.h"]

PARTS = re.compile(r"""
      ^(?P<inline>(?:CTP_INLINE|static\ inline)\s(?P<inline_head>[^;{]*?\([^{]*?\))\s*\n\{\n.*?^\}$)
    | ^(?P<declared>(?:CTP_COLD\ )?(?!typedef|return)[a-z][\w\s]*[\s*](?P<name>ctp?_\w+)\([^;{]*?\);)
    | ^(?P<type>(?:struct|enum)\s\w+\s\{.*?^\};|typedef\s[^;]*;)
    | ^(?P<forward>struct\s\w+;)
    | ^(?P<macro>\#define\s(?P<macro_name>\w+)(?:\\\n|[^\n])*)
    | ^/\*\ -{10,}\ (?P<heading>[^\n]*?)\ \*/$
    | ^(?P<comment>/\*.*?\*/)$
    | ^(?P<directive>\#[^\n]*)
    """, re.VERBOSE | re.MULTILINE | re.DOTALL)
LABEL = re.compile(r"(?:^|(?<=[.!?:] )|(?<=\n\n))((?:(?:ctp?_\w+(?:\([^)]*\))?|CTP_[A-Z]+\(\w+\))(?:, )?)+): ")
NOT_FOR_USERS = "Used by the inline functions"


class Function:
    def __init__(self, head, is_symbol):
        """`head`: the declaration up to its closing parenthesis."""
        words = " ".join(head.split())
        before, self.arguments = re.fullmatch(r"(.*?)\((.*)\)", words).groups()
        self.type, self.name = re.fullmatch(r"(?:CTP_COLD )?(.*?[\s*])(\w+)", before).groups()
        self.type = self.type.strip()
        self.is_symbol = is_symbol

    def parameters(self):
        return [one.strip() for one in self.arguments.split(",")]


class Group:
    def __init__(self, header, title):
        self.header = header
        self.title = title      # a phrase
        self.about = []         # paragraphs about the whole group, from comments that stand alone
        self.functions = []
        self.told = []          # comments that explain functions, in order: each [paragraph]
        self.macros = []        # names of macros that take arguments
        self.types = []         # the types as they are written, with the comment before each type

    def names(self):
        """The names that the group's page explains: the functions, and the macros that have an explanation."""
        explained = self.explained()
        return [function.name for function in self.functions] + [macro for macro in self.macros if macro in explained]

    def name(self):
        """The name of the group's page: for a part, the header's name; for a section of ct.h, its first function's
        name."""
        if self.header == "ct.h":
            return LIBRARY if self.about else self.functions[0].name
        return self.header[:-2] if self.header.startswith("ctp") else "ct_" + self.header[:-2]

    def explained(self):
        return {name for paragraphs in self.told for name in names_of(paragraphs)}


def paragraphs_of(comment):
    text = re.sub(r"(?m)^[ \t]*\*?[ \t]?", "", comment[2:-2])
    return [" ".join(one.split()) for one in re.split(r"\n\s*\n", text) if one.strip()]


def labelled(paragraph):
    """Returns [(names, text)] of a paragraph; text before the first label has no names."""
    pieces = LABEL.split(paragraph)
    yield from ([([], pieces[0])] if pieces[0] else [])
    for names, text in zip(pieces[1::2], pieces[2::2]):
        yield re.findall(r"(?:^|, )(\w+)", re.sub(r"\([^)]*\)", "", names)), text


def names_of(paragraphs):
    """The names that the paragraphs explain."""
    return [name for paragraph in paragraphs for names, _ in labelled(paragraph) for name in names]


def title_of(paragraph):
    """The phrase at the beginning of a header; after the library's name, if the header begins with that name."""
    phrase = re.split(r"[:.](?: |$)", paragraph.removeprefix(f"{LIBRARY}: "))[0]
    return phrase[0].lower() + phrase[1:]


def take(part, groups, pending):
    """Adds one part of a header to the group that is open; `pending` is the comment before the part."""
    group = groups[-1]
    if part["heading"]:
        groups.append(Group(group.header, part["heading"]))
    elif part["inline"]:
        group.functions.append(Function(part["inline_head"], is_symbol=False))
    elif part["declared"]:
        group.functions.append(Function(part["declared"].rstrip(";"), is_symbol=True))
    elif part["macro"] and part["macro"].startswith(f"#define {part['macro_name']}("):
        group.macros.append(part["macro_name"])
    elif part["type"] or part["macro"] and part["macro_name"].startswith("CT_"):
        group.types.append("\n".join(filter(None, [pending, part["type"] or part["macro"]])))


def settle(comment, part, group):
    """Decides where a comment before `part` belongs. Returns the comment if it belongs to the type that follows."""
    paragraphs = paragraphs_of(comment)
    if names_of(paragraphs):
        group.told.append(paragraphs)
    elif part and (part["comment"] or part["heading"]):
        group.about += paragraphs
    elif part and (part["type"] or part["macro"]):
        return comment
    return None


def read(header, are_sections_groups=False):
    """The groups of a header that have functions. The first group has the header's text about itself."""
    text = (INCLUDE / header).read_text(encoding="utf-8")
    comments = re.search(r"\A/\* SPDX[^\n]*\n(/\*.*?\*/)\n", text, re.DOTALL)
    about = paragraphs_of(comments[1])
    groups = [Group(header, title_of(about[0]))]
    groups[0].about = about
    parts = [part for part in PARTS.finditer(text, comments.end())
             if not part["heading"] or are_sections_groups]
    pending = None
    for part, following in zip(parts, parts[1:] + [None]):
        if part["comment"]:
            pending = settle(part["comment"], following, groups[-1])
        else:
            take(part, groups, pending)
            pending = None
    return [group for group in groups if group.functions]


def library():
    """The groups of ct.h, and of the headers that it includes: the interface of our own process."""
    included = re.findall(r'^#include "corotracer/(\w+\.h)"', (INCLUDE / "ct.h").read_text(encoding="utf-8"), re.MULTILINE)
    first, *sections = read("ct.h", are_sections_groups=True)
    return [first, *sections, *(group for header in included for group in read(header))]


def probe():
    """The groups of the probe that users call: the functions that other languages have, too, and the other functions
    that are explained and not inline."""
    table = (INCLUDE / "def/functions.def").read_text(encoding="utf-8")
    called = {"ctp_" + name for name in re.findall(r"^X\([^,]*, (\w+),", table, re.MULTILINE)}
    groups = [group for header in PROBE for group in read(header)]
    for group in groups:
        group.told = [told for told in group.told if not told[0].startswith(NOT_FOR_USERS)]
        explained = group.explained()
        group.functions = [one for one in group.functions if one.name in called or one.is_symbol and one.name in explained]
        names = set(group.names())
        group.told = [told for told in group.told if names & set(names_of(told))]
        group.types = []
    return groups


def unexplained(groups):
    """Yields a sentence for each function that no comment explains."""
    for group in groups:
        explained = group.explained()
        yield from (f"include/corotracer/{group.header}: no comment explains {function.name}: one has to begin with its name"
                    for function in group.functions if function.name not in explained)


def symbols(version_script):
    """The names that a version script lists, one by one."""
    return re.findall(r"^\t(\w+);", version_script.read_text(encoding="utf-8"), re.MULTILINE)
