#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads every source that a build tree compiles with other compilers too, and prints their warnings: `./dev warnings`.

Sources get the options of their build, with -Wall -Wextra and without code generation. Warnings about files outside
the source folder are not ours. What a compiler cannot read is counted and named: it was not checked."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

COMPILERS = ("g++-12", "clang++-14", "clang++-19")
OF_C = {"g++": "gcc", "clang++": "clang"}
WITH_VALUE = {"-o", "-MF", "-MT", "-MQ", "-include"}
DROPPED = ("-c", "-MD", "-MMD", "-Winvalid-pch", "-fno-ipa-icf", "-O", "-g", "-W")


def for_c(compiler):
    """gcc-12 for g++-12."""
    name, _, version = compiler.partition("-")
    return OF_C.get(name, name) + ("-" + version if version else "")


def arguments_of(command):
    """What of a compiler's command line says how its source is to be read."""
    words = iter(shlex.split(command)[1:])
    kept = []
    for word in words:
        if word in WITH_VALUE:
            next(words)
        elif not word.startswith(DROPPED):
            kept.append(word)
    return kept


def sources_of(build, root, words):
    """{file: (folder, command)} of what is ours; of a file that is compiled twice, one."""
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    found = {}
    for entry in entries:
        path = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if not path.is_relative_to(root) or path.is_relative_to(build):
            continue
        name = str(path.relative_to(root))
        if path.suffix == ".f90":
            continue
        if not words or any(word in name for word in words):
            found[name] = (entry["directory"], entry["command"])
    return found


def read_by(compiler, name, folder, command, root, headers):
    """(warnings that are ours, an error or "")"""
    if name.endswith(".c"):
        compiler = for_c(compiler)
    call = [compiler, *arguments_of(command), "-fsyntax-only", "-Wall", "-Wextra", "-idirafter", headers]
    if "clang" in compiler:
        call += ["-Wno-unknown-warning-option", "-Qunused-arguments"]
    said = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False,
                          env={**os.environ, "LC_ALL": "C"})
    lines = said.stderr.splitlines()
    ours = []
    for line in lines:
        place, mark, _ = line.partition(": warning: ")
        file = pathlib.Path(folder, place.split(":")[0]).resolve()
        if mark and file.is_relative_to(root):
            ours.append(str(file.relative_to(root)) + line[len(place.split(":")[0]):])
    errors = [line for line in lines if ": error: " in line or ": fatal error: " in line]
    return ours, "" if said.returncode == 0 else (errors or lines or ["no message"])[0]


def check(compiler, sources, root, jobs, out=sys.stdout):
    """Print what a compiler says of all sources. Returns the numbers of warnings and of files it could not read."""
    warnings, unread = set(), []
    with tempfile.TemporaryDirectory() as headers, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        # omp.h comes with the runtime of one compiler only; its declarations are the same for all.
        omp = subprocess.run(["gcc", "-print-file-name=include/omp.h"], capture_output=True, text=True, check=False)
        if os.path.isabs(omp.stdout.strip()):
            shutil.copy(omp.stdout.strip(), headers)
        calls = {pool.submit(read_by, compiler, name, folder, command, root, headers): name
                 for name, (folder, command) in sources.items()}
        for call in concurrent.futures.as_completed(calls):
            ours, error = call.result()
            warnings.update(ours)
            if error:
                unread.append(f"{calls[call]}: {error}")
    for line in sorted(warnings) + [f"not read: {line}" for line in sorted(unread)]:
        print(f"{compiler}: {line}", file=out)
    print(f"{compiler}: {len(sources)} files, {len(warnings)} warnings, {len(unread)} files not read", file=out)
    return len(warnings), len(unread)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="a build tree that is configured")
    parser.add_argument("--compiler", action="append", help=f"default: {' '.join(COMPILERS)}")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("words", nargs="*", help="only sources whose path holds one of these")
    arguments = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parents[2]
    sources = sources_of(arguments.build.resolve(), root, arguments.words)
    if not sources:
        sys.exit(f"check_warnings: error: {arguments.build} compiles nothing of that kind")
    bad = 0
    for compiler in arguments.compiler or COMPILERS:
        if shutil.which(compiler) is None:
            sys.exit(f"check_warnings: error: {compiler} is not installed")
        bad += sum(check(compiler, sources, root, arguments.jobs))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
