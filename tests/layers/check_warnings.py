#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads every source that a build tree compiles with other compilers too, and prints their warnings: `./dev warnings`.

Sources get the options of their build, with -Wall -Wextra and without code generation. Programs of benches and tests
that only a script builds get -fopenmp and all folders of headers. Warnings about files outside the source folder are
not ours. What a compiler cannot read is counted and named: it was not checked."""
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
PROGRAMS = ("bench", "tests")  # folders whose programs have commands of their own
SIMULATED = "tests/mpi/simulated/"  # of another build: ./dev simgrid
WITH_VALUE = {"-o", "-MF", "-MT", "-MQ", "-include"}
DROPPED = ("-c", "-l", "-shared", "-MD", "-MMD", "-Winvalid-pch", "-fno-ipa-icf", "-fopenmp-targets", "-O", "-g", "-w",
           "-W")


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


def header_folders(entries):
    """Where any source of the build looks for headers."""
    folders = {}
    for entry in entries:
        words = shlex.split(entry["command"])
        for word, following in zip(words, words[1:] + [""]):
            if word == "-isystem" or word.startswith("-I"):
                folders[following if word == "-isystem" else word[2:]] = None
    return list(folders)


def own_commands(build):
    """{source: a command of the build tree's that names it}, of custom commands too."""
    if not (build / "build.ninja").exists():
        return {}
    said = subprocess.run(["ninja", "-C", build, "-t", "commands"], capture_output=True, text=True, check=False).stdout
    found = {}
    for part in (part for line in said.splitlines() for part in line.split(" && ")):
        try:
            words = shlex.split(part)
        except ValueError:  # a pipe of a shell's, which compiles nothing
            continue
        for word in words[1:]:
            if os.path.isabs(word) and word.endswith((".c", ".cpp")):
                options = [option for option in words[1:] if not option.endswith((".c", ".cpp")) or option == word]
                found.setdefault(word, shlex.join(words[:1] + options))
    return found


def programs_of(build, root, words, known):
    """As sources_of(), of programs of benches and tests that compile_commands.json does not tell of."""
    headers = header_folders(json.loads((build / "compile_commands.json").read_text(encoding="utf-8")))
    commands = own_commands(build)
    found = {}
    for path in (path for part in PROGRAMS for path in sorted((root / part).rglob("*"))):
        name = str(path.relative_to(root))
        if path.suffix not in (".c", ".cpp") or name in known or name.startswith(SIMULATED):
            continue
        if words and not any(word in name for word in words):
            continue
        plain = ["compiler", "-std=gnu11" if path.suffix == ".c" else "-std=c++20", "-fopenmp", str(path)]
        plain += [option for folder in headers for option in ("-idirafter", folder)]
        found[name] = (str(build), commands.get(str(path), shlex.join(plain)))
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


def check(compiler, sources, root, jobs, out=sys.stdout, omp_header=None):
    """Print what a compiler says of all sources. Returns the numbers of warnings and of files it could not read."""
    warnings, unread = set(), []
    with tempfile.TemporaryDirectory() as headers, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        # clang has no omp.h of its own, and gcc's has words that clang does not know.
        if omp_header and "clang" in compiler:
            shutil.copy(omp_header, headers)
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
    build = arguments.build.resolve()
    sources = sources_of(build, root, arguments.words)
    sources |= programs_of(build, root, arguments.words, sources_of(build, root, []))
    if not sources:
        sys.exit(f"check_warnings: error: {arguments.build} compiles nothing of that kind")
    bad = 0
    omp_header = next(build.glob("omp_patch/*/runtime/src/omp.h"), None)
    for compiler in arguments.compiler or COMPILERS:
        if shutil.which(compiler) is None:
            sys.exit(f"check_warnings: error: {compiler} is not installed")
        bad += sum(check(compiler, sources, root, arguments.jobs, omp_header=omp_header))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
