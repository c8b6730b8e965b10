# SPDX-License-Identifier: MIT
"""The public headers as what they are, the manual: groups of functions, what is said of each, and the types they need.

A function is explained by a paragraph that begins with its name, or by a sentence that does, behind others'. A group is
a header; in ct.h it is what stands under a heading of dashes. Layout is what clang-format leaves.
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
        self.about = []         # paragraphs of the whole group, of comments that stand alone
        self.functions = []
        self.told = []          # comments that explain functions, in order: each [paragraph]
        self.macros = []        # names of those that take arguments
        self.types = []         # as they stand, with the comment before each

    def names(self):
        """What its page is about: the functions, and the macros that are explained."""
        explained = self.explained()
        return [function.name for function in self.functions] + [macro for macro in self.macros if macro in explained]

    def name(self):
        """Of its page: a part's header names it, a section of ct.h its first function."""
        if self.header == "ct.h":
            return LIBRARY if self.about else self.functions[0].name
        return self.header[:-2] if self.header.startswith("ctp") else "ct_" + self.header[:-2]

    def explained(self):
        return {name for paragraphs in self.told for name in names_of(paragraphs)}


def paragraphs_of(comment):
    text = re.sub(r"(?m)^[ \t]*\*?[ \t]?", "", comment[2:-2])
    return [" ".join(one.split()) for one in re.split(r"\n\s*\n", text) if one.strip()]


def labelled(paragraph):
    """[(names, text)] of a paragraph; what stands before the first label has no names."""
    pieces = LABEL.split(paragraph)
    yield from ([([], pieces[0])] if pieces[0] else [])
    for names, text in zip(pieces[1::2], pieces[2::2]):
        yield re.findall(r"(?:^|, )(\w+)", re.sub(r"\([^)]*\)", "", names)), text


def names_of(paragraphs):
    """What is explained in them."""
    return [name for paragraph in paragraphs for names, _ in labelled(paragraph) for name in names]


def title_of(paragraph):
    """The phrase that a header begins with; where it begins with the library's name, the one behind that."""
    phrase = re.split(r"[:.](?: |$)", paragraph.removeprefix(f"{LIBRARY}: "))[0]
    return phrase[0].lower() + phrase[1:]


def take(part, groups, pending):
    """One part of a header goes into the group that is open; `pending` is the comment before it."""
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
    """Where a comment belongs that stands before `part`. Returns it where it goes with the type that follows."""
    paragraphs = paragraphs_of(comment)
    if names_of(paragraphs):
        group.told.append(paragraphs)
    elif part and (part["comment"] or part["heading"]):
        group.about += paragraphs
    elif part and (part["type"] or part["macro"]):
        return comment
    return None


def read(header, are_sections_groups=False):
    """The groups of a header that have functions. The first one has what the header says of itself."""
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
    """The groups of ct.h, and of the headers that it includes: those of our own process."""
    included = re.findall(r'^#include "corotracer/(\w+\.h)"', (INCLUDE / "ct.h").read_text(encoding="utf-8"), re.MULTILINE)
    first, *sections = read("ct.h", are_sections_groups=True)
    return [first, *sections, *(group for header in included for group in read(header))]


def probe():
    """Of the probe what users call: what other languages have, too, and what is explained of the rest and not inline."""
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
    """A sentence for each function that no comment explains."""
    for group in groups:
        explained = group.explained()
        yield from (f"include/corotracer/{group.header}: no comment explains {function.name}: one has to begin with its name"
                    for function in group.functions if function.name not in explained)


def symbols(version_script):
    """The names that a version script lists, one by one."""
    return re.findall(r"^\t(\w+);", version_script.read_text(encoding="utf-8"), re.MULTILINE)
