# SPDX-License-Identifier: MIT
"""Tests that each check of the sources can fail: in a copy of the sources, one thing at a time is made wrong, and the
check names it."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
COPIED = ("src", "include", "tools", "cli", "examples", "web", "docs", "ARCHITECTURE.md", "CONTRIBUTING.md", "STYLE.md",
          "CHANGELOG.md", "debian", "build.zig.zon", "meson.build")
LINKED = ("sdk", "tests")  # nothing is made wrong in these

# The check, a file, the appended text, and what the check then says.
WRONGS = [
    ("layers", "src/base/map.c", '#include "store/store.h"\n', "'base' may not use 'store' (store/store.h)"),
    ("layers", "src/stream/stream.h", '#include "model/model.h"\n', "'stream' may not use 'model' (model/model.h)"),
    ("layers", "src/store/read.c", '#include "window.h"\n', "includes 'window.h', which no layer has"),
    ("layers", "src/LAYERS", "attic\n", "src/LAYERS names 'attic', which does not exist"),
    ("layers", "cli/main.c", '#include "base/map.h"\n', "the command line may not use 'base/map.h'"),
    ("layers", "cli/mcp/json.c", '#include "say.h"\n', "the command line may not use 'say.h'"),
    ("layers", "examples/attic.c", '#include "store/store.h"\n', "a program that is traced may not use 'store/store.h'"),
    ("names", "src/store/store.h", "int open_sesame(void);\n", "open_sesame begins with none of store"),
    ("names", "src/base/map.h", "int drawer_open(void);\n", "drawer_open begins with none of base, map"),
    ("names", "src/store/store_attic.h", "", "src/store/store_attic.h repeats the name of its folder"),
    ("names", "src/store/attic.h", "#ifndef ATTIC_H\n#endif\n", "its guard is ATTIC_H, not STORE_ATTIC_H"),
    ("names", "src/store/stream.h", "", "stream.h is a header of store and of stream"),
    ("names", "tools/names.allow", "attic.h: gone\n", "'attic.h' is no exception"),
    ("names", "src/store/store.h", "int store_sesame(void);\n", "store_sesame is used by no file but its own"),
    ("architecture", "src/LAYERS", "attic\n", "ARCHITECTURE.md has no row for src/attic"),
    ("architecture", "src/LAYERS", "attic\n", "docs/design: no page is about src/attic"),
    ("architecture", "src/render/facts.c", '#include "symbol/symbol.h"\n', "src/symbol is used by render, too"),
    ("architecture", "ARCHITECTURE.md", "| 99 | `no_such` | `src/model/model.c` | |\n", "src/model/model.c has no no_such"),
    ("fields", "include/corotracer/report.h", "struct ct_await {\n\tuint64_t id;\n\tuint64_t attic;\n};\n",
     "does not tell attic of struct ct_await"),
    ("links", "STYLE.md", "\n[nowhere](attic.md)\n", "leads to 'attic.md': nothing is there"),
    ("links", "STYLE.md", "\n[nowhere](docs/page.md#attic)\n", "leads to 'docs/page.md#attic': no such heading"),
    ("links", "docs/attic.md", "# Attic\n", "docs/README.md does not lead to docs/attic.md"),
    ("commands", "docs/costs.md", "`corotracer attic`\n", "there is no command 'attic'"),
    ("commands", "cli/commands.def", 'C(ATTIC, "attic", ASK, "", "", "", "")\n', "docs/README.md does not name 'corotracer attic'"),
    ("palette", "web/app/page.css", ":root {\n\t--state-ready: #1d7a4c;\n}\n", "state-ready #1d7a4c are 0.0 apart"),
    ("palette", "src/render/picture_style.c", "/* --running: #123456; */\n", "running has the colours"),
    ("prose", "src/base/map.h", "/* Who asks is told. */\n", "no sentence begins with 'Who'"),
    ("prose", "STYLE.md", "\nA map grows. It never shrinks.\n", "no sentence begins with 'It'"),
    ("prose", "STYLE.md", "\nA map can not shrink.\n", "write 'cannot'"),
    ("prose", "STYLE.md", "\nWhat one has that another wants, whoever it is, none of them may lose.\n", "too many pronouns"),
    ("rules", "docs/spec/http-api.md", "\n- **H-" "999** Nothing tests this.\n", "H-" "999: no test cites it"),
    ("rules", "docs/spec/http-api.md", "\n- **H-20** A second one.\n", "H-20: 2 rules of docs/spec have this number"),
    ("symbols", "include/corotracer/error.h", "/* ct_attic: an attic. */\nint ct_attic(void);\n", "map lacks ct_attic: programs"),
    ("symbols", "include/corotracer/error.h", "int ct_attic(void);\n", "no comment explains ct_attic"),
    ("symbols", "src/lib/corotracer.map", "\tct_attic;\n", "corotracer.map has ct_attic, which no public header declares"),
    ("versions", "include/corotracer/ctp.h", "#define CTP_VERSION 3u\n", "ctp.h: says PROTOCOL ['2', '3']"),
    ("architecture", "CONTRIBUTING.md", "`tools/check-nothing`\n", "CONTRIBUTING.md names tools/check-nothing"),
]

# Tools that work on their arguments, and say so if there are none.
TOLD = ("check-man", "embed-files", "list-system-calls", "make-man3")


def asks(tool):
    told = subprocess.run([sys.executable, SOURCE / "tools" / tool], capture_output=True, text=True, check=False)
    return told.returncode == 1 and told.stderr.startswith(f"{tool}: name ") and told.stderr.count("\n") == 1


def check(root, name):
    return subprocess.run([sys.executable, root / "tools" / f"check-{name}"], capture_output=True, text=True, check=False)


def copy_house(root):
    for name in COPIED:
        (shutil.copytree if (SOURCE / name).is_dir() else shutil.copy)(SOURCE / name, root / name)
    for name in LINKED:
        (root / name).symlink_to(SOURCE / name)


def put_wrong(root, name, path, appended, words):
    """Returns whether the check fails, and says so."""
    place = root / path
    before = place.read_bytes() if place.exists() else None
    with place.open("a", encoding="utf-8") as file:
        file.write(appended)
    told = check(root, name)
    if before is None:
        place.unlink()
    else:
        place.write_bytes(before)
    return told.returncode == 1 and words in told.stdout


def main():
    wrong = [f"{tool} does not say in one line what it wants to be told" for tool in TOLD if not asks(tool)]
    with tempfile.TemporaryDirectory(prefix="corotracer-checks-") as folder:
        root = pathlib.Path(folder)
        copy_house(root)
        wrong += [f"check-{name} fails on sources as they are" for name in sorted({row[0] for row in WRONGS})
                  if check(root, name).returncode]
        wrong += [f"check-{row[0]} does not see what is wrong in {row[1]}: '{row[3]}'" for row in WRONGS
                  if not put_wrong(root, *row)]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
