#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what README.md and docs/*.md print as commands, in their order, in a folder where ./app, ./triangle and the other
programs that they speak of lie, against an installed Gimbal; what they print must be what the documents say, numbers
aside. How blocks are marked that cannot be run: blocks.py."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from blocks import Block, blocks_of  # noqa: E402
from forms import difference  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ARGUMENTS = argparse.Namespace()
LIMIT_S = 300
DIFFERING = ("NOTE",)  # what is advised depends on what else the machine does


class Place:
    """Where documents are tried: an installed Gimbal, compilers under the names that documents use, and programs."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="docs-", dir=ARGUMENTS.scratch)).resolve()
        self.prefix = self.folder / "prefix"
        subprocess.run([ARGUMENTS.cmake, "--install", ARGUMENTS.build, "--prefix", self.prefix], check=True,
                       stdout=subprocess.DEVNULL)
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("GIMBAL_", "OMP_", "KMP_", "LD_", "PMI"))}
        names = self.folder / "names"
        names.mkdir()
        c_compiler = shutil.which("clang") or shutil.which("clang-14") or ARGUMENTS.gcc
        # Programs of the documents may use MPI: every compiler is MPI's, with that compiler behind it.
        for name, compiler, command in (("clang", c_compiler, ARGUMENTS.mpicc), ("gcc", ARGUMENTS.gcc, ARGUMENTS.mpicc),
                                        ("mpicc", ARGUMENTS.gcc, ARGUMENTS.mpicc),
                                        ("mpifort", ARGUMENTS.gcc, ARGUMENTS.mpifort)):
            # With the caller's PATH: what is behind may itself look for "gcc".
            (names / name).write_text(f'#!/bin/sh\nPATH={clean["PATH"]} MPICH_CC={compiler} OMPI_CC={compiler} '
                                      f'exec {command} "$@"\n')
            (names / name).chmod(0o755)
        (names / "mpiexec").write_text(f'#!/bin/sh\nexec {ARGUMENTS.mpiexec} "$@"\n')
        (names / "mpiexec").chmod(0o755)
        self.environment = {**clean, "PATH": f"{self.prefix}/bin:{names}:{clean['PATH']}", "GIMBAL_CACHE": "off",
                            "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
        self.work = self.folder / "work"

    def prepare(self):
        """A fresh folder for a document."""
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(HERE / "programs", self.work)
        (self.work / "build").mkdir()
        (self.work / "build" / "release").symlink_to(ARGUMENTS.build)
        (self.work / "input.txt").write_text("")
        dev = self.work / "dev"  # builds nothing here, but the subcommand must be one
        dev.write_text(f'#!/bin/sh\n{ROOT}/dev help | grep -q "^  ${{1:?}} " || {{ echo "no ./dev $1"; exit 1; }}\n')
        dev.chmod(0o755)
        for program in self.work.glob("*.c"):
            self.run(f"gcc -g -O2 -fopenmp {program.name} -o {program.stem} -lm -IPREFIX/include -LPREFIX/lib "
                     "-Wl,-rpath,PREFIX/lib -Wl,--as-needed -lgimbal_mpi -lgimbal", check=True)

    def run(self, script, check=False):
        """What a shell says to it, output and errors in one, and its status."""
        script = script.replace("PREFIX", str(self.prefix)).replace(".../", f"{self.prefix}/")
        processors = ",".join(map(str, sorted(os.sched_getaffinity(0))[:2]))  # as many as the documents' machine has
        done = subprocess.run(["taskset", "-c", processors, "bash", "-ec", script], cwd=self.work, env=self.environment, text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=LIMIT_S)
        if check and done.returncode != 0:
            raise RuntimeError(f"{script}\n{done.stdout}")
        return done


def runnable(block: Block) -> str:
    """The commands of a block that are to be run, as a script."""
    logical = re.sub(r"\\\n", "\\\n\0", "\n".join(block.lines)).replace("\n\0", "\0").split("\n")
    return "\n".join(line.replace("\0", "\n") for line in logical if not line.startswith(tuple(block.skipped)))


class Documents(unittest.TestCase):
    """A test for each document is added by main()."""

    place = None

    def check_document(self, document):
        self.place.prepare()
        for block in blocks_of(document):
            if block.why_not:
                continue
            if block.output_of or block.is_transcript:
                for command, told in block.commands():
                    with self.subTest(block.name, command=command):
                        self.check_output(block, command, told)
            elif block.is_commands:
                with self.subTest(block.name):
                    done = self.place.run(runnable(block))
                    self.assertEqual(done.returncode, 0, f"{block.name}\n{runnable(block)}\n{done.stdout}")

    def check_output(self, block, command, told):
        done = self.place.run(command)
        wrong = difference(told, done.stdout.splitlines(), [*block.differing, *DIFFERING], bool(block.output_of))
        self.assertEqual(wrong, "", f"{block.name}: {command}\n{wrong}\nall that it printed:\n{done.stdout}")


def documents():
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def add_tests():
    for document in documents():
        every = blocks_of(document)
        blocks = [one for one in every if one.counts]
        unrun = [one for one in blocks if one.why_not]
        if every:
            print(f"{document.relative_to(ROOT)}: {len(blocks)} blocks of commands, {len(unrun)} of them not run",
                  *(f"    line {one.line}: {one.why_not}" for one in unrun),
                  *(f"    line {one.line} is taken for no command: {one.lines[0][:60]}" for one in every
                    if not one.counts),
                  sep="\n", flush=True)
        if len(unrun) < len(blocks):
            name = "test_" + re.sub(r"\W", "_", document.stem.lower())
            setattr(Documents, name, lambda self, document=document: self.check_document(document))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("build", "cmake", "gcc", "mpicc", "mpifort", "mpiexec", "scratch"):
        parser.add_argument(f"--{name}", required=True)
    _, rest = parser.parse_known_args(namespace=ARGUMENTS)
    os.makedirs(ARGUMENTS.scratch, exist_ok=True)
    add_tests()
    Documents.place = Place()
    unittest.addModuleCleanup(shutil.rmtree, Documents.place.folder, ignore_errors=True)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)


if __name__ == "__main__":
    main()
