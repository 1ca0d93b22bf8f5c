#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuses calls in Gimbal's sources whose result follows the locale of the host program.

A program that calls setlocale() gives printf("%g"), strtod() and streams another decimal point, and a library inside it
must not follow. Real numbers become text and back through gimbal/plain_text.hpp and <charconv> only; letters are judged
by ascii_lower() and its neighbours. std::to_string() of a real number looks like that of an integer: it is found in the
objects, as the only one that needs vsnprintf()."""
import argparse
import pathlib
import re
import subprocess
import sys

FOLDERS = ("runtime", "mpi_layer", "pinning", "omp_patch", "tools")
ENDINGS = (".c", ".cpp", ".h", ".hpp", ".patch")

RULES = (
    (re.compile(r'"[^"\n]*%[-+ #0]*[\d*]*(\.[\d*]+)?L?[aAeEfFgG](?![a-z])'), "a real number in a printf form"),
    (re.compile(r"\b(strto(d|f|ld)|wcstod|ato[f]|sto(d|f|ld))\s*\("), "reads a real number"),
    (re.compile(r"\b[vsf]*scanf\s*\("), "scanf"),
    (re.compile(r"#include <(sstream|iomanip|iostream|ostream|istream|strstream|locale|cctype|ctype\.h)>"), "a header"),
    (re.compile(r"\b(is(alpha|alnum|digit|space|upper|lower|print|punct|xdigit|blank)|to(upper|lower)|"
                r"strn?casecmp)\s*\("),
     "letters as the locale knows them"),
    (re.compile(r"\b(file|text|words|line|in|out|stream)\s*(>>|<<)\s*[a-z\"]"), "a stream's formatting"),
    (re.compile(r"\b(setlocale|std::locale::global)\s*\("), "the process's locale"),
)

# Path and the text of the line. A command of the tool's is no library in a program; LC_CTYPE is letters alone.
ALLOWED: set[tuple[str, str]] = {("tools/gimbal/top_command.cpp", 'std::setlocale(LC_CTYPE, "");')}


def findings(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in ENDINGS:
                continue
            name = path.relative_to(root).as_posix()
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                code = (line if "://" in line else line.split("//")[0]).replace("%%", "")
                if code.lstrip().startswith(("*", "/*")) or (name, line.strip()) in ALLOWED:
                    continue
                for pattern, what in RULES:
                    if pattern.search(code):
                        yield f"{name}:{number}: {what}: {line.strip()}"


def objects_with_to_string(objects):
    for start in range(0, len(objects), 200):
        some = objects[start:start + 200]
        listing = subprocess.run(["nm", "--print-file-name", "--undefined-only", *some], check=True,
                                 capture_output=True,
                                 text=True).stdout
        for line in listing.splitlines():
            if "vsnprintf" in line:
                yield f"{line.split(':')[0]}: std::to_string of a real number, or vsnprintf"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--objects", type=pathlib.Path, help="file with the names of object files, ; between them")
    asked = parser.parse_args()
    found = list(findings(asked.source))
    if asked.objects:
        objects = [name for name in asked.objects.read_text(encoding="utf-8").split(";") if name.strip()]
        found += objects_with_to_string([name.strip() for name in objects])
    for line in found:
        print(line)
    if found:
        print(f"{len(found)} places follow the host program's locale; use gimbal/plain_text.hpp or <charconv>")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
