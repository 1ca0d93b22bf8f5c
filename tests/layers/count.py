#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what a reader of the sources has to get through: files, lines, types, small files. `./dev count`.

A type is a struct, class, enum or union that is defined with a name, wherever it stands. Test sources do not count, nor
do folders that hold one technique a file where it is small files that are counted."""
import argparse
import pathlib
import re
import statistics
import sys

PARTS = ("runtime", "mpi_layer", "pinning", "omp_patch", "tools", "apps")
ENDINGS = {".c", ".cpp", ".h", ".hpp", ".cu"}
SMALL = 40
TECHNIQUES = pathlib.PurePath("runtime/technique")
TYPE = re.compile(r"^\s*(?:typedef\s+)?(?:template\s*<[^;{}]*>\s*)?(?:struct|class|enum(?:\s+class|\s+struct)?|union)\s+"
                  r"(?:alignas\([^)]*\)\s*|\[\[[^\]]*\]\]\s*|GIMBAL_\w+\s+)*(\w+)\s*(?:final\s*)?(?::[^:;{}][^;{}]*)?\{",
                  re.MULTILINE)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
CODE_LINE = re.compile(r"\S")


class Source:
    def __init__(self, path, root):
        text = (root / path).read_text(encoding="utf-8")
        bare = COMMENT.sub("", text)
        self.path = path
        self.lines = text.count("\n")
        self.code = sum(1 for line in bare.splitlines() if CODE_LINE.search(line))
        self.types = TYPE.findall(bare)


def sources_of(root, parts):
    paths = (path.relative_to(root) for part in parts for path in sorted((root / part).rglob("*")))
    return [Source(path, root) for path in paths if path.suffix in ENDINGS]


def row(name, sources):
    lines = sum(source.lines for source in sources)
    types = sum(len(source.types) for source in sources)
    candidates = [source for source in sources if TECHNIQUES not in source.path.parents]
    small = sum(1 for source in candidates if source.lines < SMALL)
    return (f"{name:<24} {len(sources):>6} {lines:>7} {sum(source.code for source in sources):>7} {types:>6} "
            f"{1000 * types / max(lines, 1):>7.1f} {statistics.median(source.lines for source in sources):>7.0f} "
            f"{small:>6} {100 * small / max(len(candidates), 1):>5.0f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--rooms", action="store_true", help="a row for each folder, too")
    arguments = parser.parse_args()
    everything = sources_of(arguments.root, PARTS)
    if not everything:
        sys.exit(f"count: error: no sources below {arguments.root}")
    print(f"{'':<24} {'files':>6} {'lines':>7} {'code':>7} {'types':>6} {'/1000':>7} {'median':>7} {'< ' + str(SMALL):>6}")
    for part in PARTS:
        of_part = [source for source in everything if source.path.parts[0] == part]
        print(row(part, of_part))
        rooms = sorted({source.path.parent for source in of_part}) if arguments.rooms else []
        for room in rooms:
            print(row("  " + str(room.relative_to(part)), [source for source in of_part if source.path.parent == room]))
    print(row("all", everything))
    without_apps = [source for source in everything if source.path.parts[0] != "apps"]
    print(row("all without apps", without_apps))


if __name__ == "__main__":
    main()
