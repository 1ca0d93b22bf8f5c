#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds names of tests, in sources and documents, that no file or folder of the tree has.

A name is a path from tests/ on, or a file whose name is that of a test, with as much of its path as is written; `*`
stands for anything. Scripts and CMake name programs of the build tree, too, so of these only paths with an ending
count. CHANGELOG.md tells what was, and a recipe names the files that it makes."""
import argparse
import fnmatch
import os
import pathlib
import re
import sys

CODE = {".c", ".cpp", ".h", ".hpp", ".inc", ".f90", ".F90", ".md"}
SCRIPTS = {".py", ".sh", ".cmake", ".txt"}
SKIPPED = {"CHANGELOG.md", "tests/layers/test_references.py", "tests/layers/test_whole_tree.py"}  # two make names up
# What stands before a path of another tree: build/tests/..., $root/tests/...
PATH = re.compile(r"(?<![\w/.}*-])tests/[\w./*-]*[\w/*]")
FILE = re.compile(r"(?<![\w/.}*-])[\w./-]*(?:\b[A-Za-z]\w*_test|\btest_\w+\*?)\.(?:cpp|py|c)\b")
MADE = re.compile(r"^// new (.*)$", re.MULTILINE)  # first line of a block in a recipe


def paths_of(root):
    """Files of the tree, relative to it, without build trees and what is hidden."""
    for folder, folders, files in os.walk(root):
        at_top = pathlib.Path(folder) == root
        folders[:] = [name for name in folders
                      if not name.startswith((".", "__")) and not (at_top and name.startswith(("build", "shared")))]
        for name in files:
            yield (pathlib.Path(folder) / name).relative_to(root).as_posix()


class Tree:
    def __init__(self, root):
        self.files = sorted(paths_of(root))
        self.folders = {parent.as_posix() for name in self.files for parent in pathlib.PurePosixPath(name).parents}
        self.by_name = {}
        for name in self.files:
            self.by_name.setdefault(name.rsplit("/", 1)[-1], []).append("/" + name)

    def has(self, name):
        name = name.rstrip("/")
        if "*" in name:
            return any(fnmatch.fnmatchcase("/" + one, "*/" + name) for one in (*self.files, *self.folders))
        return name in self.folders or any(one.endswith("/" + name) for one in self.by_name.get(name.split("/")[-1], ()))


def names_in(path, text):
    """(line, name) of each test that a text names."""
    made = {word.rsplit("/", 1)[-1] for words in MADE.findall(text) for word in words.split()}
    script = path.suffix in SCRIPTS
    for number, line in enumerate(text.splitlines(), 1):
        names = {match.group() for match in FILE.finditer(line)}
        names |= {match.group() for match in PATH.finditer(line)
                  if not script or pathlib.PurePosixPath(match.group()).suffix}
        yield from ((number, name) for name in sorted(names) if name.rsplit("/", 1)[-1] not in made)


def missing(root):
    """path:line: name, of each name that nothing has."""
    tree = Tree(root)
    for name in tree.files:
        path = root / name
        if path.suffix not in CODE | SCRIPTS or name in SKIPPED:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        yield from (f"{name}:{line}: {what}" for line, what in names_in(path, text) if not tree.has(what))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=pathlib.Path, required=True, help="the root of the tree")
    found = list(missing(parser.parse_args().source.resolve()))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
